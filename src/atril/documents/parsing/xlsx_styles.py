"""What the styles of a workbook say about a cell: its number format, and whether anyone can see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from atril.documents.parsing.docx_styles import is_white
from atril.documents.parsing.number_formats import BUILT_IN
from atril.documents.parsing.xmltree import Element, attribute, child, children, number

_TINY: Final = 2.0
_NO_FILL: Final = ("none", "")


@dataclass(frozen=True, slots=True)
class CellStyle:
    format: str = "General"
    hidden: bool = False
    bold: bool = False


def cell_styles(root: Element | None) -> list[CellStyle]:
    """The styles in the order in which cells name them."""
    formats = dict(BUILT_IN)
    for node in children(child(root, "numFmts"), "numFmt"):
        formats[number(attribute(node, "numFmtId"))] = attribute(node, "formatCode", "General")
    fonts = list(children(child(root, "fonts"), "font"))
    fills = [_is_filled(node) for node in children(child(root, "fills"), "fill")]
    found: list[CellStyle] = []
    for node in children(child(root, "cellXfs"), "xf"):
        font = _at(fonts, number(attribute(node, "fontId")))
        filled = bool(_at(fills, number(attribute(node, "fillId"))))
        code = formats.get(number(attribute(node, "numFmtId")), "General")
        found.append(CellStyle(code, _is_hidden(font, filled=filled), child(font, "b") is not None))
    return found


def _at(values: list[Any], place: int) -> Any:
    return values[place] if 0 <= place < len(values) else None


def _is_filled(node: Element) -> bool:
    pattern = child(node, "patternFill")
    if pattern is None:
        return len(node) > 0
    color = child(pattern, "fgColor")
    plain = attribute(pattern, "patternType") in _NO_FILL
    return not plain and (color is None or not is_white(attribute(color, "rgb")))


def _is_hidden(font: Element | None, *, filled: bool) -> bool:
    size, color = child(font, "sz"), child(font, "color")
    try:
        tiny = size is not None and float(attribute(size, "val", "11")) <= _TINY
    except ValueError:
        tiny = False
    return tiny or (not filled and color is not None and is_white(attribute(color, "rgb")))
