"""Embedders without a model, for tests and for measuring everything else."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

import numpy as np

from atril.models.embeddings import Anchors, TokenCounter, Vectors

_WORD = re.compile(r"\w+")


def count_words() -> TokenCounter:
    """A token counter that takes each word and each mark for one token."""
    token = re.compile(r"\w+|[^\w\s]")
    return lambda text: sum(1 for _ in token.finditer(text))


class HashEmbedder:
    """A bag of hashed words: deterministic, nearly free, and near for texts that share words."""

    max_tokens = 512
    anchors = Anchors(unrelated=0.1, right=0.5)
    tokenizer = "atril.testing.embedders:count_words"

    def __init__(self, dimensions: int = 64) -> None:
        self.dimensions = dimensions
        self.id = f"hash-{dimensions}"
        self.passages = 0
        """Passages embedded so far, so that a test can see what a cache saved."""

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.passages += len(texts)
        return np.array([self.vector(text) for text in texts], dtype=np.float32).reshape(
            len(texts), self.dimensions
        )

    async def embed_query(self, text: str) -> Vectors:
        return self.vector(text)

    async def close(self) -> None:
        """Nothing to free."""

    def vector(self, text: str) -> Vectors:
        vector = np.zeros(self.dimensions, dtype=np.float32)
        for word in _WORD.findall(text.lower()):
            vector[zlib.crc32(word.encode()) % self.dimensions] += 1.0
        norm = float(np.linalg.norm(vector))
        if norm == 0.0:
            vector[0] = norm = 1.0
        return vector / np.float32(norm)
