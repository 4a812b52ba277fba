"""OpenDocument texts: what LibreOffice writes. Headers and footers stand in a part of their own at the end."""

from __future__ import annotations

from typing import Final

from atril.documents.parsing.archives import Archive
from atril.documents.parsing.assembly import document, language_of, part
from atril.documents.parsing.docx_outline import blocks_of, is_running, unique, with_headings
from atril.documents.parsing.opendocument import TextBody
from atril.documents.parsing.opendocument_styles import TextStyles
from atril.documents.parsing.parsed import ParsedDocument
from atril.documents.parsing.xmltree import Element, child, local, parse_xml, reader_of_file
from atril.errors import UnreadableDocument

_CONTENT: Final = "content.xml"
_MANIFEST: Final = "META-INF/manifest.xml"
_MARGINS: Final = ("header", "footer", "header-first", "footer-first", "header-left", "footer-left")
_KEPT: Final = {
    "creator": "author", "initial-creator": "author", "subject": "subject", "keyword": "keywords",
    "description": "description", "language": "language", "creation-date": "created", "date": "modified",
}  # fmt: skip


@reader_of_file
def read_odt(name: str, data: bytes) -> ParsedDocument:
    """An OpenDocument text. Raises `UnreadableDocument`: corrupt, encrypted, empty, needs_ocr, too_large."""
    archive = Archive(data)
    if _MANIFEST in archive and b"encryption-data" in archive.read(_MANIFEST):
        raise UnreadableDocument(reason="encrypted")
    if _CONTENT not in archive:
        raise UnreadableDocument(reason="corrupt", detail="no content in the document")
    content = parse_xml(archive.read(_CONTENT))
    styles = parse_xml(archive.read("styles.xml")) if "styles.xml" in archive else None
    body = child(content, "body", "text")
    if body is None:
        raise UnreadableDocument(reason="unsupported", detail="an OpenDocument file without text")
    reader = TextBody(TextStyles(*(root for root in (styles, content) if root is not None)))
    blocks = blocks_of(with_headings(reader.items(body)))
    margins = [
        block
        for node in (styles.iter() if styles is not None else ())
        if local(node) in _MARGINS
        for block in blocks_of(reader.items(node))
    ]
    shown = [block for block in unique(margins) if not is_running(block)]
    title, metadata = _properties(archive)
    return document(
        name,
        "odt",
        blocks,
        after=part("margins", 1, shown, language_of(blocks)),
        stated=reader.title or title,
        metadata=metadata,
        noticed=reader.noticed,
    )


def _properties(archive: Archive) -> tuple[str, dict[str, str]]:
    root: Element | None = parse_xml(archive.read("meta.xml")) if "meta.xml" in archive else None
    meta = child(root, "meta")
    title, values = "", {}
    for node in meta if meta is not None else ():
        if local(node) == "title":
            title = node.text or ""
        elif local(node) in _KEPT:
            values[_KEPT[local(node)]] = node.text or ""
    return title, values
