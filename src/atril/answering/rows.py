"""Rows of Markdown tables as a person reads them: the name of the row, then each column with its value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from atril.documents.blocks import row_cells
from atril.types import Chunk

_ROW: Final = re.compile(r"\|.*\|")
_DELIMITER: Final = re.compile(r"\|?(?:\s*:?-{2,}:?\s*\|?)+")
_MARKS: Final = "* "
_FORMS: Final = (
    ("year", re.compile(r"(?:19|20)\d\d")),
    ("date", re.compile(r"\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}")),
    ("amount", re.compile(r"[$€£]? ?\(?-?\d[\d.,]*\)? ?%?")),
)
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
    if _are_values(columns, values, _others(chunk.content, start, end)):
        columns = []
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


def _are_values(columns: Sequence[str], values: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Whether what stands for the names of columns is a row like the others, as where a table goes on over a
    page that does not name its columns: a name stands among the values below it, or both are dates, or amounts."""
    alike = any(
        _form(one) and _form(one) == _form(other) for one, other in zip(columns, values, strict=False)
    )
    return alike or any(
        column and column == cell for row in others for column, cell in zip(columns, row[1:], strict=False)
    )


def _form(cell: str) -> str:
    return next((form for form, pattern in _FORMS if pattern.fullmatch(cell)), "")


def _others(content: str, start: int, end: int) -> list[list[str]]:
    """The cells of the rows of the table after the slice's, and before it up to that below the names."""
    rows: list[list[str]] = []
    for line in reversed(content[:start].splitlines()):
        if not is_row(line) or _DELIMITER.fullmatch(line.strip()):
            break
        rows.append(_cells(line))
    for line in content[end:].lstrip("\n").splitlines():
        if not is_row(line):
            break
        rows.append(_cells(line))
    return rows


def _fitting(columns: Sequence[str], count: int) -> Sequence[str]:
    return columns if len(columns) == count else [""] * count


def _cells(row: str) -> list[str]:
    return [cell.strip(_MARKS) for cell in row_cells(row)]
