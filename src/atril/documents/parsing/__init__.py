"""Files to canonical documents: one reader per format, chosen by what the bytes are.

`parse` raises `UnreadableDocument` and nothing else, whatever the bytes. It may take long or much memory
on hostile files; `atril.documents.workers` runs it where it can be stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from atril.documents.parsing.formats import (
    SUPPORTED_SUFFIXES,
    Parser,
    document_types,
    is_foreign,
    read_foreign,
    read_with,
    reader_version,
    suffix_of,
)
from atril.documents.parsing.parsed import ParsedDocument, ParseWarning
from atril.errors import UnreadableDocument

__all__ = [
    "PARSER_VERSION",
    "SUPPORTED_SUFFIXES",
    "PageProgress",
    "ParseWarning",
    "ParsedDocument",
    "Parser",
    "document_types",
    "parse",
    "reader_version",
]

PARSER_VERSION: Final = "3"
"""Changes with the text that any file gives, so that documents are read again."""


PageProgress = Callable[[int, int], None]
"""Told how many pages have been read, and of how many."""


def parse(
    name: str, data: bytes, *, path: Path | None = None, progress: PageProgress | None = None
) -> ParsedDocument:
    """The canonical document of a file; `name` gives its extension and, at need, its title.

    The content decides first: a PDF named `.txt` is read as a PDF. `path` gives the extension when `name`
    has none. Long documents tell `progress` how far they are. Raises `UnreadableDocument`.
    """
    if not data.strip(b" \t\r\n\0\x0b\x0c"):
        raise UnreadableDocument(reason="empty")
    try:
        document = _read(name, data, suffix_of(name) or suffix_of(path.name if path else ""), progress)
    except UnreadableDocument:
        raise
    except MemoryError as error:
        raise UnreadableDocument(reason="too_large", detail="not enough memory") from error
    except Exception as error:  # a damaged file makes libraries raise almost anything
        raise UnreadableDocument(reason="corrupt", detail=f"{type(error).__name__}: {error}"[:200]) from error
    if not document.text.strip():
        raise UnreadableDocument(reason="empty")
    return document


def _read(name: str, data: bytes, suffix: str, progress: PageProgress | None) -> ParsedDocument:
    if is_foreign(suffix):
        return read_foreign(suffix, name, data)
    from atril.documents.parsing.detection import ZIP, detect

    kind = detect(name if suffix_of(name) else f"{name}{suffix}", data)
    if kind == ZIP:
        raise UnreadableDocument(reason="unsupported", hint="nested")
    if kind == "pdf":
        from atril.documents.parsing.pdf import read_pdf

        # What stands before the header could make liteparse take the file for another format to convert.
        return read_pdf(name, data[data.index(b"%PDF-") :], progress=progress)
    return read_with(kind, name, data)
