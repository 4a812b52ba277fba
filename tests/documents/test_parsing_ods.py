from __future__ import annotations

import pytest
from office_files import open_document

from atril.documents.parsing import ParsedDocument, parse
from atril.errors import UnreadableDocument


def read(body: str, *, automatic: str = "") -> ParsedDocument:
    return parse("ventas.ods", open_document(body, automatic=automatic, kind="spreadsheet"))


def cell(text: str, *, kind: str = "string", attributes: str = "") -> str:
    return f'<table:table-cell office:value-type="{kind}" {attributes}><text:p>{text}</text:p></table:table-cell>'


def row(*cells: str, attributes: str = "") -> str:
    return f"<table:table-row {attributes}>{''.join(cells)}</table:table-row>"


BLANK = '<table:table-cell table:number-columns-repeated="16000"/>'
HEADER = row(cell("Mes"), cell("Importe"), cell("Cuota"), BLANK)
JANUARY = row(
    cell("enero de 2024", kind="date", attributes='office:date-value="2024-01-01"'),
    cell("1.234,50 €", kind="currency", attributes='office:value="1234.5"'),
    cell("12,5 %", kind="percentage", attributes='office:value="0.125"'),
)
REST = row(BLANK, attributes='table:number-rows-repeated="1048000"')


def test_a_sheet_is_a_section_with_its_cells_as_they_are_shown() -> None:
    document = read(f'<table:table table:name="Enero">{HEADER}{JANUARY}{REST}</table:table>')
    assert document.type == "ods"
    assert document.text == (
        "## Enero\n\n| Mes | Importe | Cuota |\n|---|---|---|\n| enero de 2024 | 1.234,50 € | 12,5 % |"
    )


def test_repeated_cells_and_rows_stand_as_often_as_they_are_shown() -> None:
    same = row(cell("Norte"), cell("0", kind="float", attributes='table:number-columns-repeated="2"'),
               attributes='table:number-rows-repeated="2"')  # fmt: skip
    text = read(f'<table:table table:name="A">{HEADER}{same}{REST}</table:table>').text
    assert text.count("| Norte | 0 | 0 |") == 2


def test_a_value_that_shows_nothing_is_read_from_the_cell() -> None:
    bare = '<table:table-cell office:value-type="float" office:value="42"/>'
    text = read(f'<table:table table:name="A">{HEADER}{row(cell("Sur"), bare, bare)}</table:table>').text
    assert "| Sur | 42 | 42 |" in text


def test_groups_of_rows_are_read() -> None:
    grouped = f"<table:table-row-group>{JANUARY}</table:table-row-group>"
    assert "1.234,50 €" in read(f'<table:table table:name="A">{HEADER}{grouped}</table:table>').text


@pytest.mark.parametrize(
    ("columns", "before", "style"),
    [
        ("", 'table:visibility="collapse"', ""),
        ('<table:table-column/><table:table-column table:visibility="collapse"/>', "", ""),
        ("", "", "hidden"),
    ],
)
def test_hidden_rows_columns_and_sheets_are_left_out_and_reported(
    columns: str, before: str, style: str
) -> None:
    automatic = (
        '<style:style style:name="hidden"><style:table-properties table:display="false"/></style:style>'
    )
    secret = row(cell("Clave"), cell("SECRETO"), attributes=before)
    sheet = f'<table:table table:name="B" table:style-name="{style}">{columns}{HEADER}{secret}{JANUARY}</table:table>'
    shown = f'<table:table table:name="A">{HEADER}{JANUARY}</table:table>'
    document = read(shown + sheet, automatic=automatic)
    assert "SECRETO" not in document.text
    assert [warning.kind for warning in document.warnings] == ["hidden_text"]


def test_a_comment_is_no_part_of_its_cell() -> None:
    noted = (
        '<table:table-cell office:value-type="string"><office:annotation><text:p>Ojo con esto</text:p>'
        "</office:annotation><text:p>Norte</text:p></table:table-cell>"
    )
    document = read(f'<table:table table:name="A">{HEADER}{row(noted, cell("1"), cell("2"))}</table:table>')
    assert "| Norte | 1 | 2 |" in document.text
    assert "Ojo" not in document.text
    assert [warning.kind for warning in document.warnings] == ["comments"]


def test_a_sheet_of_endless_equal_rows_is_too_large() -> None:
    endless = row(cell("x"), cell("y"), attributes='table:number-rows-repeated="9000000"')
    with pytest.raises(UnreadableDocument) as caught:
        read(f'<table:table table:name="A">{endless}</table:table>')
    assert caught.value.reason == "too_large"
