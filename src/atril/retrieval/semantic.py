"""Search by meaning: nearest passages by cosine."""

from __future__ import annotations

from atril.models.embeddings import Vectors
from atril.retrieval.live import Pool
from atril.store.index.filters import Filter
from atril.store.index.protocol import Index
from atril.types import Scope


async def semantic_pool(
    index: Index, scope: Scope, vector: Vectors, limit: int, where: Filter | None
) -> Pool:
    """The nearest points with their raw cosine; calibration keeps their order and comes after ranking."""
    points = await index.search_dense(scope, vector, limit=limit, where=where)
    return Pool(points, exhausted=len(points) < limit)
