"""Tokens of a text for models whose own tokenizer is not here."""

from __future__ import annotations

import re
from math import ceil
from typing import Final

from atril.models.embeddings import TokenCounter

_PIECE: Final = re.compile(r"\w+|[^\w\s]")
_BYTES_PER_TOKEN: Final = 4


def estimate_tokens(text: str) -> int:
    """About as many tokens as a byte-pair encoding of today makes of the text, rather too many than too few."""
    return sum(ceil(len(piece.encode()) / _BYTES_PER_TOKEN) for piece in _PIECE.findall(text))


def token_estimator() -> TokenCounter:
    """A token counter for `Embedder.tokenizer`."""
    return estimate_tokens
