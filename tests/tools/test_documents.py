"""What a model reads after each call of seed 000, whole, against golden files; and the limits of each tool."""

import re
from pathlib import Path
from typing import get_args

import pytest

import atril
from atril.retrieval.predefined import predefined_patterns
from atril.tools.cutting import cut
from atril.tools.documents import PredefinedName
from atril.tools.toolset import Toolset
from atril.tools.wording import templates

GOLDEN = Path(__file__).parent / "golden"
EXAMPLES = {
    "lexical": "<tool_lexical_search>\n<query>MuleSoft APIKit</query>\n</tool_lexical_search>",
    "lexical_limit": "<tool_lexical_search><query>factura</query><top_k>1</top_k></tool_lexical_search>",
    "semantic": "<tool_semantic_search><query>¿Cómo se comprueba el acceso?</query><top_k>2</top_k>"
    "<min_score>0.0</min_score></tool_semantic_search>",
    "hybrid": "<tool_search><query>facturas sin contrato</query><top_k>1</top_k></tool_search>",
    "structure_tables": "<tool_structure_search><document_name>FD-Mulesoft_Funcional.md</document_name>"
    "<chunk_type>table</chunk_type></tool_structure_search>",
    "structure_keywords": "<tool_structure_search><document_name>FD-Mulesoft_Funcional.md</document_name>"
    "<keywords>token,clave</keywords><position>all</position></tool_structure_search>",
    "structure_headers": "<tool_structure_search><document_name>FD-Mulesoft_Funcional.md</document_name>"
    "<chunk_type>section_header</chunk_type><position>first_5</position></tool_structure_search>",
    "regex_predefined": "<tool_regex_search><predefined>email</predefined><context_lines>0</context_lines>"
    "</tool_regex_search>",
    "regex_pattern": "<tool_regex_search><pattern>REF-\\d{4}-[A-Z]{3}</pattern>"
    "<case_sensitive>true</case_sensitive><context_lines>1</context_lines>"
    "<max_matches_per_file>50</max_matches_per_file></tool_regex_search>",
    "section": "<tool_file_section><file_name>FD-Mulesoft_Funcional.md</file_name>"
    "<chunk_start>1</chunk_start><chunk_end>2</chunk_end></tool_file_section>",
    "section_metadata": "<tool_file_section><file_name>FLUJO_FACTURAS.md.md</file_name>"
    "<chunk_start>1</chunk_start><chunk_end>1</chunk_end><include_metadata>true</include_metadata>"
    "</tool_file_section>",
    "content": "<tool_file_content><file_name>FLUJO_FACTURAS.md.md</file_name></tool_file_content>",
    "content_plain": "<tool_file_content><file_name>FLUJO_FACTURAS.md</file_name>"
    "<include_structure>false</include_structure></tool_file_content>",
    "two_calls": "<tool_lexical_search><query>SAP</query></tool_lexical_search>"
    "<tool_file_section><file_name>nada.pdf</file_name><chunk_start>1</chunk_start>"
    "<chunk_end>3</chunk_end></tool_file_section>",
    "nothing_found": "<tool_lexical_search><query>xilófono</query></tool_lexical_search>",
    "no_call": "No sé qué buscar.",
}


@pytest.mark.parametrize("name", EXAMPLES)
async def test_each_example_gives_its_golden_text(library: atril.Library, name: str) -> None:
    response = await library.run_tools(EXAMPLES[name], question="¿Qué hay?", language="es")

    assert response.text == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


async def test_maxima_bind_and_are_said(library: atril.Library) -> None:
    calls = (
        "<tool_lexical_search><query>a</query><top_k>11</top_k></tool_lexical_search>"
        "<tool_semantic_search><query>a</query><top_k>51</top_k></tool_semantic_search>"
        "<tool_structure_search><document_name>FLUJO_FACTURAS.md.md</document_name><top_k>51</top_k>"
        "</tool_structure_search>"
        "<tool_regex_search><pattern>z</pattern><context_lines>21</context_lines>"
        "<max_matches_per_file>101</max_matches_per_file></tool_regex_search>"
        "<tool_file_section><file_name>FLUJO_FACTURAS.md.md</file_name><chunk_start>1</chunk_start>"
        "<chunk_end>101</chunk_end></tool_file_section>"
    )

    text = (await library.run_tools(calls, language="en")).text

    assert re.findall(r"(\w+)=(\d+) is above the maximum; (\d+) was used", text) == [
        ("top_k", "11", "10"),
        ("top_k", "51", "50"),
        ("top_k", "51", "50"),
        ("context_lines", "21", "20"),
        ("max_matches_per_file", "101", "100"),
        ("chunk_end", "101", "100"),
    ]


async def test_a_search_shows_the_beginning_and_the_call_that_reads_on(library: atril.Library) -> None:
    await library.add_texts([{"name": "largo.md", "text": "# Largo\n\n" + "palabra suelta y " * 60}])

    text = (
        await library.run_tools(
            "<tool_lexical_search><query>suelta</query><top_k>1</top_k></tool_lexical_search>", language="en"
        )
    ).text
    shown = text.split("Content:\n")[1].split("\n[...")[0]

    assert len(shown) <= 500
    assert shown.endswith(("palabra", "suelta", "y"))
    assert "[... continue with tool_file_section, chunk_start=1, chunk_end=1]" in text


