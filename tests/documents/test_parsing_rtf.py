from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.documents.parsing.canonical import canonical, one_line
from atril.documents.parsing.rtf import read_rtf
from atril.errors import UnreadableDocument


def text_of(body: str) -> str:
    return read_rtf("carta.rtf", f"{{\\rtf1\\ansi\\ansicpg1252\\deff0 {body}}}".encode("latin-1")).text


def kinds_of(body: str) -> list[str]:
    read = read_rtf("carta.rtf", f"{{\\rtf1\\ansi {body}}}".encode("latin-1"))
    return [warning.kind for warning in read.warnings]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"\ansicpg1251 \'cf\'f0\'e8\'e2\'e5\'f2", "Привет"),
        (r"{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial;}}\f1 \'c4\'e0 \f0 \'e1", "Да á"),
        (r"\uc1\u1055?\u1088?", "Пр"),
        (r"\uc2\u1055\'3f\'3f!", "П!"),
        (r"\uc0\u1055 a", "Пa"),
        (r"\u-10179?\u-8704?", "😀"),
        (r"uno\~dos\_tres\-cuatro \{x\} \\", "uno dos-trescuatro {x} \\"),
        (r"\ldblquote cita\rdblquote  \emdash  fin", "“cita” — fin"),
    ],
)
def test_letters_come_from_every_code_page(body: str, text: str) -> None:
    assert text_of(body) == text


def test_headings_come_from_styles_and_levels() -> None:
    body = (
        r"{\stylesheet{\s0 Normal;}{\s1 heading 1;}{\s2 \outlinelevel1 Otro;}}"
        r"\pard\s1 Contrato\par\pard\s0 Texto.\par\pard\s2 Objeto\par\pard\outlinelevel2 Detalle\par\pard Fin.\par"
    )
    assert text_of(body) == "# Contrato\n\nTexto.\n\n## Objeto\n\n### Detalle\n\nFin."


def test_lists_and_tables_keep_their_structure() -> None:
    body = (
        r"{\listtext\'b7\tab}uno\par{\listtext\'b7\tab}dos\par{\pntext 1.\tab}primero\par{\pntext 2.\tab}segundo\par"
        r"\pard\trowd\intbl Zona\cell Casos\cell\row\trowd\intbl Norte\cell 7\par 8\cell\row\pard Fin.\par"
    )
    assert text_of(body) == (
        "- uno\n- dos\n1. primero\n2. segundo\n\n| Zona | Casos |\n|---|---|\n| Norte | 7 8 |\n\nFin."
    )


def test_notes_links_and_headers_are_kept_apart() -> None:
    body = (
        r"{\header Contrato 117\par}Seg\'fan la ley{\footnote\pard Ley 20/2007.\par}, "
        r'{\field{\*\fldinst HYPERLINK "http://x"}{\fldrslt v\'e9ase} } el plazo es de veinte d\'edas.\par'
    )
    assert text_of(body) == (
        "Según la ley[^1], véase el plazo es de veinte días.\n\n[^1]: Ley 20/2007.\n\n"
        "# Encabezados y pies de página\n\nContrato 117"
    )


def test_what_programs_keep_for_themselves_is_no_text() -> None:
    body = (
        r"{\info{\title La carta}{\author Ana}}{\*\generator Riched20;}{\colortbl;\red0\green0\blue0;}"
        r"{\*\unknown oculto}{\bin3 {}}}La carta.\bin4 {{}}\par"
    )
    read = read_rtf("carta.rtf", f"{{\\rtf1\\ansi {body}}}".encode())
    assert read.text == "La carta."
    assert (read.title, dict(read.metadata)) == ("La carta", {"author": "Ana"})


@pytest.mark.parametrize("how", [r"\v ", r"\fs2 ", r"\cf1 "])
def test_text_that_nobody_sees_is_left_out_and_reported(how: str) -> None:
    body = rf"{{\colortbl;\red255\green255\blue255;}}Visible. {{{how}SECRETO}}"
    assert text_of(body) == "Visible."
    [warning] = read_rtf("carta.rtf", f"{{\\rtf1\\ansi {body}}}".encode()).warnings
    assert (warning.kind, warning.unseen) == ("hidden_text", "SECRETO")


def test_deleted_text_and_comments_are_left_out() -> None:
    body = r"diez {\deleted cinco }veinte{\*\atnid AB}{\*\annotation\pard ?\par}"
    assert text_of(body) == "diez veinte"
    assert kinds_of(body) == ["comments"]


def test_a_file_that_is_cut_gives_what_it_holds() -> None:
    assert text_of(r"{\b uno {dos").startswith("uno dos")


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"no RTF", "corrupt"), (b"{\\rtf1 }", "empty"), (b"{\\rtf1 " + b"{" * 5000, "corrupt")],
)
def test_what_cannot_be_read_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableDocument) as failure:
        read_rtf("carta.rtf", data)
    assert failure.value.reason == reason


@given(st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z", "M")), min_size=1))
def test_any_text_comes_back(text: str) -> None:
    units = text.encode("utf-16-le")
    words = "".join(
        f"\\u{int.from_bytes(units[at : at + 2], 'little', signed=True)}?" for at in range(0, len(units), 2)
    )
    found = text_of(f"a{words}")
    assert one_line(found) == one_line(canonical(f"a{text}"))
