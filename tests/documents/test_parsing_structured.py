from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from office_files import book

from atril.documents.parsing.csv import read_csv
from atril.documents.parsing.epub import read_epub
from atril.documents.parsing.json import read_json
from atril.documents.parsing.xml import read_xml
from atril.errors import UnreadableDocument


@pytest.mark.parametrize(
    "text",
    [
        "Servicio;Precio\nExtracción;1.200,50\n",
        'Servicio,Precio\nExtracción,"1.200,50"\n',
        "Servicio\tPrecio\r\nExtracción\t1.200,50\r\n",
        "sep=;\nServicio;Precio\nExtracción;1.200,50",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_delimited_text_is_a_table_in_any_dialect(text: str, encoding: str) -> None:
    read = read_csv("lista.csv", text.encode(encoding))
    assert read.text == "| Servicio | Precio |\n|---|---|\n| Extracción | 1.200,50 |"
    assert (read.title, read.type) == ("lista", "csv")


def test_a_field_may_hold_line_ends_and_delimiters() -> None:
    assert (
        read_csv("x.csv", b'a,b\n"one\ntwo","x,y|z"\n').text == "| a | b |\n|---|---|\n| one two | x,y\\|z |"
    )


def test_objects_are_lists_of_fields_and_sections() -> None:
    value = {
        "title": "Ayuntamiento",
        "año": 2024,
        "sede": {"calle": "Mayor", "número": "7"},
        "temas": ["agua", "luz"],
    }
    read = read_json("datos.json", json.dumps(value).encode())
    assert read.text == (
        "- title: Ayuntamiento\n- año: 2024\n- temas: agua, luz\n\n# sede\n\n- calle: Mayor\n- número: 7"
    )
    assert read.title == "Ayuntamiento"


@pytest.mark.parametrize("lines", [False, True])
def test_arrays_of_objects_are_tables_and_numbers_stay_as_written(lines: bool) -> None:
    records = ['{"id": 1, "precio": 1.10, "zona": {"es": "Norte"}}', '{"id": 2, "nota": "x"}']
    text = "\n".join(records) if lines else f"[{','.join(records)}]"
    assert read_json("x.json", text.encode()).text == (
        "| id | precio | zona.es | nota |\n|---|---|---|---|\n| 1 | 1.10 | Norte |  |\n| 2 |  |  | x |"
    )


SCALARS = st.one_of(st.integers(), st.booleans(), st.text("abcñж ", min_size=1).map(str.strip).filter(bool))
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", min_size=1), inner, max_size=4)
    ),
    max_leaves=20,
)


def scalars(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [found for each in value.values() for found in scalars(each)]
    if isinstance(value, list):
        return [found for each in value for found in scalars(each)]
    return [json.dumps(value) if isinstance(value, bool | int) else " ".join(value.split())]


@settings(deadline=None)
@given(VALUES)
@example({"a": [[]]})
@example({"a": [[], {}, {"b": []}]})
@example({"a": [{}, {}]})
@example({"a": [{"b": []}, {"b": []}]})
def test_every_value_of_json_is_found_in_the_text(value: Any) -> None:
    wanted = scalars(value)
    if not wanted:
        with pytest.raises(UnreadableDocument):
            read_json("x.json", json.dumps(value).encode())
        return
    text = read_json("x.json", json.dumps(value).encode()).text
    assert all(each in text for each in wanted)


@pytest.mark.parametrize("text", ['{"a": [1,2,', "{'a': 1}", "[" * 100_000, "hola"])
def test_broken_json_is_corrupt(text: str) -> None:
    with pytest.raises(UnreadableDocument) as failure:
        read_json("x.json", text.encode())
    assert failure.value.reason == "corrupt"


def test_xml_records_are_tables_and_fields_lists() -> None:
    text = (
        "<pedido num='7'><cliente>Ana</cliente><fechaEntrega>2024-01-02</fechaEntrega><lineas>"
        "<linea><articulo>mesa</articulo><precio>10</precio></linea>"
        "<linea><articulo>silla</articulo><precio>5</precio></linea></lineas></pedido>"
    )
    assert read_xml("pedido.xml", text.encode()).text == (
        "- num: 7\n- cliente: Ana\n- fecha Entrega: 2024-01-02\n\n# lineas\n\n"
        "| articulo | precio |\n|---|---|\n| mesa | 10 |\n| silla | 5 |"
    )


def test_xml_prose_has_titles_and_paragraphs() -> None:
    text = "<book><title>Guía</title><chapter><title>Uno</title><p>Texto <b>fuerte</b> aquí.</p><p>Más.</p></chapter></book>"
    read = read_xml("guia.xml", text.encode())
    assert read.text == "# Guía\n\n## Uno\n\nTexto fuerte aquí.\n\nMás."
    assert read.title == "Guía"


def test_xml_in_a_code_page_and_with_entities_is_read_without_them() -> None:
    text = '<?xml version="1.0" encoding="windows-1251"?><!DOCTYPE a [<!ENTITY e SYSTEM "/etc/hostname">]><a><b>Договор &e;7</b></a>'
    assert read_xml("x.xml", text.encode("cp1251")).text == "- b: Договор 7"


@pytest.mark.parametrize(
    ("text", "reason"), [("<a><b>", "corrupt"), ("<a/>", "empty"), ("<a>" * 5000, "corrupt")]
)
def test_broken_xml_says_why(text: str, reason: str) -> None:
    with pytest.raises(UnreadableDocument) as failure:
        read_xml("x.xml", text.encode())
    assert failure.value.reason == reason


def chapter(body: str) -> str:
    return f'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>{body}</body></html>'


def test_a_book_is_read_in_the_order_of_its_spine() -> None:
    data = book({"z.xhtml": chapter("<h1>Uno</h1><p>Texto&nbsp;primero.<br/></p>"), "a.xhtml": chapter("<h1>Dos</h1><p/><p>Fin.</p>")}, title="La novela")  # fmt: skip
    read = read_epub("libro.epub", data)
    assert read.text == "# Uno\n\nTexto primero.\n\n# Dos\n\nFin."
    assert (read.title, dict(read.metadata)) == ("La novela", {"author": "A. Autora"})


def test_a_protected_book_is_encrypted_and_hidden_fonts_are_not() -> None:
    cipher = '<encryption><EncryptedData><CipherData><CipherReference URI="{}"/></CipherData></EncryptedData></encryption>'
    chapters = {"a.xhtml": chapter("<p>Hola.</p>")}
    with pytest.raises(UnreadableDocument) as failure:
        read_epub("libro.epub", book(chapters, encryption=cipher.format("OPS/a.xhtml")))
    assert failure.value.reason == "encrypted"
    assert read_epub("libro.epub", book(chapters, encryption=cipher.format("OPS/f.otf"))).text == "Hola."
