"""Agents in Python for Reprise: durable functions that the server hosts, or that connect to it from anywhere.

    from reprise_agent import agent

    @agent
    async def main(ctx):
        order = await ctx.tool("find_order", {"text": ctx.input.text})
        if await ctx.ask("approve_refund", {"order": order}) == "yes":
            await ctx.run("refund", lambda: bank.refund(order))
        return await ctx.model(f"Tell the user what happened: {order}")

Every call of ctx is stored in the journal of the task before it is done. After a crash the function runs again from
its beginning, and gets the results that are stored, one at a time and in the order in which they came.

The function runs in an event loop of its own (CodeLoop), which stands still between two results. This loop knows
exactly when the code has done all that followed from a result, because then no callback is left in it; what else the
process does, and which event loop it does it in, makes no difference. asyncio.gather, wait, wait_for, timeout,
TaskGroup, Queue and Event work in it. Its clock is the one of the journal: asyncio.sleep and the timeouts of asyncio
are durable timers. Everything that reaches outside is refused there, and belongs into a function given to ctx.run: that
function runs in the event loop of the process if it is `async def`, and in a thread otherwise.

Between two calls the code must be deterministic: it takes the time from ctx.now(), random numbers from ctx.random(),
and iterates over no set of texts or of objects of its own. Sets of tasks, such as those of asyncio.wait, have the same
order in every run.

Hosted:  python3 -m reprise_agent FILE    serves the one agent of a file over standard input and output.
Worker:  await serve(url, token, {"support": main})

docs/agent-protocol.md describes the messages. Only the standard library is needed, Python 3.9 or later.
"""

from __future__ import annotations

import asyncio
import base64
import collections
import concurrent.futures
import contextlib
import contextvars
import datetime
import functools
import hashlib
import inspect
import json
import logging
import math
import os
import random
import re
import signal
import socket
import ssl
import sys
import threading
import time
import traceback
import urllib.parse
import zlib
from typing import Any, Awaitable, Callable, Dict, List, Mapping, NoReturn, Optional, Union

from reprise_env import DEEPEST, Line, end_all, load, message_of, random_from

__all__ = [
    "agent",
    "serve",
    "Agent",
    "Context",
    "Cancelled",
    "CallError",
    "ToolError",
    "ModelError",
    "AgentFailed",
    "AskError",
    "EnvironmentError",
    "RunError",
    "TimeoutError",
]

PROTOCOL = 1
# The limits of the protocol (docs/agent-protocol.md). What code gives is checked here first, so that an author hears what
# is wrong where it is wrong.
LARGEST_MESSAGE = 16 << 20  # bytes
LARGEST_HELLO = 1 << 20  # bytes
LARGEST_VALUE = 8 << 20  # bytes of an entry, a result or an answer
DEEPEST_VALUE = DEEPEST - 4  # levels of lists and dicts
MOST_VALUES = 90_000  # lists and dicts of an entry, a result or an answer, and what is in them
MOST_KEYS = 10_000  # of one dict
MOST_IN_MESSAGE = 100_000  # values: a turn that would have more is sent in parts
LARGEST_TURN = 1 << 19  # bytes: a longer turn is sent in parts
LARGEST_SAID = 1 << 19  # characters: a longer text is said in parts
MOST_OPEN = 1000  # entries of a lease without a result; more wait here
MOST_UNSENT = 4 << 20  # bytes
LONGEST_NAME, LONGEST_WORKER_NAME, LONGEST_VERSION, LONGEST_DESCRIPTION = 256, 128, 128, 10_000  # characters
MOST_SLOTS, MOST_AGENTS = 10_000, 1000
LARGEST_INT = 2**53
LATEST = 8_640_000_000_000_000  # milliseconds since 1970: no timer ends later, and no timeout is longer
SLICE = 0.05  # seconds in which the process does nothing else, while code is run again
WARN_AFTER, FAIL_AFTER = 1.0, 10.0  # seconds without anything to wait for
DRAIN = 10.0  # seconds for runs when the host stops
CLOSE = 5.0  # seconds until the server has taken what a worker has sent last
SILENCE = 15.0  # seconds without a byte from the server
NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")

THREADS = concurrent.futures.ThreadPoolExecutor(256, "reprise-run")  # for functions of ctx.run; made when needed
INSIDE: contextvars.ContextVar[Optional[str]] = contextvars.ContextVar("inside", default=None)  # the name of a run

log = logging.getLogger("reprise_agent")


# --- errors ---------------------------------------------------------------------------------------------------------


class CallError(Exception):
    """A call of ctx has failed. The class says what was called, and `kind` how it failed.

    kind: tool, model, agent, ask, env, run, refused (it was not allowed), timeout or dropped. code and data: more about
    it, or None. error_name: the name of the exception in a function of ctx.run, or None.
    """

    def __init__(
        self,
        message: str,
        kind: str = "",
        code: Optional[int] = None,
        data: Any = None,
        error_name: Optional[str] = None,
    ):
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.code = code
        self.data = data
        self.error_name = error_name


class ToolError(CallError):
    """A tool, or a step of an environment, has failed."""


class ModelError(CallError):
    """A model has given no answer."""


class AgentFailed(CallError):
    """Another agent has failed."""


class AskError(CallError):
    """A question has got no answer."""


class EnvironmentError(CallError):
    """An environment could not be reset or observed."""


class RunError(CallError):
    """The function of a ctx.run has raised."""


class TimeoutError(CallError, *dict.fromkeys((asyncio.TimeoutError, TimeoutError))):  # type: ignore[misc]
    """A call has taken longer than its `timeout`. It is a TimeoutError of Python, and of asyncio, too."""


CLASSES = {
    "tool": ToolError,
    "model": ModelError,
    "agent": AgentFailed,
    "ask": AskError,
    "env": EnvironmentError,
    "run": RunError,
}


def error_of(given: Any, asked: str) -> CallError:
    """The exception for an error of a result; `asked`: what the entry does."""
    given = given if isinstance(given, dict) else {"message": given}
    kind = str(given.get("kind", ""))
    made = TimeoutError if kind == "timeout" else CLASSES.get(asked, CallError)
    message = str(given.get("message") or f"ctx.{asked} has failed")
    return made(message, kind, given.get("code"), given.get("data"), given.get("name"))


# --- JSON -----------------------------------------------------------------------------------------------------------


