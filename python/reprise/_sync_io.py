"""How Reprise waits: in the thread of its caller. _async_io.py has the same names for AsyncReprise."""

from __future__ import annotations

import inspect
import socket
import ssl
import threading
import time
import urllib.parse
import weakref
from typing import Any, Callable, List, TypeVar

T = TypeVar("T")


class Connection:
    """A connection to a server. Whatever waits longer than `silence` seconds raises an OSError."""

    def __init__(self, connected: socket.socket):
        self.socket = connected
        self.reader = connected.makefile("rb")

    @classmethod
    def open(cls, url: urllib.parse.SplitResult, silence: float) -> Connection:
        secure = url.scheme == "https"
        connected = socket.create_connection((url.hostname, url.port or (443 if secure else 80)), silence)
        if secure:
            connected = ssl.create_default_context().wrap_socket(connected, server_hostname=url.hostname)
        return cls(connected)

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def line(self) -> bytes:
        """A line with its end; without an end: the connection has ended."""
        return self.reader.readline(1 << 20)

    def read(self, most: int) -> bytes:
        """Some bytes; none: the connection has ended."""
        return self.reader.read1(most)

    def close(self) -> None:
        self.reader.close()
        self.socket.close()


class Iteration:
    """An iteration of a run. It lasts until its frames have ended, or nobody has them any more."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.end = threading.Event()

    def reads(self, frames: T) -> T:
        self.frames = weakref.ref(frames, lambda _: self.end.set())
        return frames

    def wait(self) -> None:
        """Waits until it has ended. Raises RuntimeError where this could never be."""
        if threading.get_ident() == self.thread:
            raise RuntimeError("this run is being iterated here: ask for the result after the iteration")
        self.end.wait()


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def gather(*values: Any) -> List[Any]:
    """What was done one after the other."""
    return list(values)


def called(function: Callable[..., Any], *args: Any) -> Any:
    """Calls a function of the user."""
    value = function(*args)
    if inspect.isawaitable(value):
        raise TypeError("the function is asynchronous: use AsyncReprise")
    return value
