"""What a file is: its content first, its name where the content leaves it open."""

from __future__ import annotations

import codecs
import json
import re
from typing import Final

from atril.documents.parsing.archives import Archive
from atril.documents.parsing.formats import format_of, suffix_of
from atril.errors import UnreadableDocument

ZIP: Final = "zip"
"""The kind of an archive that is no document; what it holds may be."""

_HEAD: Final = 4096
_PDF_WITHIN: Final = 1024
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PACKED: Final = (
    b"\x1f\x8b",
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07",
    b"BZh",
    b"\xfd7zXZ\0",
    b"\x28\xb5\x2f\xfd",
    b"MSCF",
)
_PICTURES: Final = (
    b"\x89PNG\r\n",
    b"\xff\xd8\xff",
    b"GIF87a",
    b"GIF89a",
    b"II*\0",
    b"MM\0*",
    b"BM",
    b"\0\0\1\0",
)
_OTHER: Final = (
    b"MZ",
    b"\x7fELF",
    b"SQLite format 3\0",
    b"OggS",
    b"ID3",
    b"fLaC",
    b"\xca\xfe\xba\xbe",
    b"\xcf\xfa\xed\xfe",
)
_OPEN_XML: Final = (("word/", "docx"), ("xl/", "xlsx"), ("ppt/", "pptx"))
_OPEN_DOCUMENT: Final = "application/vnd.oasis.opendocument."
_OPEN_DOCUMENT_KINDS: Final = {
    "text": "odt", "text-master": "odt", "text-web": "odt", "spreadsheet": "ods", "presentation": "odp",
}  # fmt: skip
_EPUB: Final = "application/epub+zip"

_HTML: Final = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<!doctype\s+html|<html)", re.I | re.S)
_XML: Final = re.compile(r"\s*<\?xml[\s]+version")
_HEADER: Final = re.compile(r"(?:From [^\n]*\n)?(?:[A-Za-z][A-Za-z0-9-]*:[^\n]*\n(?:[ \t][^\n]*\n)*){2,}")
_MAIL_FIELDS: Final = re.compile(
    r"^(from|to|subject|date|message-id|mime-version|received|return-path|delivered-to|content-type):", re.I | re.M
)  # fmt: skip
_MAIL_PROOF: Final = re.compile(r"^(message-id|mime-version|received|return-path|delivered-to):", re.I | re.M)


def detect(name: str, data: bytes) -> str:
    """The type of the document that the bytes are, or `ZIP`.

    Raises `UnreadableDocument` for what no reader takes, and for archives that do not open.
    """
    suffix = suffix_of(name)
    known = format_of(suffix)
    kind = _by_signature(data, suffix) or _by_first_words(_head_text(data), suffix)
    if kind:
        return kind
    if known is not None and known.is_text:
        return known.type
    if known is not None or suffix == ".zip":
        raise UnreadableDocument(reason="corrupt", detail=f"no {suffix[1:]} inside", hint="not_as_named")
    if suffix:
        raise UnreadableDocument(reason="unsupported", detail=suffix)
    return "json" if _is_json(data) else "txt"


def may_hold_documents(name: str, head: bytes) -> bool:
    """Whether a file that begins like this can be an archive or a mail, whose parts are documents too.

    `head` should have some kilobytes. A yes may turn out wrong when all of the file is looked at.
    """
    if head.startswith(b"PK"):
        return True
    known = format_of(suffix_of(name))
    return (known is not None and known.type == "eml") or _is_mail(_head_text(head), suffix_of(name))


def _by_signature(data: bytes, suffix: str) -> str | None:
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _kind_of_zip(Archive(data))
    if data.startswith(_OLE):
        raise _refused_ole(data)
    if data.startswith(b"{\\rtf"):
        return "rtf"
    header = data.find(b"%PDF-", 0, _PDF_WITHIN)
    if header >= 0 and (suffix == ".pdf" or not data[:header].strip(b" \t\r\n\0\xef\xbb\xbf")):
        return "pdf"
    known = format_of(suffix)
    if known is not None and not known.is_text and data.startswith(_OTHER):
        raise UnreadableDocument(reason="corrupt", detail=f"no {suffix[1:]} inside", hint="not_as_named")
    for signatures, hint in ((_PACKED, "packed"), (_PICTURES, "picture"), (_OTHER, "")):
        # A signature of two letters begins words too.
        if data.startswith(signatures) and _is_binary(data):
            raise UnreadableDocument(reason="unsupported", detail=suffix, hint=hint)
    if data[:4] == b"RIFF" or data[4:8] == b"ftyp":
        raise UnreadableDocument(reason="unsupported", detail=suffix)
    return None


