"""What happens while a question is answered, as every front shows it: the terminal, HTTP, the page."""

from __future__ import annotations

from collections.abc import Mapping
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
