"""What the two clients share: everything that neither waits nor sends."""

from __future__ import annotations

import codecs
import json
import os
import random
import re
import secrets
import time
import urllib.parse
import warnings
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Type

from . import refusals
from .errors import ConnectionFailed, RepriseError, RepriseWarning
from .refusals import BY_NAME, BY_STATUS

STREAM_SILENCE = 30.0  # seconds: the server sends a comment every ten seconds
ANSWER_SILENCE = 120.0
FIRST_WAIT, LONGEST_WAIT = 0.25, 8.0  # seconds between two tries
PASSING = (0, 408, 429, 502, 503, 504, 508)  # the same request may succeed later
UNKNOWN = (0, 502, 504)  # there is no answer of the server, which may have done what was asked
PAGE = 100  # entries, where the client chooses

ENDS = frozenset(("task.completed", "task.failed", "task.canceled", "task.expired"))
WAITS = frozenset(("task.input_required", "task.paused"))
WAITING = frozenset(("input-required", "paused"))


def root_of(url: Optional[str]) -> str:
    """The address of the server without `/v1`."""
    named = url if url is not None else os.environ.get("REPRISE_URL")
    if named is None or not re.match(r"https?://[^/]", named):
        told = "" if named is None else f", not {named}"
        raise ValueError(
            "Reprise needs the address of the server: set REPRISE_URL, or give"
            f' base_url="https://reprise.example.com"{told}'
        )
    return re.sub(r"/v1$", "", re.sub(r"[?#].*$", "", named).rstrip("/"))


def token_of(given: Optional[str]) -> Optional[str]:
    """The token, if it may be part of a header."""
    token = given.strip() if given is not None else None  # a file with a token ends with a line break
    if token is not None and not re.fullmatch(r"[\t\x20-\x7e\x80-\xff]*", token):
        raise ValueError(
            "the token has a line break or another character that no header may have: set REPRISE_TOKEN, or give"
            " token, as the server printed it"
        )
    return token


def path_of(*parts: str) -> str:
    """A path: every second part is a parameter."""
    return "".join(urllib.parse.quote(part, safe="") if n % 2 else part for n, part in enumerate(parts))


def query_of(query: Mapping[str, Any]) -> str:
    pairs = [
        (name, {True: "true", False: "false"}.get(each, each) if isinstance(each, bool) else each)
        for name, value in query.items()
        if value is not None
        for each in (value if isinstance(value, (list, tuple)) else [value])
    ]
    return f"?{urllib.parse.urlencode(pairs)}" if pairs else ""


def new_key() -> str:
    """A key that nobody has used."""
    return secrets.token_hex(16)


def without_none(fields: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


class Warnings:
    """Gives each warning once."""

    def __init__(self, tell: Optional[Callable[[str], None]]):
        self.tell = tell or (lambda text: warnings.warn(text, RepriseWarning, stacklevel=2))
        self.told: set[str] = set()

    def __call__(self, text: str) -> None:
        if text not in self.told:
            self.told.add(text)
            self.tell(text)

    def of_ignored(self, headers: Mapping[str, str]) -> None:
        """Warns of what the server has not understood."""
        meant = dict(pair.split("=", 1) for pair in names_in(headers.get("x-did-you-mean")) if "=" in pair)
        for what, header in (("field", "x-ignored-fields"), ("parameter", "x-ignored-query")):
            for name in names_in(headers.get(header)):
                hint = f"; did you mean {meant[name]}?" if name in meant else ""
                self(f"the server does not know the {what} {name}, and ignores it{hint}")


def names_in(header: Optional[str]) -> List[str]:
    return [urllib.parse.unquote(name) for name in header.split(", ")] if header else []


def object_in(value: Any) -> Optional[Dict[str, Any]]:
    return value if isinstance(value, dict) else None


def refused_by(root: str, status: int, headers: Mapping[str, str], text: str) -> RepriseError:
    """The error of an answer with a status from 400 on."""
    try:
        read = json.loads(text)
    except ValueError:
        read = {}  # what stands between the client and the server answers in forms of its own
    body = object_in(read) or {}
    error = object_in(body.get("error")) or body
    data = object_in(error.get("data")) or {}
    problems = body["detail"] if isinstance(body.get("detail"), list) else []
    wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in problems)
    said = error.get("message") or (f"invalid request: {wrong}" if wrong else f"the answer is {status}")
    docs = data.get("docs")
    after = headers.get("retry-after", "")
    return class_of(status, docs)(
        said,
        status=status,
        code=error.get("code"),
        request_id=headers.get("x-request-id"),
        hint=data.get("hint"),
        docs=re.sub("^/", f"{root}/", docs) if isinstance(docs, str) else None,
        data=data,
        problems=problems,
        retry_after=float(after) if after.isdigit() else None,
    )


def class_of(status: int, docs: Any) -> Type[RepriseError]:
    """The class of a refusal. The link to its explanation ends with its name."""
    named = re.search(r"#error-(\w+)$", str(docs))
    known = BY_NAME.get(named[1]) if named else None
    return known or BY_STATUS.get(status) or (refusals.Unavailable if status in (502, 504) else RepriseError)


