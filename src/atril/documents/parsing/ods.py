"""OpenDocument spreadsheets (ODF 1.3 part 3, 9): every sheet a section, every block of cells a table.

Cells keep what they showed when the file was saved. Hidden sheets, rows and columns are left out and reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from atril.documents.parsing.assembly import document, heading
from atril.documents.parsing.canonical import one_line
from atril.documents.parsing.docx_outline import blocks_of
from atril.documents.parsing.opendocument import TextBody
from atril.documents.parsing.opendocument_package import open_package
from atril.documents.parsing.parsed import ParsedDocument
from atril.documents.parsing.sheet_tables import Row, tables_of
from atril.documents.parsing.xlsx_sheet import MOST_CELLS, Cell, Sheet
from atril.documents.parsing.xmltree import Element, attribute, children, local, number, reader_of_file
from atril.errors import UnreadableDocument

_UNSEEN: Final = ("collapse", "filter")
_FIGURES: Final = ("float", "currency", "percentage", "date", "time")
_GROUPS: Final = (
    "table-header-rows", "table-rows", "table-row-group", "table-header-columns", "table-columns",
    "table-column-group",
)  # fmt: skip
_DEEPEST: Final = 20


@reader_of_file
def read_ods(name: str, data: bytes) -> ParsedDocument:
    """An OpenDocument spreadsheet. Raises `UnreadableDocument`: corrupt, encrypted, empty, needs_ocr, too_large."""
    package = open_package(data, "spreadsheet")
    reader = TextBody(package.styles)
    blocks: list[str] = []
    for node in children(package.body, "table"):
        found = [*tables_of(_SheetReader(reader).sheet(node)), *_drawn(reader, node)]
        if package.styles.hides_table(attribute(node, "style-name")):
            reader.noticed.leave_out("\n".join(found) + "\n")
        elif found:
            blocks += [heading(2, attribute(node, "name")), *found]
    return document(
        name, "ods", blocks, stated=package.title, metadata=package.metadata, noticed=reader.noticed,
        file_titles=True,
    )  # fmt: skip


def _drawn(reader: TextBody, sheet: Element) -> list[str]:
    """What lies over the cells."""
    return [block for shapes in children(sheet, "shapes") for block in blocks_of(reader.items(shapes))]


class _SheetReader:
    """Reads one sheet. Runs of equal cells are written once with a number, and blank ones fill a sheet to its
    last column and row."""

    def __init__(self, reader: TextBody) -> None:
        self._reader = reader
        self._count = 0

    def sheet(self, node: Element) -> Sheet:
        """Raises `UnreadableDocument` for more than two million cells in use."""
        hidden = self._hidden_columns(node)
        sheet = Sheet()
        place = 1
        for row in _within(node, "table-row", _DEEPEST):
            times = max(number(attribute(row, "number-rows-repeated"), 1, most=10_000_000), 1)
            cells = self._row(row)
            seen = {} if attribute(row, "visibility") in _UNSEEN else dict(cells)
            for column in hidden & set(seen):
                del seen[column]
            left_out = [cell.text for column, cell in cells.items() if column not in seen]
            if left_out:
                self._reader.noticed.leave_out(" ".join(left_out) + "\n")
            if seen:
                self._spend(len(seen) * times)
                sheet.rows |= dict.fromkeys(range(place, place + times), seen)
            place += times
        return sheet

    def _row(self, row: Element) -> Row:
        found: Row = {}
        column = 1
        for node in row:
            if local(node) not in ("table-cell", "covered-table-cell"):
                continue
            times = max(number(attribute(node, "number-columns-repeated"), 1), 1)
            cell = self._cell(node) if local(node) == "table-cell" and len(node) + len(node.attrib) else None
            if cell is not None and cell.text:
                self._spend(times)
                found |= dict.fromkeys(range(column, column + times), cell)
            column += times
        return found

    def _cell(self, node: Element) -> Cell:
        """What a cell shows; one that no program has calculated keeps its value."""
        for note in children(node, "annotation"):
            self._reader.noticed.leave_out(" ".join(note.itertext()) + "\n", "comments")
        items = self._reader.items(node)
        text = " ".join(one_line(item.text) for item in items)
        kind = attribute(node, "value-type")
        if not text:
            text = next(
                (value for key in ("value", "date-value", "string-value") if (value := attribute(node, key))),
                "",
            )
            if not text and attribute(node, "formula"):
                self._reader.noticed.add("uncalculated")
        return Cell(text, kind in _FIGURES, bool(items) and all(item.strong for item in items))

    def _hidden_columns(self, node: Element) -> set[int]:
        found: set[int] = set()
        column = 1
        for each in _within(node, "table-column", _DEEPEST):
            times = max(number(attribute(each, "number-columns-repeated"), 1), 1)
            if attribute(each, "visibility") in _UNSEEN:
                found |= set(range(column, min(column + times, MOST_CELLS)))
            column += times
        return found

    def _spend(self, cells: int) -> None:
        self._count += cells
        if self._count > MOST_CELLS:
            raise UnreadableDocument(reason="too_large", detail=f"more than {MOST_CELLS:,} cells")


def _within(node: Element, name: str, depth: int) -> Iterator[Element]:
    """The rows or columns of a sheet, those of groups too."""
    for each in node if depth else ():
        if local(each) == name:
            yield each
        elif local(each) in _GROUPS:
            yield from _within(each, name, depth - 1)
