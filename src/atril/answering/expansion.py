"""What joins the passages that were found: other parts of their articles, and what they refer to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from atril.answering.options import UnifiedOptions
from atril.profiles.profile import Profile, rank_of
from atril.retrieval.live import ScoredChunk
from atril.retrieval.ranking import best_first
from atril.store.records import Records
from atril.types import Scope, StoredChunk

Links = Mapping[UUID, Sequence[UUID]]
"""Points by point, in the order in which they are to be followed."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A passage that joined, with a share of the score of the best passage that brought it."""

    chunk: ScoredChunk
    by: Literal["sibling", "reference"]
    parent: UUID


@dataclass(frozen=True, slots=True)
class Expansion:
    """The passages that joined, best first, and how many more were left out by the cap."""

    joined: tuple[Joined, ...]
    cut: int = 0


def follow(
    chunks: Sequence[ScoredChunk],
    siblings: Links,
    references: Links,
    stored: Mapping[UUID, StoredChunk],
    rank: Callable[[StoredChunk], int],
    options: UnifiedOptions,
) -> Expansion:
    """What joins `chunks`. Other parts of an article always may; a reference only to a text of the same or of
    higher rank (1 is the highest), and only so many of each chunk. Both get a share of the score of what
    brought them, the highest where several did, and the best of both together are kept.

    `stored` holds what the caller may see; nothing else joins.
    """
    present = {chunk.stored.point for chunk in chunks}
    best: dict[UUID, Joined] = {}

    def join(parent: ScoredChunk, point: UUID, by: Literal["sibling", "reference"]) -> None:
        score = parent.score * options.reference_factor
        known = best.get(point)
        if known is None or (known.chunk.score, known.by == "sibling") < (score, by == "sibling"):
            best[point] = Joined(ScoredChunk(stored[point], score), by, parent.stored.point)

    for parent in chunks:
        own = parent.stored.point
        for point in siblings.get(own, ()):
            if point in stored and point not in present:
                join(parent, point, "sibling")
        level, followed = rank(parent.stored), 0
        for point in references.get(own, ()):
            if followed == options.references_per_chunk:
                break
            if point in stored and rank(stored[point]) <= level:
                followed += 1
                if point not in present:
                    join(parent, point, "reference")
    ordered = sorted(best.values(), key=_order)
    return Expansion(tuple(ordered[: options.references]), max(0, len(ordered) - options.references))


def _order(joined: Joined) -> tuple[float, bool, int]:
    return -joined.chunk.score, joined.by != "sibling", joined.chunk.stored.point.int


@dataclass(frozen=True, slots=True)
class Expander:
    """Expands the passages of one home."""

    records: Records
    profile: Profile | None
    options: UnifiedOptions

    async def expand(self, scope: Scope, chunks: Sequence[ScoredChunk]) -> Expansion:
        points = [chunk.stored.point for chunk in chunks]
        if not points or not self.options.references:
            return Expansion(())
        siblings = await self.records.siblings(scope, points)
        references = await self.records.references(scope, points)
        known = {chunk.stored.point: chunk.stored for chunk in chunks}
        wanted = {point for links in (siblings, references) for found in links.values() for point in found}
        fresh = await self.records.hydrate(scope, sorted(wanted - known.keys()))
        rank = self._rank
        return follow(best_first(chunks), siblings, references, {**known, **fresh}, rank, self.options)

    def _rank(self, stored: StoredChunk) -> int:
        return rank_of(self.profile, stored.document)
