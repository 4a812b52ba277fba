"""Office files for tests: made with the usual libraries where those can, written out where they cannot."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import docx
import openpyxl
import pptx
from docx.document import Document as WordDocument
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from openpyxl.workbook import Workbook
from pptx.presentation import Presentation


def word(build: Callable[[WordDocument], Any]) -> bytes:
    document = docx.Document()
    build(document)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def word_xml(*paragraphs: str) -> bytes:
    """A Word document with paragraphs written as XML, the prefix `w` bound."""

    def build(document: WordDocument) -> None:
        for paragraph in paragraphs:
            node = parse_xml(paragraph.replace(">", f" {nsdecls('w', 'wp', 'a', 'r')}>", 1))
            document.element.body.insert(len(document.element.body) - 1, node)

    return word(build)


def workbook(build: Callable[[Workbook], Any]) -> bytes:
    book = openpyxl.Workbook()
    build(book)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def slides(build: Callable[[Presentation], Any]) -> bytes:
    presentation = pptx.Presentation()
    build(presentation)
    stream = io.BytesIO()
    presentation.save(stream)
    return stream.getvalue()


def packed(entries: Mapping[str, str | bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return stream.getvalue()


def entry(data: bytes, name: str) -> str:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read(name).decode()


def repacked(data: bytes, changes: Mapping[str, str | bytes]) -> bytes:
    """An archive with some entries replaced or added."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    return packed(entries | dict(changes))


_ODF = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (
        ("office", "office"), ("text", "text"), ("table", "table"), ("style", "style"), ("draw", "drawing"),
        ("fo", "xsl-fo-compatible"), ("meta", "meta"), ("presentation", "presentation"),
    )
)  # fmt: skip


def open_document(body: str, *, automatic: str = "", styles: str = "", kind: str = "text") -> bytes:
    """An OpenDocument file whose content is `body`; `automatic` are styles of the content, `styles` of the
    document."""
    content = (
        f'<?xml version="1.0"?><office:document-content {_ODF} xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<office:automatic-styles>{automatic}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    return packed(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": content,
            "styles.xml": f"<office:document-styles {_ODF}>{styles}</office:document-styles>",
        }
    )


def book(chapters: Mapping[str, str], *, title: str = "", encryption: str = "") -> bytes:
    """An EPUB with chapters in this order."""
    items = "".join(
        f'<item id="c{at}" href="{name}" media-type="application/xhtml+xml"/>'
        for at, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{at}"/>' for at in range(len(chapters)))
    entries = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OPS/p.opf"/></rootfiles></container>',
        "OPS/p.opf": f'<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>{title}</dc:title>'
        f"<dc:creator>A. Autora</dc:creator></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>",
        **{f"OPS/{name}": chapter for name, chapter in chapters.items()},
    }
    return packed(entries | ({"META-INF/encryption.xml": encryption} if encryption else {}))
