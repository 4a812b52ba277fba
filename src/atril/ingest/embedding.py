"""Vectors of passages, computed once per content and model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from atril.models.embeddings import Embedder, Vectors
from atril.store.vectors import VectorCache, passage_key, rounded

AT_ONCE: Final = 64


class Embedding:
    """An embedder with the home's cache of vectors before it."""

    def __init__(self, *, embedder: Embedder, cache: VectorCache) -> None:
        self._embedder = embedder
        self._cache = cache

    @property
    def tokenizer(self) -> str:
        return self._embedder.tokenizer

    async def embed(
        self, passages: Sequence[str], embedded: Callable[[int], None] = lambda count: None
    ) -> Vectors:
        """One row per passage; `embedded` hears how many more are done.

        Every batch reaches the cache as soon as it is computed, so what an interrupted run has done is
        not done again. Rows are rounded to half precision whether they come from the cache or not.
        """
        if not passages:
            return np.empty((0, self._embedder.dimensions), dtype=np.float32)
        keys = [passage_key(text) for text in passages]
        known = dict(await self._cache.get(self._embedder.id, keys))
        embedded(sum(key in known for key in keys))
        missing = {key: text for key, text in zip(keys, passages, strict=True) if key not in known}
        waiting = list(missing.items())
        for start in range(0, len(waiting), AT_ONCE):
            batch = waiting[start : start + AT_ONCE]
            vectors = rounded(await self._embedder.embed_passages([text for _, text in batch]))
            fresh = {key: vector for (key, _), vector in zip(batch, vectors, strict=True)}
            await self._cache.put(self._embedder.id, fresh)
            known |= fresh
            embedded(len(batch))
        return np.stack([known[key] for key in keys])
