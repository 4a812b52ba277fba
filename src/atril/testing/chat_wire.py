"""What the scripted chat server is told and how its replies look on the wire."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from atril.models.counting import estimate_tokens
from atril.types import Tokens

Fault = Literal["stall", "disconnect", "malformed", "no_choices"]


@dataclass(frozen=True, slots=True)
class Request:
    """What a client sent. `headers` have lower-case names."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body.get("messages", ()))

    @property
    def streamed(self) -> bool:
        return bool(self.body.get("stream"))


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply, or one way of not giving it.

    A stream sends `piece` characters at a time, with `pause` seconds between them. `finish=None` ends it
    without a reason, `usage=None` tells no tokens; without either they are estimated. `fault` strikes after
    `after` pieces of a stream, or instead of a reply that is not streamed; `stall` lasts `seconds`, as does
    the wait before anything is sent with `delay`.
    """

    text: str = ""
    status: int = 200
    retry_after: float | None = None
    error: dict[str, Any] | None = None
    piece: int = 8
    pause: float = 0.0
    delay: float = 0.0
    finish: str | None = "stop"
    usage: Tokens | Literal["estimated"] | None = "estimated"
    fault: Fault | None = None
    after: int = 0
    seconds: float = 30.0


def converse(request: Request, reply: Reply) -> dict[str, Any]:
    """A whole reply to Bedrock's Converse."""
    spent = usage(request, reply) or {"prompt_tokens": 0, "completion_tokens": 0}
    read, written = spent["prompt_tokens"], spent["completion_tokens"]
    return {
        "output": {"message": {"role": "assistant", "content": [{"text": reply.text}]}},
        "stopReason": "max_tokens" if reply.finish == "length" else "end_turn",
        "usage": {"inputTokens": read, "outputTokens": written, "totalTokens": read + written},
        "metrics": {"latencyMs": 1},
    }


def converse_events(request: Request, reply: Reply) -> Iterator[bytes]:
    """A reply as Bedrock streams it. Source: "Event stream encoding" in the AWS SDKs' reference."""
    whole = converse(request, reply)
    yield _frame("messageStart", {"role": "assistant"})
    for piece in _cut(reply.text, reply.piece):
        yield _frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": piece}})
    yield _frame("contentBlockStop", {"contentBlockIndex": 0})
    if reply.finish is not None:
        yield _frame("messageStop", {"stopReason": whole["stopReason"]})
    if reply.usage is not None:
        yield _frame("metadata", {"usage": whole["usage"], "metrics": whole["metrics"]})


def _frame(kind: str, payload: dict[str, Any]) -> bytes:
    names = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    headers = b"".join(
        struct.pack(">B", len(name)) + name.encode() + struct.pack(">BH", 7, len(value)) + value.encode()
        for name, value in names.items()
    )
    body = json.dumps(payload).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(body), len(headers))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + body
    return message + struct.pack(">I", zlib.crc32(message))


def head(request: Request, kind: str) -> dict[str, Any]:
    """What every reply of OpenAI's begins with."""
    model = request.body.get("model", "scripted")
    return {"id": "scripted-1", "object": kind, "created": 1_700_000_000, "model": model}


def events(request: Request, reply: Reply) -> Iterator[str]:
    """The data of the events of a streamed reply."""
    common = head(request, "chat.completion.chunk")

    def event(delta: dict[str, str], finish: str | None = None) -> str:
        return json.dumps({**common, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    for piece in _cut(reply.text, reply.piece):
        yield event({"content": piece})
    if reply.finish is not None:
        yield event({}, reply.finish)
    spent = usage(request, reply)
    if spent and request.body.get("stream_options", {}).get("include_usage"):
        yield json.dumps({**common, "choices": [], "usage": spent})
    if reply.finish is not None:
        yield "[DONE]"


def _cut(text: str, size: int) -> Sequence[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def usage(request: Request, reply: Reply) -> dict[str, int] | None:
    """The tokens of a reply as OpenAI tells them."""
    if reply.usage is None:
        return None
    tokens = reply.usage
    if tokens == "estimated":
        read = sum(estimate_tokens(str(each.get("content") or "")) for each in request.messages)
        tokens = Tokens(read, estimate_tokens(reply.text))
    total = tokens.input + tokens.output
    return {"prompt_tokens": tokens.input, "completion_tokens": tokens.output, "total_tokens": total}
