"""AsyncReprise: the client for programs with asyncio."""

from __future__ import annotations

import json
import os
import urllib.parse
from typing import (
    Any,
    AsyncIterator,
    Awaitable,
    Callable,
    Dict,
    Generic,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    Union,
    cast,
)

from . import _shared as shared
from . import types
from ._async_io import Connection, Iteration, called, gather, sleep
from ._shared import path_of, without_none
from .errors import ConnectionFailed, NotCompleted, RepriseError
from .refusals import AlreadyAnswered, WrongState

T = TypeVar("T")
Read = Callable[[Any, Mapping[str, str]], Tuple[List[T], Optional[Dict[str, Any]]]]


class Answer:
    """An answer whose body has not been read yet."""

    def __init__(self, connection: Connection, status: int, headers: Dict[str, str]):
        self.connection = connection
        self.status = status
        self.headers = headers

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body, as it comes. Raises ConnectionFailed when it breaks off."""
        try:
            if self.status in (204, 304):
                return
            if "chunked" in self.headers.get("transfer-encoding", ""):
                async for piece in self.chunks():
                    yield piece
                return
            length = self.headers.get("content-length")
            left = int(length) if length is not None else None
            while left is None or left > 0:
                piece = await self.connection.read(65536 if left is None else min(left, 65536))
                if not piece:
                    if left is None:
                        return
                    raise ConnectionFailed("the answer was cut off")
                if left is not None:
                    left -= len(piece)
                yield piece
        except (OSError, ValueError) as error:
            raise ConnectionFailed(f"the connection broke: {error}") from error
        finally:
            self.connection.close()

    async def chunks(self) -> AsyncIterator[bytes]:
        while True:
            line = await self.connection.line()
            if not line.endswith(b"\n"):
                raise ConnectionFailed("the answer was cut off")
            left = int(line.split(b";")[0], 16)
            if left == 0:
                return
            while left > 0:
                piece = await self.connection.read(min(left, 65536))
                if not piece:
                    raise ConnectionFailed("the answer was cut off")
                left -= len(piece)
                yield piece
            await self.connection.line()

    async def body(self) -> bytes:
        all_pieces = []
        async for piece in self.pieces():
            all_pieces.append(piece)
        return b"".join(all_pieces)


class Link:
    """What all requests of a client share: the address, the token, and how one request is sent."""

    def __init__(
        self,
        base_url: Optional[str],
        token: Optional[str],
        patience: float,
        strict: bool,
        on_warning: Optional[Callable[[str], None]],
    ):
        self.root = shared.root_of(base_url)
        self.token = shared.token_of(token if token is not None else os.environ.get("REPRISE_TOKEN"))
        self.patience = patience
        self.strict = strict
        self.warn = shared.Warnings(on_warning)

    async def open(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any],
        body: Any,
        headers: Mapping[str, str],
        silence: float,
    ) -> Answer:
        """Sends a request once."""
        data = None if body is None else json.dumps(body).encode()
        url = urllib.parse.urlsplit(f"{self.root}{path}{shared.query_of(query)}")
        sent = {
            **({"authorization": f"Bearer {self.token}"} if self.token is not None else {}),
            **({"content-type": "application/json"} if data is not None else {}),
            **({"prefer": "handling=strict"} if self.strict else {}),
            **headers,
        }
        size = len(data) if data is not None else (None if method == "GET" else 0)
        head = shared.head_of(method, url, sent, size)
        try:
            connection = await Connection.open(url, silence)
        except OSError as error:
            hint = "Check the address, and that the server runs."
            raise ConnectionFailed(f"cannot connect to {self.root}: {error}", hint=hint) from error
        try:
            await connection.send(head + (data or b""))
            answer = await self.answer_on(connection)
        except (OSError, ValueError) as error:
            connection.close()
            raise ConnectionFailed(f"the connection to {self.root} broke: {error}") from error
        except BaseException:
            connection.close()
            raise
        if answer.status >= 400:
            text = (await answer.body()).decode("utf-8", "replace")
            raise shared.refused_by(self.root, answer.status, answer.headers, text)
        try:
            self.warn.of_ignored(answer.headers)
        except BaseException:  # warnings may be errors
            connection.close()
            raise
        return answer

    async def answer_on(self, connection: Connection) -> Answer:
        while True:
            line = await connection.line()
            if not line.endswith(b"\n"):
                raise ConnectionFailed("the connection broke before the answer")
            status = shared.status_in(line)
            headers: Dict[str, str] = {}
            while True:
                line = await connection.line()
                if not line.endswith(b"\n"):
                    raise ConnectionFailed("the connection broke before the answer")
                name, colon, value = line.decode("latin-1").strip().partition(":")
                if not colon:
                    break
                headers[name.lower()] = value.strip()
            if status >= 200:
                return Answer(connection, status, headers)

    async def sent(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] = {},
        body: Any = None,
        key: Union[str, bool, None] = None,
        once: bool = False,
    ) -> Tuple[Any, Dict[str, str]]:
        """The JSON of an answer, and its headers. `key`: True makes an Idempotency-Key, which all tries share. `once`: a second
        try would do the same thing again, so only what the server has refused is tried again."""
        named = shared.new_key() if key is True else key
        headers = {"idempotency-key": named} if isinstance(named, str) else {}
        tries = shared.Tries(self.patience, self.warn, self.root)
        while True:
            try:
                answer = await self.open(method, path, query, body, headers, shared.ANSWER_SILENCE)
                text = await answer.body()
                try:
                    return (json.loads(text) if text else None), answer.headers
                except ValueError as error:
                    raise ConnectionFailed("the answer was cut off") from error
            except RepriseError as error:
                if once and error.status in shared.UNKNOWN:
                    raise
                wait = tries.wait_after(error)
            await sleep(wait)

    async def send(self, method: str, path: str, **more: Any) -> Any:
        return (await self.sent(method, path, **more))[0]

    async def result(self, method: str, path: str, **more: Any) -> Any:
        """The `result` in the envelope of an operation on tasks."""
        return (await self.send(method, path, **more))["result"]


class Place:
    """Where a stream is: the id of its last event. It moves while the stream is read."""

    def __init__(self, cursor: Union[str, int, None]):
        self.cursor = cursor

    def number(self) -> float:
        if self.cursor is None:
            return -1
        return float(self.cursor) if str(self.cursor).isdigit() else -1


async def stream(
    link: Link, path: str, query: Mapping[str, Any], place: Place, counted: bool
) -> AsyncIterator[Dict[str, str]]:
    """The events after the place. `counted`: their ids have no holes. Ends when the server says that nothing follows (204);
    otherwise it is read again and again, and its reader leaves when it has what it wants."""
    tries = shared.Tries(link.patience, link.warn, link.root, True)
    while True:
        try:
            headers = {"accept": "text/event-stream"}
            if place.cursor is not None:
                headers["last-event-id"] = str(place.cursor)
            answer = await link.open("GET", path, query, None, headers, shared.STREAM_SILENCE)
            kind = answer.headers.get("content-type", "no type")
            if answer.status == 204 or not kind.lower().startswith("text/event-stream"):
                answer.connection.close()
                if answer.status == 204:
                    return
                hint = "Check the address, and what stands between this program and the server."
                raise ConnectionFailed(f"{link.root} answers with {kind} in place of a stream", hint=hint)
            events = shared.SentEvents()
            try:
                async for piece in answer.pieces():
                    for event in events.feed(piece):
                        if "id" not in event:
                            continue
                        last, following = place.number(), int(event["id"])
                        if following <= last:
                            continue  # it came twice
                        if counted and following > last + 1:
                            raise ConnectionFailed(f"event {following} came after event {last:.0f}")
                        place.cursor = event["id"]
                        tries.failed_since, tries.tries = None, 0
                        yield event
                    if events.comments > 1:  # the first one only says that the stream is open
                        tries.failed_since = None
            finally:
                answer.connection.close()  # the reader may have left
            raise ConnectionFailed("the stream ended before its last event")
        except RepriseError as error:
            wait = tries.wait_after(error)
        await sleep(wait)


class AsyncListing(Generic[T]):
    """The entries of a list, in all its pages. A page is asked for when it is needed."""

    def __init__(self, link: Link, path: str, query: Mapping[str, Any], read: Read[T]):
        self.link = link
        self.path = path
        self.query = query
        self.read = read

    async def pages(self) -> AsyncIterator[List[T]]:
        """The pages as the server gives them."""
        query: Optional[Dict[str, Any]] = dict(self.query)
        while query is not None:
            body, headers = await self.link.sent("GET", self.path, query=query)
            data, following = self.read(body, headers)
            if data:
                yield data
            query = None if following is None else {**query, **following}

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for entry in page:
                yield entry

    async def all(self) -> List[T]:
        """All entries."""
        found: List[T] = []
        async for page in self.pages():
            found.extend(page)
        return found


def own(body: Any, headers: Mapping[str, str]) -> Tuple[List[Any], Optional[Dict[str, Any]]]:
    """A page in the form of all our own lists."""
    cursor = body["next_cursor"]
    return body["data"], None if cursor is None else {"cursor": cursor}


def page_of_tasks(body: Any, headers: Mapping[str, str]) -> Tuple[List[Any], Optional[Dict[str, Any]]]:
    data = body["result"]
    has_next = 'rel="next"' in headers.get("link", "")
    return data, {"starting_after": data[-1]["id"]} if data and has_next else None


def page_of_environments(body: Any, headers: Mapping[str, str]) -> Tuple[List[Any], Optional[Dict[str, Any]]]:
    data = body["environments"]
    return data, {"starting_after": data[-1]["name"]} if len(data) == shared.PAGE else None


def page_of_sessions(body: Any, headers: Mapping[str, str]) -> Tuple[List[Any], Optional[Dict[str, Any]]]:
    data = body["sessions"]
    return data, {"starting_after": data[-1]["session_id"]} if data and body.get("has_more") else None


class Call(Dict[str, Any]):
    """A call that waits: `task_id`, `call_id`, `name`, and `arguments`, which are read from their JSON."""


Tool = Union[Callable[..., Any], Mapping[str, Any]]
Approve = Callable[[Call], Any]


class AsyncRun:
    """The frames of a task, each once and in order. The frames end when the task has ended, is paused, or waits for something
    that this run does not answer. To iterate once more goes on after the last frame. While one iteration lasts, another is a
    RuntimeError, and `result()` and `text()` wait for its end.

    Nothing is sent before the first use: an iteration, or one of the methods. Frames wait while tools and `approve` are
    called.
    """

    def __init__(
        self,
        link: Link,
        begin: Callable[[], Awaitable[str]],
        tools: Mapping[str, Tool],
        approve: Optional[Approve],
        until_end: bool,
        after: Optional[int] = None,
    ):
        self._link = link
        self._begin = begin
        self._tools = tools
        self._approve = approve
        self._until_end = until_end
        self._after = after
        self._place = Place(after)
        self._latest: Any = None
        self._begun: set[str] = set()
        self._id: Optional[str] = None
        self._rest: Optional[types.Task] = None
        self._iteration: Optional[Iteration] = None

    @property
    def last(self) -> int:
        """The number of the last frame; -1: there was none."""
        return int(self._place.number())

    async def id(self) -> str:
        """The id of the task, which is created if it was not yet."""
        if self._id is None:
            self._id = await self._begin()
        return self._id

    async def text(self) -> str:
        """The last text of the agent. Raises NotCompleted when the task has not completed."""
        task = await self.result()
        if task["status"] != "completed":
            raise NotCompleted(task)
        return shared.text_of(task)

    async def result(self) -> types.Task:
        """The task when it has come to rest, with its status."""
        while self._rest is None:
            if self._iteration is not None and not self._iteration.end.is_set():
                await self._iteration.wait()
                continue
            async for _ in self:
                pass
        return self._rest

    def __aiter__(self) -> AsyncIterator[types.TaskFrame]:
        if self._iteration is not None and not self._iteration.end.is_set():
            raise RuntimeError("this run is being iterated already")
        self._iteration = Iteration()
        return self._iteration.reads(self._frames(self._iteration))

    async def _frames(self, iteration: Iteration) -> AsyncIterator[types.TaskFrame]:
        try:
            self._rest = None
            task_id = await self.id()
            if self._after is not None and self._place.cursor == self._after:
                self._latest = await self._frame_after(task_id, self._after - 1)
            await self._judge(task_id)
            if self._rest is not None:
                return
            path = path_of("/v1/tasks/", task_id, "/events")
            async for event in stream(self._link, path, {}, self._place, True):
                frame = self._latest = json.loads(event["data"])["result"]
                if frame["type"] in shared.ENDS:
                    self._rest = frame["task"]
                yield frame
                if self._rest is None:
                    await self._judge(task_id)
                if self._rest is not None:
                    return
            self._rest = await self._link.result("GET", path_of("/v1/tasks/", task_id))
        finally:
            iteration.end.set()

    async def _frame_after(self, task_id: str, n: int) -> Any:
        """The frame that follows frame `n`; None: there is none yet."""
        query = {"after": n if n >= 0 else None, "limit": 1}
        frames = await self._link.result("GET", path_of("/v1/tasks/", task_id, "/events"), query=query)
        return frames[0] if frames else None

    async def _judge(self, task_id: str) -> None:
        """Rests if the task rests at the latest frame: nobody here answers what it waits for."""
        frame = self._latest
        if frame is None or frame["type"] not in shared.WAITS:
            return
        if await self._frame_after(task_id, frame["sequence_number"]) is not None:
            return  # that frame says how the task is now
        pending = shared.pending_in(frame["task"])
        ours = [call for call in pending if self._is_ours(call)]
        fresh = [call for call in ours if call["call_id"] not in self._begun]
        answered = await gather(*[self._answer(task_id, call) for call in fresh])
        if self._until_end or (pending and len(ours) == len(pending)):
            return
        now = next((task for task in reversed(answered) if task), frame["task"])
        if now["status"] in shared.WAITING:
            self._rest = now

    def _is_ours(self, call: Mapping[str, Any]) -> bool:
        return self._approve is not None if shared.is_approval(call) else call["name"] in self._tools

    async def _answer(self, task_id: str, item: Mapping[str, Any]) -> Optional[types.Task]:
        """The task after the answer; None: somebody else was faster, or the task has ended meanwhile."""
        call_id, name = item["call_id"], item["name"]
        self._begun.add(call_id)
        arguments = shared.arguments_of(item["arguments"])
        call = Call(task_id=task_id, call_id=call_id, name=name, arguments=arguments)
        try:
            if shared.is_approval(item):
                decided = shared.decision_in(await called(cast(Approve, self._approve), call))
                path = path_of("/v1/tasks/", task_id, "/approvals")
                return await self._link.send("POST", path, body={"call_id": call_id, **decided})
            try:
                result = shared.result_in(await called(shared.tool_of(self._tools[name]), arguments))
            except Exception as error:
                result = {"message_content": str(error), "status": "incomplete"}
            path = path_of("/v1/tasks/", task_id, "/input")
            return await self._link.send("POST", path, body={"tool_results": [{"call_id": call_id, **result}]})
        except (AlreadyAnswered, WrongState):
            return None
        except BaseException:
            self._begun.discard(call_id)  # the next use of the run answers it
            raise


class AsyncTasks:
    """The requests about tasks."""

    def __init__(self, link: Link):
        self._link = link

    async def _post(self, task_id: str, what: str, body: Any = None, key: Union[str, bool, None] = None) -> Any:
        return await self._link.send("POST", path_of("/v1/tasks/", task_id, what), body=body, key=key)

    async def create(self, body: types.TaskBody, *, idempotency_key: Optional[str] = None) -> types.Task:
        """Creates a task, and returns at once, while the task goes on."""
        sent = shared.in_background(body, {})
        return await self._link.result("POST", "/v1/tasks", body=sent, key=idempotency_key or True)

    def follow(
        self,
        task_id: str,
        *,
        tools: Optional[Mapping[str, Tool]] = None,
        approve: Optional[Approve] = None,
        until_end: bool = False,
        after: Optional[int] = None,
    ) -> AsyncRun:
        """The frames of a task that is there already, as those of `run`. `after`: the number of the last frame that is known."""

        async def begin() -> str:
            return task_id

        return AsyncRun(self._link, begin, tools or {}, approve, until_end, after)

    async def get(self, task_id: str, *, as_of: Union[str, int, None] = None) -> types.Task:
        """`as_of`: the number of a frame, `position:N`, or a time in ISO format."""
        return await self._link.result("GET", path_of("/v1/tasks/", task_id), query={"as_of": as_of})

    def list(self, **query: Any) -> AsyncListing[types.Task]:
        """The tasks, newest first. The query: session_id, user_id, status (one or a list), agent, error, created_after,
        created_before, include_subtasks, as_of, order, and `limit`, the size of a page."""
        return AsyncListing(self._link, "/v1/tasks", query, page_of_tasks)

    def summaries(self, **query: Any) -> AsyncListing[types.TaskSummary]:
        """The tasks without their output, each with the beginning of its question and with its times."""
        return AsyncListing(self._link, "/v1/tasks", {**query, "fields": "summary"}, page_of_tasks)

    async def counts(self, **query: Any) -> types.TaskCounts:
        """The numbers of tasks, by status and by agent."""
        return await self._link.result("GET", "/v1/tasks", query={**query, "fields": "counts"})

    async def cancel(self, task_id: str) -> types.Task:
        return await self._post(task_id, "/cancel")

    async def pause(self, task_id: str) -> types.Task:
        return await self._post(task_id, "/pause")

    async def resume(self, task_id: str) -> types.Task:
        return await self._post(task_id, "/resume")

    async def input(self, task_id: str, results: Sequence[Mapping[str, Any]]) -> types.Task:
        """Gives the results of calls for which the task waits."""
        return await self._post(task_id, "/input", {"tool_results": list(results)})

    async def approvals(self, task_id: str, decision: types.DecideApprovalBody) -> types.Task:
        """Decides about a call that waits for an approval."""
        return await self._post(task_id, "/approvals", decision)

    async def messages(self, task_id: str, said: Any, *, idempotency_key: Optional[str] = None) -> types.Task:
        """Says something to the agent while it works, or sends an event to its statechart: `{"event": {"type": …}}`."""
        body = said if isinstance(said, Mapping) and "event" in said else {"content": said}
        return await self._post(task_id, "/messages", body, idempotency_key or True)

    async def fork(
        self, task_id: str, body: types.ForkTaskBody, *, idempotency_key: Optional[str] = None
    ) -> types.Task:
        """Makes a new task with the past of this one up to the frame `at`."""
        return await self._post(task_id, "/fork", body, idempotency_key or True)

    async def diff(self, task_id: str, other: str) -> types.Difference:
        """Where two tasks differ."""
        return await self._link.send("GET", path_of("/v1/tasks/", task_id, "/diff/", other))

    async def reward(self, task_id: str, body: types.RewardBody) -> types.Task:
        """Gives the task a reward. Each request gives one, so it is not made again when its answer is lost."""
        return await self._link.send("POST", path_of("/v1/tasks/", task_id, "/reward"), body=body, once=True)

    async def delete(self, task_id: str) -> types.Task:
        """Deletes the task, which is canceled first if it has not ended."""
        return await self._link.result("DELETE", path_of("/v1/tasks/", task_id))


class AsyncEnvironments:
    """The requests about environments."""

    def __init__(self, link: Link):
        self._link = link

    def list(self) -> AsyncListing[types.EnvironmentInfo]:
        """The environments that there are, in order of their names."""
        return AsyncListing(self._link, "/v1/env", {"limit": shared.PAGE}, page_of_environments)

    async def get(self, env_id: str) -> types.EnvironmentDetails:
        return await self._link.send("GET", path_of("/v1/env/", env_id))

    async def create(
        self, body: types.CreateEnvBody = {}, *, idempotency_key: Optional[str] = None
    ) -> types.CreatedEnv:
        """Creates a session with an instance of an environment."""
        return await self._link.send("POST", "/v1/env/create", body=body, key=idempotency_key or True)

    async def step(
        self, body: types.StepEnvBody, *, idempotency_key: Optional[str] = None
    ) -> types.EnvStepAnswer:
        """Calls a tool of the environment. However often the request is tried, the step is taken once."""
        return await self._link.send("POST", "/v1/env/step", body=body, key=idempotency_key or True)

    async def reset(
        self, body: types.ResetEnvBody, *, idempotency_key: Optional[str] = None
    ) -> types.ResetEnv:
        return await self._link.send("POST", "/v1/env/reset", body=body, key=idempotency_key or True)

    async def observe(self, session_id: str) -> types.ObservedEnv:
        return await self._link.send("POST", "/v1/env/observation", body={"session_id": session_id})

    async def close(self, session_id: str) -> types.ClosedEnv:
        return await self._link.send("POST", "/v1/env/close", body={"session_id": session_id})


class AsyncSessions:
    """The requests about environment sessions."""

    def __init__(self, link: Link):
        self._link = link

    def list(self, **query: Any) -> AsyncListing[types.EnvSession]:
        """The sessions, newest first. The query: user_id, search, state, and `limit`, the size of a page."""
        return AsyncListing(self._link, "/v1/env/sessions", {"limit": shared.PAGE, **query}, page_of_sessions)

    async def get(self, session_id: str) -> types.EnvSession:
        return await self._link.send("GET", path_of("/v1/env/session/", session_id))

    async def delete(self, session_id: str) -> types.DeletedSession:
        return await self._link.send("DELETE", path_of("/v1/env/session/", session_id))

    async def cleanup(self, inactive_seconds: Optional[int] = None) -> types.CleanedSessions:
        """Closes the sessions that nobody has used for so many seconds."""
        query = {"inactive_seconds": inactive_seconds}
        return await self._link.send("POST", "/v1/env/sessions/cleanup", query=query)


class AsyncCron:
    """The requests about cron jobs."""

    def __init__(self, link: Link):
        self._link = link

    async def _job(self, method: str, job_id: str, what: str = "", **more: Any) -> Any:
        return await self._link.send(method, path_of("/v1/cron/jobs/", job_id, what), **more)

    async def create(
        self, body: types.CreateCronJobBody, *, idempotency_key: Optional[str] = None
    ) -> types.CronJob:
        return await self._link.send("POST", "/v1/cron/jobs", body=body, key=idempotency_key or True)

    def list(self, **query: Any) -> AsyncListing[types.CronJob]:
        """The jobs, newest first. The query: user_id, status, and `limit`, the size of a page."""
        return AsyncListing(self._link, "/v1/cron/jobs", query, own)

    async def get(self, job_id: str) -> types.CronJob:
        return await self._job("GET", job_id)

    async def change(self, job_id: str, body: types.ChangeCronJobBody) -> types.CronJob:
        return await self._job("PATCH", job_id, body=body)

    async def delete(self, job_id: str) -> types.DeletedCronJob:
        return await self._job("DELETE", job_id)

    async def trigger(self, job_id: str, *, idempotency_key: Optional[str] = None) -> types.CronRun:
        """Begins a run at once."""
        return await self._job("POST", job_id, "/trigger", key=idempotency_key or True)

    async def pause(self, job_id: str) -> types.CronJob:
        return await self._job("POST", job_id, "/pause")

    async def resume(self, job_id: str) -> types.CronJob:
        return await self._job("POST", job_id, "/resume")

    def runs(self, job_id: str, **query: Any) -> AsyncListing[types.CronRun]:
        """The runs of a job, newest first."""
        return AsyncListing(self._link, path_of("/v1/cron/jobs/", job_id, "/runs"), query, own)


class AsyncWebhooks:
    """The requests about webhooks."""

    def __init__(self, link: Link):
        self._link = link

    async def _webhook(self, method: str, webhook_id: str, what: str = "", **more: Any) -> Any:
        return await self._link.send(method, path_of("/v1/webhooks/", webhook_id, what), **more)

    async def create(
        self, body: types.CreateWebhookBody, *, idempotency_key: Optional[str] = None
    ) -> types.WebhookWithSecret:
        """The answer has the secret, which no later answer shows."""
        return await self._link.send("POST", "/v1/webhooks", body=body, key=idempotency_key or True)

    def list(self, **query: Any) -> AsyncListing[types.Webhook]:
        """The webhooks, oldest first."""
        return AsyncListing(self._link, "/v1/webhooks", query, own)

    async def get(self, webhook_id: str) -> types.Webhook:
        return await self._webhook("GET", webhook_id)

    async def change(self, webhook_id: str, body: types.ChangeWebhookBody) -> types.Webhook:
        return await self._webhook("PATCH", webhook_id, body=body)

    async def delete(self, webhook_id: str) -> types.DeletedWebhook:
        return await self._webhook("DELETE", webhook_id)

    async def rotate_secret(self, webhook_id: str, body: types.RotateSecretBody = {}) -> types.WebhookWithSecret:
        """Replaces the secret. Without a secret in the body the server makes a new one at each request, so the request is not
        made again when its answer is lost."""
        return await self._webhook("POST", webhook_id, "/rotate-secret", body=body, once=not body.get("secret"))

    async def test(self, webhook_id: str) -> types.WebhookTry:
        """Sends a test at once, and returns how it ended. It is not sent again when the answer is lost."""
        return await self._webhook("POST", webhook_id, "/test", once=True)

    def deliveries(self, webhook_id: str, **query: Any) -> AsyncListing[types.WebhookDelivery]:
        return AsyncListing(self._link, path_of("/v1/webhooks/", webhook_id, "/deliveries"), query, own)

    async def redeliver(self, webhook_id: str, event: str) -> types.WebhookTry:
        """Sends an event once more. It is not sent again when the answer is lost."""
        path = path_of("/v1/webhooks/", webhook_id, "/deliveries/", event, "/redeliver")
        return await self._link.send("POST", path, once=True)


class AsyncAgents:
    """The agents that tasks may name."""

    def __init__(self, link: Link):
        self._link = link

    def list(self, **query: Any) -> AsyncListing[types.AgentInfo]:
        return AsyncListing(self._link, "/v1/agents", query, own)


class AsyncReprise:
    """A client of a Reprise server.

    Every request that can be repeated without harm is tried again while the server is away or too busy, and streams take
    themselves up again.

    base_url: the address of the server, with or without `/v1` (default: REPRISE_URL). token: the access token (default:
    REPRISE_TOKEN). patience: seconds for which a request or a stream is tried again, counted from the first failure. strict:
    the server refuses requests with fields that it does not know. on_warning: gets each warning once (default:
    `warnings.warn` with a RepriseWarning).
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        token: Optional[str] = None,
        *,
        patience: float = 120.0,
        strict: bool = False,
        on_warning: Optional[Callable[[str], None]] = None,
    ):
        self._link = Link(base_url, token, patience, strict, on_warning)
        self.tasks = AsyncTasks(self._link)
        self.env = AsyncEnvironments(self._link)
        self.sessions = AsyncSessions(self._link)
        self.cron = AsyncCron(self._link)
        self.webhooks = AsyncWebhooks(self._link)
        self.agents = AsyncAgents(self._link)

    def run(
        self,
        body: types.TaskBody,
        *,
        tools: Optional[Mapping[str, Tool]] = None,
        approve: Optional[Approve] = None,
        until_end: bool = False,
        idempotency_key: Optional[str] = None,
    ) -> AsyncRun:
        """Creates a task and follows it.

        The frames come once each and in order, also when the connection breaks or the server is started again. tools: for
        each name a function that gets the arguments and returns the result, or `{"description", "parameters", "run"}`, which
        also defines the tool for the model. When a tool raises, the agent gets the message of the error. approve: gets a
        call that waits for an approval, and returns True, False, or a decision as the interface has it. until_end: the run
        goes on while the task is paused, or waits for somebody else.
        """
        sent = shared.in_background(body, tools or {})
        key = idempotency_key or shared.new_key()

        async def begin() -> str:
            return (await self._link.result("POST", "/v1/tasks", body=sent, key=key))["id"]

        return AsyncRun(self._link, begin, tools or {}, approve, until_end)

    async def events(
        self,
        *,
        cursor: Union[str, int, None] = None,
        types: Optional[Sequence[str]] = None,
        session_id: Optional[str] = None,
        task_id: Optional[str] = None,
        store: Any = None,
    ) -> AsyncIterator[Dict[str, Any]]:
        """The public events of everything that the token reaches, past and live, each with its `position`.

        They never end by themselves. cursor: the position after which they begin, or `earliest` (default: those that are to
        come). store: keeps the cursor. Its `get()` is asked first, and its `set(position)` gets the position of an event when
        the next one is asked for, so an event that was being handled when the program ended comes again.
        """
        kept = await called(store.get) if store is not None else None
        place = Place(kept if kept is not None else cursor)
        query = without_none({"types": types, "session_id": session_id, "task_id": task_id})
        async for event in stream(self._link, "/api/events", query, place, False):
            if event.get("event") == "Position":
                continue  # where new events begin: the cursor, if the connection breaks before the first one
            position = int(event["id"])
            yield {**json.loads(event["data"]), "position": position}
            if store is not None:
                await called(store.set, position)

    async def stream_ticket(self, body: Mapping[str, Any] = {}) -> types.Ticket:
        """A ticket, with which a browser may open a stream without the token, for a minute."""
        return await self._link.send("POST", "/v1/auth/stream-ticket", body=body)

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] = {},
        body: Any = None,
        key: Union[str, bool, None] = None,
        once: Optional[bool] = None,
    ) -> Any:
        """Sends any other request, and returns the JSON of its answer.

        `key=True`: with an Idempotency-Key of its own. once: it is not made again when its answer is lost (default: True for a
        POST without a key).
        """
        is_once = once if once is not None else method == "POST" and not key
        return await self._link.send(method, path, query=query, body=body, key=key, once=is_once)
