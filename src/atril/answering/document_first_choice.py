"""Which documents a reader means by what it replied."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

from atril.documents.analysis import fold
from atril.types import Document

NEAR: Final = 0.8
"""Share of common letters from which a name that is not quite right is still that name."""

_THINKING: Final = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1\s*>|\Z)", re.I | re.S)
_LINE: Final = re.compile(r"[\n;]|,\s*(?=[\"'“«])|\]\s*,")
_LEAD: Final = re.compile(
    r"^(?:[\s>*•·–—#\-]+|\(?\d{1,3}[.):]\)?(?=\s|\D)|[a-z]\)|[^\W\d_]{2,12}:\s+)+", re.I
)
_MARKS: Final = "\"'`“”«»‘’*_[](){}<>,.:; \t"
_EXTENSION: Final = re.compile(r"\.[a-z][a-z0-9]{0,4}$")
_NOT_WORD: Final = re.compile(r"[^\w]+|_+")
_LONGEST: Final = 20_000


def chosen(reply: str, candidates: Sequence[Document], *, most: int = 2) -> list[Document]:
    """The documents that a reply names, in its order, at most `most` of them.

    A line may be numbered, quoted or a bullet, may explain after the name, and may write the name without its
    extension, with other case, accents or separators, or with a slip. What names no candidate is skipped.
    """
    known = _Known(candidates)
    found: list[Document] = []
    for line in _LINE.split(_THINKING.sub("", reply[:_LONGEST])):
        document = known.meant(line)
        if document is not None and document not in found:
            found.append(document)
            if len(found) == most:
                break
    return found


class _Known:
    """Candidates by each of the ways in which their names are written."""

    def __init__(self, candidates: Sequence[Document]) -> None:
        self._named: dict[str, Document] = {}
        titles: dict[str, list[Document]] = {}
        for document in candidates:
            self._named.setdefault(document.name, document)
            titles.setdefault(_key(document.title), []).append(document)
        for document in candidates:
            for name in (document.name, document.name.rpartition("/")[2]):
                self._named.setdefault(_key(name), document)
        for key, documents in titles.items():
            if key and len(documents) == 1:  # many filings are called the same
                self._named.setdefault(key, documents[0])

    def meant(self, line: str) -> Document | None:
        bare = _LEAD.sub("", line.strip()).strip(_MARKS)
        for written in (line.strip(), bare, _key(line), _key(bare)):
            if written in self._named:
                return self._named[written]
        key = _key(bare)
        return (self._inside(f" {key} ") or self._near(key)) if key else None

    def _inside(self, line: str) -> Document | None:
        """The longest name that stands in the line as whole words."""
        held = [name for name in self._named if f" {name} " in line]
        return self._named[max(held, key=len)] if held else None

    def _near(self, key: str) -> Document | None:
        best, document = NEAR, None
        for name, candidate in self._named.items():
            matcher = SequenceMatcher(None, name, key, autojunk=False)
            if matcher.real_quick_ratio() < best or matcher.quick_ratio() < best:
                continue
            ratio = matcher.ratio()
            # A number that differs makes another document: 2021 is no slip for 2022.
            if ratio >= best and _numbers(name) == _numbers(key):
                best, document = ratio, candidate
        return document


def _key(name: str) -> str:
    folded = _EXTENSION.sub("", fold(name.strip()).strip(_MARKS))
    return _NOT_WORD.sub(" ", folded).strip()


def _numbers(name: str) -> list[str]:
    return re.findall(r"\d+", name)
