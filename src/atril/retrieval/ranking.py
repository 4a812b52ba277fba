"""What decides the order of hits beside the words and the meaning of the question.

Every influence is one number of `RankingOptions`, so that it can be switched off; `benchmarks/ranking.py` fits
them on development questions and shows what each brings on sets that had no part in the fit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal
from uuid import UUID

from atril.profiles.profile import HIGHEST_RANK, Norm, Profile, rank_of
from atril.retrieval.live import ScoredChunk
from atril.types import Document

Influence = Literal["weight", "rank", "apart", "outdated", "reference", "brought", "again", "lookup", "named"]


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """How much each influence counts, with the value that switches it off in parentheses.

    `expanded` is how far the glossary's words draw the meaning of a question towards theirs (0). `part`
    scales what is found for one part of a question about several things (0). `across` is the weight of search
    by words for a question in a language that the library does not hold (1). `rank` is what each level of
    the hierarchy below the highest takes off (0), `apart` is what a chunk keeps in a norm for people or matters
    of whom the question does not speak (1), `outdated` in one that others have overtaken (1), `referenced` what
    a reference from a better hit adds of that hit's score (0), `brought` is the share of its score that a chunk
    gets which is only there because one of the best refers to it (0), `again` scales the second, third, … part
    of one article (1), and `named` is how much better the chunks of a document count than all others when the
    question names it (0).
    """

    expanded: float = 0.5
    part: float = 0.95
    across: float = 0.3
    rank: float = 0.02
    apart: float = 0.75
    outdated: float = 0.75
    referenced: float = 0.05
    brought: float = 0.7
    again: float = 0.85
    named: float = 0.3


REFERRING: Final = 10
"""How many of the best hits are asked what they refer to."""

MOST_REFERENCES: Final = 3
"""References of one chunk that are followed, its first ones."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Why a hit's score is not what fusion gave: multiplied by `factor`, which for a look-up is 1."""

    influence: Influence
    factor: float
    source: UUID | None = None


@dataclass(frozen=True, slots=True)
class Weigher:
    """The factor of a chunk that depends on its document alone: its collection's weight, its rank, whether its
    norm is for people or matters of whom the question speaks (`concerned`, identifiers) and up to date, and
    whether it is one of those that the question names (`named`), if it names any; `others` is for the rest.
    What is `cited` is never set apart."""

    weights: Mapping[str, float]
    profile: Profile | None
    rank: float
    named: frozenset[UUID] = frozenset()
    others: float = 1.0
    concerned: frozenset[str] = frozenset()
    cited: frozenset[UUID] = frozenset()
    apart: float = 1.0
    outdated: float = 1.0
    _factors: dict[UUID, float] = field(init=False, default_factory=dict, repr=False, compare=False)

    def __call__(self, document: Document) -> float:
        factor = self._factors.get(document.id)
        if factor is None:
            alone = self.of_collection(document) * self.of_rank(document) * self.of_name(document)
            factor = alone * self.of_concern(document) * self.of_age(document)
            self._factors[document.id] = factor
        return factor

    def of_collection(self, document: Document) -> float:
        return self.weights.get(document.collection, 1.0)

    def of_rank(self, document: Document) -> float:
        if self.profile is None or self.rank == 0.0:
            return 1.0
        return 1.0 - self.rank * (rank_of(self.profile, document) - HIGHEST_RANK)

    def of_concern(self, document: Document) -> float:
        norm = self._norm(document)
        spoken_of = norm is None or not norm.concerns or norm.identifier in self.concerned
        return 1.0 if spoken_of else self.apart

    def of_age(self, document: Document) -> float:
        norm = self._norm(document)
        return self.outdated if norm is not None and norm.outdated else 1.0

    def _norm(self, document: Document) -> Norm | None:
        if self.profile is None or document.id in self.cited:
            return None
        return self.profile.norm_of(document)

    def of_name(self, document: Document) -> float:
        return self.others if self.named and document.id not in self.named else 1.0

    @property
    def heaviest(self) -> float:
        """No factor is greater."""
        return max(self.weights.values(), default=1.0)

    def moves(self, document: Document) -> list[Moved]:
        factors: list[tuple[Influence, float]] = [
            ("weight", self.of_collection(document)),
            ("rank", self.of_rank(document)),
            ("apart", self.of_concern(document)),
            ("outdated", self.of_age(document)),
        ]
        moved = [Moved(influence, factor) for influence, factor in factors if factor != 1.0]
        return [*moved, Moved("named", 1.0)] if document.id in self.named else moved


def referenced_more(
    chunks: Sequence[ScoredChunk], references: Mapping[UUID, Collection[UUID]], share: float
) -> tuple[list[ScoredChunk], dict[UUID, Moved]]:
    """Chunks to which a better one refers, raised by a share of the best such one's score, at most to it.

    `chunks` come best first.
    """
    referring: dict[UUID, ScoredChunk] = {}
    for chunk in chunks[:REFERRING]:
        for point in references.get(chunk.stored.point, ()):
            referring.setdefault(point, chunk)
    raised: dict[UUID, Moved] = {}
    kept = []
    for chunk in chunks:
        point = chunk.stored.point
        best = referring.get(point)
        if best is not None and best.score > chunk.score > 0.0:
            score = min(best.score, chunk.score + share * best.score)
            raised[point] = Moved("reference", score / chunk.score, best.stored.point)
            chunk = replace(chunk, score=score)
        kept.append(chunk)
    return kept, raised


def brought_in(
    chunks: Sequence[ScoredChunk],
    references: Mapping[UUID, Sequence[UUID]],
    share: float,
) -> dict[UUID, tuple[float, UUID]]:
    """Points that are not among the chunks, best first, but that the best of them refer to: score and source."""
    held = {chunk.stored.point for chunk in chunks}
    found: dict[UUID, tuple[float, UUID]] = {}
    for chunk in chunks[:REFERRING]:
        source = chunk.stored.point
        for point in references.get(source, ())[:MOST_REFERENCES]:
            score = chunk.score * share
            if point not in held and score > found.get(point, (0.0, source))[0]:
                found[point] = (score, source)
    return found


def fewer_parts(chunks: Sequence[ScoredChunk], factor: float) -> tuple[list[ScoredChunk], dict[UUID, Moved]]:
    """Further parts of an article that is there already, held back so that other articles are seen too.

    `chunks` come best first.
    """
    seen: dict[tuple[UUID, str], int] = {}
    lowered: dict[UUID, Moved] = {}
    kept = []
    for chunk in chunks:
        article = chunk.stored.chunk.article
        if article is not None:
            place = (chunk.stored.document.id, article)
            before = seen.get(place, 0)
            seen[place] = before + 1
            if before:
                lowered[chunk.stored.point] = Moved("again", factor**before)
                chunk = replace(chunk, score=chunk.score * factor**before)
        kept.append(chunk)
    return kept, lowered


def best_first(chunks: Sequence[ScoredChunk]) -> list[ScoredChunk]:
    """By score, equal ones by document and chunk number."""
    return sorted(chunks, key=lambda chunk: (-chunk.score, chunk.stored.point.int))
