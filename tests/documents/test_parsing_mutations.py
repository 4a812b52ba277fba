"""Whatever happens to a file on its way, its reader gives a document or says why not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from office_files import book, entry, open_document, repacked, slides, word, workbook

from atril.documents.parsing.canonical import canonical
from atril.documents.parsing.csv import read_csv
from atril.documents.parsing.docx import read_docx
from atril.documents.parsing.epub import read_epub
from atril.documents.parsing.json import read_json
from atril.documents.parsing.odt import read_odt
from atril.documents.parsing.parsed import ParsedDocument
from atril.documents.parsing.pptx import read_pptx
from atril.documents.parsing.rtf import read_rtf
from atril.documents.parsing.xlsx import read_xlsx
from atril.documents.parsing.xml import read_xml
from atril.errors import UnreadableDocument

Reader = Callable[[str, bytes], ParsedDocument]

DOCX: Final = word(lambda document: (document.add_heading("Uno", 1), document.add_table(2, 2), document.add_paragraph("x", style="List Number")))  # fmt: skip
XLSX: Final = workbook(
    lambda workbook: (workbook.active.append(["a", 1]), workbook.active.append(["b", "=1"]))
)
PPTX: Final = slides(
    lambda deck: deck.slides.add_slide(deck.slide_layouts[0]).shapes.title.__setattr__("text", "x")
)
ODT: Final = open_document('<text:h text:outline-level="1">Uno</text:h><text:list><text:list-item><text:p>x</text:p></text:list-item></text:list>')  # fmt: skip
EPUB: Final = book({"a.xhtml": "<html><body><p>Hola</p></body></html>"})
RTF: Final = rb"{\rtf1\ansi{\fonttbl{\f0\fcharset204 A;}}\pard\intbl a\cell b\cell\row\pard{\listtext 1.}\u1055?\'e1{\footnote x}\par}"
WHOLE: Final[list[tuple[Reader, bytes]]] = [
    (read_docx, DOCX), (read_xlsx, XLSX), (read_pptx, PPTX), (read_odt, ODT), (read_epub, EPUB), (read_rtf, RTF),
    (read_csv, b"a;b\n1;2\n"), (read_json, b'{"a": [{"b": 1}, {"b": 2}]}'), (read_xml, b"<a x='1'><b>1</b><b>2</b></a>"),
]  # fmt: skip
PARTS: Final[list[tuple[Reader, bytes, str]]] = [
    (read_docx, DOCX, "word/document.xml"),
    (read_docx, DOCX, "word/styles.xml"),
    (read_docx, DOCX, "word/numbering.xml"),
    (read_xlsx, XLSX, "xl/worksheets/sheet1.xml"),
    (read_xlsx, XLSX, "xl/styles.xml"),
    (read_pptx, PPTX, "ppt/slides/slide1.xml"),
    (read_odt, ODT, "content.xml"),
]
EDITS = st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), min_size=1, max_size=8)


def reads_or_says_why(read: Reader, data: bytes) -> None:
    try:
        found = read("datos.x", data)
    except UnreadableDocument:
        return
    assert found.text == canonical(found.text)
    assert [*found.pages] == sorted(found.pages, key=lambda page: page.start)


def edited(data: bytes, edits: list[tuple[int, int]]) -> bytes:
    changed = bytearray(data)
    for place, value in edits:
        changed[place % len(changed)] = value
    return bytes(changed)


@pytest.mark.parametrize(("read", "data"), WHOLE, ids=[read.__name__ for read, _ in WHOLE])
@settings(deadline=None, max_examples=40)
@given(edits=EDITS, cut=st.integers(0, 400))
def test_a_damaged_file_is_read_or_refused(
    read: Reader, data: bytes, edits: list[tuple[int, int]], cut: int
) -> None:
    reads_or_says_why(read, edited(data, edits))
    reads_or_says_why(read, data[: len(data) - cut])


@pytest.mark.parametrize(("read", "data", "part"), PARTS, ids=[part for _, _, part in PARTS])
@settings(deadline=None, max_examples=40)
@given(
    edits=st.lists(
        st.tuples(st.integers(0, 1 << 20), st.sampled_from(b'<>"/=0129- a')), min_size=1, max_size=4
    )
)
def test_a_damaged_part_is_read_or_refused(
    read: Reader, data: bytes, part: str, edits: list[tuple[int, int]]
) -> None:
    reads_or_says_why(read, repacked(data, {part: edited(entry(data, part).encode(), edits)}))


@pytest.mark.parametrize("read", [read for read, _ in WHOLE])
@settings(deadline=None, max_examples=40)
@given(data=st.binary(max_size=300))
def test_noise_is_read_or_refused(read: Reader, data: bytes) -> None:
    reads_or_says_why(read, data)
