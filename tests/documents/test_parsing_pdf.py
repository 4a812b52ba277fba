"""PDF page by page: structure where it is certain, columns where they stand, and every figure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pypdfium2 as pdfium
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


@pytest.mark.parametrize(
    ("matrix", "first", "step"), [("0 1 -1 0", (50, 50), (20, 0)), ("0 -1 1 0", (560, 740), (-20, 0))]
)
def test_text_that_stands_sideways_is_read_line_after_line(
    matrix: str, first: tuple[int, int], step: tuple[int, int]
) -> None:
    texts = ("Ventas de la tienda", "El mes de enero sube.", "El mes de marzo baja.")
    places = [(first[0] + step[0] * number, first[1] + step[1] * number) for number in range(len(texts))]
    drawn = " ".join(f"{matrix} {x} {y} Tm ({text}) Tj" for (x, y), text in zip(places, texts, strict=True))
    document = parse("a.pdf", pdf([f"BT /F1 12 Tf {drawn} ET".encode()]))
    # pdfium sets stray blanks between letters that run downwards.
    assert "".join(document.text.split()) == "".join("".join(texts).split())


def test_columns_that_both_mix_prose_with_a_table_are_read_one_after_the_other() -> None:
    def column(left: int, word: str) -> list[Placed]:
        prose = [
            (left, 700 - 14 * line, f"The {word} table that stands below tells amounts") for line in range(7)
        ]
        rows = [
            cell
            for row in range(5)
            for cell in (
                (left, 590 - 14 * row, f"{word} item number {row}"),
                (left + 170, 590 - 14 * row, f"{row + 1},{len(word)}10"),
                (left + 215, 590 - 14 * row, f"{row + 1},{len(word)}20"),
            )
        ]
        return [*prose, *rows]

    text = parse("a.pdf", pdf([[*column(50, "first"), *column(320, "second")]], size=10)).text
    assert "| first item number 2 | 3,510 | 3,520 |" in text
    assert "| second item number 4 | 5,610 | 5,620 |" in text
    assert text.index("first item number 4") < text.index("The second table")


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


def test_a_file_of_a_hundred_thousand_pages_is_refused_before_any_is_read() -> None:
    data = pdf([lines("One page.")]).replace(b"/Count 1", b"/Count 100000")
    told: list[int] = []
    with pytest.raises(UnreadableDocument) as caught:
        parse("a.pdf", data, progress=lambda pages, total: told.append(pages))
    assert (caught.value.reason, caught.value.detail, told) == ("too_large", "more than 50,000 pages", [])


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


def ruled(columns: Sequence[float], rows: Sequence[Sequence[str]]) -> bytes:
    """A table with a rule around every cell, 18 points high each."""
    top, bottom = 556, 556 - 18 * len(rows)
    drawn = [f"{x} {bottom} m {x} {top} l S" for x in columns]
    drawn += [f"{columns[0]} {y} m {columns[-1]} {y} l S" for y in range(bottom, top + 1, 18)]
    for number, row in enumerate(rows):
        for x, text in zip(columns, row, strict=False):
            drawn.append(f"BT /F1 10 Tf {x + 6} {top - 18 * number - 12} Td ({text}) Tj ET")
    return "\n".join(drawn).encode()


def test_a_ruled_table_keeps_every_column() -> None:
    rows = (
        ("Code", "Meaning", "Remedy"),
        ("E15", "Water in the base tray", "Close the tap and call the service"),
        ("E24", "Water does not drain", "Clean the drain pump and the hose"),
        ("E09", "Heating element fault", "Call the service"),
    )
    text = parse("a.pdf", pdf([ruled((140.7, 176.6, 286.4, 454.6), rows)])).text
    heads, line, *body = text.splitlines()
    assert [heads, *body] == [f"| {' | '.join(row)} |" for row in rows]
    assert line == "|---|---|---|"


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


def test_a_label_never_reaches_into_the_columns_and_stays_with_its_amounts() -> None:
    placed: list[Placed] = [(330, 700, "Year ended December 31,"), (350, 686, "2023"), (440, 686, "2022")]
    placed += [(72, 660, "Operating expenses:")]
    placed += [
        (82, 646, "Selling, general and"),
        (82, 632, "administrative"),
        (350, 632, "$"),
        (360, 632, "1,500"),
        (440, 632, "$"),
        (450, 632, "1,400"),
    ]
    placed += [(82, 618, "Research"), (360, 618, "(20)"), (450, 618, "-")]
    placed += [(72, 604, "Total"), (350, 604, "$"), (360, 604, "1,480"), (440, 604, "$"), (450, 604, "1,400")]  # fmt: skip
    text = parse("a.pdf", pdf([placed])).text
    assert [line for line in text.splitlines() if line.startswith("|")] == [
        "|  | Year ended December 31, 2023 | Year ended December 31, 2022 |",
        "|---|---|---|",
        "| Operating expenses: |  |  |",
        "| Selling, general and administrative | $ 1,500 | $ 1,400 |",
        "| Research | (20) | - |",
        "| Total | $ 1,480 | $ 1,400 |",
    ]


def test_amounts_close_to_each_other_are_columns_of_their_own() -> None:
    rows = [
        ("Goodwill", "$ 7,014 $ 25 $ 7,039"),
        ("Licences", "$ 1,200 $ 60 $ 1,260"),
        ("Other", "$ 1,400 $ 12 $ 1,412"),
    ]
    placed: list[Placed] = []
    for number, (label, amounts) in enumerate(rows):
        placed += [(72, 700 - 14 * number, label), (400, 700 - 14 * number, amounts)]
    text = parse("a.pdf", pdf([placed])).text
    assert "| Goodwill | $ 7,014 | $ 25 | $ 7,039 |" in text


def table_lines(placed: list[Placed]) -> list[str]:
    return [line for line in parse("a.pdf", pdf([placed])).text.splitlines() if line.startswith("|")]


def test_labels_between_the_heads_and_the_first_amounts_part_no_table() -> None:
    placed: list[Placed] = [(280, 700, "January 28, 2023"), (400, 700, "January 29, 2022")]
    placed += [(72, 684, "Assets"), (72, 670, "Current assets")]
    for number, (label, now, before) in enumerate(
        [("Cash", "1,874", "2,936"), ("Inventories", "514", "596")]
    ):
        placed += [
            (72, 656 - 14 * number, label),
            (330, 656 - 14 * number, now),
            (450, 656 - 14 * number, before),
        ]
    assert table_lines(placed) == [
        "|  | January 28, 2023 | January 29, 2022 |",
        "|---|---|---|",
        "| Assets |  |  |",
        "| Current assets |  |  |",
        "| Cash | 1,874 | 2,936 |",
        "| Inventories | 514 | 596 |",
    ]


def test_a_head_amid_columns_heads_each_and_a_second_row_of_years_begins_another_table() -> None:
    placed: list[Placed] = []
    for top, head, amounts in (
        (700, "December 31,", ("6,707", "9,143", "8,401")),
        (630, "Year Ended December 31,", ("2,485", "5,132", "3,200")),
    ):
        placed += [(395 - 2.5 * len(head), top, head)]
        for column, (year, amount) in enumerate(zip(("2015", "2016", "2017"), amounts, strict=True)):
            placed += [(300 + 80 * column, top - 14, year)]
            placed += [(300 + 80 * column, top - 28 - 14 * row, amount) for row in range(2)]
        placed += [(72, top - 28, "North America"), (72, top - 42, "International")]
    heads = [line for line in table_lines(placed) if "2015" in line]
    assert heads == [
        "|  | December 31, 2015 | December 31, 2016 | December 31, 2017 |",
        "|  | Year Ended December 31, 2015 | Year Ended December 31, 2016 | Year Ended December 31, 2017 |",
    ]


def test_columns_that_hold_only_not_available_join_the_amounts_beside_them() -> None:
    placed: list[Placed] = [(250, 700, "Card"), (400, 700, "Total")]
    for row, (label, card, total) in enumerate(
        [("Charges", "1,214", "1,468"), ("Provision", "8,300", "9,279"), ("Change", "NA", "NM")]
    ):
        y = 684 - 14 * row
        shift = 30 if card == "NA" else 0
        placed += [(72, y, label), (250 + shift, y, card), (400 + shift, y, total)]
    assert table_lines(placed)[-1] == "| Change | NA | NM |"


def test_a_table_beside_prose_is_read_before_it_and_holds_none_of_it() -> None:
    prose = [f"Net revenue of the segment number {number} rose by a tenth" for number in range(10)]
    placed: list[Placed] = [(310, 700 - 14 * number, line) for number, line in enumerate(prose)]
    for number in range(8):
        y = 700 - 14 * number
        placed += [(50, y, f"Item {number}"), (170, y, f"{number},214"), (230, y, f"{number},468")]
    text = parse("a.pdf", pdf([placed])).text
    assert "| Item 3 | 3,214 | 3,468 |" in text
    assert text.index("| Item 7 |") < text.index("segment number 0")
    assert not any("segment" in line for line in text.splitlines() if line.startswith("|"))


def chapter(word: str, number: int) -> list[Placed]:
    prose = lines(
        *(f"The {word} story of the {word} {thing} goes on." for thing in ("cat", "dog", "owl")), top=700
    )
    return [(72, 770, "Mirabrisa annual report"), *prose, (300, 30, str(number))]


def test_running_heads_and_page_numbers_end_their_page_in_one_line() -> None:
    chapters = [chapter(word, 41 + place) for place, word in enumerate(("red", "small", "quiet", "angry"))]
    pages = page_texts(parse("a.pdf", pdf(chapters)))
    assert [page.splitlines()[-1] for page in pages] == [
        f"Mirabrisa annual report · {number}" for number in range(41, 45)
    ]


def test_pages_keep_the_labels_that_the_document_gives_them() -> None:
    labels = "/PageLabels << /Nums [0 << /S /r >> 2 << /S /D /P (F-) >>] >>"
    pages = [lines(f"Page with the text number {number}.") for number in range(3)]
    document = parse("a.pdf", pdf(pages, catalog=labels))
    assert [page.label for page in document.pages] == ["i", "ii", "F-1"]
    assert [page.number for page in document.pages] == [1, 2, 3]


def widget(name: str, kind: str, value: str, more: str = "") -> str:
    return f"<< /Type /Annot /Subtype /Widget /FT /{kind} /T ({name}) /V {value} /Rect [72 600 272 620] {more} >>"


def test_filled_fields_of_a_form_are_in_the_text_of_their_page() -> None:
    fields = [widget("Surname", "Tx", "(Garc\\355a)"), widget("Telephone", "Tx", "()")]
    text = parse("a.pdf", pdf([lines("Application form of the library.")], widgets=fields)).text
    assert text == "Application form of the library.\n\nSurname: García"


def test_a_form_without_any_text_shows_its_empty_fields() -> None:
    assert parse("a.pdf", pdf([[]], widgets=[widget("Surname", "Tx", "()")])).text == "Surname:"


@pytest.mark.parametrize(
    "drawing",
    [
        b"1 1 1 rg BT /F1 11 Tf 72 600 Td (Secret words) Tj ET",
        b"0 0 0.5 rg 60 590 300 30 re f 1 1 1 rg 60 590 300 30 re f BT /F1 11 Tf 72 600 Td (Secret words) Tj ET",
        b"BT /F1 1 Tf 72 600 Td (Secret words) Tj ET",
        b"BT 3 Tr /F1 11 Tf 72 600 Td (Secret words) Tj ET",
        b"/Clear gs BT /F1 11 Tf 72 600 Td (Secret words) Tj ET",
        b"BT /F1 11 Tf 72 -300 Td (Secret words) Tj ET",
        b"BT /F1 11 Tf 900 600 Td (Secret words) Tj ET",
    ],
    ids=[
        "white",
        "white on a white box",
        "tiny",
        "without ink",
        "see-through",
        "below the page",
        "beside the page",
    ],
)
def test_hidden_text_is_left_out_and_reported_with_its_page(drawing: bytes) -> None:
    shown = b"BT /F1 11 Tf 72 700 Td (Words that everybody sees.) Tj ET "
    document = parse("a.pdf", pdf([lines("The first page."), shown + drawing]))
    assert page_texts(document) == ["The first page.", "Words that everybody sees."]
    [warning] = document.warnings
    assert (warning.kind, warning.page, warning.unseen.strip()) == ("hidden_text", 2, "Secret words")


def test_white_letters_on_a_dark_box_are_text() -> None:
    drawing = b"0 0 0.5 rg 60 590 300 30 re f 1 1 1 rg BT /F1 11 Tf 72 600 Td (Shown words) Tj ET"
    document = parse("a.pdf", pdf([drawing]))
    assert (document.text, document.warnings) == ("Shown words", ())


def test_the_text_layer_of_a_scan_is_its_text() -> None:
    drawing = b"q 612 0 0 792 0 0 cm /Im1 Do Q BT 3 Tr /F1 11 Tf 72 600 Td (Recognised by the scanner) Tj ET"
    document = parse("a.pdf", pdf([drawing]))
    assert (document.text, document.warnings) == ("Recognised by the scanner", ())


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        ("Rules of the library", "Rules of the library"),
        ("Microsoft Word - rules.doc", "Opening hours"),
        ("0000012927-23-000007", "Opening hours"),
    ],
)
def test_a_title_that_a_program_made_up_gives_way_to_the_first_line(stated: str, title: str) -> None:
    assert parse("rules.pdf", pdf([lines("Opening hours")], title=stated)).title == title


def test_progress_is_told_after_every_range_of_pages() -> None:
    from atril.documents.parsing.pdf import read_pdf

    told: list[tuple[int, int]] = []
    read_pdf("a.pdf", pdf([lines("Text.")] * 50), progress=lambda done, total: told.append((done, total)))
    assert told == [(40, 50), (50, 50)]


PAGES = st.lists(
    st.lists(
        st.tuples(st.integers(40, 500), st.integers(40, 750), st.from_regex(r"[A-Za-z]{1,9}( [0-9]{1,4})?", fullmatch=True)),
        max_size=12,
    ),
    min_size=1,
    max_size=4,
)  # fmt: skip


@settings(max_examples=25, deadline=None)
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
    names = ["PEPSICO_2023Q1_EARNINGS", "ULTABEAUTY_2023Q4_EARNINGS", "BESTBUY_2024Q2_10Q"]
    if not PDFS.exists():
        pytest.skip("the FinanceBench files are not beside the checkout")
    number = re.compile(r"\d[\d.,]*\d|\d")
    expected = kept = 0
    for name in names:
        data = (PDFS / f"{name}.pdf").read_bytes()
        for page, text in zip(pdfium.PdfDocument(data), page_texts(parse(name, data)), strict=True):
            wanted = Counter(number.findall(page.get_textpage().get_text_range()))
            expected += wanted.total()
            kept += (wanted & Counter(number.findall(text))).total()
    assert kept >= 0.99 * expected
