"""What one answer has cost, how long its stages took, and what an explanation of it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter

from atril.errors import ModelUnavailable
from atril.messages import message
from atril.models.chat import ChatModel, Completion, Message
from atril.types import AnswerExplanation, Exchange, Stage, Tokens


class Ledger:
    """Kept while one answer is made. `language` is that of the explanation, `table` the messages' table of what
    it says of the stages."""

    def __init__(self, language: str | None, table: str = "stage") -> None:
        self._language = language
        self._table = table
        self._start = perf_counter()
        self._seconds: dict[str, float] = {}
        self._stages: dict[str, list[str]] = {}
        self._exchanges: list[Exchange] = []
        self.calls: Counter[str] = Counter(reader=0, principal=0, embedding=0)
        self.tokens: dict[str, Tokens] = {}

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Adds what happens inside to the stage's time."""
        start = perf_counter()
        try:
            yield
        finally:
            self._seconds[stage] = self._seconds.get(stage, 0.0) + perf_counter() - start

    def note(self, stage: str, key: str, **fields: object) -> None:
        """Says something about a stage: a key of the messages' table."""
        said = message(f"{self._table}.{key}", self._language, **fields)
        self._stages.setdefault(stage, []).append(said)

    def replied(
        self, role: str, model: ChatModel, messages: Sequence[Message], completion: Completion
    ) -> None:
        self.calls[role] += completion.requests
        before, spent = self.tokens.get(role, Tokens()), completion.tokens
        self.tokens[role] = Tokens(before.input + spent.input, before.output + spent.output)
        self._keep(role, model, messages, completion.text)

    def failed(
        self,
        role: str,
        model: ChatModel,
        messages: Sequence[Message],
        error: ModelUnavailable,
        said: str = "",
    ) -> None:
        """A model did not reply, or not to the end; what it had said is kept."""
        requests = error.fields.get("requests", 1)
        self.calls[role] += requests if isinstance(requests, int) else 1
        self._keep(role, model, messages, said)

    def _keep(self, role: str, model: ChatModel, messages: Sequence[Message], reply: str) -> None:
        told = tuple((each.role, each.content) for each in messages)
        self._exchanges.append(Exchange(role, model.id, told, reply))

    @property
    def timings_ms(self) -> dict[str, float]:
        seconds = {**self._seconds, "total": perf_counter() - self._start}
        return {stage: value * 1000 for stage, value in seconds.items()}

    @property
    def explanation(self) -> AnswerExplanation:
        stages = (Stage(name, tuple(notes)) for name, notes in self._stages.items())
        return AnswerExplanation(tuple(stages), tuple(self._exchanges))
