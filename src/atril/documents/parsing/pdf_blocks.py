"""The blocks that liteparse finds on a page of a PDF as Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from liteparse.types import LayoutBlock, LayoutCell

from atril.documents.parsing.canonical import one_line, pipe_table, plain
from atril.documents.parsing.pdf_layout import Box, Item, Line, header_of, tidy_figures

_ESCAPED: Final = re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~-])")
_HEADING_LENGTH: Final = 120
_MARK: Final = re.compile(r"(?:\([a-z0-9]{1,2}\)|[*†‡§]{1,3})?")
_LONGEST_CELL: Final = 400
_SLACK: Final = 2.0


def mended(blocks: Sequence[LayoutBlock], items: Sequence[Item]) -> list[LayoutBlock]:
    """The blocks with the columns back in their ruled tables that liteparse leaves empty there and gives as a
    paragraph inside the frame instead."""
    kept = list(blocks)
    for table in [block for block in blocks if block.kind == "table"]:
        cells = [cell for row in _rows(table) for cell in row]
        frame = [cell.bbox for cell in cells if cell.bbox is not None]
        torn = [
            block for block in kept
            if block.kind == "paragraph" and block.bbox is not None and _is_around(frame, block.bbox)
        ]  # fmt: skip
        if not torn or all(cell.text for cell in cells):
            continue
        filled = replace(
            table,
            header=[_filled(cell, items) for cell in table.header] if table.header else table.header,
            rows=[[_filled(cell, items) for cell in row] for row in table.rows or []],
        )
        back = Counter(" ".join(cell.text for row in _rows(filled) for cell in row).split())
        back -= Counter(" ".join(cell.text for cell in cells).split())
        if back and back == Counter(" ".join(unmarked(block) for block in torn).split()):
            kept = [
                filled if block is table else block for block in kept if not any(block is t for t in torn)
            ]
    return kept


def _rows(table: LayoutBlock) -> list[list[LayoutCell]]:
    return [*([table.header] if table.header else []), *(table.rows or [])]


def _is_around(frame: Iterable[Box], box: Box) -> bool:
    cells = list(frame)
    return bool(cells) and (
        min(cell.x for cell in cells) - _SLACK <= box.x
        and box.x + box.width <= max(cell.x + cell.width for cell in cells) + _SLACK
        and min(cell.y for cell in cells) - _SLACK <= box.y
        and box.y + box.height <= max(cell.y + cell.height for cell in cells) + _SLACK
    )


def _filled(cell: LayoutCell, items: Iterable[Item]) -> LayoutCell:
    """An empty cell with the runs of text that lie in it."""
    box = cell.bbox
    if cell.text or box is None:
        return cell
    return replace(cell, text=" ".join(item.text.strip() for item in items if _is_around([box], item)))


def is_prose(table: LayoutBlock) -> bool:
    """Whether a frame around text was taken for a table."""
    cells = [
        cell.text for row in (*([table.header] if table.header else []), *(table.rows or [])) for cell in row
    ]
    return any(len(text) > _LONGEST_CELL for text in cells)


def table_text(block: LayoutBlock, heads: list[Line]) -> str:
    """A table below the lines that head its columns."""
    rows = [[cell.text for cell in row] for row in block.rows or []]
    if block.header:
        rows.insert(0, [cell.text for cell in block.header])
    if rows and not heads and all(len(row) == 2 and _MARK.fullmatch(row[0].strip()) for row in rows):
        return _notes(rows)
    if heads:
        columns = _extents(block)
        rows.insert(0, header_of(heads, columns) if columns else [" ".join(line.text for line in heads)])
    return pipe_table([tidy_figures(row) for row in rows])


def _notes(rows: Sequence[Sequence[str]]) -> str:
    """Footnotes in a frame, each as a paragraph that begins with its mark."""
    found: list[str] = []
    for mark, text in rows:
        if mark.strip() or not found:
            found.append(f"{mark.strip()} {one_line(text)}".strip())
        else:
            found[-1] += f" {one_line(text)}"
    return "\n\n".join(plain(note) for note in found)


def _extents(block: LayoutBlock) -> list[tuple[float, float]]:
    """Where the columns of a table stand; nothing when a column has no ink to tell by."""
    rows = [*([block.header] if block.header else []), *(block.rows or [])]
    found = []
    for number in range(max(map(len, rows), default=0)):
        boxes = [row[number].bbox for row in rows if number < len(row) and row[number].text]
        known = [box for box in boxes if box is not None]
        if not known:
            return []
        found.append((min(box.x for box in known), max(box.x + box.width for box in known)))
    return found


def block_text(block: LayoutBlock, own: list[Line]) -> str:
    """Any other block, made of these lines."""
    if block.kind in ("code", "grid_fallback"):
        return "\n".join(one_line(line) for line in block.lines or [])
    text = unmarked(block)
    if block.kind == "heading":
        return f"{'#' * (block.level or 6)} {text}" if _is_heading(text, own) else plain(text)
    if block.kind == "list_item":
        marker = f"{block.marker} " if block.ordered and block.marker else "- "
        return f"{'  ' * (block.level or 0)}{marker}{text}"
    return plain(text)


def unmarked(block: LayoutBlock) -> str:
    """The words of a block as they are on the page: without emphasis, and without the escapes it needs."""
    return one_line(_ESCAPED.sub(r"\1", (block.text or "").replace("**", "")))


def _is_heading(text: str, own: list[Line]) -> bool:
    """Heads of columns, dates and labels in brackets are set in bold too; a heading is a short phrase."""
    letters = sum(char.isalpha() for char in text)
    if len(text) > _HEADING_LENGTH or letters < 3 or letters < 0.5 * len(text.replace(" ", "")):
        return False
    if not (text[0].isupper() or text[0].isdigit()) or text[-1] in ".,;:":
        return False
    return len(own) <= 3 and all(len(line.cells) == 1 for line in own)
