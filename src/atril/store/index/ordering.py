"""One order of results for every engine, and the limits of a search.

Engines add up the same products in different orders, so equal points may differ in the last bits of a
score, depending on where they are stored. Scores are rounded before they are compared: a cosine of unit
vectors kept as float16 is steady to 6 decimals; a BM25 dot product reaches some tens, where a float32 step is
4e-6 and a sum of twenty of them is steady to 4 decimals.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from atril.errors import InvalidArgument, LimitExceeded
from atril.store.index.protocol import MAX_LIMIT, ScoredPoint

DENSE_DECIMALS: Final = 6
SPARSE_DECIMALS: Final = 4


def check_limit(limit: int) -> None:
    """Raises `InvalidArgument` below 1 and `LimitExceeded` above `MAX_LIMIT`."""
    if limit < 1:
        raise InvalidArgument(name="limit", value=limit, allowed=f"1 to {MAX_LIMIT}")
    if limit > MAX_LIMIT:
        raise LimitExceeded(name="limit", value=limit, allowed=MAX_LIMIT)


def first(points: Iterable[ScoredPoint], limit: int) -> list[ScoredPoint]:
    """The first `limit` points by score, then by id: by document, then by chunk number."""
    return sorted(points, key=lambda point: (-point.score, point.id.int))[:limit]


def check_vector(shape: tuple[int, ...], dimensions: int) -> None:
    """Raises `InvalidArgument` when a dense vector is not the index's size."""
    if shape != (dimensions,):
        raise InvalidArgument(name="vector shape", value=shape, allowed=f"({dimensions},)")
