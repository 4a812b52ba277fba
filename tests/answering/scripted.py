"""A model that says what a test has written, one reply for each call."""

from collections.abc import AsyncIterator, Sequence

from atril.errors import ModelUnavailable
from atril.models.chat import Completion, Delta, Message
from atril.types import Tokens

Line = str | Completion | ModelUnavailable


def down(model: str = "scripted") -> ModelUnavailable:
    return ModelUnavailable(model=model, detail="off", remedy="Start it.")


class Scripted:
    """Says its lines in order and keeps what it was shown. A stream comes in pieces of `piece` characters, and
    one that is to break does so after `breaks_after` pieces."""

    def __init__(self, *lines: Line, piece: int = 7, breaks_after: int = 0, name: str = "scripted") -> None:
        self._lines = list(lines)
        self._name = name
        self._piece = piece
        self._breaks_after = breaks_after
        self.shown: list[list[Message]] = []

    @property
    def id(self) -> str:
        return self._name

    async def complete(self, messages: Sequence[Message]) -> Completion:
        self.shown.append(list(messages))
        line = self._lines.pop(0) if self._lines else down()
        if isinstance(line, ModelUnavailable):
            raise line
        return line if isinstance(line, Completion) else Completion(line, Tokens(100, 10))

    async def stream(self, messages: Sequence[Message]) -> AsyncIterator[Delta | Completion]:
        completion = await self.complete(messages)
        for number, at in enumerate(range(0, len(completion.text), self._piece), start=1):
            yield Delta(completion.text[at : at + self._piece])
            if number == self._breaks_after:
                raise down()
        yield completion

    async def close(self) -> None:
        pass
