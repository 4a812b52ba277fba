"""Long quotations, which speak for another norm than the text around them."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

_QUOTATION: Final = re.compile(r"«[^»]*(?:»|\Z)|(?<=:\n\n)\"[^\"«]*\"(?=\.?\s)")
_SHORT: Final = 120
"""Characters of a quotation that is a name or a term and no text."""


class Quotations:
    """The long quotations of a text."""

    def __init__(self, plain: str) -> None:
        found = (match.span() for match in _QUOTATION.finditer(plain))
        self._spans = [(start, end) for start, end in found if end - start > _SHORT]
        self._starts = [start for start, _ in self._spans]

    def around(self, at: int) -> int | None:
        """Where the quotation begins that holds this place."""
        index = bisect_right(self._starts, at) - 1
        return self._spans[index][0] if index >= 0 and at < self._spans[index][1] else None
