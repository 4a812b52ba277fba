"""Files to canonical documents: one reader per format, chosen by what the bytes are.

`parse` raises `UnreadableDocument` and nothing else, whatever the bytes. It may take long or much memory
on hostile files; `atril.documents.workers` runs it where it can be stopped.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from typing import Final

from atril.documents.parsing.parsed import ParsedDocument, ParseWarning
from atril.errors import UnreadableDocument

__all__ = ["PARSER_VERSION", "SUPPORTED_SUFFIXES", "ParseWarning", "ParsedDocument", "parse"]

PARSER_VERSION: Final = "1"
"""Changes with the text that any file gives, so that documents are read again."""

_MARKDOWN: Final = frozenset((".md", ".markdown", ".mdown", ".mkd"))
_PLAIN: Final = frozenset((".txt", ".text"))
_HTML: Final = frozenset((".html", ".htm", ".xhtml"))
SUPPORTED_SUFFIXES: Final = _MARKDOWN | _PLAIN | _HTML | {".pdf"}
"""Suffixes in lower case, with their dot, that `parse` reads."""

_PDF_WITHIN: Final = 1024
_HTML_START: Final = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<!doctype\s+html|<html)", re.I | re.S
)
_OTHER_FORMATS: Final = (
    b"PK\x03\x04", b"PK\x05\x06", b"\xd0\xcf\x11\xe0", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"II*\0",
    b"MM\0*", b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"{\\rtf", b"SQLite format 3", b"BZh",
)  # fmt: skip


def parse(name: str, data: bytes, *, path: Path | None = None) -> ParsedDocument:
    """The canonical document of a file; `name` gives its extension and, at need, its title.

    The content decides first: a PDF named `.txt` is read as a PDF. Raises `UnreadableDocument`.
    """
    if not data.strip(b" \t\r\n\0\x0b\x0c"):
        raise UnreadableDocument(reason="empty")
    try:
        document = _read(name, data, PurePath(path or name).suffix.lower())
    except (RecursionError, ValueError, LookupError, TypeError, AssertionError) as error:
        raise UnreadableDocument(reason="corrupt", detail=f"{type(error).__name__}: {error}"[:200]) from error
    if not document.text.strip():
        raise UnreadableDocument(reason="empty")
    return document


def _read(name: str, data: bytes, suffix: str) -> ParsedDocument:
    # Each reader comes with a heavy library, so a process loads only those it needs.
    header = data.find(b"%PDF-", 0, _PDF_WITHIN)
    if header >= 0:
        from atril.documents.parsing.pdf import read_pdf

        # What stands before the header could make liteparse take the file for another format to convert.
        return read_pdf(name, data[header:])
    if data.startswith(_OTHER_FORMATS):
        raise UnreadableDocument(reason="unsupported", detail=suffix or "binary content")
    is_html = suffix in _HTML or (suffix not in _MARKDOWN and _HTML_START.match(data[:4096]) is not None)
    if suffix == ".pdf" and not is_html:
        raise UnreadableDocument(reason="corrupt", detail="not a PDF inside")
    if suffix and suffix not in SUPPORTED_SUFFIXES and not is_html:
        raise UnreadableDocument(reason="unsupported", detail=suffix)
    return _read_text(name, data, suffix, is_html=is_html)


def _read_text(name: str, data: bytes, suffix: str, *, is_html: bool) -> ParsedDocument:
    from atril.documents.parsing.decoding import decode

    text, certain = decode(data, html=is_html)
    if is_html:
        from atril.documents.parsing.html import read_html

        return read_html(name, text, certain=certain)
    from atril.documents.parsing.markdown import read_markdown, read_plain

    return (read_markdown if suffix in _MARKDOWN else read_plain)(name, text, certain=certain)
