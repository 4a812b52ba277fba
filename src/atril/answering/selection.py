"""Which sentences to quote: the best few that fit together, none saying what another has said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from atril.answering.evidence import Sentence

MAX_SENTENCES: Final = 3
MAX_CHARACTERS: Final = 600
"""Of the whole answer, its citation marks included."""

ALIKE: Final = 0.7
"""Share of common terms from which two sentences say the same."""

WORTH_ADDING: Final = 0.6
"""Share of the best score below which a further sentence distracts more than it helps."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A sentence with its score against the question, in 0..1."""

    sentence: Sentence
    score: float


def select(ranked: Iterable[Ranked]) -> list[Sentence]:
    """The sentences to quote, best first; `ranked` comes best first and the first one is always taken."""
    chosen: list[Ranked] = []
    for candidate in ranked:
        if len(chosen) == MAX_SENTENCES or (chosen and candidate.score < WORTH_ADDING * chosen[0].score):
            break
        quotes = [each.sentence.text for each in (*chosen, candidate)]
        if len(compose(quotes)) <= MAX_CHARACTERS and not any(
            _alike(each.sentence, candidate.sentence) for each in chosen
        ):
            chosen.append(candidate)
    return [each.sentence for each in chosen]


def compose(quotes: Sequence[str]) -> str:
    """The quotes one after another, each followed by its number in brackets."""
    return " ".join(f"{quote} [{number}]" for number, quote in enumerate(quotes, start=1))


def _alike(one: Sentence, other: Sentence) -> bool:
    if one.text == other.text:
        return True
    together = len(one.terms | other.terms)
    return together > 0 and len(one.terms & other.terms) / together >= ALIKE
