"""Search by meaning: nearest passages by cosine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager

from atril.models.embeddings import Embedder, Vectors
from atril.retrieval.live import Pool
from atril.store.index.filters import Filter
from atril.store.index.protocol import Index
from atril.types import Scope


@asynccontextmanager
async def embedded(embedder: Embedder, query: str) -> AsyncIterator[Awaitable[Vectors]]:
    """The query's vector, already being computed: the embedder has a thread of its own, so the question can
    be analysed and the records read meanwhile."""
    embedding = asyncio.ensure_future(embedder.embed_query(query))
    await asyncio.sleep(0)  # or it would begin only with the first wait for something else
    try:
        yield embedding
    finally:
        embedding.cancel()


async def semantic_pool(
    index: Index, scope: Scope, vector: Vectors, limit: int, where: Filter | None
) -> Pool:
    """The nearest points with their raw cosine; calibration keeps their order and comes after ranking."""
    points = await index.search_dense(scope, vector, limit=limit, where=where)
    return Pool(points, exhausted=len(points) < limit)
