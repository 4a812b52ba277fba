"""PDF page by page: structure where it is certain, columns where they stand, and every figure."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atril.documents.parsing import parse
from atril.documents.parsing.parsed import ParsedDocument
from atril.errors import UnreadableDocument
from small_pdf import Placed, lines, pdf

PDFS = Path(__file__).parents[3] / "shared" / "data" / "financebench" / "pdfs"


def page_texts(document: ParsedDocument) -> list[str]:
    return [document.text[page.start : page.end] for page in document.pages]


def test_pages_are_slices_with_one_blank_line_between() -> None:
    document = parse("a.pdf", pdf([lines("First page."), lines("Second page.")]))
    assert page_texts(document) == ["First page.", "Second page."]
    assert document.text == "First page.\n\nSecond page."


def test_an_empty_page_keeps_its_number() -> None:
    document = parse("a.pdf", pdf([lines("One."), [], lines("Three.")]))
    assert page_texts(document) == ["One.", "", "Three."]
    assert [page.number for page in document.pages] == [1, 2, 3]
    assert document.warnings == ()


def test_a_page_that_is_a_picture_is_reported() -> None:
    document = parse("a.pdf", pdf([lines("Some text."), "scan"]))
    assert [(warning.page, warning.kind) for warning in document.warnings] == [(2, "needs_ocr")]


def test_a_file_of_pictures_needs_recognition() -> None:
    with pytest.raises(UnreadableDocument) as caught:
        parse("a.pdf", pdf(["scan", "scan"]))
    assert caught.value.reason == "needs_ocr"


def test_a_file_of_blank_pages_is_empty() -> None:
    with pytest.raises(UnreadableDocument) as caught:
        parse("a.pdf", pdf([[], []]))
    assert caught.value.reason == "empty"


def statement() -> list[Placed]:
    rows = [
        ("Net sales", "1,234", "1,100"),
        ("Cost of sales", "(900)", "(850)"),
        ("Gross margin", "334", "250"),
    ]
    placed: list[Placed] = [(72, 740, "Statement of operations"), (300, 700, "2023"), (400, 700, "2022")]
    for number, (label, now, before) in enumerate(rows):
        y = 680 - 14 * number
        placed += [(72, y, label), (300, y, now), (400, y, before)]
    return placed


def test_columns_without_rules_become_a_table_under_their_heads() -> None:
    text = parse("a.pdf", pdf([statement()])).text
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert table == [
        "|  | 2023 | 2022 |",
        "|---|---|---|",
        "| Net sales | 1,234 | 1,100 |",
        "| Cost of sales | (900) | (850) |",
        "| Gross margin | 334 | 250 |",
    ]


def test_prose_in_a_line_that_starts_with_a_hash_is_no_heading() -> None:
    text = parse("a.pdf", pdf([lines("# of shares outstanding at the end of the year, in millions.")])).text
    assert text.startswith("\\# of shares")


def test_marks_of_footnotes_stay_as_they_are() -> None:
    text = parse("a.pdf", pdf([lines("The 2003 plan, as amended* and *not* a_b_c, is [filed] here.")])).text
    assert text == "The 2003 plan, as amended* and *not* a_b_c, is [filed] here."


PAGES = st.lists(
    st.lists(
        st.tuples(st.integers(40, 500), st.integers(40, 750), st.from_regex(r"[A-Za-z]{1,9}( [0-9]{1,4})?", fullmatch=True)),
        max_size=12,
    ),
    min_size=1,
    max_size=4,
)  # fmt: skip


@settings(max_examples=25)
@given(PAGES)
def test_pages_tile_the_text(pages: list[list[Placed]]) -> None:
    try:
        document = parse("a.pdf", pdf(pages))
    except UnreadableDocument:
        assert not any(pages)
        return
    assert [page.number for page in document.pages] == list(range(1, len(pages) + 1))
    end = 0
    for page in document.pages:
        assert document.text[end : page.start] in ("", "\n\n")
        assert page.start <= page.end
        end = page.end
    assert end == len(document.text)


@pytest.mark.corpus
def test_figures_of_annual_reports_are_all_there() -> None:
    pdfium = pytest.importorskip("pypdfium2", reason="the reference reader is not installed")
    names = ["PEPSICO_2023Q1_EARNINGS", "ULTABEAUTY_2023Q4_EARNINGS", "BESTBUY_2024Q2_10Q"]
    if not PDFS.exists():
        pytest.skip("the FinanceBench files are not beside the checkout")
    number = re.compile(r"\d[\d.,]*\d|\d")
    expected = kept = 0
    for name in names:
        data = (PDFS / f"{name}.pdf").read_bytes()
        for page, text in zip(pdfium.PdfDocument(data), page_texts(parse(name, data)), strict=True):
            reference = [line for line in page.get_textpage().get_text_range().splitlines() if line.strip()]
            # Running heads and page numbers are left out on purpose.
            wanted = Counter(number.findall("\n".join(reference[2:-2])))
            expected += wanted.total()
            kept += (wanted & Counter(number.findall(text))).total()
    assert kept >= 0.99 * expected
