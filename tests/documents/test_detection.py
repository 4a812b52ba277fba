"""What a file is shows in its content; its name decides only where the content leaves it open."""

from __future__ import annotations

import io
import zipfile

import pytest

from atril.documents.parsing.detection import ZIP, detect, may_hold_documents
from atril.errors import UnreadableDocument
from atril.messages import LANGUAGES

MAIL = b"Message-ID: <1@x.y>\nFrom: a@b.c\nSubject: Hi\n\nText\n"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


def zipped(*names: str, mimetype: str = "") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        if mimetype:
            archive.writestr("mimetype", mimetype)
        for name in names:
            archive.writestr(name, b"<x/>")
    return packed.getvalue()


def ole(stream: str) -> bytes:
    return OLE + stream.encode("utf-16-le")


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.bin", zipped("[Content_Types].xml", "word/document.xml"), "docx"),
        ("a.docx", zipped("[Content_Types].xml", "xl/workbook.xml"), "xlsx"),
        ("a.zip", zipped("[Content_Types].xml", "ppt/presentation.xml"), "pptx"),
        ("a.odt", zipped("content.xml", mimetype="application/vnd.oasis.opendocument.text"), "odt"),
        ("a.zip", zipped("META-INF/container.xml", mimetype="application/epub+zip"), "epub"),
        ("a.docx", zipped("b.txt"), ZIP),
        ("a.doc", b"{\\rtf1 x}", "rtf"),
        ("a.xls", b"<html><table><tr><td>1</table>", "html"),
        ("a.txt", b"<!DOCTYPE html><p>x", "html"),
        ("a.xml", b"<?xml version='1.0'?><html><p>x", "html"),
        ("a.txt", b"\xef\xbb\xbf%PDF-1.7 x", "pdf"),
        ("a", b'<?xml version="1.0"?><r/>', "xml"),
        ("a", "<?xml version='1.0'?><r/>".encode("utf-16"), "xml"),
        ("a.md", b"The header of a PDF is `%PDF-1.7`.", "md"),
        ("a.md", b"<html> is a tag", "md"),
        ("a.txt", MAIL, "eml"),
        ("mail", b"Return-Path: <a@b.c>\r\nTo: x@y.z\r\nDate: now\r\n\r\nText", "eml"),
        ("a.txt", b"From: me\nTo: you\nSubject: a poem\n\nText", "txt"),
        ("a.md", MAIL, "md"),
        ("data", b'{"a": [1, 2]}', "json"),
        ("data", b"{not json}", "txt"),
        ("v1.2", b"Notes of a release", "txt"),
        ("notas 3. Introducci\xc3\xb3n".encode().decode("latin-1"), b"Text", "txt"),
        ("a.txt", b"BMW and MZ are makers of cars", "txt"),
    ],
)
def test_the_format_is_found(name: str, data: bytes, kind: str) -> None:
    assert detect(name, data) == kind


@pytest.mark.parametrize(
    ("name", "data", "reason", "hint"),
    [
        ("a.docx", ole("EncryptedPackage"), "encrypted", ""),
        ("a.doc", ole("WordDocument"), "unsupported", "legacy_office"),
        ("a.xls", ole("Workbook"), "unsupported", "legacy_office"),
        ("a.msg", ole("__substg1.0_0037001F"), "unsupported", "outlook"),
        ("a.odg", zipped(mimetype="application/vnd.oasis.opendocument.graphics"), "unsupported", "office"),
        ("a.xlsb", zipped("[Content_Types].xml", "xl/workbook.bin"), "unsupported", "legacy_office"),
        ("a.pages", zipped("Index/Document.iwa"), "unsupported", "office"),
        ("a.jar", zipped("META-INF/MANIFEST.MF"), "unsupported", ""),
        ("a.pdf", b"\x89PNG\r\n\x1a\n\0\0", "unsupported", "picture"),
        ("a.gz", b"\x1f\x8b\x08\0\0\0\0\0", "unsupported", "packed"),
        ("a.mp4", b"\0\0\0\x20ftypisom", "unsupported", ""),
        ("a.txt", b"MZ\x90\0\3\0\0\0", "unsupported", ""),
        ("a.pdf", b"MZ\x90\0\3\0\0\0", "corrupt", "not_as_named"),
        ("a.docx", b"only words", "corrupt", "not_as_named"),
        ("a.zip", b"only words", "corrupt", "not_as_named"),
        ("a.zip", b"PK\x03\x04 cut", "corrupt", ""),
        ("a.log", b"only words", "unsupported", ""),
    ],
)
def test_what_is_not_read_is_refused_with_advice(name: str, data: bytes, reason: str, hint: str) -> None:
    with pytest.raises(UnreadableDocument) as caught:
        detect(name, data)
    assert (caught.value.reason, caught.value.hint) == (reason, hint)
    assert len({caught.value.localized(language) for language in LANGUAGES}) == len(LANGUAGES)


@pytest.mark.parametrize(
    ("name", "head", "may"),
    [
        ("a.docx", b"PK\x03\x04", True),
        ("a.eml", b"anything", True),
        ("a.txt", MAIL, True),
        ("a.txt", b"words", False),
        ("a.pdf", b"%PDF-1.7", False),
    ],
)
def test_most_files_are_seen_at_once_to_hold_no_others(name: str, head: bytes, may: bool) -> None:
    assert may_hold_documents(name, head) is may
