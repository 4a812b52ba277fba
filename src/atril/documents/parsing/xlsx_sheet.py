"""One sheet of a workbook as a grid of what its cells show.

Read row by row: a sheet may name a million rows and hold three. Only cells with something in them are kept.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from lxml import etree

from atril.documents.parsing.number_formats import Habits, is_date, shown
from atril.documents.parsing.parsed import Noticed
from atril.documents.parsing.xlsx_styles import CellStyle
from atril.documents.parsing.xmltree import Element, attribute, child, children, local, number
from atril.errors import UnreadableDocument

MOST_CELLS: Final = 2_000_000
_REFERENCE: Final = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})$")
_ON: Final = ("1", "true")
_PLAIN: Final = CellStyle()


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell shows. `figure` says that it is a number or a date, `bold` how it is written."""

    text: str
    figure: bool = False
    bold: bool = False


@dataclass(slots=True)
class Sheet:
    """Cells by row and column, both from 1, hidden ones left out."""

    rows: dict[int, dict[int, Cell]] = field(default_factory=dict)
    spans: dict[tuple[int, int], int] = field(default_factory=dict)
    """The last column of cells merged over several columns of one row, by the first's row and column."""
    noticed: Noticed = field(default_factory=Noticed)
    """Warnings that the sheet gave rise to."""


@dataclass(frozen=True, slots=True)
class Workbook:
    """What all sheets share."""

    strings: Sequence[str]
    styles: Sequence[CellStyle]
    habits: Habits
    since_1904: bool


def shared_strings(data: bytes) -> list[str]:
    """The texts that cells name by number."""
    found: list[str] = []
    for node in _ends(data, "si"):
        found.append(rich_text(node))
        _forget(node)
    return found


def rich_text(node: Element) -> str:
    """A text made of runs, without the readings written above characters."""
    parts: list[str] = []
    for each in node:
        name = local(each)
        if name == "t":
            parts.append(each.text or "")
        elif name == "r":
            parts.append("".join(text.text or "" for text in children(each, "t")))
    return "".join(parts)


def read_sheet(data: bytes, workbook: Workbook) -> Sheet:
    """Raises `UnreadableDocument` for a sheet with more than two million cells in use."""
    reader = _SheetReader(workbook)
    for node in _ends(data, "row", "col", "filterColumn", "autoFilter", "mergeCell"):
        reader.take(node)
        if local(node) != "filterColumn":
            _forget(node)
    return reader.finish()


def _ends(data: bytes, *names: str) -> Any:
    tags = [f"{{*}}{name}" for name in names]
    return (
        node
        for _, node in etree.iterparse(
            io.BytesIO(data), tag=tags, resolve_entities=False, no_network=True, load_dtd=False,
            huge_tree=False, remove_comments=True, remove_pis=True,
        )
    )  # fmt: skip


def _forget(node: Element) -> None:
    """Frees an element that was read, and what stands before it."""
    node.clear()
    parent = node.getparent()
    while parent is not None and node.getprevious() is not None:
        del parent[0]


class _SheetReader:
    def __init__(self, workbook: Workbook) -> None:
        self._workbook = workbook
        self._sheet = Sheet()
        self._hidden_rows: dict[int, dict[int, Cell]] = {}
        self._hidden_columns: list[tuple[int, int]] = []
        self._filtered: tuple[int, int] | None = None
        self._filters = 0
        self._row = 0
        self._cells = 0

    def take(self, node: Element) -> None:
        name = local(node)
        if name == "row":
            self._take_row(node)
        elif name == "col" and attribute(node, "hidden") in _ON:
            self._hidden_columns.append((number(attribute(node, "min")), number(attribute(node, "max"))))
        elif name == "filterColumn":
            self._filters += 1
        elif name == "mergeCell":
            first, _, last = attribute(node, "ref").partition(":")
            left, right = _place(first), _place(last)
            if left and right and left[0] == right[0] and left[1] < right[1]:
                self._sheet.spans[left] = right[1]
        elif name == "autoFilter" and self._filters:
            first, _, last = attribute(node, "ref").partition(":")
            top, bottom = _place(first), _place(last)
            self._filtered = (top[0], bottom[0]) if top and bottom else None

    def finish(self) -> Sheet:
        """Rows that a filter hides are one click away and stay; all others that are hidden go."""
        for row, cells in self._hidden_rows.items():
            if self._filtered and self._filtered[0] <= row <= self._filtered[1]:
                self._sheet.rows[row] = cells
            else:
                self._sheet.noticed.leave_out(" ".join(cell.text for cell in cells.values()) + "\n")
        self._sheet.rows = dict(sorted(self._sheet.rows.items()))
        return self._sheet

    def _take_row(self, node: Element) -> None:
        self._row = number(attribute(node, "r"), self._row + 1, most=2_000_000)
        cells: dict[int, Cell] = {}
        column = 0
        for each in node:
            if local(each) != "c":
                continue
            place = _place(attribute(each, "r"))
            column = place[1] if place else column + 1
            cell = self._cell(each)
            if cell is None:
                continue
            if any(first <= column <= last for first, last in self._hidden_columns):
                self._sheet.noticed.leave_out(f"{cell.text}\n")
                continue
            cells[column] = cell
        self._cells += len(cells)
        if self._cells > MOST_CELLS:
            raise UnreadableDocument(reason="too_large", detail=f"more than {MOST_CELLS:,} cells in a sheet")
        if attribute(node, "hidden") in _ON:
            self._hidden_rows[self._row] = cells
        elif cells:
            self._sheet.rows[self._row] = cells

    def _cell(self, node: Element) -> Cell | None:
        """What the cell shows, or nothing for one that is empty or cannot be seen."""
        place = number(attribute(node, "s"))
        style = self._workbook.styles[place] if 0 <= place < len(self._workbook.styles) else _PLAIN
        kind = attribute(node, "t", "n")
        value = child(node, "v")
        raw = (value.text or "") if value is not None else ""
        figure = False
        if kind == "s":
            at = number(raw, -1, most=10**9)
            text = self._workbook.strings[at] if 0 <= at < len(self._workbook.strings) else ""
        elif kind == "inlineStr":
            inline = child(node, "is")
            text = rich_text(inline) if inline is not None else ""
        elif kind == "b":
            text = "TRUE" if raw in _ON else "FALSE" if raw else ""
        elif kind in ("str", "e", "d"):
            text = raw
        else:
            figure, text = bool(raw), self._figure(raw, style)
        if not raw and kind != "inlineStr":
            text = self._uncalculated(node)
        if not text.strip():
            if figure:
                self._sheet.noticed.add("hidden_text")
            return None
        if style.hidden:
            self._sheet.noticed.leave_out(f"{text}\n")
            return None
        return Cell(text, figure, style.bold)

    def _figure(self, raw: str, style: CellStyle) -> str:
        if not raw:
            return ""
        if style.format == "@":
            return raw
        workbook = self._workbook
        text = shown(raw, style.format, workbook.habits, since_1904=workbook.since_1904)
        # A format without digits hides the number; a date before all dates is shown as it is kept.
        return text or ("" if not is_date(style.format) else raw)

    def _uncalculated(self, node: Element) -> str:
        formula = child(node, "f")
        if formula is None or not (formula.text or "").strip():
            return ""
        self._sheet.noticed.add("uncalculated")
        return f"={formula.text.strip()}"


def _place(reference: str) -> tuple[int, int] | None:
    """Row and column of a reference such as B7."""
    found = _REFERENCE.match(reference)
    if not found:
        return None
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - 64
    return int(found[2]), column
