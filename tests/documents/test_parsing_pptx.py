from __future__ import annotations

import pytest
from office_files import slides
from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.presentation import Presentation
from pptx.slide import Slide
from pptx.util import Inches, Pt

from atril.documents.parsing.pptx import read_pptx
from atril.errors import UnreadableDocument


def add(presentation: Presentation, title: str, *lines: str) -> Slide:
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    slide.shapes.title.text = title
    frame = slide.placeholders[1].text_frame
    frame.text = lines[0] if lines else ""
    for line in lines[1:]:
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = line.lstrip(), len(line) - len(line.lstrip())
    return slide


def test_slides_are_pages_with_titles_and_lists() -> None:
    def build(presentation: Presentation) -> None:
        add(presentation, "Resultados", "Ventas", " Norte", "Gastos")
        add(presentation, "Plan", "Contratar")

    read = read_pptx("informe.pptx", slides(build))
    assert [read.text[page.start : page.end] for page in read.pages] == [
        "## Resultados\n\n- Ventas\n  - Norte\n- Gastos",
        "## Plan\n\n- Contratar",
    ]
    assert [page.number for page in read.pages] == [1, 2]
    assert (read.title, read.type) == ("Resultados", "pptx")


def test_notes_of_the_speaker_are_kept_and_marked() -> None:
    def build(presentation: Presentation) -> None:
        slide = add(presentation, "Resultados del primer trimestre", "Las ventas crecieron")
        slide.notes_slide.notes_text_frame.text = "Mencionar el contrato 117."

    assert read_pptx("i.pptx", slides(build)).text.endswith("### Notas\n\nMencionar el contrato 117.")


def test_tables_groups_and_charts_are_read() -> None:
    def build(presentation: Presentation) -> None:
        slide = add(presentation, "Datos")
        table = slide.shapes.add_table(2, 2, 0, 0, Inches(4), Inches(2)).table
        for row, values in enumerate([("Zona", "Casos"), ("Norte", "7")]):
            for column, value in enumerate(values):
                table.cell(row, column).text = value
        group = slide.shapes.add_group_shape()
        group.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = "En un grupo"
        data = CategoryChartData()
        data.categories = ["enero", "febrero"]
        data.add_series("Ventas", (1, 2))
        slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(4), Inches(3), data)

    text = read_pptx("i.pptx", slides(build)).text
    assert "| Zona | Casos |\n|---|---|\n| Norte | 7 |" in text
    assert "En un grupo" in text
    assert "|  | Ventas |\n|---|---|\n| enero | 1 |\n| febrero | 2 |" in text


@pytest.mark.parametrize("how", ["slide", "off", "tiny", "shape"])
def test_what_is_not_shown_is_left_out_and_reported_with_its_slide(how: str) -> None:
    def build(presentation: Presentation) -> None:
        add(presentation, "Primera", "texto visible")
        slide = add(presentation, "Segunda", "más texto")
        box = slide.shapes.add_textbox(Inches(1), Inches(1), Inches(2), Inches(1))
        box.text_frame.text = "SECRETO"
        if how == "slide":
            slide._element.set("show", "0")
        elif how == "off":
            box.left = Inches(40)
        elif how == "tiny":
            box.text_frame.paragraphs[0].runs[0].font.size = Pt(1)
        else:
            box._element.nvSpPr.cNvPr.set("hidden", "1")

    read = read_pptx("i.pptx", slides(build))
    assert "SECRETO" not in read.text
    [warning] = read.warnings
    assert (warning.kind, warning.page, "SECRETO" in warning.unseen) == ("hidden_text", 2, True)
    assert len(read.pages) == 2


@pytest.mark.parametrize(
    ("data", "reason"), [(slides(lambda presentation: None), "empty"), (slides(lambda presentation: None)[:900], "corrupt")]
)  # fmt: skip
def test_what_cannot_be_read_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableDocument) as failure:
        read_pptx("i.pptx", data)
    assert failure.value.reason == reason


def white_box(slide: Slide) -> None:
    box = slide.shapes.add_textbox(Inches(1), Inches(1), Inches(2), Inches(1))
    box.text_frame.text = "EN BLANCO"
    box.text_frame.paragraphs[0].runs[0].font.color.rgb = RGBColor(255, 255, 255)


def test_white_text_is_seen_where_something_dark_is_behind_it() -> None:
    def dark(presentation: Presentation) -> None:
        slide = add(presentation, "Portada", "texto")
        slide.background.fill.solid()
        slide.background.fill.fore_color.rgb = RGBColor(0, 0, 90)
        white_box(slide)

    def plain(presentation: Presentation) -> None:
        white_box(add(presentation, "Portada", "texto"))

    assert "EN BLANCO" in read_pptx("i.pptx", slides(dark)).text
    assert "EN BLANCO" not in read_pptx("i.pptx", slides(plain)).text
