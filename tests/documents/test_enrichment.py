"""Keywords and one sentence for every chunk, in its own words."""

from hypothesis import given
from hypothesis import strategies as st

from atril.documents.enrichment import describe, enrich
from atril.types import Chunk


def chunks(*contents: str, path: tuple[str, ...] = ()) -> list[Chunk]:
    return [
        Chunk(number=number, start=0, end=len(content), content=content, type="content", section_path=path)
        for number, content in enumerate(contents, start=1)
    ]


def test_keywords_tell_a_chunk_from_the_others_and_read_as_written() -> None:
    first, second = enrich(
        chunks(
            "La empresa paga las vacaciones. Vacaciones y permisos son de la empresa.",
            "La empresa tiene un local. El local de Sevilla es de la empresa.",
        ),
        title="",
        language="es",
    )
    assert first.keywords[0] == "vacaciones"
    assert second.keywords[0] == "local"
    assert "Sevilla" in second.keywords


def test_words_of_the_title_come_first() -> None:
    (only,) = enrich(chunks("Precio y plazo y forma.", path=("Forma de pago",)), title="", language="es")
    assert only.keywords[0] == "forma"


def test_function_words_and_numbers_are_no_keywords() -> None:
    (only,) = enrich(chunks("De la ley 2015 y el 53.1 con ABC-12."), title="", language="es")
    assert set(only.keywords) == {"ley", "ABC-12"}


def test_there_are_at_most_eight_keywords() -> None:
    (only,) = enrich(chunks(" ".join(f"tema{letter}" for letter in "abcdefghijkl")), title="", language="es")
    assert len(only.keywords) == 8


def test_the_description_is_the_central_sentence_and_not_the_heading() -> None:
    text = (
        "## Vacaciones del personal\n\nHay café. Las vacaciones del personal duran treinta días naturales.\n\n"
        "El resto se explica en otro lugar de esta guía."
    )
    (only,) = enrich(chunks(text, path=("Vacaciones del personal",)), title="", language="es")
    assert only.description == "Las vacaciones del personal duran treinta días naturales."


def test_a_long_sentence_is_cut_at_the_end_of_a_clause() -> None:
    text = "La persona trabajadora, " + "con el permiso de su empresa y de quien proceda, " * 8 + "descansa."
    (only,) = enrich(chunks(text), title="", language="es")
    assert 80 < len(only.description) <= 200
    assert only.description.endswith("proceda")
    assert text.startswith(only.description)


def test_a_chunk_without_prose_is_described_by_a_row_or_its_heading() -> None:
    table, heading = enrich(chunks("| mesa | 10 € |\n|---|---|", "## Anexo"), title="", language="es")
    assert (table.description, heading.description) == ("mesa | 10 €", "Anexo")


def test_a_document_is_described_from_its_beginning() -> None:
    text = (
        "# Guía\n\nEsta guía explica las vacaciones del personal. Hay café.\n\n"
        + "Otra cosa distinta. " * 600
    )
    assert describe(text, "es") == "Esta guía explica las vacaciones del personal."
    assert describe("", "es") == ""


@given(
    st.lists(st.text() | st.text("ab .,\n|#-", max_size=400), max_size=4),
    st.sampled_from(["es", "ru", "und"]),
)
def test_everything_said_of_a_chunk_stands_in_it(contents: list[str], language: str) -> None:
    for chunk in enrich(chunks(*contents), title="Título", language=language):
        assert chunk.description in " ".join(chunk.content.split())
        assert len(chunk.description) <= 200
        assert len(chunk.keywords) <= 8
        assert all(keyword.lower() in chunk.content.lower() for keyword in chunk.keywords)
