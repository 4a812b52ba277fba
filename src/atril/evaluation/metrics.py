"""Ranking measures with binary relevance, and percentiles.

Chunks are ranked in the unit the question asks about: with items that name only files, the chunks of one
file count as one place (that of its best chunk), as is usual for document retrieval; with articles, pages or
chunk ids, those do.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import ceil, log2
from typing import Final

from atril.evaluation.datasets import Relevant
from atril.types import Hit

CUTOFF: Final = 10
"""Where MRR and nDCG stop looking."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """The 1-based place of each relevant item, in the order of the question; `None` when not found."""

    places: tuple[int | None, ...]

    @property
    def first(self) -> int | None:
        return min((place for place in self.places if place is not None), default=None)

    def recall(self, k: int) -> float:
        """The share of the items found in the first `k` places."""
        return sum(1 for place in self.places if place is not None and place <= k) / len(self.places)

    @property
    def reciprocal(self) -> float:
        """1 / place of the first found item, 0 beyond the cutoff."""
        return 1 / self.first if self.first is not None and self.first <= CUTOFF else 0.0

    @property
    def ndcg(self) -> float:
        """Discounted gain (1 / log2(place + 1)) over the best possible, up to the cutoff.

        A place that satisfies several items at once gains once.
        """
        found = {place for place in self.places if place is not None and place <= CUTOFF}
        ideal = sum(1 / log2(place + 1) for place in range(1, min(CUTOFF, len(self.places)) + 1))
        return sum(1 / log2(place + 1) for place in found) / ideal


def rank(hits: Sequence[Hit], relevant: Sequence[Relevant]) -> Ranks:
    """Where each item was found; `relevant` must not be empty."""
    groups: dict[Hashable, list[Hit]] = {}
    for hit in hits:
        groups.setdefault(_unit(hit, relevant), []).append(hit)
    places = []
    for item in relevant:
        found = (place for place, group in enumerate(groups.values(), 1) if any(map(item.matches, group)))
        places.append(next(found, None))
    return Ranks(tuple(places))


def _unit(hit: Hit, relevant: Sequence[Relevant]) -> Hashable:
    if any(item.chunk_id is not None for item in relevant):
        return hit.chunk_id
    unit: list[Hashable] = [hit.source_file]
    if any(item.article is not None for item in relevant):
        unit.append(hit.metadata.article)
    if any(item.page is not None for item in relevant):
        unit += [hit.metadata.page, hit.metadata.page_end]
    return tuple(unit)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` (0..1) of the values do not exceed; 0 for none."""
    if not values:
        return 0.0
    return sorted(values)[max(0, ceil(share * len(values)) - 1)]
