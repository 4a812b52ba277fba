"""The formats that are text: decoded here, then read."""

from __future__ import annotations

from atril.documents.parsing.decoding import decode
from atril.documents.parsing.markdown import read_markdown, read_plain
from atril.documents.parsing.parsed import ParsedDocument


def read_markdown_file(name: str, data: bytes) -> ParsedDocument:
    text, certain = decode(data)
    return read_markdown(name, text, certain=certain)


def read_plain_file(name: str, data: bytes) -> ParsedDocument:
    text, certain = decode(data)
    return read_plain(name, text, certain=certain)


def read_html_file(name: str, data: bytes) -> ParsedDocument:
    from atril.documents.parsing.html import read_html  # loads lxml, which text does without

    text, certain = decode(data, html=True)
    return read_html(name, text, certain=certain)
