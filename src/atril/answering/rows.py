"""Rows of Markdown tables as a person reads them: the name of the row, then each column with its value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from atril.types import Chunk

_ROW: Final = re.compile(r"\|.*\|")
_DELIMITER: Final = re.compile(r"\|?(?:\s*:?-{2,}:?\s*\|?)+")
_CELL: Final = re.compile(r"(?<!\\)\|")
_MARKS: Final = "* "
_PAGE: Final = frozenset(("page", "page no.", "página", "pág.", "страница", "стр."))


def is_row(text: str) -> bool:
    """Whether the text is one row of a table."""
    return _ROW.fullmatch(text.strip()) is not None


def is_header(content: str, start: int, end: int) -> bool:
    """Whether the slice is the row that names the columns of a table, or the line of dashes below it."""
    if not is_row(content[start:end]):
        return False
    below = content[end:].lstrip("|\t ").removeprefix("\n").partition("\n")[0].strip()
    return any(_DELIMITER.fullmatch(line) for line in (content[start:end].strip(), below) if line)


def says_nothing(chunk: Chunk, start: int, end: int) -> bool:
    """Whether the slice is a row that only names the rows below it, or one of a table of contents."""
    text = chunk.content[start:end]
    if not is_row(text):
        return False
    cells = _cells(text)
    columns = _columns(chunk, start)
    contents = len(cells) > 1 and bool(columns) and columns[-1].casefold() in _PAGE
    return contents or (len(cells) > 1 and sum(map(bool, cells)) < 2)


def readable(chunk: Chunk, start: int, end: int, *, named: bool = True) -> str:
    """The slice as it is said in an answer: a row of a table as "name — column: value; column: value", where
    the columns are known from the chunk or its context and `named`; anything else as it stands."""
    text = chunk.content[start:end]
    if not is_row(text):
        return text
    name, *values = _cells(text)
    columns = _columns(chunk, start)[1:] if named else []
    told = [
        f"{column}: {value}" if column and column != value else value
        for column, value in zip(_fitting(columns, len(values)), values, strict=True)
        if value
    ]
    if not name or not told:
        return "; ".join(cell for cell in (name, *told) if cell) or text
    return f"{name} — {'; '.join(told)}"


def _columns(chunk: Chunk, start: int) -> list[str]:
    """The names of the columns of the table that a row starts in; none when they are not told."""
    lines = chunk.content[:start].splitlines()
    while lines and _ROW.fullmatch(lines[-1].strip()):
        if _DELIMITER.fullmatch(lines[-1].strip()):
            return _cells(lines[-2]) if len(lines) > 1 else []
        lines.pop()
    if lines and lines[-1].strip():
        return []
    last = chunk.context.rpartition("\n")[2].strip()
    return _cells(last) if not any(line.strip() for line in lines) and _ROW.fullmatch(last) else []


def _fitting(columns: Sequence[str], count: int) -> Sequence[str]:
    return columns if len(columns) == count else [""] * count


def _cells(row: str) -> list[str]:
    return [cell.strip(_MARKS).replace("\\|", "|") for cell in _CELL.split(row.strip().strip("|"))]
