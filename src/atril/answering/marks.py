"""The citation marks in a model's text: [1], [2, 5], [3: "its words"]."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from atril.documents.sentences import sentences

_QUOTED: Final = r"[\"“”«»'‘’](?P<quote>[^\]\n]{1,600}?)[\"“”«»'‘’]"
_NUMBERS: Final = r"\d{1,4}(?:\s*(?:[,;y&–-]|and|и)\s*\d{1,4})*"
_MARK: Final = re.compile(
    rf"(?P<blank>\s*)(?:\[\^?(?P<numbers>{_NUMBERS})(?:\s*[:,]\s*{_QUOTED})?\s*\]|【(?P<cjk>\d{{1,4}})[^】\n]{{0,40}}】)"
)
_RANGE: Final = re.compile(r"(\d+)(?:\s*[-–]\s*(\d+))?")
_LONGEST_RANGE: Final = 50


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark. `at` is where it stands in the text without any marks, `blank` what came before it."""

    at: int
    numbers: tuple[int, ...]
    quote: str | None = None
    blank: str = " "


@dataclass(frozen=True, slots=True)
class Cited:
    """One sentence `start`–`end` of the text without marks, and the marks that belong to it."""

    start: int
    end: int
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text taken apart: `bare` is it without its marks and the blanks before them."""

    bare: str
    sentences: tuple[Cited, ...]

    @property
    def marked(self) -> bool:
        return any(sentence.marks for sentence in self.sentences)


def read_marks(text: str, language: str) -> MarkedText:
    """The sentences of a text with the marks that stand in each of them or behind it."""
    bare, marks, position = "", [], 0
    for match in _MARK.finditer(text):
        bare += text[position : match.start()]
        position = match.end()
        numbers = _numbers(match["numbers"] or match["cjk"])
        marks.append(Mark(len(bare), numbers, match["quote"], match["blank"]))
    bare += text[position:]
    spans = sentences(bare, language)
    if not spans and bare.strip():
        spans = [(0, len(bare.rstrip()))]
    owned: list[list[Mark]] = [[] for _ in spans]
    for mark in marks:
        # A mark belongs to what stands before it, so that one behind a full stop is the sentence's too.
        owner = max((i for i, (start, _) in enumerate(spans) if start < mark.at), default=0)
        if spans:
            owned[owner].append(mark)
    return MarkedText(bare, tuple(Cited(*span, tuple(own)) for span, own in zip(spans, owned, strict=True)))


def _numbers(said: str) -> tuple[int, ...]:
    found: list[int] = []
    for low, high in _RANGE.findall(said):
        first, last = int(low), int(high or low)
        found += range(first, last + 1) if first <= last < first + _LONGEST_RANGE else [first, last]
    return tuple(dict.fromkeys(found))