def test_a_table_is_cut_between_its_rows() -> None:
    table = "\n".join(f"| fila {number} | {'x' * 40} |" for number in range(20))

    shown, was_cut = cut(table)

    assert was_cut
    assert all(row.endswith("|") for row in shown.splitlines())
    assert 400 < len(shown) <= 500


async def test_direct_access_is_whole_unless_a_budget_bounds_it(library: atril.Library) -> None:
    text = "# Libro\n\n" + "\n\n".join(
        f"## Parte {part}\n\n" + "Un párrafo con bastantes palabras dentro. " * 30 for part in range(8)
    )
    await library.add_texts([{"name": "libro.md", "text": text}])
    call = "<tool_file_content><file_name>libro</file_name></tool_file_content>"

    whole = (await library.run_tools(call, language="es")).text
    bounded = (await library.run_tools(call, language="es", token_budget=500)).text
    goes_on = re.search(r"file_name=(\S+), chunk_start=(\d+), chunk_end=(\d+)", bounded)

    assert (await library.read("libro.md")).strip() in whole
    assert len(bounded) < len(whole) / 2
    assert goes_on and goes_on[1] == "libro.md"
    rest = (
        await library.run_tools(
            f"<tool_file_section><file_name>{goes_on[1]}</file_name><chunk_start>{goes_on[2]}</chunk_start>"
            f"<chunk_end>{goes_on[3]}</chunk_end></tool_file_section>"
        )
    ).text
    assert "## Parte 7" not in bounded.split("ESTRUCTURA")[0]
    assert "## Parte 7" in rest


async def test_both_patterns_at_once_run_the_written_one_and_say_so(library: atril.Library) -> None:
    call = (
        "<tool_regex_search><predefined>email</predefined><pattern>SAP</pattern><context_lines>0</context_lines>"
        "</tool_regex_search>"
    )

    text = (await library.run_tools(call, language="en")).text

    assert "pattern 'SAP'" in text
    assert "predefined and pattern exclude each other; pattern was used" in text


@pytest.mark.parametrize(
    ("call", "part"),
    [
        ("<tool_file_section><file_name>FLUJO_FACTURAS.md.md</file_name><chunk_start>3</chunk_start>"
         "<chunk_end>1</chunk_end></tool_file_section>", "chunk_start=3 is above chunk_end=1"),
        ("<tool_regex_search><context_lines>1</context_lines></tool_regex_search>", "predefined or pattern"),
        ("<tool_regex_search><pattern>(</pattern></tool_regex_search>", "pattern"),
        ("<tool_structure_search><document_name>FLUJO_FACTURAS.md.md</document_name>"
         "<position>the end</position></tool_structure_search>", "first_N"),
        ("<tool_file_content><file_name>FLUJO</file_name></tool_file_content>", "FLUJO_FACTURAS.md.md"),
    ],
)  # fmt: skip
async def test_a_mistake_is_answered_with_what_to_write_instead(
    library: atril.Library, call: str, part: str
) -> None:
    response = await library.run_tools(call, language="en")

    assert [outcome.status for outcome in response.outcomes] == ["try_again"]
    assert part in response.text


@pytest.mark.parametrize("written", ["first 2", "First-2", "primeros 2", "первые 2"])
async def test_a_position_may_be_written_in_words(library: atril.Library, written: str) -> None:
    call = (
        "<tool_structure_search><document_name>FD-Mulesoft_Funcional.md</document_name>"
        f"<position>{written}</position></tool_structure_search>"
    )

    assert "position=first_2" in (await library.run_tools(call, language="es")).text


async def test_the_reply_speaks_the_language_of_the_question(library: atril.Library) -> None:
    call = "<tool_search><query>SAP</query></tool_search>"

    assert (await library.run_tools(call, question="Когда готовы счета?")).text.startswith("[РЕЗУЛЬТАТЫ")
    assert (await library.run_tools(call, question="When are the invoices ready?")).text.startswith(
        "[RESULTS"
    )
    assert (await library.run_tools(call)).text.startswith("[RESULTADOS")


def test_every_language_says_everything() -> None:
    spanish, english, russian = (templates(language) for language in ("es", "en", "ru"))
    definitions = {key for key in spanish if key.startswith("tool_")}

    assert set(spanish) == set(russian)
    assert set(spanish) - definitions == set(english)
    for key in english:
        fields = re.findall(r"(?<!\{)\{(\w+)\}", english[key])
        for other in (spanish, russian):
            assert sorted(re.findall(r"(?<!\{)\{(\w+)\}", other[key])) == sorted(fields), key


def test_definitions_exist_for_each_tool_and_argument_in_each_language(library: atril.Library) -> None:
    tools: Toolset = library.tools()
    for tool in tools:
        wanted = {f"{tool.name}.{name}" for name in ("description", *tool.arguments.model_fields)}
        for language in ("es", "ru"):
            assert {key for key in templates(language) if key.startswith(tool.name + ".")} == wanted
    assert len(tools) == 7


def test_the_named_patterns_are_those_of_the_search() -> None:
    assert set(get_args(PredefinedName)) == set(predefined_patterns())
