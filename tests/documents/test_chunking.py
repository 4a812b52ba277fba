"""Chunks: slices of the text, within a section, an article, a page, and the size an embedder reads."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atril.documents.chunking import ChunkOptions, chunk, passage
from atril.documents.chunking.articles import article_key
from atril.documents.parsing import ParsedDocument, parse
from atril.errors import InvalidArgument
from atril.models.embeddings import TokenCounter
from atril.testing.embedders import count_words
from atril.types import Chunk, Page

SMALL = ChunkOptions(target_tokens=30, max_tokens=64, merge_below=0)
WORD = "palabra "
LAW = Path(__file__).parents[3] / "shared" / "data" / "law"


def cut(
    text: str, options: ChunkOptions = SMALL, *, title: str = "", pages: Sequence[Page] = ()
) -> list[Chunk]:
    document = ParsedDocument(text=text, title=title, type="md", pages=tuple(pages))
    return chunk(document, language="es", count_tokens=count_words(), options=options)


def contents(text: str, options: ChunkOptions = SMALL) -> list[str]:
    return [chunk.content for chunk in cut(text, options)]


def test_every_heading_opens_a_section_and_a_chunk_knows_its_path() -> None:
    text = "# Guía\n\nIntro.\n\n## Envíos\n\nTardan dos días.\n\n## Pagos\n\nCon tarjeta."
    assert [(chunk.content, chunk.section_path) for chunk in cut(text)] == [
        ("# Guía\n\nIntro.", ("Guía",)),
        ("## Envíos\n\nTardan dos días.", ("Guía", "Envíos")),
        ("## Pagos\n\nCon tarjeta.", ("Guía", "Pagos")),
    ]


def test_context_says_where_a_chunk_stands_without_repeating_what_it_shows() -> None:
    text = "# Guía\n\nIntro.\n\n## Envíos\n\n" + "Tardan dos días. " * 20
    first, second, third, *_ = cut(text, title="Guía")
    assert (first.context, second.context, third.context) == ("", "Guía", "Guía > Envíos")
    assert passage(first) == first.content
    assert passage(second) == f"Guía\n{second.content}"


def test_a_title_that_is_no_heading_begins_the_context() -> None:
    assert cut("## Envíos\n\nTardan.", title="Manual")[0].context == "Manual"


def test_a_long_title_gives_way() -> None:
    options = ChunkOptions(target_tokens=100, max_tokens=200)
    (only,) = cut("## Uno\n\nTexto.", options, title=WORD * 80)
    assert only.context == " ".join(["palabra"] * 39 + ["…"])


def test_bare_headings_begin_the_chunk_of_what_they_open() -> None:
    text = "## TÍTULO I\n\n### CAPÍTULO I\n\n##### Artículo 1. Ámbito.\n\nEsta ley."
    (only,) = cut(text)
    assert only.content == text
    assert only.section_path == ("TÍTULO I", "CAPÍTULO I", "Artículo 1. Ámbito.")
    assert (only.article, only.type) == ("1", "content")


def test_a_heading_with_nothing_under_it_is_a_header() -> None:
    chunks = cut("##### Artículo 1.\n\n##### Artículo 2.\n\nVigente.\n\n##### Artículo 3.")
    assert [(chunk.article, chunk.type) for chunk in chunks] == [
        ("1", "section_header"),
        ("2", "content"),
        ("3", "section_header"),
    ]


def test_an_article_ends_at_the_next_heading_of_its_level_or_at_a_division() -> None:
    text = (
        "##### Artículo 1.\n\nUno.\n\n###### Reglas\n\nSiguen.\n\n##### Modelo\n\nFuera.\n\n"
        "# Artículo 2.\n\nDos.\n\n## ANEXO\n\nFuera."
    )
    assert [(chunk.section_title, chunk.article) for chunk in cut(text)] == [
        ("Artículo 1.", "1"),
        ("Reglas", "1"),
        ("Modelo", None),
        ("Artículo 2.", "2"),
        ("ANEXO", None),
    ]


def test_every_part_of_a_long_article_has_its_key() -> None:
    chunks = cut("##### Artículo 20 bis.\n\n" + "El plazo es breve. " * 40)
    assert len(chunks) > 3
    assert {chunk.article for chunk in chunks} == {"20 bis"}


def test_parts_of_a_section_are_about_equal() -> None:
    sizes = [chunk.tokens for chunk in cut("\n\n".join(["El plazo es breve."] * 14))]
    assert sizes == [35, 35]


def test_tiny_neighbours_are_put_together_unless_an_article_parts_them() -> None:
    options = ChunkOptions(target_tokens=30, max_tokens=64, merge_below=10)
    assert len(cut("## A\n\nUno.\n\n## B\n\nDos.", options)) == 1
    assert len(cut(f"# P\n\n{WORD * 20}\n\n## A\n\nUno.\n\n# Q\n\nDos.", options)) == 3
    assert len(cut("## Artículo 1\n\nUno.\n\n## Artículo 2\n\nDos.", options)) == 2
    assert len(cut("## A\n\nUno.\n\n## B\n\nDos.", SMALL)) == 2


def test_a_table_stays_whole_up_to_the_maximum() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"
    text = f"{'Antes. ' * 12}\n\n{table}\n\n{'Después. ' * 12}"
    (whole,) = [chunk for chunk in cut(text) if chunk.has_tables]
    assert table in whole.content


def test_a_longer_table_is_cut_between_rows_and_repeats_its_header() -> None:
    rows = "\n".join(f"| fila {number} | {number} |" for number in range(30))
    first, *others = cut(f"| nombre | precio |\n|---|---|\n{rows}")
    assert first.content.startswith("| nombre | precio |\n|---|---|\n| fila 0 |")
    assert {chunk.context for chunk in others} == {"| nombre | precio |"}
    assert all(chunk.type == "table" and chunk.content.startswith("| fila") for chunk in others)
    assert all(line.endswith("|") for chunk in others for line in chunk.content.split("\n"))


def test_a_list_is_cut_between_items_and_a_nested_item_stays_with_its_parent() -> None:
    text = "\n".join(f"- punto {number} de la lista\n  - detalle menor" for number in range(12))
    chunks = cut(text)
    assert len(chunks) > 1
    assert all(chunk.type == "list" and chunk.content.startswith("- punto") for chunk in chunks)


def test_code_stays_whole_while_it_fits() -> None:
    code = "```python\nx = 1\n\ny = 2  # dos\n```"
    (chunk,) = cut(code)
    assert (chunk.content, chunk.type) == (code, "code")


def test_long_paragraphs_are_cut_between_sentences_and_sentences_at_clauses() -> None:
    assert all(content.endswith(".") for content in contents("El plazo es de dos días. " * 30))
    clauses = contents("si el plazo vence, " * 40)
    assert all(content.endswith(",") for content in clauses)


def test_text_without_blanks_is_cut_where_it_must() -> None:
    document = ParsedDocument(text="x" * 1_000, title="", type="txt")
    chunks = chunk(document, language="es", count_tokens=len, options=SMALL)
    assert "".join(chunk.content for chunk in chunks) == document.text
    assert all(chunk.tokens <= 64 for chunk in chunks)


def test_no_chunk_crosses_a_page_and_the_section_goes_on() -> None:
    text = "# Informe\n\nPrimera página.\n\nSegunda página.\n\nTercera."
    second, fourth = text.index("Segunda"), text.index("Tercera")
    pages = [
        Page(1, 0, second - 2),
        Page(2, second, fourth - 2),
        Page(3, fourth, fourth),
        Page(4, fourth, len(text)),
    ]
    found = [(chunk.page, chunk.page_end, chunk.section_title) for chunk in cut(text, pages=pages)]
    assert found == [(1, 1, "Informe"), (2, 2, "Informe"), (4, 4, "Informe")]


def test_images_are_noted_and_marks_leave_titles() -> None:
    (only,) = cut("## **Plano** de [planta](a.html) #\n\n![plano](plano.png)")
    assert only.has_images
    assert only.section_title == "Plano de planta"


def test_setext_headings_open_sections_too() -> None:
    assert [chunk.section_title for chunk in cut("Uno\n===\n\nTexto.\n\nDos\n---\n\nTexto.")] == [
        "Uno",
        "Dos",
    ]


@pytest.mark.parametrize(("target", "maximum"), [(10, 31), (0, 100), (101, 100)])
def test_sizes_that_cannot_be_kept_are_refused(target: int, maximum: int) -> None:
    with pytest.raises(InvalidArgument):
        ChunkOptions(target_tokens=target, max_tokens=maximum)


@pytest.mark.parametrize("text", ["", " \n\n\t"])
def test_a_blank_text_has_no_chunks(text: str) -> None:
    assert cut(text) == []


LINES = st.sampled_from(
    [
        "", "", "# T", "## Sección larga con varias palabras", "##### Artículo 3. Objeto", "### ANEXO", "Uno", "===",
        "---", "| a | b |", "|---|---|", "| fila con varias palabras | y más |", "- punto", "  - dentro", "1. uno",
        "2. dos", "a) letra", "```", "> cita", "Una frase. Otra frase, más larga; y otra.", "palabra " * 50,
        "x" * 90, "…", "第一条。第二条。", "\u00a0", "\u2028", "#", "*** ",
    ]
)  # fmt: skip


def characters(text: str) -> int:
    return len(text)


def special_tokens(text: str) -> int:
    return 2 + len(text) // 3


@settings(max_examples=150, deadline=None)
@given(
    st.lists(LINES, max_size=25).map("\n".join) | st.text(),
    st.sampled_from([count_words(), characters, special_tokens]),
    st.integers(32, 90),
    st.integers(0, 20),
    st.text("abc >", max_size=60),
    st.lists(st.integers(0, 400), max_size=3),
)
def test_chunks_hold_all_text_in_order_within_their_size(
    text: str,
    count_tokens: TokenCounter,
    maximum: int,
    merge_below: int,
    title: str,
    breaks: list[int],
) -> None:
    starts = sorted({min(at, len(text)) for at in breaks} | {0})
    pages = tuple(
        Page(number, start, end)
        for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(text)], strict=True), start=1)
        if breaks
    )
    document = ParsedDocument(text=text, title=title, type="md", pages=pages)
    options = ChunkOptions(target_tokens=maximum // 2, max_tokens=maximum, merge_below=merge_below)
    chunks = chunk(document, language="es", count_tokens=count_tokens, options=options)
    end = 0
    for number, found in enumerate(chunks, start=1):
        assert found.number == number
        assert not text[end : found.start].strip()
        assert found.content == text[found.start : found.end] == found.content.strip() != ""
        assert count_tokens(passage(found)) <= maximum
        if pages:
            assert found.page == found.page_end
            assert found.page is not None
            assert pages[found.page - 1].start <= found.start < found.end <= pages[found.page - 1].end
        end = found.end
    assert not text[end:].strip()


@given(st.lists(LINES, max_size=25).map("\n".join))
def test_tokens_are_those_of_the_content(text: str) -> None:
    for found in cut(text):
        assert found.tokens == count_words()(found.content)


@pytest.mark.corpus
def test_every_unit_of_the_law_corpus_has_chunks_of_its_own() -> None:
    if not LAW.exists():
        pytest.skip("the law corpus is not beside the checkout")
    for norm in json.loads((LAW / "norms.json").read_text(encoding="utf-8")):
        path = LAW / "corpus" / f"{norm['identifier']}.md"
        document = parse(path.name, path.read_bytes())
        chunks = chunk(document, language="es", count_tokens=count_words(), options=ChunkOptions())
        articles = {chunk.article for chunk in chunks if chunk.article}
        assert len(articles) == norm["n_articles"] + norm["n_provisions"], path.name
        for found in chunks:
            headings = [line for line in found.content.split("\n") if line.startswith("##### ")]
            assert sum(article_key(heading[6:]) is not None for heading in headings) <= 1
        assert "".join("".join(found.content.split()) for found in chunks) == "".join(document.text.split())