def _kind_of_zip(archive: Archive) -> str:
    names = archive.names
    # Without its list of types it is a damaged package, which its reader will say, and no archive of files.
    if "[Content_Types].xml" in archive or "_rels/.rels" in archive:
        for folder, kind in _OPEN_XML:
            if any(name.startswith(folder) for name in names):
                if "xl/workbook.bin" in archive:
                    raise UnreadableDocument(reason="unsupported", detail=".xlsb", hint="legacy_office")
                return kind
        raise UnreadableDocument(reason="unsupported", hint="office")
    declared = archive.read("mimetype").decode("latin-1").strip() if "mimetype" in archive else ""
    if declared == _EPUB or "META-INF/container.xml" in archive:
        return "epub"
    if declared.startswith(_OPEN_DOCUMENT):
        found = _OPEN_DOCUMENT_KINDS.get(declared.removeprefix(_OPEN_DOCUMENT).removesuffix("-template"))
        if found:
            return found
        raise UnreadableDocument(reason="unsupported", hint="office")
    if "Index/Document.iwa" in archive or "META-INF/MANIFEST.MF" in archive:
        raise UnreadableDocument(
            reason="unsupported", hint="office" if "Index/Document.iwa" in archive else ""
        )
    return ZIP


def _refused_ole(data: bytes) -> UnreadableDocument:
    """Office files before 2007 and encrypted new ones share a container; its streams' names tell which."""

    def holds(stream: str) -> bool:
        return stream.encode("utf-16-le") in data

    if holds("EncryptedPackage") or holds("EncryptionInfo"):
        return UnreadableDocument(reason="encrypted")
    if holds("__substg1.0_"):
        return UnreadableDocument(reason="unsupported", detail=".msg", hint="outlook")
    if any(map(holds, ("WordDocument", "Workbook", "Book", "PowerPoint Document"))):
        return UnreadableDocument(reason="unsupported", hint="legacy_office")
    return UnreadableDocument(reason="unsupported", hint="office")


def _by_first_words(head: str, suffix: str) -> str | None:
    known = format_of(suffix)
    named = known.type if known else ""
    if named != "md" and _HTML.match(head):
        return "html"
    if named in ("txt", "md"):
        return "eml" if named == "txt" and _is_mail(head, suffix) else None
    if named != "html" and _XML.match(head):
        return "xml"
    return "eml" if _is_mail(head, suffix) else None


def _is_mail(head: str, suffix: str) -> bool:
    """Whether a text begins with the header of a mail that has been sent."""
    found = _HEADER.match(head.lstrip("\ufeff\r\n").replace("\r\n", "\n"))
    if not found:
        return False
    fields = {field.lower() for field in _MAIL_FIELDS.findall(found[0])}
    return bool(_MAIL_PROOF.search(found[0])) and len(fields) >= 3 and suffix not in (".md", ".json", ".csv")


def _is_json(data: bytes) -> bool:
    if data.lstrip(b" \t\r\n\xef\xbb\xbf")[:1] not in (b"{", b"["):
        return False
    try:
        json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    return True


def _head_text(data: bytes) -> str:
    """The beginning as text, good enough to recognise words of markup in any encoding."""
    head = data[:_HEAD]
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in head[:4]:
        wide = (
            "utf-16" if head[:1] in (b"\xff", b"\xfe") else "utf-16-be" if head[:1] == b"\0" else "utf-16-le"
        )
        return head[: len(head) // 2 * 2].decode(wide, errors="replace")
    return head.removeprefix(codecs.BOM_UTF8).decode("latin-1")


def _is_binary(data: bytes) -> bool:
    head = data[:_HEAD]
    return b"\0" in head or sum(byte < 9 or 13 < byte < 27 for byte in head) > len(head) // 50
