from __future__ import annotations

import pytest
from office_files import open_document, packed

from atril.documents.parsing.odt import read_odt
from atril.errors import UnreadableDocument


def text_of(body: str, **styles: str) -> str:
    return read_odt("acta.odt", open_document(body, **styles)).text


def test_headings_lists_and_tables_keep_their_structure() -> None:
    numbered = (
        '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="a" '
        'style:num-suffix=")"/></text:list-style>'
    )
    body = (
        '<text:h text:outline-level="2">Acuerdos</text:h><text:p>Se acuerda:</text:p>'
        '<text:list text:style-name="L1"><text:list-item><text:p>comprar</text:p></text:list-item>'
        "<text:list-item><text:p>vender</text:p><text:list><text:list-item><text:p>caro</text:p></text:list-item>"
        "</text:list></text:list-item></text:list>"
        "<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>Zona</text:p></table:table-cell>"
        "<table:table-cell><text:p>Voto</text:p></table:table-cell></table:table-row></table:table-header-rows>"
        '<table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>Norte</text:p></table:table-cell>'
        "<table:table-cell><text:p>sí</text:p></table:table-cell></table:table-row>"
        "<table:table-row><table:covered-table-cell/><table:table-cell><text:p>no</text:p></table:table-cell>"
        "</table:table-row></table:table>"
    )
    assert text_of(body, automatic=numbered) == (
        "## Acuerdos\n\nSe acuerda:\n\na) comprar\nb) vender\n   - caro\n\n"
        "| Zona | Voto |\n|---|---|\n| Norte | sí |\n|  | no |"
    )


def test_spaces_breaks_links_and_notes_are_kept() -> None:
    body = (
        '<text:p>uno<text:s/>dos<text:line-break/>tres <text:a xlink:href="https://example.org/x">enlace</text:a>'
        '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>'
        "<text:p>Véase el anexo.</text:p></text:note-body></text:note></text:p>"
    )
    assert text_of(body) == "uno dos\ntres [enlace](https://example.org/x)[^1]\n\n[^1]: Véase el anexo."


@pytest.mark.parametrize("look", ['text:display="none"', 'fo:color="#ffffff"', 'fo:font-size="1pt"'])
def test_text_that_nobody_sees_is_left_out_and_reported(look: str) -> None:
    style = f'<style:style style:name="T1"><style:text-properties {look}/></style:style>'
    data = open_document(
        '<text:p>Visible. <text:span text:style-name="T1">SECRETO</text:span></text:p>', automatic=style
    )
    read = read_odt("acta.odt", data)
    assert read.text == "Visible."
    assert [(each.kind, each.unseen.strip()) for each in read.warnings] == [("hidden_text", "SECRETO")]


def test_deleted_text_and_comments_are_left_out() -> None:
    data = open_document(
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>BORRADO</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        "<text:p>Texto<office:annotation><text:p>¿Seguro?</text:p></office:annotation> vigente.</text:p>"
    )
    read = read_odt("acta.odt", data)
    assert read.text == "Texto vigente."
    assert [warning.kind for warning in read.warnings] == ["comments"]


def test_headers_stand_in_a_part_of_their_own() -> None:
    styles = "<office:master-styles><style:master-page><style:header><text:p>Contrato 117</text:p></style:header></style:master-page></office:master-styles>"
    text = text_of("<text:p>El arrendador entrega la vivienda al arrendatario.</text:p>", styles=styles)
    assert text.endswith("# Encabezados y pies de página\n\nContrato 117")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (open_document(""), "empty"),
        (open_document("<text:p>x"), "corrupt"),
        (packed({"META-INF/manifest.xml": "<manifest><encryption-data/></manifest>", "content.xml": "?"}), "encrypted"),
        (packed({"mimetype": "x"}), "corrupt"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableDocument) as failure:
        read_odt("acta.odt", data)
    assert failure.value.reason == reason
