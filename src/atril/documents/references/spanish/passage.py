"""The text that is walked, as it is written and as the patterns see it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_ACCENTS: Final = str.maketrans("áéíóúüÁÉÍÓÚÜàèòÀÈÒ", "aeiouuAEIOUUaeoAEO")
_AFTER_NUMBER: Final = re.compile(r"\s*\d*(?:\s(?:bis|ter|quater))?\.?\s*[-–.:]")
_BLANKS: Final = " \t\n\u00a0"


@dataclass(frozen=True, slots=True)
class Passage:
    """A text as it is `written`, and `plain`: without accents, every character in its place."""

    written: str
    plain: str

    @classmethod
    def of(cls, text: str) -> Passage:
        return cls(text, text.translate(_ACCENTS))

    def before(self, at: int, length: int) -> str:
        """At most so many plain characters before a place."""
        return self.plain[max(0, at - length) : at]

    def skip_blanks(self, at: int) -> int:
        while at < len(self.plain) and self.plain[at] in _BLANKS:
            at += 1
        return at

    def opens_line(self, at: int) -> bool:
        """Whether a division stands at the beginning of a line, as its heading does."""
        before = self.before(at, 3).rstrip(" *_«")
        return self.plain[at].isupper() and (not before or before[-1] == "\n")

    def opens_article(self, at: int, number_end: int) -> bool:
        """Whether "Artículo 5. Objeto" stands here, the heading of an article in running text or quoted, and
        not a reference to it."""
        if at > 0 and self.before(at, 3).rstrip("*_ ")[-1:] not in ("\n", "«", '"'):
            return False
        return self.plain[at].isupper() and bool(_AFTER_NUMBER.match(self.plain, number_end, number_end + 6))
