"""How AsyncReprise waits: with asyncio. _sync_io.py has the same names for Reprise."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import ssl
import urllib.parse
import weakref
from typing import Any, Awaitable, Callable, List, TypeVar

T = TypeVar("T")


class Connection:
    """A connection to a server. Whatever waits longer than `silence` seconds raises an OSError."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, silence: float):
        self.reader = reader
        self.writer = writer
        self.silence = silence

    @classmethod
    async def open(cls, url: urllib.parse.SplitResult, silence: float) -> Connection:
        secure = ssl.create_default_context() if url.scheme == "https" else None
        port = url.port or (443 if secure else 80)
        opening = asyncio.open_connection(url.hostname, port, ssl=secure, limit=1 << 20)
        reader, writer = await within(opening, silence)
        return cls(reader, writer, silence)

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await within(self.writer.drain(), self.silence)

    async def line(self) -> bytes:
        """A line with its end; without an end: the connection has ended."""
        return await within(self.reader.readline(), self.silence)

    async def read(self, most: int) -> bytes:
        """Some bytes; none: the connection has ended."""
        return await within(self.reader.read(most), self.silence)

    def close(self) -> None:
        self.writer.transport.abort()


class Iteration:
    """An iteration of a run. It lasts until its frames have ended, or nobody has them any more."""

    def __init__(self) -> None:
        self.task = asyncio.current_task()
        self.end = asyncio.Event()

    def reads(self, frames: T) -> T:
        self.frames = weakref.ref(frames, lambda _: self.end.set())
        return frames

    async def wait(self) -> None:
        """Waits until it has ended. Raises RuntimeError where this could never be."""
        if asyncio.current_task() is self.task:
            raise RuntimeError("this run is being iterated here: ask for the result after the iteration")
        await self.end.wait()


async def within(waiting: Awaitable[Any], seconds: float) -> Any:
    try:
        return await asyncio.wait_for(waiting, seconds)
    except asyncio.TimeoutError:
        raise OSError(f"nothing came for {seconds:.0f} seconds") from None


async def sleep(seconds: float) -> None:
    await asyncio.sleep(seconds)


async def gather(*waiting: Awaitable[Any]) -> List[Any]:
    """Does everything at once. When one fails, the others are cancelled, and have ended when its error is raised."""
    tasks = [asyncio.ensure_future(each) for each in waiting]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def called(function: Callable[..., Any], *args: Any) -> Any:
    """Calls a function of the user: in a thread, if it is no coroutine function."""
    if inspect.iscoroutinefunction(function):
        return await function(*args)
    context = contextvars.copy_context()
    value = await asyncio.get_running_loop().run_in_executor(None, context.run, function, *args)
    return await value if inspect.isawaitable(value) else value
