"""Electronic books (EPUB 3.3): the chapters in reading order, each read as the web page that it is."""

from __future__ import annotations

import html
import posixpath
import re
from typing import Final
from urllib.parse import unquote

from lxml import etree

from atril.documents.parsing.archives import Archive
from atril.documents.parsing.assembly import joined, tidy_metadata, title_of
from atril.documents.parsing.decoding import decode
from atril.documents.parsing.html import read_html
from atril.documents.parsing.parsed import Noticed, ParsedDocument
from atril.documents.parsing.xmltree import (
    Element,
    attribute,
    child,
    children,
    local,
    parse_xml,
    reader_of_file,
)
from atril.errors import UnreadableDocument

_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
_KEPT: Final = {"creator": "author", "subject": "subject", "description": "description", "language": "language",
                "date": "date", "publisher": "publisher"}  # fmt: skip
_CHAPTERS: Final = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")
_DECLARATION: Final = re.compile(r"^\s*<\?xml[^>]*\?>")
# A label that the style sheet sets apart: `<span>1.2</span>Scope`.
_LABEL_END: Final = re.compile(r"(?<=[\da-zа-яё])</span>(?=[A-ZА-ЯЁÁÉÍÓÚÑ])")
_ENTITY: Final = re.compile(r"&([A-Za-z][A-Za-z0-9]*);")
_XML_ENTITIES: Final = frozenset(("amp", "lt", "gt", "quot", "apos"))
_FONT_TYPES: Final = (".ttf", ".otf", ".woff", ".woff2")


@reader_of_file
def read_epub(name: str, data: bytes) -> ParsedDocument:
    """An EPUB book. Raises `UnreadableDocument`: corrupt, encrypted, empty, too_large."""
    archive = Archive(data)
    if _is_encrypted(archive):
        raise UnreadableDocument(reason="encrypted")
    package = _package_path(archive)
    root = parse_xml(archive.read(package))
    chapters = [
        _read(name, archive.read(path))
        for path in _spine(root, posixpath.dirname(package))
        if path in archive
    ]
    text = joined(chapter.text for chapter in chapters)
    if not text.strip():
        raise UnreadableDocument(reason="empty")
    title, metadata = _metadata(root)
    noticed = Noticed()
    noticed.take(warning for chapter in chapters for warning in chapter.warnings)
    return ParsedDocument(
        text,
        title_of(name, text, title, within=f"{title} {text[:1000]}"),
        "epub",
        tidy_metadata(metadata),
        (),
        noticed.warnings(),
    )


def _read(name: str, data: bytes) -> ParsedDocument:
    """A chapter. It is XML: an HTML reader would take `<mspace/>` for an element that never ends."""
    text, certain = decode(data, html=True)
    text = _LABEL_END.sub("</span> ", text)
    try:
        tree = parse_xml(_ENTITY.sub(_character, _DECLARATION.sub("", text, count=1)).encode())
        text = etree.tostring(tree, method="html", encoding="unicode")
    except etree.XMLSyntaxError:
        pass
    return read_html(name, text, certain=certain)


def _character(entity: re.Match[str]) -> str:
    """XML knows five entities by name, web pages use two hundred."""
    return entity[0] if entity[1] in _XML_ENTITIES else html.unescape(entity[0])


def _is_encrypted(archive: Archive) -> bool:
    """Whether more than fonts is encrypted: publishers hide those from copying."""
    if _ENCRYPTION not in archive:
        return False
    root = parse_xml(archive.read(_ENCRYPTION))
    return any(
        local(node) == "CipherReference" and not attribute(node, "URI").lower().endswith(_FONT_TYPES)
        for node in root.iter()
    )


def _package_path(archive: Archive) -> str:
    root = parse_xml(archive.read(_CONTAINER)) if _CONTAINER in archive else None
    for node in children(child(root, "rootfiles"), "rootfile"):
        path = unquote(attribute(node, "full-path"))
        if path in archive:
            return path
    raise UnreadableDocument(reason="corrupt", detail="no package in the book")


def _spine(root: Element, folder: str) -> list[str]:
    """The paths of the chapters in reading order, without the page of contents."""
    items = {attribute(node, "id"): node for node in children(child(root, "manifest"), "item")}
    found: list[str] = []
    for reference in children(child(root, "spine"), "itemref"):
        item = items.get(attribute(reference, "idref"))
        if item is None or attribute(item, "media-type") not in _CHAPTERS:
            continue
        if "nav" in attribute(item, "properties").split():
            continue
        found.append(posixpath.normpath(posixpath.join(folder, unquote(attribute(item, "href")))))
    return list(dict.fromkeys(found))


def _metadata(root: Element) -> tuple[str, dict[str, str]]:
    title = ""
    values: dict[str, str] = {}
    meta = child(root, "metadata")
    for node in meta if meta is not None else ():
        if local(node) == "title" and not title:
            title = node.text or ""
        elif local(node) in _KEPT:
            values.setdefault(_KEPT[local(node)], node.text or "")
    return title, values
