"""Where sentences begin and end, for descriptions, highlights and quotations.

Rules, not a model: a stop ends a sentence unless what stands before it is an abbreviation, initials or the
number of an enumeration, or what follows goes on in lower case. Paragraphs, headings, list items and table
rows always end one. Bullets, heading marks and quotation marks of Markdown stay outside the spans.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from atril.documents.blocks import Block, is_list_item, scan

# Abbreviations that a name or number follows, so that a capital letter after them begins nothing.
_BOUND: Final = {
    "es": "art arts núm núms nº sr sra srta sres dr dra d dña da lic ing prof pág págs p pp cap vol ed fig cf cfr "
    "vid ej pej apdo apdos párr inc ss sig sigs av avda c/ ctra pza tel tfno máx mín aprox depto dpto gral admón exp "
    "rte fdo excmo excma ilmo ilma sto sta ntra ref reg secc tít disp adic trans",
    "en": "mr mrs ms dr prof rev gen col capt lt st jr sr no nos art arts sec secs ch vol p pp fig figs eq ed eds cf "
    "vs v approx dept est tel ref para paras cl reg eg ie viz jan feb mar apr jun jul aug sep sept oct nov dec",
    "ru": "те тк тн ст ч п пп пар гл разд рис табл стр с т тт им проф акад доц гр г-н г-жа тов ул пр просп пер пл д корп кв "
    "обл р-н тел см ср напр № мин макс прим изд ред кн вып гост",
}
# Abbreviations that may also close a sentence: they do when a capital letter follows.
_FREE: Final = {
    "es": "etc sa sl slu cía ltda eeuu dc ac am pm cv uu",
    "en": "etc inc ltd co corp llc plc am pm us uk ca bros al",
    "ru": "г гг в вв руб коп тыс млн млрд др тд тп пр шт чел н э до",
}
# After "U.S." a capital letter mostly begins a name ("U.S. Treasury"), unless it is that of such a word.
_COUNTRIES: Final = frozenset(("us", "uk"))
_BEGINNING: Final = (
    "a all although an and any as at because both but by during each even for from he her his however i if in it "
    "its many most my no on one or our she since so some that the their there these they this those to under until "
    "we what when where which while who with you your"
)
_BEGINNERS: Final = frozenset(_BEGINNING.split())
_WORD = re.compile(r"[^\W_]+")
_AND_SO_ON: Final = frozenset(("д", "п"))
_YEAR: Final = "г"  # "2020 г.", a year, may close a sentence; "г. Москва", a city, does not
_YEAR_BEFORE = re.compile(r"(?:\d|[IVX])\s*$")
_STOP = re.compile(r"[.!?…]+[\"'»”’)\]*_]*(?=\s)|[。！？]+[」』”）]*")
_OPENING = "\"'«“‘„([¿¡*_—–-"
_TOKEN = re.compile(r"\S+$")
_ENUMERATOR = re.compile(r"[(\[]?(?:\d{1,3}|[IVXLC]{1,6}|[^\W\d_])(?:\.\d{1,3})*[.)\]]*$")
_MARKER = re.compile(r"(?:[-*+•◦▪·–—]|\d{1,3}[.)]|[^\W\d_]\)|>)[ \t]+(?:\[[ xX]\][ \t]+)?")
_ATX = re.compile(r"#{1,6}[ \t]+")
_LONGEST_TOKEN: Final = 32


def sentences(text: str, language: str) -> list[tuple[int, int]]:
    """Spans `[start, end)` of the sentences of a Markdown text, trimmed, in order and apart from one another.

    `language` (ISO 639-1) chooses the abbreviations; an unknown one gets those of es, en and ru.
    """
    abbreviations = _abbreviations(language)
    spans: list[tuple[int, int]] = []
    for block in scan(text):
        whole = block.kind in ("heading", "table")
        for start, end in _units(text, block):
            start, end = _content(text, start, end)
            if whole:
                spans.append((start, end))
            else:
                spans.extend(_split(text, start, end, abbreviations))
    return [(start, end) for start, end in spans if any(c.isalnum() for c in text[start:end])]


def _units(text: str, block: Block) -> Iterator[tuple[int, int]]:
    """The parts of a block that no sentence crosses."""
    if block.kind == "heading":
        mark = _ATX.match(text, block.start, block.end)
        line = text.find("\n", block.start, block.end)
        yield (mark.end() if mark else block.start), (block.end if line < 0 else line)
        return
    start = block.start
    offset = block.start
    for line_text in text[block.start : block.end].split("\n"):
        bare = line_text.strip()
        if offset > start and (block.kind in ("table", "code", "quote") or is_list_item(bare) or not bare):
            yield start, offset - 1
            start = offset
        offset += len(line_text) + 1
    yield start, block.end


def _content(text: str, start: int, end: int) -> tuple[int, int]:
    """The unit without blanks around it and without the mark of a list item or quotation."""
    start, end = _trim(text, start, end)
    marker = _MARKER.match(text, start, end)
    return (marker.end() if marker else start), end


def _split(text: str, start: int, end: int, abbreviations: _Abbreviations) -> Iterator[tuple[int, int]]:
    begin = start
    for stop in _STOP.finditer(text, start, end):
        following = text[stop.end() : min(stop.end() + _LONGEST_TOKEN, end)].lstrip().lstrip(_OPENING)
        if stop.end() < end and _ends(text, begin, stop, following, abbreviations, first=begin == start):
            yield begin, stop.end()
            begin = _trim(text, stop.end(), end)[0]
    if begin < end:
        yield begin, end


def _ends(
    text: str, begin: int, stop: re.Match[str], following: str, abbreviations: _Abbreviations, *, first: bool
) -> bool:
    """Whether the sentence that began at `begin`, the first of its unit or not, is over at this stop."""
    if stop.group()[0] in "。！？":
        return True
    if following[:1].islower():
        return False
    token = _TOKEN.search(text, max(begin, stop.start() - _LONGEST_TOKEN), stop.start())
    if stop.group()[0] != "." or token is None:
        return True
    word = token.group().lstrip(_OPENING)
    if first and token.start() == begin and _ENUMERATOR.match(word):
        return False
    before = text[max(0, token.start() - _LONGEST_TOKEN) : token.start()]
    return not abbreviations.own(word, before, following)


@dataclass(frozen=True, slots=True)
class _Abbreviations:
    bound: frozenset[str]
    free: frozenset[str]

    def own(self, word: str, before: str, following: str) -> bool:
        """Whether the stop after `word` belongs to it and ends nothing."""
        letters = word.replace(".", "").lower()
        closing = letters in self.free and (letters != _YEAR or _YEAR_BEFORE.search(before) is not None)
        if closing and letters in _COUNTRIES:
            next_word = _WORD.match(following)
            return next_word is None or next_word.group().lower() not in _BEGINNERS
        if closing or (letters in _AND_SO_ON and before.endswith("т. ")):
            return not following[:1].isupper()
        return letters in self.bound or letters == _YEAR or (len(word) == 1 and word.isupper())


@cache
def _abbreviations(language: str) -> _Abbreviations:
    languages = (language,) if language in _BOUND else tuple(_BOUND)
    return _Abbreviations(
        frozenset(word for code in languages for word in _BOUND[code].split()),
        frozenset(word for code in languages for word in _FREE[code].split()),
    )


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
