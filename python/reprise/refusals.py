"""The refusals of the server, as docs/errors.md has them. Written by `npm run documents`, from the schemas of the server."""

from typing import Dict, Type

from .errors import RepriseError

__all__ = [
    "BadRequest",
    "NotFound",
    "Conflict",
    "Busy",
    "Unavailable",
    "NotCancelable",
    "WrongState",
    "InputMissing",
    "AlreadyAnswered",
    "SessionDone",
    "NotHttp",
    "BadHandshake",
    "Unauthenticated",
    "Forbidden",
    "TaskNotFound",
    "WebhookNotFound",
    "DeliveryNotFound",
    "CronJobNotFound",
    "TileNotFound",
    "TokenNotFound",
    "HoldNotFound",
    "EnvNotFound",
    "SessionNotFound",
    "RouteNotFound",
    "MethodNotAllowed",
    "BodyTooSlow",
    "NotErasable",
    "BodyTooLarge",
    "MediaType",
    "Invalid",
    "TaskFailed",
    "UpgradeRequired",
    "OverQuota",
    "Fault",
    "ToolsAway",
    "StorageDown",
    "ReadModelsBehind",
    "ErasureUnfinished",
    "SessionAway",
    "NoCheckpoint",
    "ChangedMeanwhile",
    "Damaged",
    "ShuttingDown",
    "NotOwner",
]


class BadRequest(RepriseError):
    """A refusal with the status 400."""


class NotFound(RepriseError):
    """A refusal with the status 404."""


class Conflict(RepriseError):
    """409, -32023: this id or key is already used for something else."""


class Busy(RepriseError):
    """429, -32027: the server is handling too much for this caller."""


class Unavailable(RepriseError):
    """A refusal with the status 503."""


class NotCancelable(BadRequest):
    """400, -32002: the task has ended and cannot be canceled."""


class WrongState(BadRequest):
    """400, -32020: the task is in a state that does not allow this."""


class InputMissing(BadRequest):
    """400, -32021: some pending tool calls have no answer."""


class AlreadyAnswered(BadRequest):
    """400, -32022: this tool call already has a different answer."""


class SessionDone(BadRequest):
    """400, -32026: the environment session is done."""


class NotHttp(BadRequest):
    """400, -32600: the server cannot read this as an HTTP request."""


class BadHandshake(BadRequest):
    """400, -32600: this is no handshake of a WebSocket."""


class Unauthenticated(RepriseError):
    """401, -32030: a valid bearer token is required."""


class Forbidden(RepriseError):
    """403, -32031: this token does not allow this request."""


class TaskNotFound(NotFound):
    """404, -32001: no such task."""


class WebhookNotFound(NotFound):
    """404, -32001: no such webhook."""


class DeliveryNotFound(NotFound):
    """404, -32001: this webhook has no such delivery."""


class CronJobNotFound(NotFound):
    """404, -32001: no such cron job."""


class TileNotFound(NotFound):
    """404, -32001: no such tile."""


class TokenNotFound(NotFound):
    """404, -32001: no such token."""


class HoldNotFound(NotFound):
    """404, -32001: there is no such hold."""


class EnvNotFound(NotFound):
    """404, -32024: there is no environment with this name."""


class SessionNotFound(NotFound):
    """404, -32025: no such session, or it is closed."""


class RouteNotFound(NotFound):
    """404, -32601: the server has no route for this path."""


class MethodNotAllowed(RepriseError):
    """405, -32601: this path does not accept this method."""


class BodyTooSlow(RepriseError):
    """408, -32600: the request body came too slowly."""


class NotErasable(Conflict):
    """409, -32023: this cannot be erased now."""


class BodyTooLarge(RepriseError):
    """413, -32600: the request body is too large."""


class MediaType(RepriseError):
    """415, -32600: the request body is not uncompressed JSON."""


class Invalid(RepriseError):
    """422, -32602: invalid request."""


class TaskFailed(RepriseError):
    """424, -32603: the task has not completed."""


class UpgradeRequired(RepriseError):
    """426, -32600: this path opens a WebSocket."""


class OverQuota(Busy):
    """429, -32027: a quota is used up."""


class Fault(RepriseError):
    """500, -32603: internal error."""


class ToolsAway(Unavailable):
    """503, -32008: the tools of the task are not available now."""


class StorageDown(Unavailable):
    """503, -32603: the event log cannot be written at the moment."""


class ReadModelsBehind(Unavailable):
    """503, -32603: lists are catching up with the log."""


class ErasureUnfinished(Unavailable):
    """503, -32603: the erasure is stored, but has not finished."""


class SessionAway(Unavailable):
    """503, -32603: the session cannot be used at the moment, but it is not lost."""


class NoCheckpoint(Unavailable):
    """503, -32603: there is no checkpoint yet."""


class ChangedMeanwhile(Unavailable):
    """503, -32603: what the answer shows was changed or erased while the server made it."""


class Damaged(Unavailable):
    """503, -32603: a stored event cannot be read or does not match its hash."""


class ShuttingDown(Unavailable):
    """503, -32603: the server is shutting down."""


class NotOwner(RepriseError):
    """508, -32603: this node does not own the event log."""


BY_NAME: Dict[str, Type[RepriseError]] = {
    "BadRequest": BadRequest,
    "NotFound": NotFound,
    "Conflict": Conflict,
    "Busy": Busy,
    "Unavailable": Unavailable,
    "NotCancelable": NotCancelable,
    "WrongState": WrongState,
    "InputMissing": InputMissing,
    "AlreadyAnswered": AlreadyAnswered,
    "SessionDone": SessionDone,
    "NotHttp": NotHttp,
    "BadHandshake": BadHandshake,
    "Unauthenticated": Unauthenticated,
    "Forbidden": Forbidden,
    "TaskNotFound": TaskNotFound,
    "WebhookNotFound": WebhookNotFound,
    "DeliveryNotFound": DeliveryNotFound,
    "CronJobNotFound": CronJobNotFound,
    "TileNotFound": TileNotFound,
    "TokenNotFound": TokenNotFound,
    "HoldNotFound": HoldNotFound,
    "EnvNotFound": EnvNotFound,
    "SessionNotFound": SessionNotFound,
    "RouteNotFound": RouteNotFound,
    "MethodNotAllowed": MethodNotAllowed,
    "BodyTooSlow": BodyTooSlow,
    "NotErasable": NotErasable,
    "BodyTooLarge": BodyTooLarge,
    "MediaType": MediaType,
    "Invalid": Invalid,
    "TaskFailed": TaskFailed,
    "UpgradeRequired": UpgradeRequired,
    "OverQuota": OverQuota,
    "Fault": Fault,
    "ToolsAway": ToolsAway,
    "StorageDown": StorageDown,
    "ReadModelsBehind": ReadModelsBehind,
    "ErasureUnfinished": ErasureUnfinished,
    "SessionAway": SessionAway,
    "NoCheckpoint": NoCheckpoint,
    "ChangedMeanwhile": ChangedMeanwhile,
    "Damaged": Damaged,
    "ShuttingDown": ShuttingDown,
    "NotOwner": NotOwner,
}
"""The classes by their names in the catalogue."""

BY_STATUS: Dict[int, Type[RepriseError]] = {
    400: BadRequest,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    405: MethodNotAllowed,
    408: BodyTooSlow,
    409: Conflict,
    413: BodyTooLarge,
    415: MediaType,
    422: Invalid,
    424: TaskFailed,
    426: UpgradeRequired,
    429: Busy,
    500: Fault,
    503: Unavailable,
    508: NotOwner,
}
"""The classes of refusals whose names the answer does not tell, by status."""
