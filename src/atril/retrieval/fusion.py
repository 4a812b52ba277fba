"""Two ranked lists made one.

`dbsf` is distribution-based score fusion (M. Mazzeschi, "Distribution-Based Score Fusion (DBSF), a new
approach to Vector Search Ranking", 2023): each list is brought to 0..1 by its own mean and three standard
deviations either side, and what a point got in each list is added. `rrf` is reciprocal rank fusion
(Cormack, Clarke and Büttcher, SIGIR 2009) with k = 60; it looks at places only. Both results are divided
by the most a point could reach, so they lie in 0..1 whatever was fused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import fsum, sqrt
from typing import Final, Literal, TypeAlias
from uuid import UUID

from atril.store.index.protocol import ScoredPoint

Fusion = Literal["dbsf", "rrf"]
Ranking: TypeAlias = Sequence[ScoredPoint]

DEVIATIONS: Final = 3.0
RRF_K: Final = 60


def by_rank(point: ScoredPoint) -> tuple[float, int, int, int]:
    """The order of results everywhere: score, highest first, then document, then chunk number.

    The id decides between two versions of one chunk, of which the records know one.
    """
    return -point.score, point.document.int, point.number, point.id.int


def distribution_shares(ranking: Ranking) -> list[float]:
    """Each point's score within mean ± three standard deviations of its list, clipped to 0..1.

    A list whose scores are all equal says nothing about their order: every point gets one half.
    """
    count = len(ranking)
    mean = sum(point.score for point in ranking) / count if count else 0.0
    deviation = sqrt(sum((point.score - mean) ** 2 for point in ranking) / count) if count else 0.0
    if deviation <= 1e-9 * max(1.0, abs(mean)):
        return [0.5] * count
    low, width = mean - DEVIATIONS * deviation, 2 * DEVIATIONS * deviation
    return [min(1.0, max(0.0, (point.score - low) / width)) for point in ranking]


def rank_shares(ranking: Ranking) -> list[float]:
    """1 for the first point and less for each that follows, by place alone."""
    return [(RRF_K + 1) / (RRF_K + place) for place in range(1, len(ranking) + 1)]


_SHARES: Final[dict[str, Callable[[Ranking], list[float]]]] = {
    "dbsf": distribution_shares,
    "rrf": rank_shares,
}


def fuse(rankings: Sequence[Ranking], fusion: Fusion = "dbsf") -> list[ScoredPoint]:
    """One list, best first, scores in 0..1; a point missing from a list gets nothing from it.

    The order of the lists, and of the points inside a list, makes no difference.
    """
    shares: dict[UUID, list[float]] = {}
    points: dict[UUID, ScoredPoint] = {}
    for ranking in rankings:
        ordered = sorted(ranking, key=by_rank)
        for point, share in zip(ordered, _SHARES[fusion](ordered), strict=True):
            shares.setdefault(point.id, []).append(share)
            points[point.id] = point
    fused = (
        # An exact sum: adding floats in another order could break a tie by chance.
        ScoredPoint(identity, fsum(shares[identity]) / len(rankings), point.document, point.number)
        for identity, point in points.items()
    )
    return sorted(fused, key=by_rank)