def as_json(value: Any, what: str, path: str = "", levels: int = DEEPEST_VALUE, room: Optional[List[int]] = None) -> Any:
    """The value as JSON has it: tuples become lists, values of numpy numbers and lists.

    room: one number, how many more values there may be. Raises TypeError for anything else, and names what the value is
    for and where in it the misfit is.
    """
    place = path or "it"
    room = [MOST_VALUES] if room is None else room
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        if abs(value) > LARGEST_INT:
            raise TypeError(f"{what} must be JSON, which cannot hold {value} exactly ({place}): give it as text")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise TypeError(f"{what} must be JSON, but {place} is {value}: give None or text")
        return float(value)
    if levels == 0:
        raise TypeError(f"{what} must be JSON, but {place[:100]} … is nested too deep, or holds itself")
    if isinstance(value, (dict, list, tuple)):
        room[0] -= 1 + len(value)
        if room[0] < 0:
            raise TypeError(
                f"{what} has more than {MOST_VALUES} values: store it elsewhere, and pass its name, or give it as text"
            )
    if isinstance(value, dict):
        if len(value) > MOST_KEYS:
            raise TypeError(f"{what} has a dict with more than {MOST_KEYS} keys ({place}): give a list of pairs")
        for key, child in value.items():
            if not isinstance(key, str):
                raise TypeError(f"{what} must be JSON, but {place} has the key {key!r}: keys are text")
            if key == "__proto__" or (key == "constructor" and isinstance(child, dict) and "prototype" in child):
                raise TypeError(f"{what} has the key {key!r} ({place}), which is not allowed: give it another name")
        return {
            key: as_json(child, what, f"{path}.{key}" if path else key, levels - 1, room)
            for key, child in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [as_json(child, what, f"{path}[{n}]", levels - 1, room) for n, child in enumerate(value)]
    if hasattr(value, "tolist"):
        return as_json(value.tolist(), what, path, levels - 1, room)
    if inspect.isawaitable(value):
        raise TypeError(f"{what} must be JSON, but {place} is a call that was not awaited: await it first")
    kind = type(value).__name__
    raise TypeError(f"{what} must be JSON, but {place} is a {kind}: give text, numbers, lists and dicts")


def values_in(value: Any) -> int:
    """How many values a plain value has: its lists and dicts, and what is in them."""
    if isinstance(value, dict):
        return 1 + len(value) + sum(map(values_in, value.values()))
    if isinstance(value, list):
        return 1 + len(value) + sum(map(values_in, value))
    return 0


def text_of(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def digest_of(asked: Mapping[str, Any]) -> str:
    text = json.dumps(asked, allow_nan=False, separators=(",", ":"), sort_keys=True)
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


class Fields(Dict[str, Any]):
    """A dict whose values are attributes too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


# --- agents ---------------------------------------------------------------------------------------------------------

Main = Callable[["Context"], Awaitable[Any]]


class Agent:
    """An agent: an `async def` with one parameter, ctx, and what the server says about it."""

    def __init__(
        self,
        main: Main,
        description: Optional[str] = None,
        parameters: Optional[Mapping[str, Any]] = None,
        version: Optional[str] = None,
        task_support: Optional[str] = None,
    ):
        name = getattr(main, "__name__", repr(main))
        if not inspect.iscoroutinefunction(main):
            raise TypeError(f"{name} is no coroutine function: an agent is written `async def {name}(ctx)`")
        try:
            inspect.signature(main).bind(None)
        except TypeError:
            raise TypeError(f"{name} must take one argument: an agent is written `async def {name}(ctx)`") from None
        if version is not None and not (isinstance(version, str) and 0 < len(version) <= LONGEST_VERSION):
            raise TypeError(f"the version of {name} must be text of 1 to {LONGEST_VERSION} characters")
        if description is not None and not (isinstance(description, str) and len(description) <= LONGEST_DESCRIPTION):
            raise TypeError(f"the description of {name} must be text of at most {LONGEST_DESCRIPTION} characters")
        if task_support not in (None, "required", "optional", "none"):
            raise TypeError(f"the task_support of {name} must be 'required', 'optional' or 'none'")
        self.main = main
        doc = inspect.getdoc(main)
        self.description = description if description is not None else doc and doc[:LONGEST_DESCRIPTION]
        self.parameters = None if parameters is None else as_json(dict(parameters), f"the parameters of {name}")
        self.version = version
        self.task_support = task_support
        self.__module__ = main.__module__
        self.__name__ = name
        self.__doc__ = main.__doc__

    def __call__(self, ctx: Context) -> Awaitable[Any]:
        return self.main(ctx)

    def hello(self, name: str) -> Dict[str, Any]:
        names = ("description", "parameters", "version", "task_support")
        given = {key: getattr(self, key) for key in names if getattr(self, key) is not None}
        return {"name": name, "kind": "function", **given}


def agent(
    main: Optional[Main] = None,
    *,
    description: Optional[str] = None,
    parameters: Optional[Mapping[str, Any]] = None,
    version: Optional[str] = None,
    task_support: Optional[str] = None,
) -> Any:
    """Makes an agent of an `async def main(ctx)`: `@agent`, or `@agent(description=…)`.

    description: what it does, for those who choose an agent (default: the docstring). parameters: a JSON Schema of what
    it reads from ctx.config. version: text; tasks that began with a version stay with it while a worker has it.
    task_support: whether a call by MCP is a task: "required", "optional" or "none".
    """
    if main is None:
        return lambda given: Agent(given, description, parameters, version, task_support)
    return Agent(main, description, parameters, version, task_support)


def agent_in(module: Any, file: str) -> Agent:
    """The one agent of a module: what @agent has made, otherwise `async def main(ctx)`."""
    own = {
        id(value): (name, value)
        for name, value in vars(module).items()
        if isinstance(value, Agent) and value.__module__ == module.__name__
    }
    if len(own) > 1:
        names = ", ".join(sorted(name for name, _ in own.values()))
        raise TypeError(f"{os.path.basename(file)} has more than one agent ({names}): give each a file of its own")
    if own:
        return next(iter(own.values()))[1]
    main = getattr(module, "main", None)
    if main is None:
        raise TypeError(f"{os.path.basename(file)} has no agent: write @agent before an `async def main(ctx)`")
    return main if isinstance(main, Agent) else Agent(main)


# --- the event loop of the code -------------------------------------------------------------------------------------


def is_unordered(frame: Any) -> bool:
    """Whether asyncio makes a task from a set of coroutines, whose order differs from run to run."""
    makers = ("ensure_future", "_ensure_future")
    names: List[str] = []
    while frame is not None and frame.f_code.co_filename == asyncio.tasks.__file__ and len(names) < 4:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    rest = [name for name in names if name not in makers and name != "<setcomp>"]
    return names[:1] != [] and names[0] in makers and rest[:1] in (["as_completed"], ["wait"], ["__init__"])


class CodeFuture(asyncio.Future):  # type: ignore[type-arg]
    """A future whose place in a set is the same in every run."""

    def __init__(self, loop: CodeLoop):
        self.place = loop.next_place()
        super().__init__(loop=loop)

    def __hash__(self) -> int:
        return self.place


class CodeTask(asyncio.Task):  # type: ignore[type-arg]
    """A task whose place in a set is the same in every run."""

    def __init__(self, coro: Any, loop: CodeLoop, **options: Any):
        self.place = loop.next_place()  # first, because asyncio puts every task into a set
        super().__init__(coro, loop=loop, **options)

    def __hash__(self) -> int:
        return self.place


class CodeLoop(asyncio.AbstractEventLoop):
    """The event loop in which the code of one lease runs. The lease runs it when something has come."""

    def __init__(self, lease: Lease):
        self.lease = lease
        self.ready: collections.deque[asyncio.Handle] = collections.deque()
        self.tasks: Dict[CodeTask, None] = {}
        self.sleeps: Dict[int, Entry] = {}  # of timers, by the id of their handle
        self.is_entered = False
        self.places = zlib.crc32(lease.id_of_task.encode()) << 20  # other leases have other places, for speed only

    def next_place(self) -> int:
        self.places += 1
        return self.places

    @contextlib.contextmanager
    def entered(self) -> Any:
        around, hooks = asyncio._get_running_loop(), sys.get_asyncgen_hooks()
        asyncio._set_running_loop(self)
        sys.set_asyncgen_hooks(firstiter=None, finalizer=self.close_generator)
        self.is_entered = True
        try:
            yield
        finally:
            self.is_entered = False
            sys.set_asyncgen_hooks(*hooks)
            asyncio._set_running_loop(around)

    def run_until_idle(self, is_over: Callable[[], bool], deadline: float) -> bool:
        """Runs what is ready, and what follows from it. False: time is up."""
        count = 0
        while self.ready and not is_over():
            handle = self.ready.popleft()
            if not handle.cancelled():
                try:
                    handle._run()
                except SystemExit:  # who awaits the task gets it
                    pass
            count += 1
            if count % 32 == 0 and time.monotonic() > deadline:
                return False
        return True

    def close_generator(self, generator: Any) -> None:
        if not self.lease.is_over():
            self.create_task(generator.aclose())

    # What asyncio needs.

    def call_soon(self, callback: Any, *args: Any, context: Any = None) -> asyncio.Handle:  # type: ignore[override]
        handle = asyncio.Handle(callback, args, self, context)
        self.ready.append(handle)
        if not self.is_entered:
            self.lease.wake()
        return handle

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Any = None
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self.ready.append(handle)
        self.lease.host.loop.call_soon_threadsafe(self.lease.wake)
        return handle

    def call_later(self, delay: float, callback: Any, *args: Any, context: Any = None) -> Any:  # type: ignore[override]
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(self, when: float, callback: Any, *args: Any, context: Any = None) -> Any:  # type: ignore[override]
        if when <= self.time():
            return self.call_soon(callback, *args, context=context)
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        sleep = self.lease.ask("sleep", {"until": math.ceil(round(min(when * 1000, LATEST), 3))})
        sleep.add_done_callback(lambda done: None if done.cancelled() else self.ready.append(handle))
        self.sleeps[id(handle)] = sleep
        sleep.add_done_callback(lambda _: self.sleeps.pop(id(handle), None))
        return handle

    def _timer_handle_cancelled(self, handle: Any) -> None:
        sleep = self.sleeps.pop(id(handle), None)
        if sleep is not None:
            sleep.cancel()

    def time(self) -> float:
        return self.lease.now / 1000

    def create_future(self) -> CodeFuture:
        return CodeFuture(self)

    def create_task(self, coro: Any, **options: Any) -> CodeTask:
        if asyncio.isfuture(coro):  # what ctx gives has begun already

            async def awaited(future: Any) -> Any:
                return await future

            coro = awaited(coro)
        elif is_unordered(sys._getframe(1)):
            coro.close()
            raise TypeError(
                "asyncio starts these coroutines in no fixed order: give it tasks, made by asyncio.create_task"
            )
        options = {name: value for name, value in options.items() if value is not None}
        task = CodeTask(coro, self, **options)
        self.tasks[task] = None
        task.add_done_callback(lambda done: self.tasks.pop(done, None))
        return task

    def call_exception_handler(self, context: Dict[str, Any]) -> None:
        error = context.get("exception")
        if not self.lease.is_over():
            told = f": {type(error).__name__}: {error}" if error else ""
            log.warning("%s: %s%s", self.lease, context.get("message"), told)

    default_exception_handler = call_exception_handler

    def get_debug(self) -> bool:
        return False

    def get_task_factory(self) -> None:
        return None

    def get_exception_handler(self) -> None:
        return None

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return False


def refuse(name: str) -> Any:
    def refused(self: CodeLoop, *args: Any, **named: Any) -> Any:
        for one in args:
            if inspect.iscoroutine(one):
                one.close()
        raise RuntimeError(
            f"the code of an agent reaches nothing outside but through ctx, and {name} of asyncio would: "
            "put it into a function and give it to ctx.run(name, fn)"
        )

    return refused


for _name in vars(asyncio.AbstractEventLoop):
    if not _name.startswith("_") and _name not in vars(CodeLoop):
        setattr(CodeLoop, _name, refuse(_name))
CodeLoop.__abstractmethods__ = frozenset()  # type: ignore[attr-defined]


class Entry(CodeFuture):
    """The result of an entry of the journal. Who cancels it stops the entry."""

    def __init__(self, lease: Lease, n: int, do: str, read: Callable[[Any], Any]):
        super().__init__(lease.loop)
        self.lease = lease
        self.n = n
        self.do = do
        self.read = read

    def cancel(self, *args: Any, **named: Any) -> bool:
        is_new = super().cancel(*args, **named)
        if is_new:
            self.lease.drop(self.n)
        return is_new


class Said:
    """What ctx.say and ctx.think give: it may be awaited, and nothing comes of it."""

    def __await__(self) -> Any:
        return iter(())


class Cancelled:
    """Is set when the lease ends. It may be asked in any thread, and awaited in any event loop."""

    def __init__(self) -> None:
        self.flag = threading.Event()
        self.waiting: List[Any] = []
        self.lock = threading.Lock()

    def is_set(self) -> bool:
        return self.flag.is_set()

    async def wait(self) -> bool:
        future = asyncio.get_running_loop().create_future()
        with self.lock:
            if self.flag.is_set():
                return True
            self.waiting.append(future)
        return await future  # type: ignore[no-any-return]

    def set(self) -> None:
        with self.lock:
            self.flag.set()
            waiting, self.waiting = self.waiting, []
        for future in waiting:
            loop = future.get_loop()
            with contextlib.suppress(RuntimeError):  # that loop has ended
                loop.call_soon_threadsafe(lambda one=future: one.done() or one.set_result(True))


# --- ctx ------------------------------------------------------------------------------------------------------------


def named(what: str, name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise TypeError(f"{what} needs a name first, which is text; it got {name!r}")
    if len(name) > LONGEST_NAME:
        raise TypeError(f"the name that {what} got has {len(name)} characters, more than {LONGEST_NAME}")
    return name


def milliseconds(what: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        raise TypeError(f"{what} must be a number of milliseconds; it is {value!r}")
    return math.ceil(value)


def limit_in(what: str, timeout: Any) -> Optional[int]:
    limit = None if timeout is None else milliseconds(f"the timeout of {what}", timeout)
    if limit is not None and not 0 < limit <= LATEST:
        raise TypeError(f"the timeout of {what} must be more than 0 milliseconds, and at most {LATEST}")
    return limit


def members(what: str, value: Any) -> Dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError(f"{what} must be a dict; they are a {type(value).__name__}")
    return as_json(dict(value), what)  # type: ignore[no-any-return]


def text_in(value: Any) -> Any:
    return value.get("text") if isinstance(value, dict) else value


def value_in(value: Any) -> Any:
    return value.get("value") if isinstance(value, dict) else value


class Env:
    """The environment session of the task."""

    def __init__(self, lease: Lease):
        self._lease = lease

    def step(
        self, tool: str, args: Optional[Mapping[str, Any]] = None, *, timeout: Optional[float] = None, retries: int = 0
    ) -> asyncio.Future[Any]:
        """Takes a step: calls a tool of the environment. Gives text."""
        return self._lease.call("tool", "ctx.env.step", tool, {"arguments": args}, timeout, retries, text_in)

    def reset(self, args: Optional[Mapping[str, Any]] = None) -> asyncio.Future[Any]:
        """Resets the environment. Gives what the environment answers."""
        return self._lease.call("env", "ctx.env.reset", "reset", {"arguments": args}, None, 0, lambda value: value)

    def observe(self) -> asyncio.Future[Any]:
        """Gives the state of the environment."""
        return self._lease.call("env", "ctx.env.observe", "observe", {"arguments": {}}, None, 0, lambda value: value)


class Context:
    """What an agent has: its input, and the calls that reach outside.

    Each call begins at once and gives a future: await it, or hand it to asyncio.gather, wait, wait_for or create_task.
    A call that has failed raises a CallError; misuse raises TypeError. timeout: milliseconds from the moment at which
    the call is stored. retries: how many more times a failed call is made.

    input: text, content, items; config: the agent_config of the request; vars: its env; traceparent: of the task's
    span, or None; cancelled: is set when the lease ends.
    """

    def __init__(self, lease: Lease, begin: Mapping[str, Any]):
        self._lease = lease
        self._numbers = random_from(str(begin.get("seed", "")))
        self.input = Fields({"text": "", "content": "", "items": [], **(begin.get("input") or {})})
        self.config: Dict[str, Any] = begin.get("config") or {}
        self.vars: Dict[str, Any] = begin.get("vars") or {}
        self.task: str = begin.get("task", "")
        self.session: str = begin.get("session", "")
        self.traceparent: Optional[str] = begin.get("traceparent")
        self.cancelled = Cancelled()
        self.env = Env(lease)

    def now(self) -> int:
        """The time of the journal, in milliseconds since 1970: that of the newest result."""
        return self._lease.now

    def random(self) -> float:
        """A number from 0 to 1, the same in every run of the task."""
        self._lease.must_be_usable("ctx.random")
        return float(next(self._numbers))

    def say(self, text: str) -> Said:
        """Adds a message to the output."""
        return self._lease.tell("say", text)

    def think(self, text: str) -> Said:
        """Adds reasoning to the output."""
        return self._lease.tell("think", text)

    def history(self) -> asyncio.Future[List[Any]]:
        """The items of the conversation before this task."""
        return self._lease.ask_history()

    def tool(
        self, name: str, args: Optional[Mapping[str, Any]] = None, *, timeout: Optional[float] = None, retries: int = 0
    ) -> asyncio.Future[Any]:
        """Calls a tool. Gives its text; raises ToolError."""
        return self._lease.call("tool", "ctx.tool", name, {"arguments": args}, timeout, retries, text_in)

    def ask(
        self,
        name: str,
        args: Optional[Mapping[str, Any]] = None,
        *,
        schema: Optional[Mapping[str, Any]] = None,
        timeout: Optional[float] = None,
        retries: int = 0,
    ) -> asyncio.Future[Any]:
        """Asks the client, like a call of a client tool. Gives text, or a value with `schema`; raises AskError."""
        asked = {"arguments": args, "schema": schema}
        return self._lease.call(
            "ask", "ctx.ask", name, asked, timeout, retries, text_in if schema is None else value_in
        )

    def agent(
        self,
        name: str,
        input: Any,
        config: Optional[Mapping[str, Any]] = None,
        *,
        timeout: Optional[float] = None,
        retries: int = 0,
    ) -> asyncio.Future[Any]:
        """Runs another agent as a task of its own. `input`: text or content. Gives its text; raises AgentFailed."""
        if not isinstance(input, (str, list)):
            raise TypeError(f"the input of ctx.agent must be text or a list of content; it is a {type(input).__name__}")
        return self._lease.call(
            "agent", "ctx.agent", name, {"input": input, "config": config or {}}, timeout, retries, text_in
        )

    def model(
        self,
        prompt: Union[str, Mapping[str, Any], List[Any]],
        *,
        tools: Optional[List[Any]] = None,
        schema: Optional[Mapping[str, Any]] = None,
        model: Optional[str] = None,
        silent: bool = False,
        timeout: Optional[float] = None,
        retries: int = 0,
    ) -> asyncio.Future[Any]:
        """Calls a model, and the tools that it asks for, until it answers.

        prompt: text, or messages. tools: names or definitions. schema: a JSON Schema of the answer, which is then its
        value instead of text. model: another model. silent: the output does not show the answer. Raises ModelError.
        """
        messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
        messages = [messages] if isinstance(messages, Mapping) else messages
        if not isinstance(messages, (list, tuple)):
            raise TypeError(f"ctx.model takes text or a list of messages; it got a {type(prompt).__name__}")
        if tools is not None and not isinstance(tools, (list, tuple)):
            raise TypeError(f"the tools of ctx.model must be a list; they are a {type(tools).__name__}")
        options = {"tools": tools, "schema": schema, "model": model, "silent": True if silent else None}
        return self._lease.think_and_act(list(messages), options, timeout, retries)

    def sleep(self, until: Union[int, float, datetime.datetime]) -> asyncio.Future[None]:
        """Waits a number of milliseconds, or until a moment, also while nothing runs."""
        if isinstance(until, datetime.datetime):
            if until.tzinfo is None:
                raise TypeError("ctx.sleep needs a datetime with a time zone, such as datetime.now(timezone.utc)")
            moment = math.ceil(until.timestamp() * 1000)
        else:
            moment = self._lease.now + milliseconds("the argument of ctx.sleep", until)
        return self._lease.ask("sleep", {"until": min(moment, LATEST)}, read=lambda _: None)

    def message(self, *, timeout: Optional[float] = None) -> asyncio.Future[Fields]:
        """Waits for the next message of the user: id, text, content, event. After `timeout` it raises TimeoutError."""
        limit = limit_in("ctx.message", timeout)
        return self._lease.ask("message", {}, read=lambda value: Fields(value or {}), timeout=limit)

    def run(
        self,
        name: str,
        fn: Callable[[], Any],
        *,
        safe: bool = False,
        timeout: Optional[float] = None,
        retries: int = 0,
    ) -> asyncio.Future[Any]:
        """Does a side effect of your own, once. Gives what fn returns, which must be JSON; raises RunError.

        fn takes no argument. An `async def` runs in the event loop of the process, and is cancelled at the timeout or
        when the lease ends; another function runs in a thread, and may return an awaitable. safe: it may be done again
        when nobody knows how it ended; otherwise the task is then paused.
        """
        if not callable(fn):
            raise TypeError(f"ctx.run({name!r}, fn) needs a function, which it calls; it got a {type(fn).__name__}")
        asked = {"safe": True if safe else None}
        return self._lease.call("run", "ctx.run", name, asked, timeout, retries, lambda value: value, fn)


# --- a lease --------------------------------------------------------------------------------------------------------


class Lease:
    """The code of one task, the journal that it is compared with, and what it has asked for since its last turn."""

    def __init__(self, host: Host, begin: Mapping[str, Any], made: Agent):
        self.host = host
        self.id = begin["lease"]
        self.id_of_task = str(begin.get("task", ""))
        self.name = str(begin.get("agent", ""))
        self.now = int(begin.get("at", 0))
        self.entries: List[Dict[str, Any]] = begin.get("entries") or []
        self.asked = 0
        self.open: Dict[int, Entry] = {}
        self.seen = 0
        self.sent = len(self.entries)  # entries that the server has
        self.known: set[int] = set()  # numbers of the results that have come
        self.batches = collections.deque([collections.deque(self.received(begin))])
        self.moves: collections.deque[Dict[str, Any]] = collections.deque()
        self.unanswered: set[int] = set()  # what was sent and has no result
        self.functions: Dict[int, Any] = {}
        self.wanted: set[int] = set()  # runs that the server told to begin
        self.runs: Dict[int, Optional[asyncio.Task[None]]] = {}
        self.histories: Dict[int, CodeFuture] = {}
        self.answers: Dict[int, Dict[str, Any]] = {}
        self.history_number = 0
        self.outcome: Optional[Dict[str, Any]] = None
        self.is_ended = False  # by the server, or given back
        self.replayed = len(self.batches[0])
        self.is_leaving = False  # is given back when its runs are done
        self.is_scheduled = False
        self.busy_since: Optional[float] = None
        self.foreign: Optional[asyncio.TimerHandle] = None
        self.loop = CodeLoop(self)  # type: ignore[abstract]
        self.ctx = Context(self, begin)
        self.main = self.life(made)
        self.is_begun = False
        self.wake()

    def __str__(self) -> str:
        return f"{self.name} ({self.id_of_task})"

    async def life(self, made: Agent) -> None:
        try:
            value = await made.main(self.ctx)
            what = "the answer of the agent"
            answer = as_json("" if value is None else value, what)
            must_fit(text_of(answer), what)
            self.end_with({"answer": answer})
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            self.fail(error)

    def fail(self, error: BaseException) -> None:
        message = str(error)
        if "attached to a different loop" in message:
            message += ": the code of an agent may await only what came from ctx. Put the rest into ctx.run(name, fn)"
        named = {} if isinstance(error, SystemExit) and not message else {"message": message[: 1 << 16]}
        if isinstance(error, SystemExit):
            named = {"message": f"the code has called exit ({message or 0}): return the answer instead"}
        self.end_with({"error": {"name": type(error).__name__, **named, "stack": stack_of(error)}})

    def end_with(self, outcome: Dict[str, Any]) -> None:
        if self.outcome is not None or self.is_ended:
            return
        # Code that ends before it has asked for all that the journal has is not the code that has asked for it.
        if "changed" not in outcome and self.asked < len(self.entries):
            was = self.entries[self.asked]
            was = {key: was[key] for key in ("do", "name", "digest") if was.get(key) is not None}
            outcome = {"changed": {"n": self.asked + 1, "was": was}}
        self.outcome = outcome

    def is_over(self) -> bool:
        return self.is_ended or self.outcome is not None

    # What the code asks for.

    def must_be_usable(self, what: str) -> None:
        if self.outcome is not None and "changed" not in self.outcome:
            raise RuntimeError(f"{what} was used after the agent had ended: await all that it needs before")
        inside = INSIDE.get()
        if inside is not None:
            raise RuntimeError(
                f"{what} was used inside of ctx.run({inside!r}): use it before or after, since only the run is stored"
            )
        if asyncio._get_running_loop() is not self.loop:
            raise RuntimeError(
                f"{what} was used outside of the code of the agent, such as in a thread: "
                "use ctx only in the agent itself, and in coroutines that it awaits"
            )

    def ask(
        self,
        do: str,
        asked: Mapping[str, Any],
        name: Optional[str] = None,
        read: Callable[[Any], Any] = lambda value: value,
        timeout: Optional[int] = None,
    ) -> Entry:
        """Writes the next entry of the journal, or compares it with the one that is stored.

        How long something may take, and whether a run is safe, may differ from the stored entry.
        """
        self.must_be_usable(f"ctx.{do}")
        if self.is_over():  # nothing comes any more
            return Entry(self, 0, do, read)
        titled = {} if name is None else {"name": name}
        timed = {} if timeout is None else {"timeout_ms": timeout}
        text = text_of(asked)
        must_fit(text, f"what is given to ctx.{do}")
        self.asked += 1
        n = self.asked
        entry = {"do": do, **titled, "digest": digest_of({} if do in ("sleep", "run") else asked)}
        future = Entry(self, n, do, read)
        if n <= len(self.entries):
            was = self.entries[n - 1]
            if any(was.get(key) != entry.get(key) for key in ("do", "name", "digest")):
                was = {key: was[key] for key in ("do", "name", "digest") if was.get(key) is not None}
                self.end_with({"changed": {"n": n, "was": was, "is": {**entry, "arguments": shown(asked)}}})
                return future
            if do not in ("say", "think"):
                self.unanswered.add(n)
        else:
            self.moves.append({"n": n, **entry, **asked, **timed, "size": len(text) + 256, "values": 16 + values_in(asked)})
        if do not in ("say", "think"):
            self.open[n] = future
        return future

    def drop(self, n: int) -> None:
        if self.open.pop(n, None) is None:
            return
        self.functions.pop(n, None)
        self.end_run(n)
        if n not in self.known and not self.is_over():
            self.moves.append({"do": "drop", "of": n, "size": 64, "values": 16})

    def tell(self, do: str, text: Any) -> Said:
        if not isinstance(text, str):
            raise TypeError(f"ctx.{do} takes text; it got a {type(text).__name__}")
        for at in range(0, len(text) or 1, LARGEST_SAID):
            self.ask(do, {"text": text[at : at + LARGEST_SAID]})
        return Said()

    def call(
        self,
        do: str,
        what: str,
        name: Any,
        asked: Dict[str, Any],
        timeout: Any,
        retries: Any,
        read: Callable[[Any], Any],
        fn: Any = None,
    ) -> asyncio.Future[Any]:
        """An entry with a name, asked for again when it fails, if the code wants that."""
        name = named(what, name)
        what = f"{what}({name!r})"
        must_count(what, retries)
        if "arguments" in asked:
            asked["arguments"] = members(f"the arguments of {what}", asked["arguments"])
        for key in ("schema", "config"):
            if asked.get(key) is not None:
                asked[key] = members(f"the {key} of {what}", asked[key])
        asked = {key: as_json(value, f"the {key} of {what}") for key, value in asked.items() if value is not None}
        limit = limit_in(what, timeout)
        around = contextvars.copy_context() if fn else None

        def once() -> Entry:
            entry = self.ask(do, asked, name, read, limit)
            if fn is not None and entry.n:
                self.functions[entry.n] = (name, fn, "safe" in asked, around)
            return entry

        first = once()
        return self.following(first, retried(first, once, retries)) if retries else first

    def following(self, first: Entry, rest: Any) -> asyncio.Future[Any]:
        """A task that goes on from an entry. Who cancels the task stops the entry, also before the task has begun."""
        task = self.loop.create_task(rest)
        task.add_done_callback(lambda _: first.cancel())
        return task

    def think_and_act(
        self, messages: List[Any], options: Dict[str, Any], timeout: Any, retries: Any
    ) -> asyncio.Future[Any]:
        must_count("ctx.model", retries)
        options = {
            key: as_json(value, f"the {key} of ctx.model") for key, value in options.items() if value is not None
        }
        messages = as_json(messages, "the messages of ctx.model")
        limit = limit_in("ctx.model", timeout)
        read = value_in if "schema" in options else text_in

        def once(more: Mapping[str, Any]) -> Entry:
            return self.ask("model", {**more, **options}, timeout=limit)

        async def until_answer(entry: Entry, more: Mapping[str, Any]) -> Any:
            while True:
                asked = [entry]

                def once_more() -> Entry:
                    asked.append(once(more))
                    return asked[-1]

                given = await retried(entry, once_more, retries)
                calls = given.get("calls") if isinstance(given, dict) else None
                if not calls:
                    return read(given)
                tools = [self.ask("tool", {"call_id": call["call_id"]}, call["name"]) for call in calls]
                await asyncio.gather(*tools, return_exceptions=True)  # the model hears of failures too
                more = {"messages": [], "continues": asked[-1].n}
                entry = once(more)

        first = once({"messages": messages})
        return self.following(first, until_answer(first, {"messages": messages}))

    def ask_history(self) -> asyncio.Future[List[Any]]:
        self.must_be_usable("ctx.history")
        future = self.loop.create_future()
        if not self.is_over():
            self.history_number += 1
            self.histories[self.history_number] = future
            self.host.send({"type": "ask", "lease": self.id, "id": self.history_number, "what": "history"})
        return future

    # What comes from the server.

    def received(self, message: Mapping[str, Any]) -> List[Dict[str, Any]]:
        results = message.get("results") or []
        self.known.update(result["n"] for result in results)
        return results

    def on_results(self, message: Mapping[str, Any]) -> None:
        self.batches.append(collections.deque(self.received(message)))
        self.wake()

    def on_answer(self, message: Dict[str, Any]) -> None:
        self.answers[message.get("id", 0)] = message
        self.wake()

    def on_run(self, n: int) -> None:
        self.wanted.add(n)
        if not self.is_scheduled:
            self.start_runs()

    # The life of the code.

    def wake(self) -> None:
        if not self.is_scheduled and not self.is_ended:
            self.is_scheduled = True
            self.host.loop.call_soon(self.go_on)

    def go_on(self) -> None:
        """Gives the code what has come, one result at a time, the next when nothing follows from the one before."""
        self.is_scheduled = False
        if self.is_ended:
            return
        if self.foreign is not None:
            self.foreign.cancel()
            self.foreign = None
        deadline = time.monotonic() + SLICE
        with self.loop.entered():
            if not self.is_begun:
                self.is_begun = True
                self.loop.create_task(self.main)
            while not self.is_over():
                if not self.loop.run_until_idle(self.is_over, deadline):
                    return self.go_on_later()
                self.busy_since = None
                if self.is_over():
                    break
                if self.histories:  # its answer comes before all other results, in every run
                    first = next(iter(self.histories))
                    if first not in self.answers:
                        return None
                    self.give(self.histories.pop(first), self.answers.pop(first), "history", lambda value: value)
                elif self.is_leaving and self.seen >= self.replayed:
                    break  # the next host begins with these results
                elif self.batches and self.batches[0]:
                    self.deliver(self.batches[0].popleft())
                    if time.monotonic() > deadline:
                        return self.wake()
                elif self.batches:
                    self.batches.popleft()
                    self.take_turn(True)
                else:
                    break
        if self.outcome is not None:
            self.unanswered.difference_update(result["n"] for batch in self.batches for result in batch)
            self.batches.clear()
        self.take_turn(False)
        self.watch_for_foreign()
        return None

    def go_on_later(self) -> None:
        now = time.monotonic()
        self.busy_since = self.busy_since or now
        if now - self.busy_since > FAIL_AFTER:
            told = "the code has run for 10 s without waiting for anything of ctx: does a loop never end?"
            self.end_with({"error": {"name": "RuntimeError", "message": told}})
        self.wake()

    def deliver(self, result: Mapping[str, Any]) -> None:
        n = result["n"]
        self.seen += 1
        self.now = int(result.get("at", self.now))
        self.unanswered.discard(n)
        self.functions.pop(n, None)
        self.end_run(n)  # it still runs after a timeout
        if n > self.asked:
            self.skipped()
        entry = self.open.pop(n, None)
        if entry is not None:
            self.give(entry, result, entry.do, entry.read)

    def give(self, future: Any, result: Mapping[str, Any], asked: str, read: Callable[[Any], Any]) -> None:
        if future.done():
            return
        if result.get("error") is not None:
            future.set_exception(error_of(result["error"], asked))
        else:
            future.set_result(read(result.get("value")))

    def take_turn(self, is_due: bool) -> None:
        """Sends what the code has asked for. is_due: a turn is sent even if it is empty."""
        while not self.is_ended:
            if self.host.is_full():
                self.host.waiting[self] = is_due or self.host.waiting.get(self, False)
                return
            turn: Dict[str, Any] = {"type": "turn", "lease": self.id, "seen": self.seen, "moves": []}
            size, values = 0, 32 + values_in(self.outcome)
            changed = self.outcome is not None and "changed" in self.outcome
            left: List[Dict[str, Any]] = []
            while self.moves and not changed:
                move = self.moves.popleft()
                has_result = "n" in move and move["do"] not in ("say", "think")
                is_full = bool(size) and (
                    size + move["size"] > LARGEST_TURN or values + move["values"] > MOST_IN_MESSAGE
                )
                # Entries keep their order; what is about an entry follows it, and passes those that wait.
                waits = bool(left) if "n" in move else move["of"] > self.sent
                if is_full or waits or (has_result and len(self.unanswered) >= MOST_OPEN):
                    left.append(move)
                    if is_full:
                        break
                    continue
                self.sent = move.get("n", self.sent)
                if has_result:
                    self.unanswered.add(move["n"])
                size += move.pop("size")
                values += move.pop("values")
                turn["moves"].append(move)
            self.moves.extendleft(reversed(left))
            is_last = self.outcome is not None and (changed or not self.moves or not turn["moves"])
            is_last = is_last and (values <= MOST_IN_MESSAGE or not turn["moves"])
            if is_last:
                turn["outcome"] = self.outcome
            if not (turn["moves"] or is_last or is_due):
                break
            self.host.send(turn)
            is_due = False
            if is_last:
                self.finish("returned")
                return
        self.start_runs()

    def skip(self) -> None:
        self.skipped()
        self.take_turn(False)

    def skipped(self) -> None:
        """The code waits, and the journal has an entry that it has not asked for."""
        n = self.asked + 1
        message = f"the journal has the result of entry {n}, which is none of its entries"
        self.end_with({"error": {"name": "RuntimeError", "message": message}})

    # Runs.

    def start_runs(self) -> None:
        if self.loop.is_entered:  # a function must not begin in this loop
            self.host.loop.call_soon(self.start_runs)
            return
        for n, (name, fn, is_safe, around) in list(self.functions.items()):
            if n in self.unanswered and n not in self.known and (n in self.wanted or is_safe) and not self.is_over():
                del self.functions[n]
                self.runs[n] = None
                around.run(INSIDE.set, name)
                run = around.run(self.host.loop.create_task, self.perform(n, name, fn))
                if n in self.runs:
                    self.runs[n] = run
        self.leave_if_done()

    def end_run(self, n: int) -> None:
        run = self.runs.pop(n, None)
        if run is not None:
            run.cancel()

    async def perform(self, n: int, name: str, fn: Callable[[], Any]) -> None:
        try:
            value = await called(fn)
            what = f"what the function of ctx.run({name!r}) has returned"
            value = as_json(value, what)
            text = text_of(value)
            must_fit(text, what)
            size = len(text)
            ran: Dict[str, Any] = {"value": value}
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            ran = {"error": {"name": type(error).__name__, "message": str(error)[: 1 << 16] or type(error).__name__}}
            size = len(text_of(ran))
        if n in self.runs and not self.is_over():
            del self.runs[n]
            self.moves.append({"do": "ran", "of": n, **ran, "size": size + 64, "values": 16 + values_in(ran)})
            if not self.is_scheduled:
                self.take_turn(False)

    # Endings.

    def watch_for_foreign(self) -> None:
        if self.asked < len(self.entries) and not self.is_over() and not self.histories:
            self.foreign = self.host.loop.call_later(WARN_AFTER, self.skip)
            return
        if self.is_over() or self.open or self.histories or self.moves or self.batches or self.loop.ready:
            return
        told = (
            "the code waits, and nothing is open in its journal: it waits for something that is not of ctx. "
            "Put what reaches outside into ctx.run(name, fn)"
        )

        def fail() -> None:
            self.end_with({"error": {"name": "ForeignAwait", "message": f"{told}. It has waited for 10 s."}})
            self.take_turn(False)

        def warn() -> None:
            log.warning("%s: %s. The task fails in 9 s.", self, told)
            self.foreign = self.host.loop.call_later(FAIL_AFTER - WARN_AFTER, fail)

        self.foreign = self.host.loop.call_later(WARN_AFTER, warn)

    def leave(self) -> None:
        """Gives the lease back, as soon as its runs are done."""
        self.is_leaving = True
        self.leave_if_done()

    def leave_if_done(self) -> None:
        if not self.is_leaving or self.is_ended or self.is_scheduled or self in self.host.waiting:
            return
        # A run that is stored may be told to begin at any moment, and must then be done.
        runs = [*self.runs, *(n for n in self.functions if n in self.unanswered)]
        if all(n in self.known for n in runs):
            self.release()

    def release(self) -> None:
        if not self.is_ended:
            self.host.send({"type": "release", "lease": self.id, "reason": "the host stops"})
            self.finish("released")

    def finish(self, reason: str) -> None:
        """Nothing of this lease is sent any more. What runs for it is cancelled, and `finally` blocks run."""
        if self.is_ended:
            return
        self.is_ended = True
        self.host.forget(self)
        if self.foreign is not None:
            self.foreign.cancel()
        self.ctx.cancelled.set()
        for n in list(self.runs):
            self.end_run(n)
        self.host.loop.call_soon(self.close)

    def close(self) -> None:
        tasks = list(self.loop.tasks)
        with self.loop.entered():
            for task in tasks:
                task.cancel()
            self.loop.run_until_idle(lambda: False, time.monotonic() + SLICE)
        for task in tasks:
            task._log_destroy_pending = False  # type: ignore[attr-defined]
        if not self.is_begun:
            self.main.close()
        self.loop.ready.clear()
        self.loop.tasks.clear()
        self.open.clear()
        self.functions.clear()


def must_fit(text: str, what: str) -> None:
    if len(text) > LARGEST_VALUE:
        raise ValueError(
            f"{what} has {len(text)} bytes of JSON, more than {LARGEST_VALUE}: store it elsewhere, and pass its name"
        )


def must_count(what: str, retries: Any) -> None:
    if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
        raise TypeError(f"retries of {what} must be a whole number; it is {retries!r}")


async def retried(entry: Any, once: Callable[[], Any], retries: int) -> Any:
    while True:
        try:
            return await entry
        except CallError as error:
            if retries == 0 or error.kind in ("refused", "dropped"):
                raise
            retries -= 1
            entry = once()


async def called(fn: Callable[[], Any]) -> Any:
    """Calls a function of the user: a coroutine function here, another one in a thread."""
    target = fn.func if isinstance(fn, functools.partial) else fn
    is_async = inspect.iscoroutinefunction(target) or inspect.iscoroutinefunction(getattr(target, "__call__", None))
    if is_async:
        return await fn()
    value = await asyncio.get_running_loop().run_in_executor(THREADS, contextvars.copy_context().run, fn)
    return await value if inspect.isawaitable(value) else value


def shown(asked: Mapping[str, Any]) -> Any:
    """What an entry asks for, as an error shows it."""
    value = asked.get("arguments", asked)
    return value if len(text_of(value)) <= 1 << 14 else text_of(value)[: 1 << 14]


def stack_of(error: BaseException) -> str:
    own = (__file__, os.path.dirname(asyncio.__file__) + os.sep)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(own)]
    lines = traceback.format_list(frames) + traceback.format_exception_only(type(error), error)
    return "".join(lines)[-(1 << 14) :]


# --- a host ---------------------------------------------------------------------------------------------------------


class Host:
    """The leases of one connection. `write` sends the text of a message; `is_full` says that it must wait."""

    def __init__(self, agents: Mapping[str, Agent], write: Callable[[str], None], is_full: Callable[[], bool]):
        self.loop = asyncio.get_running_loop()
        self.agents = agents
        self.write = write
        self.is_full = is_full
        self.leases: Dict[str, Lease] = {}
        self.waiting: Dict[Lease, bool] = {}  # for the connection; true: a turn is due
        self.welcome: asyncio.Future[Dict[str, Any]] = self.loop.create_future()
        self.is_stopping = False
        self.parts: List[str] = []  # of a long message, as far as they have come
        self.is_empty = asyncio.Event()
        self.is_empty.set()

    def send(self, message: Mapping[str, Any]) -> None:
        self.write(text_of(message))

    def hello(self, name: str, slots: int) -> None:
        self.send(hello_of(self.agents, name, slots))

    def receive(self, message: Any) -> None:
        if not isinstance(message, dict):
            return
        kind = message.get("type")
        if kind == "part":
            self.parts.append(message["text"])
            if message.get("last"):
                text, self.parts = "".join(self.parts), []
                self.receive(json.loads(text))
            return
        if kind == "ping":
            self.send({"type": "pong"})
        elif kind == "welcome":
            if not self.welcome.done():
                self.welcome.set_result(message)
        elif kind == "begin":
            self.begin(message)
        lease = self.leases.get(message.get("lease", ""))
        if lease is None:
            return
        if kind == "results":
            lease.on_results(message)
        elif kind == "run":
            lease.on_run(message["n"])
        elif kind == "answer":
            lease.on_answer(message)
        elif kind == "stop":
            if message.get("message"):
                log.warning("%s: the server has ended the lease: %s", lease, message["message"])
            lease.finish(str(message.get("reason")))

    def begin(self, message: Mapping[str, Any]) -> None:
        made = self.agents.get(message.get("agent", ""))
        if made is None or self.is_stopping:
            reason = "the host stops" if self.is_stopping else "the host has no such agent"
            self.send({"type": "release", "lease": message["lease"], "reason": reason})
            return
        self.is_empty.clear()
        self.leases[message["lease"]] = Lease(self, message, made)

    def forget(self, lease: Lease) -> None:
        self.leases.pop(lease.id, None)
        self.waiting.pop(lease, None)
        if not self.leases:
            self.is_empty.set()

    def drained(self) -> None:
        for lease, is_due in list(self.waiting.items()):
            del self.waiting[lease]
            lease.take_turn(is_due)

    async def stop(self) -> None:
        """Gives all leases back. Runs have 10 s to end before."""
        self.is_stopping = True
        self.send({"type": "stopping"})
        for lease in list(self.leases.values()):
            lease.leave()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.is_empty.wait(), DRAIN)
        for lease in list(self.leases.values()):
            lease.release()

    def lose(self) -> None:
        """The connection is lost, and with it all leases."""
        for lease in list(self.leases.values()):
            lease.finish("lost")


def hello_of(agents: Mapping[str, Agent], name: str, slots: int) -> Dict[str, Any]:
    said = [made.hello(agent) for agent, made in agents.items()]
    hello = {"type": "hello", "protocol": PROTOCOL, "name": name, "slots": slots, "agents": said}
    size = len(text_of(hello))
    if size > LARGEST_HELLO:
        raise ValueError(
            f"the agents have {size} bytes of descriptions and parameters, more than {LARGEST_HELLO}: shorten them, "
            "or serve them by several workers"
        )
    return hello


# --- over standard input and output ---------------------------------------------------------------------------------


async def host_file(line: Line, name: str, made: Agent) -> None:
    loop = asyncio.get_running_loop()
    stopping = asyncio.Event()
    host = Host({name: made}, line.write, lambda: False)

    def read() -> None:
        for text in line.input:
            loop.call_soon_threadsafe(host.receive, json.loads(text))
        end_all()

    with contextlib.suppress(NotImplementedError):
        loop.add_signal_handler(signal.SIGTERM, stopping.set)
    host.hello(name[:LONGEST_WORKER_NAME], 16)
    threading.Thread(target=read, daemon=True).start()
    await stopping.wait()
    await host.stop()


def main() -> None:
    line = Line()
    sys.modules.setdefault("reprise_agent", sys.modules["__main__"])  # for the file, which imports it by this name
    try:
        if len(sys.argv) < 2:
            raise TypeError("it needs the file of an agent: python3 -m reprise_agent FILE")
        file = sys.argv[1]
        made = agent_in(load(file, sys.argv[2] if len(sys.argv) > 2 else os.path.dirname(file) or "."), file)
    except (Exception, SystemExit) as error:
        told = message_of(error)
        if isinstance(error, ModuleNotFoundError):
            told += f": install it for {sys.executable}"
        line.write(text_of({"type": "failed", "message": told}))
        sys.stderr.write(stack_of(error))
        sys.exit(1)
    asyncio.run(host_file(line, os.path.splitext(os.path.basename(file))[0], made))
    sys.stderr.flush()
    os._exit(0)  # threads of runs and the one that reads must not delay the end


# --- over a WebSocket -----------------------------------------------------------------------------------------------


class Closed(ConnectionError):
    """The connection has ended."""


class Socket:
    """A client of RFC 6455 as far as the protocol needs it: text messages, fragments, ping, pong and close."""

    GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, on_room: Callable[[], None]):
        self.reader = reader
        self.writer = writer
        self.on_room = on_room
        self.heard = time.monotonic()
        self.making_room: Optional[asyncio.Task[None]] = None
        self.has_closed = False
        self.written = 0  # bytes
        self.writer.transport.set_write_buffer_limits(high=MOST_UNSENT // 2)

    @classmethod
    async def connect(cls, url: urllib.parse.SplitResult, token: str, on_room: Callable[[], None]) -> Socket:
        """Raises PermissionError when the server refuses the token, ValueError when it knows no workers."""
        secure = url.scheme == "https"
        port = url.port or (443 if secure else 80)
        context = ssl.create_default_context() if secure else None
        reader, writer = await asyncio.open_connection(url.hostname, port, ssl=context, limit=1 << 17)
        try:
            key = base64.b64encode(os.urandom(16)).decode()
            host = url.netloc.rpartition("@")[2]
            lines = (
                f"GET {url.path}/v1/workers HTTP/1.1",
                f"Host: {host}",
                "Connection: Upgrade",
                "Upgrade: websocket",
                "Sec-WebSocket-Version: 13",
                f"Sec-WebSocket-Key: {key}",
                f"Authorization: Bearer {token}",
                "User-Agent: reprise_agent",
            )
            writer.write("".join(f"{line}\r\n" for line in (*lines, "")).encode())
            first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
            parts = first.split(" ", 2)
            if len(parts) < 2 or not parts[0].startswith("HTTP/1.1") or not parts[1].isdigit():
                raise ConnectionError(f"{host} does not speak HTTP")
            status = int(parts[1])
            if status != 101:
                body = b""
                with contextlib.suppress(asyncio.TimeoutError, OSError):
                    size = min(int(headers.get("content-length") or 1 << 16), 1 << 16)
                    body = await asyncio.wait_for(read_up_to(reader, size), 2)
                told = f"{host} answered {status}: {told_in(body) or ' '.join(parts[2:])}"
                if status in (401, 403):
                    raise PermissionError(told)
                if status >= 500 or status in (408, 425, 429):
                    raise ConnectionError(told)
                raise ValueError(
                    f"{told}. The url must be the address of a Reprise server, such as http://localhost:8080"
                )
            accept = base64.b64encode(hashlib.sha1((key + cls.GUID).encode()).digest()).decode()
            if headers.get("upgrade", "").lower() != "websocket" or headers.get("sec-websocket-accept") != accept:
                raise ConnectionError(f"{host} does not speak WebSocket")
            return cls(reader, writer, on_room)
        except BaseException:
            writer.close()
            raise

    def frame(self, code: int, payload: bytes) -> None:
        size = len(payload)
        head = bytes([0x80 | code])
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 1 << 16:
            head += bytes([0x80 | 126]) + size.to_bytes(2, "big")
        else:
            head += bytes([0x80 | 127]) + size.to_bytes(8, "big")
        key = os.urandom(4)
        if not self.writer.transport.is_closing():
            self.written += len(head) + 4 + size
            self.writer.write(head + key + masked(payload, key))

    def send(self, text: str) -> None:
        self.frame(1, text.encode())

    def is_full(self) -> bool:
        is_full = self.writer.transport.get_write_buffer_size() > MOST_UNSENT // 2
        if is_full and (self.making_room is None or self.making_room.done()):
            self.making_room = asyncio.get_running_loop().create_task(self.make_room())
        return is_full

    async def make_room(self) -> None:
        with contextlib.suppress(ConnectionError):
            await self.writer.drain()
            self.making_room = None
            self.on_room()

    async def receive(self) -> str:
        """The next message. Raises Closed."""
        parts: List[bytes] = []
        size = 0
        try:
            while True:
                first, second = await self.reader.readexactly(2)
                code, length = first & 0x0F, second & 0x7F
                if first & 0x70 or second & 0x80:
                    self.fail(1002, "a frame has reserved bits or a mask")
                if length == 126:
                    length = int.from_bytes(await self.reader.readexactly(2), "big")
                elif length == 127:
                    length = int.from_bytes(await self.reader.readexactly(8), "big")
                is_control = code >= 8
                if is_control and (length > 125 or not first & 0x80):
                    self.fail(1002, "a control frame is too long or in fragments")
                if code not in (0, 1, 2, 8, 9, 10) or (not is_control and (code == 0) != bool(parts)):
                    self.fail(1002, "a frame has a wrong code")
                size += 0 if is_control else length
                if size > LARGEST_MESSAGE:
                    self.fail(1009, "a message is larger than 16 MiB")
                payload = await self.reader.readexactly(length)
                self.heard = time.monotonic()
                if code == 9:
                    self.frame(10, payload)
                elif code == 8:
                    self.close(payload[:2] or b"")
                    number = int.from_bytes(payload[:2], "big") if len(payload) >= 2 else 1005
                    raise Closed(
                        f"the server has closed it with {number} {payload[2:].decode(errors='replace')}".rstrip()
                    )
                elif not is_control:
                    parts.append(payload if payload or first & 0x80 else b"")
                    if first & 0x80:
                        return b"".join(parts).decode()
        except (asyncio.IncompleteReadError, OSError) as error:
            if isinstance(error, Closed):
                raise
            raise Closed("it was cut") from None
        except UnicodeDecodeError:
            self.fail(1007, "a message is not UTF-8")

    def fail(self, code: int, told: str) -> NoReturn:
        self.close(code.to_bytes(2, "big") + told.encode())
        raise Closed(told)

    def close(self, payload: bytes = b"\x03\xe8") -> None:
        if not self.has_closed:
            self.has_closed = True
            self.frame(8, payload)

    async def keep_alive(self) -> None:
        """Pings the server, and cuts the connection when nothing comes from it and it takes nothing."""
        taken = 0
        while time.monotonic() - self.heard < SILENCE:
            self.frame(9, b"")
            await asyncio.sleep(SILENCE / 3)
            before, taken = taken, self.written - self.writer.transport.get_write_buffer_size()
            if self.writer.transport.get_write_buffer_size() > 0 and taken > before:
                self.heard = time.monotonic()  # its answer comes behind what it takes now
        self.writer.transport.abort()

    async def end(self) -> None:
        self.close()
        if self.making_room is not None:
            self.making_room.cancel()
        with contextlib.suppress(OSError, asyncio.TimeoutError):
            # A connection that is closed with something unread loses what was sent last.
            await asyncio.wait_for(self.skip_rest(), 1)
        self.writer.close()
        with contextlib.suppress(OSError, asyncio.TimeoutError):
            await asyncio.wait_for(self.writer.wait_closed(), 1)

    async def skip_rest(self) -> None:
        while await self.reader.read(1 << 16):
            pass


def masked(payload: bytes, key: bytes) -> bytes:
    size = len(payload)
    keys = (key * (size // 4 + 1))[:size]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(keys, "big")).to_bytes(size, "big")


async def read_up_to(reader: asyncio.StreamReader, size: int) -> bytes:
    body = b""
    while len(body) < size:
        part = await reader.read(size - len(body))
        if not part:
            break
        body += part
    return body


def told_in(body: bytes) -> str:
    """The message of an error of the server."""
    try:
        given = json.loads(body)
        given = given.get("error", given)
        return str(given["message"] if isinstance(given, dict) else given)
    except (ValueError, KeyError, TypeError, AttributeError):
        return body[:200].decode(errors="replace").strip()


def server_of(url: str) -> urllib.parse.SplitResult:
    parts = urllib.parse.urlsplit(url)
    schemes = {"ws": "http", "wss": "https", "http": "http", "https": "https"}
    if parts.scheme not in schemes or not parts.hostname:
        raise ValueError(
            f"the url must be the address of a Reprise server, such as http://localhost:8080; it is {url!r}"
        )
    path = parts.path.rstrip("/")
    path = path[: -len("/v1")] if path.endswith("/v1") else path
    return parts._replace(scheme=schemes[parts.scheme], path=path, query="", fragment="")


def version_of(made: Agent) -> str:
    """The digest of the file that has the agent, otherwise of the main file."""
    for file in (inspect.getsourcefile(made.main), getattr(sys.modules.get("__main__"), "__file__", None)):
        with contextlib.suppress(OSError, TypeError):
            with open(file, "rb") as source:  # type: ignore[arg-type]
                return hashlib.sha256(source.read()).hexdigest()[:16]
    return "1"


def agents_of(agents: Mapping[str, Union[Agent, Main]], version: Optional[str]) -> Dict[str, Agent]:
    if not isinstance(agents, Mapping) or not agents:
        raise TypeError('serve needs agents: a dict such as {"support": main}')
    if len(agents) > MOST_AGENTS:
        raise ValueError(f"a worker has at most {MOST_AGENTS} agents")
    served = {}
    for name, given in agents.items():
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise ValueError(
                f"{name!r} is no name of an agent: use up to 64 of a-z, 0-9, _ and -, and begin with a letter"
            )
        made = given if isinstance(given, Agent) else Agent(given)
        its_version = made.version or version or version_of(made)
        served[name] = Agent(made.main, made.description, made.parameters, its_version, made.task_support)
    return served


class Worker:
    """A host that connects to a server, again and again until it is told to stop."""

    def __init__(self, url: str, token: str, agents: Mapping[str, Agent], name: str, slots: int):
        self.url = server_of(url)
        self.token = token
        self.agents = agents
        self.name = name
        self.slots = slots
        self.is_accepted = False  # once, by the server
        self.stopping = asyncio.Event()
        hello_of(agents, name, slots)  # raises when it is too long

    async def work(self) -> None:
        wait = 0.5
        while not self.stopping.is_set():
            begun = time.monotonic()
            try:
                told = await self.converse()
            except (ValueError, ssl.SSLCertVerificationError):
                raise
            except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
                is_refusal = isinstance(error, PermissionError) and error.errno is None  # of the server, not of a firewall
                if is_refusal and not self.is_accepted:
                    raise
                told = str(error) or type(error).__name__
            if self.stopping.is_set():
                return
            wait = 0.5 if time.monotonic() - begun > 30 else min(wait * 2, 30)
            pause = wait * (0.5 + random.random() / 2)
            log.warning("no connection to %s: %s; trying again in %.1f s", self.url.netloc, told, pause)
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.stopping.wait(), pause)

    async def converse(self) -> str:
        """One connection, from hello to its end. Gives why it has ended."""
        connecting = asyncio.ensure_future(Socket.connect(self.url, self.token, lambda: host.drained()))
        stopping = asyncio.ensure_future(self.stopping.wait())
        await asyncio.wait((connecting, stopping), timeout=10, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not connecting.done():
            connecting.cancel()
            raise ConnectionError("it does not answer")
        link = connecting.result()
        host = Host(self.agents, link.send, link.is_full)
        others = [asyncio.ensure_future(link.keep_alive()), asyncio.ensure_future(self.leave(host, link))]
        try:
            host.hello(self.name, self.slots)
            while True:
                text = await link.receive()
                try:
                    host.receive(json.loads(text))
                except (ValueError, KeyError, TypeError):
                    link.fail(1002, "a message does not fit the protocol of agents")
                if host.welcome.done() and len(others) == 2:
                    self.judge(host.welcome.result())
                    others.append(host.welcome)  # type: ignore[arg-type]
        except Closed as error:
            return str(error)
        except asyncio.CancelledError:
            for lease in list(host.leases.values()):
                lease.release()
            raise
        finally:
            host.lose()
            for other in others:
                other.cancel()
            await link.end()

    async def leave(self, host: Host, link: Socket) -> None:
        await self.stopping.wait()
        await host.stop()
        link.close()
        await asyncio.sleep(CLOSE)  # the server closes it when it has taken what was sent
        link.writer.transport.abort()

    def judge(self, welcome: Mapping[str, Any]) -> None:
        refused = welcome.get("refused") or []
        told = "; ".join(f"{one.get('name')}: {one.get('reason')}" for one in refused)
        if refused and not welcome.get("agents"):
            raise PermissionError(f"{self.url.netloc} has refused all agents: {told}")
        if refused:
            log.warning("%s has refused agents: %s", self.url.netloc, told)
        self.is_accepted = True
        log.info("%s serves %s at %s", self.name, ", ".join(welcome.get("agents") or []), self.url.netloc)


async def serve(
    url: str,
    token: str,
    agents: Mapping[str, Union[Agent, Main]],
    name: Optional[str] = None,
    slots: int = 16,
    signals: bool = True,
    *,
    version: Optional[str] = None,
) -> None:
    """Serves agents for the server at `url`, from this process, until SIGTERM or until it is cancelled.

    url: the address of the server, with or without /v1. token: one whose role is `worker`. agents: by name. name: of
    this worker (default: host name and process id). slots: how many tasks run at once. signals: SIGTERM ends it; the
    runs under way have 10 s to end, then their tasks go to another worker. version: of agents that name none (default:
    the digest of their file).

    While the server is away, it waits and tries again. Raises PermissionError when the server refuses the token or all
    agents at first; when it refuses them later, this waits and tries again, and says so. Raises ValueError when the url, a
    name or a length is wrong.
    """
    if not isinstance(token, str) or not re.fullmatch(r"[\x21-\x7e]+", token):
        raise ValueError("the token must be text without spaces; `reprise token create --role worker` makes one")
    if isinstance(slots, bool) or not isinstance(slots, int) or not 1 <= slots <= MOST_SLOTS:
        raise ValueError(f"slots must be a whole number from 1 to {MOST_SLOTS}; it is {slots!r}")
    if name is not None and not (isinstance(name, str) and 0 < len(name) <= LONGEST_WORKER_NAME):
        raise ValueError(f"the name of a worker must be text of 1 to {LONGEST_WORKER_NAME} characters")
    worker = Worker(url, token, agents_of(agents, version), name or f"{socket.gethostname()}-{os.getpid()}", slots)
    loop = asyncio.get_running_loop()
    before: Any = None
    if signals:
        try:
            before = signal.getsignal(signal.SIGTERM)
            loop.add_signal_handler(signal.SIGTERM, worker.stopping.set)
        except (NotImplementedError, RuntimeError, ValueError):  # no main thread, or Windows
            signals = False
    try:
        await worker.work()
    finally:
        if signals:
            loop.remove_signal_handler(signal.SIGTERM)
            if before is not None:
                signal.signal(signal.SIGTERM, before)


if __name__ == "__main__":
    main()
