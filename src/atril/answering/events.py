"""What happens while a question is answered, as every front shows it: the terminal, HTTP, the page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from atril.types import Answer, Citation, Tokens


@dataclass(frozen=True, slots=True)
class AnswerDelta:
    """The next piece of the text. With `restart` what was shown before it no longer counts."""

    text: str
    restart: bool = False


@dataclass(frozen=True, slots=True)
class AnswerCitation:
    """A citation of the finished text, whose quote was found in its chunk."""

    citation: Citation


@dataclass(frozen=True, slots=True)
class AnswerUsage:
    """What the answer has cost: calls and tokens by role (reader, principal, embedding)."""

    calls: Mapping[str, int]
    tokens: Mapping[str, Tokens]


@dataclass(frozen=True, slots=True)
class AnswerDone:
    """The whole answer, and always the last event. Its text is what counts: citations that could not be proved
    are gone from it and sentences without support are marked."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class AnswerError:
    """The last event when there is no answer; `message` is for people."""

    message: str


AnswerEvent: TypeAlias = AnswerDelta | AnswerCitation | AnswerUsage | AnswerDone | AnswerError
Emit: TypeAlias = Callable[[AnswerEvent], None]


def closing(answer: Answer) -> tuple[AnswerEvent, ...]:
    """The events that end an answer whose text has been told."""
    citations = (AnswerCitation(citation) for citation in answer.citations)
    return (*citations, AnswerUsage(answer.calls, answer.tokens), AnswerDone(answer))


async def emitted(work: Callable[[Emit], Awaitable[None]]) -> AsyncGenerator[AnswerEvent, None]:
    """What a coroutine emits, as it happens; what it raises is raised here. Closing ends the work."""
    events: asyncio.Queue[AnswerEvent | None] = asyncio.Queue()

    async def run() -> None:
        try:
            await work(events.put_nowait)
        finally:
            events.put_nowait(None)

    task = asyncio.create_task(run())
    try:
        while (event := await events.get()) is not None:
            yield event
        await task
    finally:
        if not task.done():
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
