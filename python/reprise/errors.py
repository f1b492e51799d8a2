"""The errors of the client that are no refusals of the server. refusals.py has the refusals."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional


class RepriseWarning(UserWarning):
    """Something that the server ignores, or that the client works around."""


class RepriseError(Exception):
    """Every error of the client. Its class says what has failed.

    status: the HTTP status; 0: there is no answer. code: the code of the error object, or None. request_id: the id of the
    request, by which the log of the server finds it. hint: what to do. docs: the address of the explanation. data: more
    about it, which programs may read. problems: what is wrong with a request that is not valid. retry_after: seconds after
    which the server wants to be asked again.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: Optional[int] = None,
        request_id: Optional[str] = None,
        hint: Optional[str] = None,
        docs: Optional[str] = None,
        data: Optional[Mapping[str, Any]] = None,
        problems: Optional[List[Dict[str, Any]]] = None,
        retry_after: Optional[float] = None,
    ):
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.request_id = request_id
        self.hint = hint
        self.docs = docs
        self.data = dict(data or {})
        self.problems = problems or []
        self.retry_after = retry_after


class ConnectionFailed(RepriseError):
    """The server cannot be reached, or the connection has broken, for longer than the client is patient."""


class NotCompleted(RepriseError):
    """The task has not completed, so it has no final text. `task` says how it stands."""

    def __init__(self, task: Mapping[str, Any]):
        error = task.get("error")
        why = f": {error['message']}" if error else ""
        super().__init__(
            f"the task {task['id']} is {task['status']}{why}",
            code=error["code"] if error else None,
            hint="Read `task` of this error, which says how it stands.",
        )
        self.task = task


class BadSignature(RepriseError):
    """The signature of a webhook is missing or wrong, or its time is too far away."""
