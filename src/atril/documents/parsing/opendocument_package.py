"""The package of an OpenDocument file (ODF 1.3 part 2): its content, its styles and what it says of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from atril.documents.parsing.archives import Archive
from atril.documents.parsing.opendocument_styles import TextStyles
from atril.documents.parsing.xmltree import Element, child, local, parse_xml
from atril.errors import UnreadableDocument

_CONTENT: Final = "content.xml"
_MANIFEST: Final = "META-INF/manifest.xml"
_KEPT: Final = {
    "creator": "author", "initial-creator": "author", "subject": "subject", "keyword": "keywords",
    "description": "description", "language": "language", "creation-date": "created", "date": "modified",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class OpenPackage:
    """`body` is what the document consists of; `common` holds the styles that all of it shares."""

    body: Element
    common: Element | None
    styles: TextStyles
    title: str
    metadata: dict[str, str]


def open_package(data: bytes, kind: str) -> OpenPackage:
    """A file whose body is of that kind: `text`, `spreadsheet` or `presentation`.

    Raises `UnreadableDocument`: encrypted, corrupt, unsupported, too_large.
    """
    archive = Archive(data)
    if _MANIFEST in archive and b"encryption-data" in archive.read(_MANIFEST):
        raise UnreadableDocument(reason="encrypted")
    if _CONTENT not in archive:
        raise UnreadableDocument(reason="corrupt", detail="no content in the document")
    content = parse_xml(archive.read(_CONTENT))
    common = parse_xml(archive.read("styles.xml")) if "styles.xml" in archive else None
    body = child(content, "body", kind)
    if body is None:
        raise UnreadableDocument(reason="unsupported", detail=f"an OpenDocument file without {kind}")
    styles = TextStyles(*(root for root in (common, content) if root is not None))
    return OpenPackage(body, common, styles, *_properties(archive))


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
