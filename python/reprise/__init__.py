"""The client of a Reprise server.

    from reprise import Reprise

    reprise = Reprise("http://127.0.0.1:8080", token)
    for frame in reprise.run({"user_message_content": "Hello"}):
        if frame["type"] == "task.text.delta":
            print(frame["delta"], end="", flush=True)

`AsyncReprise` is the same for programs with asyncio. docs/client.md says more. Only the standard library is needed, Python
3.9 or later.
"""

from . import refusals, types
from ._async import AsyncListing, AsyncReprise, AsyncRun
from ._shared import text_of
from ._sync import Listing, Reprise, Run
from .errors import BadSignature, ConnectionFailed, NotCompleted, RepriseError, RepriseWarning
from .refusals import *  # noqa: F403
from .webhook import verify_webhook

__all__ = [
    "AsyncListing",
    "AsyncReprise",
    "AsyncRun",
    "BadSignature",
    "ConnectionFailed",
    "Listing",
    "NotCompleted",
    "Reprise",
    "RepriseError",
    "RepriseWarning",
    "Run",
    "text_of",
    "types",
    "verify_webhook",
]
__all__ += refusals.__all__
