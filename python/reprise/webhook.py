"""Checks that a request of a webhook is genuine, as Standard Webhooks has it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from typing import Any, Dict, Mapping, Union

from .errors import BadSignature

TOLERANCE = 300  # seconds between the time of a request and now, at most


def verify_webhook(body: Union[str, bytes], headers: Mapping[str, Any], secret: str) -> Dict[str, Any]:
    """The event in a request of a webhook: `id` (its position), `type`, `timestamp` and `data`.

    body: the text or the bytes as they came. Raises BadSignature when the request is not signed with the secret, or when its
    time is more than five minutes away. The same event may come twice: skip what is not higher than the last id.
    """
    given = {str(name).lower(): str(value) for name, value in headers.items()}

    def header(name: str) -> str:
        if not given.get(name):
            hint = "The webhook needs a secret, and signs its requests then."
            raise BadSignature(f"the header {name} is missing", hint=hint)
        return given[name]

    event, seconds = header("webhook-id"), header("webhook-timestamp")
    if not re.fullmatch("[0-9]{1,15}", seconds) or abs(time.time() - int(seconds)) > TOLERANCE:
        hint = "Check the clock of this machine."
        raise BadSignature("the time of the request is more than five minutes away", hint=hint)
    raw = body.encode() if isinstance(body, str) else bytes(body)
    key = base64.b64decode(secret[len("whsec_") :] if secret.startswith("whsec_") else secret)
    expected = hmac.new(key, f"{event}.{seconds}.".encode() + raw, hashlib.sha256).digest()
    for signature in header("webhook-signature").split(" "):
        if signature.startswith("v1,") and hmac.compare_digest(bytes_of(signature[3:]), expected):
            return {"id": event, **json.loads(raw)}
    hint = "Give the body as it came, and the secret of this webhook."
    raise BadSignature("no signature of the request fits the secret", hint=hint)


def bytes_of(text: str) -> bytes:
    """The bytes of a base64; empty: it is none."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return b""
