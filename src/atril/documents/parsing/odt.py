"""OpenDocument texts: what LibreOffice writes. Headers and footers stand in a part of their own at the end."""

from __future__ import annotations

from typing import Final

from atril.documents.parsing.assembly import document, language_of, part
from atril.documents.parsing.docx_outline import blocks_of, is_running, unique, with_headings
from atril.documents.parsing.opendocument import TextBody
from atril.documents.parsing.opendocument_package import open_package
from atril.documents.parsing.parsed import ParsedDocument
from atril.documents.parsing.xmltree import local, reader_of_file

_MARGINS: Final = ("header", "footer", "header-first", "footer-first", "header-left", "footer-left")


@reader_of_file
def read_odt(name: str, data: bytes) -> ParsedDocument:
    """An OpenDocument text. Raises `UnreadableDocument`: corrupt, encrypted, empty, needs_ocr, too_large."""
    package = open_package(data, "text")
    reader = TextBody(package.styles)
    blocks = blocks_of(with_headings(reader.items(package.body)))
    margins = [
        block
        for node in (package.common.iter() if package.common is not None else ())
        if local(node) in _MARGINS
        for block in blocks_of(reader.items(node))
    ]
    shown = [block for block in unique(margins) if not is_running(block)]
    return document(
        name,
        "odt",
        blocks,
        after=part("margins", 1, shown, language_of(blocks)),
        stated=reader.title or package.title,
        metadata=package.metadata,
        noticed=reader.noticed,
    )
