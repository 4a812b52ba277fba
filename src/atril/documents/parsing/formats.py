"""Which formats are read, and by whom: our own readers and those that other packages bring.

A package brings a reader through an entry point of the group `atril.parsers`. The entry point's name is the
suffix it reads, without the dot, and what it points at is a `Parser`. It takes its suffix over even when one
of ours reads it too. Nothing is imported until a file of that suffix is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import PurePath
from typing import Final, Protocol, cast

from atril.documents.parsing.canonical import canonical, one_line
from atril.documents.parsing.markdown import TITLE_LENGTH, title_from
from atril.documents.parsing.parsed import ParsedDocument

GROUP: Final = "atril.parsers"


class Parser(Protocol):
    """Reads the bytes of one file. `name` is the file's name, with its suffix; nothing is at that path.

    The text is Markdown. Raises `UnreadableDocument` for a file it cannot read; anything else it raises is
    reported as a damaged file. It runs in a process of its own, under limits of time and memory.
    """

    def __call__(self, name: str, data: bytes) -> ParsedDocument: ...


@dataclass(frozen=True, slots=True)
class Format:
    """A format by the type of its documents. `is_text` tells that any text can be a file of it."""

    type: str
    suffixes: tuple[str, ...]
    reader: str
    is_text: bool = False

    def load(self) -> Parser:
        module, _, function = self.reader.partition(":")
        return cast(Parser, getattr(import_module(f"atril.documents.parsing.{module}"), function))


FORMATS: Final = (
    Format("pdf", (".pdf",), "pdf:read_pdf"),
    Format("docx", (".docx", ".docm", ".dotx", ".dotm"), "docx:read_docx"),
    Format("xlsx", (".xlsx", ".xlsm", ".xltx", ".xltm"), "xlsx:read_xlsx"),
    Format("pptx", (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx"), "pptx:read_pptx"),
    Format("odt", (".odt", ".ott"), "odt:read_odt"),
    Format("ods", (".ods", ".ots"), "ods:read_ods"),
    Format("odp", (".odp", ".otp"), "odp:read_odp"),
    Format("epub", (".epub",), "epub:read_epub"),
    Format("rtf", (".rtf",), "rtf:read_rtf"),
    Format("eml", (".eml", ".mht", ".mhtml"), "eml:read_eml", is_text=True),
    Format("md", (".md", ".markdown", ".mdown", ".mkd"), "texts:read_markdown_file", is_text=True),
    Format("txt", (".txt", ".text"), "texts:read_plain_file", is_text=True),
    Format("html", (".html", ".htm", ".xhtml"), "texts:read_html_file", is_text=True),
    Format("csv", (".csv", ".tsv"), "csv:read_csv", is_text=True),
    Format("json", (".json", ".jsonl", ".ndjson"), "json:read_json", is_text=True),
    Format("xml", (".xml", ".fb2"), "xml:read_xml", is_text=True),
)
_BY_TYPE: Final = {format.type: format for format in FORMATS}
_BY_SUFFIX: Final = {suffix: format for format in FORMATS for suffix in format.suffixes}

SUPPORTED_SUFFIXES: Final = frozenset(_BY_SUFFIX)
"""Suffixes in lower case, with their dot, that our own readers take."""


def suffix_of(name: str) -> str:
    """The suffix in lower case with its dot; `v1.2` and `1. Introduction` have none."""
    suffix = PurePath(name.replace("\\", "/")).suffix.lower()
    return suffix if any(char.isalpha() for char in suffix) and " " not in suffix else ""


def format_of(suffix: str) -> Format | None:
    """Which of our own formats has files of that suffix."""
    return _BY_SUFFIX.get(suffix)


def document_types() -> tuple[str, ...]:
    """The types that documents can have, those of other packages' readers last."""
    return (*_BY_TYPE, *sorted(name for name in foreign_parsers() if name not in _BY_TYPE))


@cache
def foreign_parsers() -> dict[str, EntryPoint]:
    """The readers that other packages bring, by suffix in lower case without the dot."""
    return {point.name.lower().removeprefix("."): point for point in entry_points(group=GROUP)}


def is_foreign(suffix: str) -> bool:
    return bool(suffix) and suffix[1:] in foreign_parsers()


def reader_version(name: str) -> str:
    """Which release of another package reads files of this name; empty when we do."""
    point = foreign_parsers().get(suffix_of(name)[1:])
    if point is None:
        return ""
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.value


def read_with(kind: str, name: str, data: bytes) -> ParsedDocument:
    """The document as our reader of that type gives it."""
    return _BY_TYPE[kind].load()(name, data)


def read_foreign(suffix: str, name: str, data: bytes) -> ParsedDocument:
    """The document as another package's reader gives it, made canonical.

    Raises `ValueError` for pages that do not fit its canonical text.
    """
    kind = suffix[1:]
    parser = cast(Parser, foreign_parsers()[kind].load())
    read = parser(name, data)
    text = canonical(read.text)
    if read.pages and text != read.text:
        raise ValueError("a text with pages must be canonical")
    ends = [0, *(place for page in read.pages for place in (page.start, page.end)), len(text)]
    if ends != sorted(ends):
        raise ValueError("pages overlap or reach beyond the text")
    title = one_line(canonical(read.title)) or title_from(name, text)
    metadata = {str(key): canonical(str(value)) for key, value in read.metadata.items()}
    return ParsedDocument(text, title[:TITLE_LENGTH], kind, metadata, read.pages, read.warnings)
