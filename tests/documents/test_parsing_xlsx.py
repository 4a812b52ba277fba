from __future__ import annotations

from datetime import date

import pytest
from office_files import entry, repacked, workbook
from openpyxl.comments import Comment
from openpyxl.styles import Font, PatternFill
from openpyxl.workbook import Workbook

from atril.documents.parsing.xlsx import read_xlsx
from atril.errors import UnreadableDocument


def text_of(data: bytes) -> str:
    return read_xlsx("precios.xlsx", data).text


def kinds_of(data: bytes) -> list[str]:
    return [warning.kind for warning in read_xlsx("precios.xlsx", data).warnings]


def prices(book: Workbook) -> None:
    sheet = book.active
    sheet.title = "Precios"
    sheet.append(["Servicio", "Precio sin impuestos", "Desde", "Descuento"])
    for service, price in (("Limpieza de oficinas", 850), ("Mantenimiento del jardín", 1200.5)):
        sheet.append([service, price, date(2024, 12, 31), 0.15])
    for row in (2, 3):
        sheet.cell(row, 2).number_format = '#,##0.00 "€"'
        sheet.cell(row, 3).number_format = "dd/mm/yyyy"
        sheet.cell(row, 4).number_format = "0%"


def test_a_sheet_is_a_section_with_figures_as_people_see_them() -> None:
    read = read_xlsx("precios.xlsx", workbook(prices))
    assert read.text == (
        "## Precios\n\n| Servicio | Precio sin impuestos | Desde | Descuento |\n|---|---|---|---|\n"
        "| Limpieza de oficinas | 850,00 € | 31/12/2024 | 15% |\n"
        "| Mantenimiento del jardín | 1.200,50 € | 31/12/2024 | 15% |"
    )
    assert (read.title, read.type, read.warnings) == ("precios", "xlsx", ())


def test_what_stands_over_the_header_is_no_part_of_the_table() -> None:
    def build(book: Workbook) -> None:
        sheet = book.active
        sheet.append(["Lista de precios"])
        sheet.merge_cells("A1:C1")
        sheet.append([None, "en euros"])
        for row in (["Servicio", "Precio", "IVA"], ["Limpieza", 850, 136], ["Resina", 1200, 192]):
            sheet.append(row)

    assert text_of(workbook(build)) == (
        "## Sheet\n\nLista de precios\n\nen euros\n\n"
        "| Servicio | Precio | IVA |\n|---|---|---|\n| Limpieza | 850 | 136 |\n| Resina | 1200 | 192 |"
    )


def test_heads_merged_over_several_columns_stand_before_each_of_those_below() -> None:
    def build(book: Workbook) -> None:
        sheet = book.active
        for row in (
            ["Producto", 2024, None, 2025],
            [None, "Enero", "Febrero", "Enero", "Febrero"],
            ["Tornillos", 7, 8, 9, 10],
        ):
            sheet.append(row)
        for cells in ("A1:A2", "B1:C1", "D1:E1"):
            sheet.merge_cells(cells)

    assert "| Producto | 2024 Enero | 2024 Febrero | 2025 Enero | 2025 Febrero |" in text_of(workbook(build))
    assert "| Tornillos | 7 | 8 | 9 | 10 |" in text_of(workbook(build))


def test_a_title_merged_over_the_table_is_no_head_of_its_columns() -> None:
    def build(book: Workbook) -> None:
        sheet = book.active
        for row in (["Ventas de la tienda"], ["Producto", "Enero"], ["Tornillos", 7], ["Tuercas", 8]):
            sheet.append(row)
        sheet.merge_cells("A1:B1")

    assert "| Producto | Enero |" in text_of(workbook(build))


def test_blank_rows_end_a_table_only_where_another_begins() -> None:
    def build(book: Workbook) -> None:
        for row in (["Mes", "Gasto"], ["enero", 1], [], ["febrero", 2], [], ["Zona", "Casos"], ["norte", 3]):
            book.active.append(row)

    first, second = text_of(workbook(build)).split("\n\n")[1:]
    assert first == "| Mes | Gasto |\n|---|---|\n| enero | 1 |\n| febrero | 2 |"
    assert second == "| Zona | Casos |\n|---|---|\n| norte | 3 |"


