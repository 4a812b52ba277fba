"""Questions go in here, whatever pipeline answers them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

from atril.answering.events import AnswerDone, AnswerError, AnswerEvent
from atril.errors import AtrilError, InvalidArgument
from atril.retrieval.search_filters import NO_FILTERS, SearchFilters
from atril.types import Answer, Scope, Tokens, Turn

Cost: TypeAlias = Callable[[Mapping[str, Tokens]], float | None]
"""What the tokens of each role cost; `None` where no price is known."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with all that decides its answer.

    `context_chunk_ids` are the chunks carried over from the turn before, `history` the turns before it, oldest
    first. `explain` asks for `Answer.explanation` and `check` for every sentence without support to be
    marked. `max_pages` is for pipelines that read pages.
    """

    scope: Scope
    question: str
    requested: str = "unified"
    filters: SearchFilters = NO_FILTERS
    context_chunk_ids: tuple[str, ...] = ()
    history: tuple[Turn, ...] = ()
    explain: bool = False
    check: bool = False
    max_pages: int = 5


def check_question(question: str) -> None:
    """Raises `InvalidArgument` for a question without words."""
    if not question.strip():
        raise InvalidArgument(name="question", value=question, allowed="allowed.text")


class Pipeline(Protocol):
    """One way of answering."""

    def run(self, asked: Asked) -> AsyncGenerator[AnswerEvent, None]:
        """The events of one answer, the last of which is `AnswerDone`. What cannot be asked raises."""


class Answering:
    """Every pipeline of a home, by the name under which it is requested."""

    def __init__(self, pipelines: Mapping[str, Pipeline], cost: Cost | None = None) -> None:
        self._pipelines = dict(pipelines)
        self._cost = cost

    async def ask(self, asked: Asked) -> Answer:
        """The answer; `found` is false when the library does not hold it.

        A model that fails makes the answer poorer and is told of in its message; it raises nothing. Raises
        `InvalidArgument` for an empty question or an unknown pipeline, and what the search raises.
        """
        async with aclosing(self._priced(asked)) as events:
            async for event in events:
                if isinstance(event, AnswerDone):
                    return event.answer
        raise AssertionError(f"the pipeline {asked.requested} ended without an answer")

    async def stream(self, asked: Asked) -> AsyncGenerator[AnswerEvent, None]:
        """The events of the answer as they happen; one that cannot be given ends with `AnswerError`."""
        try:
            async with aclosing(self._priced(asked)) as events:
                async for event in events:
                    yield event
        except AtrilError as error:
            yield AnswerError(error.localized(asked.scope.language))

    async def _priced(self, asked: Asked) -> AsyncGenerator[AnswerEvent, None]:
        """The pipeline's events, its answer with what it has cost."""
        async with aclosing(self._pipeline(asked.requested).run(asked)) as events:
            async for event in events:
                if isinstance(event, AnswerDone) and self._cost is not None:
                    answer = event.answer
                    event = AnswerDone(replace(answer, cost=self._cost(answer.tokens)))
                yield event

    def _pipeline(self, requested: str) -> Pipeline:
        if requested not in self._pipelines:
            raise InvalidArgument(name="pipeline", value=requested, allowed=", ".join(self._pipelines))
        return self._pipelines[requested]
