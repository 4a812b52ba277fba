"""Two ranked lists made one.

`dbsf` is distribution-based score fusion (M. Mazzeschi, "Distribution-Based Score Fusion (DBSF), a new
approach to Vector Search Ranking", 2023): each list is brought to one scale by its own mean and three standard
deviations either side, and what a point got in each list is added. Two things differ from the paper. The
statistics come from the first `SAMPLE` points, so that asking for more results does not move the scores of the
first ones. And nothing is clipped above: the best of many candidates often lies beyond three deviations, and
clipping ties it with the next (MRR@10 on Spanish XQuAD: 0.957 clipped, 0.974 not, over 50 candidates).

`rrf` is reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009) with k = 60; it looks at places only.
Both are divided by the most a point could reach, so scores lie in 0..1 whatever was fused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import fsum, sqrt
from typing import Final, Literal, TypeAlias
from uuid import UUID

from atril.store.index.protocol import ScoredPoint

Fusion = Literal["dbsf", "rrf"]
Ranking: TypeAlias = Sequence[ScoredPoint]
Shares: TypeAlias = tuple[list[float], float]
"""What each point of a list gets, and the most that any point of it could get."""

SAMPLE: Final = 50
DEVIATIONS: Final = 3.0
RRF_K: Final = 60


def by_rank(point: ScoredPoint) -> tuple[float, int]:
    """The order of results everywhere: score, highest first, then id, which is document and chunk number."""
    return -point.score, point.id.int


def distribution_shares(ranking: Ranking) -> Shares:
    """0 for a point three standard deviations below the mean of the first ones, one half for the mean itself.

    A value of n lies at most sqrt(n - 1) deviations above their mean (P. Samuelson, "How Deviant Can You
    Be?", 1968), which is where the most comes from. Equal scores say nothing: every point gets one half.
    """
    sample = [point.score for point in ranking[:SAMPLE]]
    mean = fsum(sample) / len(sample)
    deviation = sqrt(fsum((score - mean) ** 2 for score in sample) / len(sample))
    if deviation <= 1e-9 * max(1.0, abs(mean)):
        return [0.5] * len(ranking), 0.5
    width = 2 * DEVIATIONS
    shares = [max(0.0, ((point.score - mean) / deviation + DEVIATIONS) / width) for point in ranking]
    return shares, (sqrt(len(sample) - 1) + DEVIATIONS) / width


def rank_shares(ranking: Ranking) -> Shares:
    """1 for the first point and less for each that follows, by place alone."""
    return [(RRF_K + 1) / (RRF_K + place) for place in range(1, len(ranking) + 1)], 1.0


_SHARES: Final[dict[str, Callable[[Ranking], Shares]]] = {"dbsf": distribution_shares, "rrf": rank_shares}


def fuse(
    rankings: Sequence[Ranking], fusion: Fusion = "dbsf", weights: Sequence[float] | None = None
) -> list[ScoredPoint]:
    """One list, best first, scores in 0..1; a point missing from a list gets nothing from it.

    `weights` say how much each list counts, 1 when they are not given. The order of the lists, and of the
    points inside a list, makes no difference.
    """
    shares: dict[UUID, list[float]] = {}
    most = []
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        if not ranking or weight == 0.0:
            continue
        ordered = sorted(ranking, key=by_rank)
        gained, bound = _SHARES[fusion](ordered)
        most.append(weight * bound)
        for point, share in zip(ordered, gained, strict=True):
            shares.setdefault(point.id, []).append(weight * share)
    total = fsum(most)
    fused = (
        # An exact sum: adding floats in another order could break a tie by chance.
        ScoredPoint(identity, min(1.0, fsum(gained) / total))
        for identity, gained in shares.items()
    )
    return sorted(fused, key=by_rank)
