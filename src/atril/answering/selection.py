"""Which sentences to quote: the best few that fit together, none saying what another has said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from atril.answering.evidence import Sentence
from atril.answering.rows import is_row, readable

MAX_SENTENCES: Final = 3
MAX_CHARACTERS: Final = 600
"""Of the whole answer, its citation marks included."""

ALIKE: Final = 0.7
"""Share of common terms from which two sentences say the same."""

WORTH_ADDING: Final = 0.75
"""Share of the best score below which a further sentence distracts more than it helps."""

TOGETHER: Final = 0.2
"""What a sentence gains by standing in a chunk that is quoted already: one goes on where another ends."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A sentence with its score against the question, in 0..1."""

    sentence: Sentence
    score: float


def select(ranked: Iterable[Ranked], together: float = TOGETHER) -> list[Sentence]:
    """The sentences to quote, best first; `ranked` comes best first and the first one is always taken.

    `together` is 0 for a question about several things, each of which has its own place.
    """
    left = list(ranked)
    chosen = left[:1]
    while len(chosen) < MAX_SENTENCES:
        left = [each for each in left if _adds(each, chosen)]
        if not left:
            break
        chunks = {each.sentence.chunk.stored.point for each in chosen}
        chosen.append(
            max(left, key=lambda each: each.score + together * (each.sentence.chunk.stored.point in chunks))
        )
    return [each.sentence for each in chosen]


def told(chosen: Sequence[Sentence]) -> str:
    """The sentences as an answer: rows of tables as people say them, with their columns where that is not too
    long, and an ellipsis where a sentence goes on."""
    texts = (compose([_said(each, named=named) for each in chosen]) for named in (True, False))
    return next(
        (text for text in texts if len(text) <= MAX_CHARACTERS), compose([each.quote for each in chosen])
    )


def _fit(chosen: Sequence[Sentence]) -> bool:
    """Whether they fit both as they stand and as they are said."""
    said, quotes = [_said(each, named=True) for each in chosen], [each.quote for each in chosen]
    return max(len(compose(said)), len(compose(quotes))) <= MAX_CHARACTERS


def _said(sentence: Sentence, *, named: bool) -> str:
    said = readable(sentence.chunk.stored.chunk, sentence.start, sentence.stop, named=named)
    return f"{'… ' * sentence.before}{said}{' …' * sentence.after}"


def _adds(candidate: Ranked, chosen: Sequence[Ranked]) -> bool:
    """Whether a further sentence is worth its room, fits, and says something else."""
    return (
        candidate.score >= WORTH_ADDING * chosen[0].score
        and (chosen[0].sentence.fragment or not candidate.sentence.fragment)
        and not _less_of_a_row(candidate.sentence, chosen[0].sentence)
        and not any(_alike(each.sentence, candidate.sentence) for each in chosen)
        and _fit([each.sentence for each in (*chosen, candidate)])
    )


def _less_of_a_row(candidate: Sentence, best: Sentence) -> bool:
    """Whether it is a row of the table that the best one is a row of, about less of the question: a question
    for one row is not answered by those around it, however alike they are."""
    same = candidate.chunk.stored.point == best.chunk.stored.point
    return same and candidate.coverage < best.coverage and is_row(candidate.text) and is_row(best.text)


def compose(quotes: Sequence[str]) -> str:
    """The quotes one after another, each followed by its number in brackets."""
    return " ".join(f"{quote} [{number}]" for number, quote in enumerate(quotes, start=1))


def _alike(one: Sentence, other: Sentence) -> bool:
    if one.text == other.text or _overlap(one, other):
        return True
    together = len(one.terms | other.terms)
    return together > 0 and len(one.terms & other.terms) / together >= ALIKE


def _overlap(one: Sentence, other: Sentence) -> bool:
    same = one.chunk.stored.point == other.chunk.stored.point
    return same and one.start < other.stop and other.start < one.stop
