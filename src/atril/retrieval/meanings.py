"""Vectors of short texts that come again and again: the words a glossary puts in the place of others."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

import numpy as np

from atril.models.embeddings import Embedder, Vectors

REMEMBERED: Final = 2048


class Meanings:
    """Remembers what texts mean to one embedder. Share one between the searches of a home."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], Vectors] = OrderedDict()

    async def of(self, embedder: Embedder, texts: Sequence[str]) -> list[Vectors]:
        """One unit vector for each text, as a query."""
        missing = [text for text in dict.fromkeys(texts) if (embedder.id, text) not in self._known]
        found = await asyncio.gather(*(embedder.embed_query(text) for text in missing))
        fresh = dict(zip(missing, found, strict=True))
        vectors = []
        for text in texts:
            key = (embedder.id, text)
            vector = self._known.get(key)
            if vector is None:
                vector = self._known[key] = fresh[text]
            self._known.move_to_end(key)
            vectors.append(vector)
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return vectors


def drawn(vector: Vectors, towards: Sequence[Vectors], strength: float) -> Vectors:
    """The unit vector that lies from `vector` towards the mean of others, `strength` saying how far."""
    if not towards or strength == 0.0:
        return vector
    moved = vector + np.float32(strength) * np.mean(towards, axis=0, dtype=np.float32)
    unit: Vectors = moved / np.linalg.norm(moved)
    return unit
