"""What went wrong when a model was asked: said for people, and whether asking again can help."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from random import random
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse

_REPEATED_STATUSES: Final = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))
_CREDENTIALS: Final = re.compile(r"//[^/?#]*@")
_PROBLEMS: Final = {401: "key", 402: "quota", 403: "key", 404: "no_model", 429: "rate"}


@dataclass(frozen=True, slots=True)
class Failure:
    """`problem` is a key of the messages' table `no_reply`, filled by `fields`. `wait` is the pause in seconds
    that the server asked for."""

    problem: str
    again: bool = False
    wait: float | None = None
    fields: dict[str, Any] = field(default_factory=dict)


class Unusable(Exception):
    """A reply came and cannot be used."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.problem)
        self.failure = failure


def failure_of(error: Exception) -> Failure:
    """What an exception of a provider means. Nothing of a server's own text is kept: it may repeat the key
    or the question."""
    from pydantic_ai import exceptions

    match error:
        case Unusable():
            return error.failure
        case exceptions.ModelAuthenticationError():
            return Failure("key")
        case exceptions.ModelNotFoundError():
            return Failure("no_model")
        case exceptions.ModelContextWindowExceededError():
            return Failure("too_long")
        case exceptions.ModelQuotaExceededError():
            return Failure("quota")
        case exceptions.ModelRateLimitError():
            return Failure("rate", again=True, wait=error.retry_after)
        case exceptions.ModelHTTPError(provider_error_type="exceed_context_size_error"):  # llama.cpp's
            return Failure("too_long")
        case exceptions.ModelHTTPError():
            return of_status(error.status_code, error.retry_after)
        case exceptions.ModelTimeoutError() | TimeoutError():
            return Failure("slow", again=True)
        case exceptions.ModelConnectionError():
            return Failure("unreachable", again=True)
        case exceptions.UserError():
            return Failure("unconfigured")
        case exceptions.ContentFilterError():
            return Failure("filtered")
        case _:
            return Failure("nonsense", again=True)


def of_status(status: int, wait: float | None) -> Failure:
    """What an HTTP status other than success means; `wait` is what the server asked for."""
    again = status in _REPEATED_STATUSES
    problem = _PROBLEMS.get(status, "server" if status >= 500 else "rejected")
    return Failure(problem, again=again, wait=wait, fields={"status": status})


def check_usable(response: ModelResponse, text: str) -> None:
    """Raises `Unusable` for a reply without a text."""
    if text.strip():
        return
    if response.finish_reason == "content_filter":
        raise Unusable(Failure("filtered"))
    if response.finish_reason == "length":
        raise Unusable(Failure("no_room"))
    raise Unusable(Failure("empty", again=True))


def pause_before(attempt: int, asked: float | None, first: float) -> float:
    """Seconds to wait after attempt number `attempt`: what the server `asked` for, else `first`, doubled each
    time and a little apart from other callers."""
    if asked is not None:
        return max(asked, 0.0)
    return float(first * 2 ** (attempt - 1) * (1 + random() / 4))  # noqa: S311  no secret depends on it


def asked_wait(retry_after: str | None) -> float | None:
    """The seconds in a Retry-After header; `None` without one, and for a date, whose clock may be another's."""
    asked = (retry_after or "").strip()
    return float(asked) if asked.isascii() and asked.replace(".", "", 1).isdecimal() else None


def shown_address(url: str | None) -> str:
    """An address for people to read, without a password that may be in it."""
    return _CREDENTIALS.sub("//", url or "")
