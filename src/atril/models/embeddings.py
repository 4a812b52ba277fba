"""What an embedding model must offer, and the one scale on which its scores are read.

Every vector has unit length, so a dot product is a cosine. A model differs from another in what a cosine
of 0.8 means; the two anchors say so, and `Anchors.calibrate` brings every model to the same unit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Vectors: TypeAlias = npt.NDArray[np.float32]
TokenCounter: TypeAlias = Callable[[str], int]

UNRELATED_SCORE = 0.25
RIGHT_SCORE = 0.80


@dataclass(frozen=True, slots=True)
class Anchors:
    """Two cosines measured on public question-passage pairs that no evaluation uses.

    `unrelated` is the median cosine of a question with a passage that does not answer it, `right` that of
    a question with the passage that does.
    """

    unrelated: float
    right: float

    def calibrate(self, cosine: float) -> float:
        """The cosine on the common scale: `unrelated` is 0.25, `right` is 0.80, linear, within 0 and 1."""
        slope = (RIGHT_SCORE - UNRELATED_SCORE) / (self.right - self.unrelated)
        return min(1.0, max(0.0, UNRELATED_SCORE + (cosine - self.unrelated) * slope))


class Embedder(Protocol):
    """Turns text into vectors. Safe to use from one event loop; work happens off the loop."""

    @property
    def id(self) -> str:
        """Names the model and everything that changes its vectors; a home remembers it."""
        ...

    @property
    def dimensions(self) -> int: ...

    @property
    def max_tokens(self) -> int:
        """Tokens of one passage, its context included, that the model really reads."""
        ...

    @property
    def anchors(self) -> Anchors: ...

    @property
    def tokenizer(self) -> str:
        """`"package.module:function"`; calling the function gives the model's `TokenCounter`.

        A name and not an object, because chunks are measured in another process.
        """
        ...

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One row per text, unit length, float32. A text beyond `max_tokens` is read in windows."""
        ...

    async def embed_query(self, text: str) -> Vectors:
        """One vector of shape `(dimensions,)`, unit length, float32."""
        ...

    async def close(self) -> None:
        """Frees threads and memory; a second call does nothing."""
        ...


def load_token_counter(tokenizer: str) -> TokenCounter:
    """The token counter an embedder's `tokenizer` names. Raises `ImportError` or `AttributeError`."""
    module, _, function = tokenizer.partition(":")
    counter: TokenCounter = getattr(import_module(module), function)()
    return counter
