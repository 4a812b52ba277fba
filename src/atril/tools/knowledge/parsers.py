"""Raw documents of a knowledge base as clean text: what people would read, none of the service's own noise."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

from atril.documents.parsing.html import read_html
from atril.documents.parsing.xml import read_xml
from atril.errors import UnreadableDocument

_TITLES: Final = ("title", "name", "docName", "heading")
_BODIES: Final = ("text", "content", "body", "html", "value", "paragraph", "caption", "summary")
_NOISE: Final = frozenset(
    (
        "id",
        "guid",
        "uuid",
        "href",
        "url",
        "link",
        "type",
        "class",
        "style",
        "lang",
        "version",
        "hash",
        "status",
    )
)
_MARKUP: Final = re.compile(r"<[a-zA-Z/][^>]*>")


@dataclass(frozen=True, slots=True)
class ParsedKnowledge:
    """`title` is empty when the document has none of its own."""

    title: str
    text: str


class DocumentParser(Protocol):
    """Raises `ValueError` for bytes that are not in its format."""

    def parse(self, document: bytes) -> ParsedKnowledge: ...


class JsonDocumentParser:
    """Documents as JSON: their texts in reading order, whatever the nesting, markup taken off."""

    def parse(self, document: bytes) -> ParsedKnowledge:
        try:
            value = json.loads(document)
            title = next(iter(_named(value, _TITLES)), "")
            lines = [line for text in _texts(value, "", 0) for line in _clean(text)]
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
        return ParsedKnowledge(title, "\n".join(lines))


class XmlDocumentParser:
    """Documents as XML, parsed without entities and without network."""

    def parse(self, document: bytes) -> ParsedKnowledge:
        try:
            read = read_xml("", document)
        except UnreadableDocument as error:
            raise ValueError(error.reason) from error
        return ParsedKnowledge(read.title, read.text)


def parser_for(document: bytes) -> DocumentParser:
    """By the shape of the document, when its division does not tell."""
    return (
        XmlDocumentParser()
        if document.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
        else JsonDocumentParser()
    )


def _named(value: Any, names: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, dict):
        for name in names:
            if isinstance(value.get(name), str) and value[name].strip():
                yield " ".join(_clean(value[name]))
        for each in value.values():
            if isinstance(each, dict):
                yield from _named(each, names)


def _texts(value: Any, key: str, depth: int) -> Iterator[str]:
    if depth > 100:
        return
    if isinstance(value, str):
        if key not in _NOISE and (key in _BODIES or key in _TITLES or " " in value.strip()):
            yield value
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each, key or "text", depth + 1)
    elif isinstance(value, dict):
        for name, each in value.items():
            if depth or name not in _TITLES:  # the document's own title stands above its text already
                yield from _texts(each, name, depth + 1)


def _clean(text: str) -> list[str]:
    plain = read_html("", text, certain=True).text if _MARKUP.search(text) else text
    lines = (" ".join(line.split()) for line in plain.splitlines())
    return [line for line in lines if line]