def test_saved_results_stand_for_formulas_and_formulas_for_missing_results() -> None:
    def build(book: Workbook) -> None:
        for row in (["Servicio", "Total"], ["Limpieza", "=2*3"], ["Resina", 1]):
            book.active.append(row)

    unsaved = workbook(build)
    assert "| Limpieza | =2*3 |" in text_of(unsaved)
    assert kinds_of(unsaved) == ["uncalculated"]
    sheet = (
        entry(unsaved, "xl/worksheets/sheet1.xml").replace("<v />", "<v>6</v>").replace("<v></v>", "<v>6</v>")
    )
    saved = repacked(unsaved, {"xl/worksheets/sheet1.xml": sheet.replace("</f><v/>", "</f><v>6</v>")})
    assert "| Limpieza | 6 |" in text_of(saved)
    assert kinds_of(saved) == []


@pytest.mark.parametrize("what", ["sheet", "row", "column", "white", "format"])
def test_what_is_hidden_is_left_out_and_reported(what: str) -> None:
    def build(book: Workbook) -> None:
        prices(book)
        sheet = book.active
        sheet["B4"] = 666 if what == "format" else "SECRETO"
        sheet["A4"] = "visible" if what != "row" else None
        if what == "sheet":
            sheet["B4"] = None
            hidden = book.create_sheet("Costes")
            hidden.append(["SECRETO"])
            hidden.sheet_state = "veryHidden"
        elif what == "row":
            sheet.row_dimensions[4].hidden = True
        elif what == "column":
            sheet["B4"] = None
            sheet["F4"] = "SECRETO"
            sheet.column_dimensions["F"].hidden = True
        elif what == "white":
            sheet["B4"].font = Font(color="FFFFFFFF")
        else:
            sheet["B4"].number_format = ";;;"

    data = workbook(build)
    assert "SECRETO" not in text_of(data)
    assert "666" not in text_of(data)
    [warning] = read_xlsx("i.xlsx", data).warnings
    assert (warning.kind, "SECRETO" in warning.unseen) == ("hidden_text", what != "format")


def test_white_on_a_dark_cell_is_seen_and_filtered_rows_stay() -> None:
    def build(book: Workbook) -> None:
        prices(book)
        sheet = book.active
        for cell in sheet[1]:
            cell.font = Font(color="FFFFFFFF")
            cell.fill = PatternFill("solid", fgColor="FF1F3864")
        sheet.auto_filter.ref = "A1:D3"
        sheet.auto_filter.add_filter_column(0, ["Limpieza de oficinas"])
        sheet.row_dimensions[3].hidden = True

    data = workbook(build)
    assert "| Servicio |" in text_of(data)
    assert "jardín" in text_of(data)
    assert kinds_of(data) == []


def test_comments_are_reported() -> None:
    def build(book: Workbook) -> None:
        prices(book)
        book.active["A1"].comment = Comment("¿Seguro?", "jefa")

    assert kinds_of(workbook(build)) == ["comments"]
    assert "Seguro" not in text_of(workbook(build))


def test_a_sheet_may_name_cells_at_its_far_end() -> None:
    def build(book: Workbook) -> None:
        prices(book)
        book.active["XFD1048576"] = "el último"

    assert text_of(workbook(build)).endswith("\n\nel último")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (workbook(lambda book: None), "empty"),
        (workbook(prices)[:900], "corrupt"),
        (repacked(workbook(prices), {"xl/workbook.xml": b"<workbook>"}), "corrupt"),
        (repacked(workbook(prices), {"xl/worksheets/sheet1.xml": b"<a>" + b" " * 20_000_000 + b"</a>"}), "too_large"),
    ],
    ids=["no cells", "cut", "broken XML", "bomb"],
)  # fmt: skip
def test_what_cannot_be_read_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableDocument) as failure:
        text_of(data)
    assert failure.value.reason == reason
