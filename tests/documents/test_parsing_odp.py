from __future__ import annotations

from office_files import open_document

from atril.documents.parsing import ParsedDocument, parse

HIDDEN = '<style:style style:name="dp2"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'


def read(body: str) -> ParsedDocument:
    return parse("plan.odp", open_document(body, automatic=HIDDEN, kind="presentation"))


def box(text: str, place: str = "") -> str:
    return f'<draw:frame presentation:class="{place}"><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame>'


def test_each_slide_is_a_page_with_its_title_first_and_its_notes_last() -> None:
    slide = (
        f"<draw:page>{box('Ventas por zona', 'outline')}{box('Plan anual', 'title')}"
        f"<presentation:notes>{box('Recordar el IVA', 'notes')}<draw:page-thumbnail/></presentation:notes></draw:page>"
    )
    document = read(slide + f"<draw:page>{box('Gracias por su atención', 'title')}</draw:page>")
    assert document.text == (
        "## Plan anual\n\nVentas por zona\n\n### Notas\n\nRecordar el IVA\n\n## Gracias por su atención"
    )
    assert document.type == "odp"
    assert [document.text[page.start : page.end][:8] for page in document.pages] == ["## Plan ", "## Graci"]


def test_tables_and_shapes_of_a_slide_are_read() -> None:
    cells = "".join(
        f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in ("Zona", "Voto")
    )
    rows = f"<table:table-row>{cells}</table:table-row>" * 2
    document = read(
        f"<draw:page><draw:frame><table:table>{rows}</table:table></draw:frame>"
        "<draw:g><draw:custom-shape><text:p>Una flecha</text:p></draw:custom-shape></draw:g></draw:page>"
    )
    assert "| Zona | Voto |" in document.text
    assert "Una flecha" in document.text


def test_a_hidden_slide_keeps_its_number_and_loses_its_text() -> None:
    document = read(
        f"<draw:page>{box('Visible para todos')}</draw:page>"
        f'<draw:page draw:style-name="dp2">{box("SECRETO")}</draw:page><draw:page>{box("Fin del plan")}</draw:page>'
    )
    assert "SECRETO" not in document.text
    assert [page.number for page in document.pages] == [1, 2, 3]
    assert [(warning.page, warning.kind) for warning in document.warnings] == [(2, "hidden_text")]
