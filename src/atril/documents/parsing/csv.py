"""Delimited text: comma, semicolon, tab or bar, in whatever encoding, as one table."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import Final

from atril.documents.parsing.assembly import joined, name_title, table
from atril.documents.parsing.decoding import decode
from atril.documents.parsing.markdown import encoding_warning
from atril.documents.parsing.parsed import ParsedDocument
from atril.documents.parsing.xmltree import reader_of_file
from atril.errors import UnreadableDocument

_DELIMITERS: Final = (",", ";", "\t", "|")
_SAMPLE_LINES: Final = 100
_LONGEST_FIELD: Final = 1_000_000
_STATED: Final = "sep="


@reader_of_file
def read_csv(name: str, data: bytes) -> ParsedDocument:
    """A delimited file. Raises `UnreadableDocument`: empty, unsupported for binary content, corrupt."""
    text, certain = decode(data)
    rows = rows_of(text)
    body = joined(table(rows))
    if not body.strip():
        raise UnreadableDocument(reason="empty")
    return ParsedDocument(body, name_title(name), "csv", {}, (), encoding_warning(certain))


def rows_of(text: str) -> list[list[str]]:
    """The records of a text; quotes may hold delimiters and line ends. Raises `ValueError`."""
    text = text.replace("\0", "")
    delimiter = ""
    if text[:5].lower().startswith(_STATED) and text[4:5] in _DELIMITERS:
        # Excel states the delimiter in a line of its own.
        delimiter, text = text[4], text.partition("\n")[2]
    csv.field_size_limit(_LONGEST_FIELD)
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or _delimiter(text)))
    except csv.Error as error:
        raise ValueError(str(error)) from error


def _delimiter(text: str) -> str:
    """The one that cuts most lines into the same number of fields, and into more than one."""
    sample = "".join(text.splitlines(keepends=True)[:_SAMPLE_LINES])

    def regularity(delimiter: str) -> tuple[float, int]:
        try:
            widths = [
                len(row) for row in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter) if row
            ]
        except csv.Error:
            return 0.0, 0
        width, times = Counter(widths).most_common(1)[0] if widths else (0, 0)
        return (times / len(widths), width) if width > 1 else (0.0, width)

    return max(_DELIMITERS, key=regularity)
