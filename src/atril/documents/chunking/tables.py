"""What a table in canonical Markdown looks like as data."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from atril.documents.blocks import Block, plain, row_cells
from atril.types import TableShape

_MOST_COLUMNS: Final = 256


def cells(row: str) -> tuple[str, ...]:
    """The cells of a row, without marks of emphasis."""
    return tuple(map(plain, row_cells(row)))


class Tables:
    """The tables of one text, in order."""

    def __init__(self, text: str, blocks: Sequence[Block]) -> None:
        self._text = text
        self._blocks = [block for block in blocks if block.kind == "table"]
        self._ends = [block.end for block in self._blocks]
        self._columns: dict[int, tuple[str, ...]] = {}

    def within(self, start: int, end: int) -> TableShape | None:
        """The first table that `text[start:end]` holds a part of: its columns, and the rows in there.

        A row that is cut counts in each of its parts. Columns beyond 256 are left out.
        """
        at = bisect_right(self._ends, start)
        if at == len(self._blocks) or self._blocks[at].start >= end:
            return None
        block = self._blocks[at]
        has_header = block.header > block.start
        rows = block.items[2:] if has_header else block.items
        first = max(bisect_right(rows, start) - 1, 0)
        count = bisect_left(rows, end) - first
        return TableShape(self._columns_of(block) if has_header else (), max(count, 0))

    def _columns_of(self, block: Block) -> tuple[str, ...]:
        if block.start not in self._columns:
            row = self._text[block.start : self._text.index("\n", block.start)]
            self._columns[block.start] = cells(row)[:_MOST_COLUMNS]
        return self._columns[block.start]
