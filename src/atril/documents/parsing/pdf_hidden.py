"""Text of a PDF that its reader does not see: without ink, in the colour of what is below it, tiny, off the page.

liteparse tells cheaply which pages are worth a look. On those, pdfium's objects are gone through in the order
in which they are painted, so that white letters on a dark box stay text.
"""

from __future__ import annotations

import ctypes
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from liteparse.types import ParsedPage, TextItem

_STREAM: Final = re.compile(rb"stream\r?\n")
_NO_INK: Final = re.compile(rb"(?<![\w.])[37]\s+Tr\b")
_DICTIONARY: Final = 400
_NOT_A_PAGE: Final = (
    b"/Image",
    b"/Length1",
    b"/ObjStm",
    b"/XRef",
    b"/CIDFont",
    b"/OpenType",
    b"/Type1C",
    b"/Metadata",
)
_LONGEST_STREAM: Final = 8_000_000
_TINY: Final = 2.0
_LIGHT: Final = 0xA0
_CLEAR: Final = 0x18
_ALIKE: Final = 24
_BEYOND: Final = 6.0
_FAR: Final = 1e6
_FEWEST_LETTERS: Final = 4
_MOST_OBJECTS: Final = 50_000
_INVISIBLE: Final = (pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium_c.FPDF_TEXTRENDERMODE_CLIP)
_WHITE: Final = (255, 255, 255)

Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Hidden:
    """A hidden text and its box: points from the left and from the top of the page."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    def covers(self, item: TextItem) -> bool:
        """Whether the middle of a run of text lies in the box and the run is part of the hidden text."""
        x, y = item.x + item.width / 2, item.y + item.height / 2
        inside = self.left - 1 <= x <= self.right + 1 and self.top - 1 <= y <= self.bottom + 1
        return inside and (_bare(item.text) in _bare(self.text) or _bare(self.text) in _bare(item.text))

    def goes_on_in(self, other: Hidden) -> bool:
        """Whether another text follows this one closely on the same line."""
        height = max(self.bottom - self.top, other.bottom - other.top)
        level = other.top < self.bottom + height / 2 and other.bottom > self.top - height / 2
        return level and -1 < other.left - self.right < max(height, _TINY)


def draws_without_ink(data: bytes) -> bool:
    """Whether any page description in the file sets letters without painting them."""
    for match in _STREAM.finditer(data):
        start = match.end()
        dictionary = data[max(start - _DICTIONARY, 0) : start].rpartition(b"obj")[2]
        if any(sign in dictionary for sign in _NOT_A_PAGE):
            continue
        drawn = data[start : max(data.find(b"endstream", start), start)]
        with suppress(zlib.error):
            drawn = zlib.decompressobj().decompress(drawn, _LONGEST_STREAM)
        if b" Tr" in drawn and _NO_INK.search(drawn):
            return True
    return False


def is_odd(page: ParsedPage) -> bool:
    """Whether a page has text that is light, see-through or tiny."""
    return any(
        _is_odd(colour, height)
        for colour, height in {(item.fill_color, item.font_height) for item in page.text_items}
    )


def reaches_out(page: ParsedPage) -> bool:
    """Whether a page has anything beyond its edges."""
    if page.content_bounds is None:
        return False
    x, y, width, height = page.content_bounds
    return min(x, y) < -_BEYOND or x + width > page.width + _BEYOND or y + height > page.height + _BEYOND


def hidden_on(document: pdfium.PdfDocument, page: ParsedPage) -> list[Hidden]:
    """The hidden texts of a page; the text layer of a scan is none.

    None when together they are only a stray letter or a mark.
    """
    sheet = document[page.page_num - 1]
    text_page = sheet.get_textpage()
    try:
        found = [
            each for each in _joined(_hidden(sheet, text_page, page)) if any(map(str.isalnum, each.text))
        ]
    finally:
        text_page.close()
        sheet.close()
    return found if sum(map(str.isalnum, "".join(hidden.text for hidden in found))) >= _FEWEST_LETTERS else []


def text_beyond(document: pdfium.PdfDocument, page: ParsedPage) -> str:
    """The text that lies wholly beyond the edges of a page; liteparse leaves it out."""
    sheet = document[page.page_num - 1]
    text_page = sheet.get_textpage()
    try:
        left, bottom, right, top = sheet.get_bbox()
        beyond = (
            (-_FAR, -_FAR, left - _BEYOND, _FAR), (right + _BEYOND, -_FAR, _FAR, _FAR),
            (left, -_FAR, right, bottom - _BEYOND), (left, top + _BEYOND, right, _FAR),
        )  # fmt: skip
        return "\n".join(text for area in beyond if (text := text_page.get_text_bounded(*area).strip()))
    finally:
        text_page.close()
        sheet.close()


def _is_odd(colour: str | None, height: float | None) -> bool:
    if height is not None and 0 < height < _TINY:
        return True
    if colour is None or len(colour) != 8:
        return False
    alpha, *channels = bytes.fromhex(colour)
    return alpha < _CLEAR or min(channels) >= _LIGHT


def _joined(pieces: Iterable[Hidden]) -> list[Hidden]:
    """The texts with those that were set letter by letter as one for every line."""
    found: list[Hidden] = []
    for piece in pieces:
        last = found[-1] if found else None
        if last is None or not last.goes_on_in(piece):
            found.append(piece)
            continue
        box = (
            min(last.left, piece.left),
            min(last.top, piece.top),
            max(last.right, piece.right),
            max(last.bottom, piece.bottom),
        )
        found[-1] = Hidden(last.text + piece.text, *box)
    return found


Box = tuple[float, float, float, float]


def _hidden(sheet: pdfium.PdfPage, text_page: pdfium.PdfTextPage, page: ParsedPage) -> Iterator[Hidden]:
    place = _Placing(sheet, page)
    painted = _Painted(place)
    for number, thing in enumerate(sheet.get_objects(textpage=text_page)):
        if number > _MOST_OBJECTS:
            return
        if thing.type != pdfium_c.FPDF_PAGEOBJ_TEXT:
            if (ground := _ground(thing)) is not None:
                painted.add(thing, ground.colour)
        elif _is_hidden(thing, painted):
            yield Hidden(thing.extract(), *place.box(thing))


def _is_hidden(thing: pdfium.PdfTextObj, painted: _Painted) -> bool:
    if pdfium_c.FPDFTextObj_GetTextRenderMode(thing) in _INVISIBLE:
        # Letters without ink over a picture are the text layer of a scan.
        return None not in painted.below(thing)
    if 0 < thing.get_font_size() * _scale(thing) < _TINY:
        return True
    alpha, colour = _fill(thing)
    if alpha < _CLEAR:
        return True
    if not any(_alike(colour, ground) for ground in painted.colours):
        return False
    ground = next(iter(painted.below(thing)), _WHITE)
    return ground is not None and _alike(colour, ground)


def _alike(one: Colour, other: Colour) -> bool:
    return all(abs(a - b) <= _ALIKE for a, b in zip(one, other, strict=True))


def _scale(thing: pdfium.PdfTextObj) -> float:
    """How much larger than their font size the letters are set."""
    scale = 1.0
    step: Any = thing
    while step is not None:
        a, b, c, d, *_ = step.get_matrix().get()
        scale *= max(abs(c) + abs(d), abs(a) + abs(b))
        step = step.container
    return scale


@dataclass(frozen=True, slots=True)
class _Ground:
    """What covers an area of the page; no colour when it has several, as pictures do."""

    colour: Colour | None


def _ground(thing: pdfium.PdfObject) -> _Ground | None:
    if thing.type in (pdfium_c.FPDF_PAGEOBJ_IMAGE, pdfium_c.FPDF_PAGEOBJ_SHADING):
        return _Ground(None)
    if thing.type != pdfium_c.FPDF_PAGEOBJ_PATH:
        return None
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    if not pdfium_c.FPDFPath_GetDrawMode(thing, mode, stroke) or not mode.value:
        return None
    alpha, colour = _fill(thing)
    if alpha < _CLEAR:
        return None
    return _Ground(colour if alpha > 0xFF - _CLEAR else None)


def _fill(thing: pdfium.PdfObject) -> tuple[int, Colour]:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not pdfium_c.FPDFPageObj_GetFillColor(thing, red, green, blue, alpha):
        return 0xFF, (0, 0, 0)
    return alpha.value, (red.value, green.value, blue.value)


class _Painted:
    """What has been painted on a page so far. Where each thing lies is worked out when it is first asked for:
    most letters have a colour that nothing on their page has."""

    def __init__(self, place: _Placing) -> None:
        self._place = place
        self._waiting: list[tuple[pdfium.PdfObject, Colour | None]] = []
        self._areas: list[tuple[Box, Colour | None]] = []
        self.colours = {_WHITE}

    def add(self, thing: pdfium.PdfObject, colour: Colour | None) -> None:
        self._waiting.append((thing, colour))
        if colour is not None:
            self.colours.add(colour)

    def below(self, thing: pdfium.PdfObject) -> list[Colour | None]:
        """The colours where the middle of a thing is, the last painted first; none for a picture."""
        self._areas += [(self._place.box(each), colour) for each, colour in self._waiting]
        self._waiting.clear()
        left, top, right, bottom = self._place.box(thing)
        x, y = (left + right) / 2, (top + bottom) / 2
        return [
            colour for area, colour in reversed(self._areas)
            if area[0] <= x <= area[2] and area[1] <= y <= area[3]
        ]  # fmt: skip


class _Placing:
    """From the coordinates of page objects to points from the page's top left corner, as it is turned."""

    _FINE: Final = 100

    def __init__(self, sheet: pdfium.PdfPage, page: ParsedPage) -> None:
        self._sheet = sheet
        self._size = round(page.width * self._FINE), round(page.height * self._FINE)

    def box(self, thing: pdfium.PdfObject) -> Box:
        left, bottom, right, top = thing.get_bounds()
        container = thing.container
        while container is not None:
            left, bottom, right, top = container.get_matrix().on_rect(left, bottom, right, top)
            container = container.container
        (x0, y0), (x1, y1) = self._point(left, bottom), self._point(right, top)
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)

    def _point(self, x: float, y: float) -> tuple[float, float]:
        across, down = ctypes.c_int(), ctypes.c_int()
        pdfium_c.FPDF_PageToDevice(self._sheet, 0, 0, *self._size, 0, x, y, across, down)
        return across.value / self._FINE, down.value / self._FINE


def _bare(text: str) -> str:
    return "".join(text.split())
