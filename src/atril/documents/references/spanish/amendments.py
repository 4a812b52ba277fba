"""What a text amends: below such a heading or sentence, articles without a norm are those of the amended one."""

from __future__ import annotations

import re
from typing import Final

from atril.documents.references.spanish.naming import Norm
from atril.documents.references.spanish.norms import Norms
from atril.documents.references.spanish.passage import Passage
from atril.documents.references.spanish.patterns import FLAGS

_AMENDING_HEADING: Final = re.compile(r"modificacion|reforma\s+de|nueva\s+redaccion", FLAGS)
_BEFORE_A_NAME: Final = re.compile(r"\b(?:del|de\s+l[ao]s?|de|al|a\s+la|en\s+la|en\s+el)\s+", FLAGS)
_AMENDS: Final = re.compile(r"\bmodifican?\s+(?:la|el)\s+$", FLAGS)
_IS_AMENDED: Final = re.compile(
    r"[^.;:«\n]{0,220}?\b(?:(?:queda|se)\s+modifica(?:d[oa])?\b|se\s+introducen\s+las\s+siguientes|queda\s+redactad[oa])",
    FLAGS,
)
# "De la Ley 20/2007:" at the beginning of a line that tells of several norms.
_FROM_AT_LINE_START: Final = re.compile(r"(?:\n|\)|^|\.\S?)\s*(?-i:De)(?:l|\s+la)\s+$", FLAGS)


class Amendments:
    """The norm that is being amended while the text is walked."""

    def __init__(self, passage: Passage, norms: Norms) -> None:
        self._passage = passage
        self._norms = norms
        self._norm: Norm | None = None
        self._until = 0
        self._by_heading = False

    def at(self, at: int) -> Norm | None:
        return self._norm if at < self._until else None

    def enter(self, start: int, end: int) -> None:
        """A new section begins with this heading; one of an amendment says what is amended below it."""
        plain = self._passage.plain
        self._norm, self._by_heading = None, False
        if not _AMENDING_HEADING.search(plain, start, end):
            return
        for preposition in _BEFORE_A_NAME.finditer(plain, start, end):
            norm = self._norms.called(preposition.end())
            if norm is not None and norm.text is not None and norm.end <= end:
                self._set(norm, len(plain))
                self._by_heading = True
                return

    def notice(self, start: int, norm: Norm) -> None:
        """A norm is named here: perhaps because the sentence amends it."""
        plain = self._passage.plain
        amended = _IS_AMENDED.match(plain, norm.end) is not None
        numbered = "/" in (norm.text or "")
        if self._by_heading and not (amended and numbered):
            return
        before = self._passage.before(start, 60)
        if amended or _AMENDS.search(before):
            self._set(norm, len(plain))
        elif self.at(start) is None and _FROM_AT_LINE_START.search(before):
            line_end = plain.find("\n", start)
            self._set(norm, line_end if line_end >= 0 else len(plain))

    def _set(self, norm: Norm, until: int) -> None:
        self._norm, self._until = norm, until
