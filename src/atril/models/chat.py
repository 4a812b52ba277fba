"""What Atril needs of a language model that writes.

One request at a time goes in as messages and comes back as text; loops, tools and retries of meaning live
above. Providers are adapters in this room.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from atril.types import Tokens

ChatRole = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a request, in the order in which the model reads them."""

    role: ChatRole
    content: str


@dataclass(frozen=True, slots=True)
class Delta:
    """The next piece of a text being written; never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole reply. `cut_off` when the model stopped at a limit and not at the end of what it had to say.

    `requests` counts what went over the wire for it, repetitions included. `estimated` when the server did
    not tell the tokens and they were estimated from the texts.
    """

    text: str
    tokens: Tokens
    cut_off: bool = False
    requests: int = 1
    estimated: bool = False


class ChatModel(Protocol):
    """A model that answers messages with text.

    Every call raises `ModelUnavailable` when no usable answer comes within the configured time and number
    of attempts, and nothing else.
    """

    @property
    def id(self) -> str:
        """The provider and the model as the user configured them, such as `openai:gpt-5-nano`."""

    async def complete(self, messages: Sequence[Message]) -> Completion:
        """The reply as a whole."""

    def stream(self, messages: Sequence[Message]) -> AsyncGenerator[Delta | Completion]:
        """The reply as it is written; the last item, and only it, is the `Completion`.

        Once a `Delta` was given a failure raises and is never repeated: a reader has seen the beginning.
        Whoever stops early closes it (`contextlib.aclosing`), or the model goes on writing for nobody.
        """

    async def close(self) -> None:
        """Closes connections; calling it twice is safe."""