class Tries:
    """The tries of one request or stream. `patience`: seconds for which it is tried again."""

    def __init__(self, patience: float, warn: Warnings, root: str, is_stream: bool = False):
        self.patience = patience
        self.warn = warn
        self.root = root
        self.is_stream = is_stream
        self.failed_since: Optional[float] = None
        self.tries = 0

    def wait_after(self, error: RepriseError) -> float:
        """Seconds until the next try. Raises the error when no other try is to be made.

        A quota that is used up counts only for streams: a broken one still counts for a while.
        """
        over = isinstance(error, refusals.OverQuota) and not self.is_stream
        if error.status not in PASSING or over:
            raise error
        now = time.monotonic()
        if self.failed_since is None:
            self.failed_since = now
        most = min(LONGEST_WAIT, FIRST_WAIT * 2**self.tries)
        wait = error.retry_after if error.retry_after is not None else most / 2 + random.random() * most / 2
        if now + wait - self.failed_since > self.patience:
            raise error
        if self.tries == 1 and isinstance(error, ConnectionFailed):
            self.warn(f"the server at {self.root} cannot be reached; it is tried again for {self.patience:.0f} s")
        self.tries += 1
        return wait


class SentEvents:
    """Reads server-sent events from bytes that come in pieces. An event that is not complete at the end is dropped."""

    def __init__(self) -> None:
        self.decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self.begun: List[str] = []
        self.fields: Dict[str, str] = {}
        self.comments = 0

    def feed(self, piece: bytes) -> Iterable[Dict[str, str]]:
        *lines, last = self.decode(piece).split("\n")
        for text in lines:
            line = "".join([*self.begun, text]).rstrip("\r")
            self.begun = []
            if line == "":
                fields, self.fields = self.fields, {}
                if "data" in fields:
                    yield fields
                continue
            name, _, value = line.partition(":")
            value = value[1:] if value.startswith(" ") else value
            if name == "data" and "data" in self.fields:
                self.fields["data"] += "\n" + value
            elif name == "":
                self.comments += 1
            else:
                self.fields[name] = value
        if last:
            self.begun.append(last)


def head_of(method: str, url: urllib.parse.SplitResult, headers: Mapping[str, str], size: Optional[int]) -> bytes:
    """The head of an HTTP request."""
    target = (url.path or "/") + (f"?{url.query}" if url.query else "")
    all_headers = {
        "host": url.netloc.rpartition("@")[2],
        "connection": "close",
        "accept": "application/json",
        **headers,
        **({} if size is None else {"content-length": str(size)}),
    }
    for name, value in all_headers.items():
        if re.search(r"[\r\n\0]", value):
            raise ValueError(f"the header {name} has a line break in it")
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in all_headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def status_in(line: bytes) -> int:
    found = re.match(rb"HTTP/1\.[01] (\d{3})", line)
    if found is None:
        raise ConnectionFailed(f"the answer is not HTTP: {line[:60]!r}")
    return int(found[1])


def pending_in(task: Mapping[str, Any]) -> List[Dict[str, Any]]:
    """The calls for which a task waits."""
    if task["status"] == "paused":
        return []
    pending = (task.get("metadata") or {}).get("pending_inputs")
    return pending or [call for call in [task.get("input_required")] if call]


def is_approval(call: Mapping[str, Any]) -> bool:
    return bool((call.get("metadata") or {}).get("approval"))


def arguments_of(text: str) -> Dict[str, Any]:
    try:
        return json.loads(text) if text else {}
    except ValueError:
        return {"text": text}


def tool_of(tool: Any) -> Callable[..., Any]:
    """The function of a tool, which is given alone or with its definition."""
    return tool["run"] if isinstance(tool, Mapping) else tool


def definitions_of(tools: Mapping[str, Any], defined: Iterable[Mapping[str, Any]]) -> List[Dict[str, Any]]:
    """The definitions of tools that the body does not define itself."""
    known = {definition["function"]["name"] for definition in defined}
    made = []
    for name, tool in tools.items():
        if name in known:
            continue
        about = tool if isinstance(tool, Mapping) else {}
        function = {"name": name, "parameters": about.get("parameters") or {"type": "object"}}
        if about.get("description"):
            function["description"] = about["description"]
        made.append({"type": "function", "function": function})
    return made


def in_background(body: Mapping[str, Any], tools: Mapping[str, Any]) -> Dict[str, Any]:
    """The body of a create that is answered at once, while the task goes on."""
    defined = list(body.get("client_tools") or [])
    more = definitions_of(tools, defined)
    return {**body, **({"client_tools": [*defined, *more]} if more else {}), "stream": False, "background": True}


def result_in(value: Any) -> Dict[str, Any]:
    """What a tool has returned, as the result of its call."""
    if isinstance(value, str):
        return {"message_content": value}
    if isinstance(value, Mapping) and "message_content" in value:
        return dict(value)
    return {"message_content": json.dumps(value, ensure_ascii=False, separators=(",", ":"))}


def decision_in(value: Any) -> Dict[str, Any]:
    """What `approve` has returned, as a decision."""
    return dict(value) if isinstance(value, Mapping) else {"decision": "approve" if value else "refuse"}


def text_of(task: Mapping[str, Any]) -> str:
    """The text of the last message of the agent that is whole; empty: there is none."""
    for item in reversed(task["output"]):
        if item["type"] == "message" and item["role"] == "assistant" and item.get("status") != "incomplete":
            content = item["message_content"]
            if isinstance(content, str):
                return content
            return "".join(part if isinstance(part, str) else part.get("text", "") for part in content)
    return ""
