"""The answer without a model: what is quoted, what it is cited with, and when it says that it found nothing."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atril.answering.extractive import ExtractiveAnswering, ExtractiveOptions
from atril.errors import InvalidArgument
from atril.retrieval.search_filters import SearchFilters
from atril.store.records import Records
from atril.types import Answer, Chunk, Page, Scope
from shelf import SCOPE, Shelf

HOLIDAYS = (
    "##### Artículo 38. Vacaciones anuales.\n\n"
    "El periodo de vacaciones anuales retribuidas será el pactado en convenio colectivo. "
    "En ningún caso la duración de las vacaciones será inferior a treinta días naturales. "
    "El calendario se fijará en cada empresa."
)
SHIFTS = "Entre el final de una jornada y el comienzo de la siguiente mediarán doce horas."
QUESTION = "¿Cuál es la duración de las vacaciones anuales?"


def answering(shelf: Shelf, options: ExtractiveOptions | None = None) -> ExtractiveAnswering:
    return ExtractiveAnswering(
        searcher=shelf.searcher(), records=shelf.records, embedder=shelf.embedder, options=options
    )


@pytest.fixture
async def library(shelf: Shelf) -> Shelf:
    await shelf.add("ET.md", [HOLIDAYS, SHIFTS], collection="normativa")
    await shelf.add("tienda.md", ["Las devoluciones se pagan en catorce días."], collection="tienda")
    return shelf


async def check(shelf: Shelf, answer: Answer) -> None:
    """What holds of every answer, found or not."""
    assert answer.found == bool(answer.citations)
    assert len(answer.citations) <= 3
    assert [citation.number for citation in answer.citations] == list(range(1, len(answer.citations) + 1))
    if answer.found:
        assert len(answer.text) <= 600
        quotes = (f"{citation.quote} [{citation.number}]" for citation in answer.citations)
        rows = any(citation.quote.startswith("|") for citation in answer.citations)  # said in words
        assert rows or answer.text.replace("… ", "").replace(" …", "") == " ".join(quotes)
    for citation in answer.citations:
        document = await shelf.records.find(SCOPE, citation.source_file)
        text = await shelf.records.text(SCOPE, document.id)
        assert text[citation.start : citation.end] == citation.quote
        assert citation.quote.strip() == citation.quote != ""
    assert set(answer.used) == {citation.chunk_id for citation in answer.citations} <= set(answer.context)


async def test_quotes_the_row_that_is_asked_for_and_not_those_around_it(shelf: Shelf) -> None:
    await shelf.add("lines.md", ["| Line | Leaves |\n|---|---|\n| Harbour | 07:00 |\n| Airport | 08:15 |"])
    answer = await answering(shelf).ask(SCOPE, "When does the line to the airport leave?")
    assert [citation.quote for citation in answer.citations] == ["| Airport | 08:15 |"]


async def test_quotes_no_title_or_running_foot_beside_a_sentence(shelf: Shelf) -> None:
    foot = "Harbour Lines 2022 Annual Report 26"
    text = f"Annual report of the harbour\n\nThe harbour lines paid a dividend in 2022.\n\n{foot}"
    await shelf.add("report.md", [text])
    answer = await answering(shelf).ask(SCOPE, "What did the harbour lines report for 2022?")
    assert [citation.quote for citation in answer.citations] == ["The harbour lines paid a dividend in 2022."]


async def test_shows_that_a_long_sentence_goes_on(shelf: Shelf) -> None:
    clause = ", así como cuanto se diga de las cuotas y los recargos de cada uno de los meses"
    await shelf.add("ley.md", [f"Las vacaciones anuales duran treinta días{clause * 8}."])
    answer = await answering(shelf).ask(SCOPE, QUESTION)
    assert answer.text.startswith("Las vacaciones anuales duran treinta días, así")
    assert answer.text.endswith("meses … [1]")


async def test_says_the_row_of_a_table_with_its_columns_and_cites_it_as_it_stands(shelf: Shelf) -> None:
    table = "| En millones | 2022 | 2021 |\n|---|---|---|\n| Ventas netas | 66 | 61 |"
    await shelf.add("cuentas.md", [table])
    answer = await answering(shelf).ask(SCOPE, "¿Cuáles fueron las ventas netas?")
    assert answer.text == "Ventas netas — 2022: 66; 2021: 61 [1]"
    assert [citation.quote for citation in answer.citations] == ["| Ventas netas | 66 | 61 |"]


class TestAnAnswer:
    async def test_quotes_the_sentence_that_answers_first(self, library: Shelf) -> None:
        answer = await answering(library).ask(SCOPE, QUESTION)
        await check(library, answer)
        first = answer.citations[0]
        assert first.quote.endswith("inferior a treinta días naturales.")
        assert (first.source_file, first.chunk_id, first.section_title) == (
            "ET.md",
            "ET_chunk_0001",
            "Título",
        )

    @pytest.mark.parametrize(
        "heading", ["##### Artículo 38. Vacaciones anuales.", "## 3. Vacaciones anuales"]
    )
    async def test_never_quotes_a_heading(self, shelf: Shelf, heading: str) -> None:
        await shelf.add("ET.md", [f"{heading}\n\nLas vacaciones anuales duran treinta días."])
        answer = await answering(shelf).ask(SCOPE, "artículo 38, 3, vacaciones anuales")
        assert answer.text == "Las vacaciones anuales duran treinta días. [1]"

    async def test_says_what_was_asked_and_what_ran(self, library: Shelf) -> None:
        value = (await answering(library).ask(SCOPE, QUESTION)).to_dict()
        assert value["question"] == QUESTION
        assert (value["requested"], value["pipeline"], value["model"]) == ("unified", "extractive", None)
        assert (value["language"], value["message"], value["queries"]) == ("es", None, [QUESTION])
        assert value["calls"] == {"reader": 0, "principal": 0, "embedding": 2}
        assert value["context_chunk_ids"] == list(dict.fromkeys([*value["used"], *value["context"][:3]]))
        assert value["timings_ms"]["total"] >= value["timings_ms"]["search"] > 0

    async def test_embeds_the_question_alone_when_no_sentence_is_compared(self, library: Shelf) -> None:
        before = library.embedder.passages
        answer = await answering(library, ExtractiveOptions(compared=0)).ask(SCOPE, QUESTION)
        await check(library, answer)
        assert answer.found
        assert answer.calls == {"embedding": 1}
        assert library.embedder.passages == before

    async def test_stays_inside_its_collections(self, library: Shelf) -> None:
        answer = await answering(library).ask(
            SCOPE, "vacaciones devoluciones días", filters=SearchFilters(collections=("tienda",))
        )
        assert {citation.source_file for citation in answer.citations} <= {"tienda.md"}

    async def test_does_not_say_the_same_twice(self, shelf: Shelf) -> None:
        for name in ("a.md", "b.md", "c.md"):
            await shelf.add(name, [HOLIDAYS])
        answer = await answering(shelf).ask(SCOPE, QUESTION)
        quotes = [citation.quote for citation in answer.citations]
        assert len(set(quotes)) == len(quotes)

    async def test_is_the_same_every_time(self, library: Shelf) -> None:
        first, second = [await answering(library).ask(SCOPE, QUESTION) for _ in range(2)]
        assert (first.text, first.citations) == (second.text, second.citations)

    async def test_refuses_a_pipeline_it_does_not_know(self, library: Shelf) -> None:
        with pytest.raises(InvalidArgument, match="pipeline"):
            await answering(library).ask(SCOPE, QUESTION, requested="magic")

    async def test_refuses_an_empty_question(self, library: Shelf) -> None:
        with pytest.raises(InvalidArgument):
            await answering(library).ask(SCOPE, " ")


class TestALongSentence:
    CLAUSES = (
        "Serán obligaciones de la empresa las de orden general, "
        + "las que fije el convenio para cada uno de los grupos profesionales de la plantilla, " * 6
        + "y el pago de una multa de cien euros por cada día de mora en la nómina; "
        + "todo ello sin perjuicio de lo que dispongan las demás normas de general aplicación, " * 4
        + "según proceda."
    )

    async def test_is_cut_between_clauses_around_what_was_asked(self, shelf: Shelf) -> None:
        await shelf.add("ley.md", [self.CLAUSES])
        answer = await answering(shelf).ask(SCOPE, "multa por mora en la nómina")
        await check(shelf, answer)
        quote = answer.citations[0].quote
        assert "multa de cien euros por cada día de mora en la nómina" in quote
        assert len(quote) <= 480
        before, _, after = self.CLAUSES.partition(quote)
        assert before.endswith((", ", "; ", "")) and after.startswith((",", ";", "."))


class TestPages:
    async def test_a_quote_has_the_page_it_begins_on(self, shelf: Shelf) -> None:
        first, second = "La jornada es de ocho horas.", "La multa por mora es de cien euros."
        text = f"{first}\n\n{second}"
        chunk = Chunk(1, 0, len(text), text, "content", page=4, page_end=5)
        pages = [Page(4, 0, len(first) + 2), Page(5, len(first) + 2, len(text))]
        await shelf.put("informe.pdf", text, [chunk], pages=pages)
        answer = await answering(shelf).ask(SCOPE, "multa por mora")
        assert (answer.citations[0].quote, answer.citations[0].page) == (second, 5)
        answer = await answering(shelf).ask(SCOPE, "jornada ocho horas")
        assert (answer.citations[0].quote, answer.citations[0].page) == (first, 4)


class TestNothingFound:
    @pytest.mark.parametrize(
        ("question", "language", "said"),
        [
            ("¿Cómo preparo una paella valenciana?", "es", "No he encontrado"),
            ("Who wrote this wonderful song about rivers?", "en", "I have not found"),
            ("Как приготовить борщ со сметаной?", "ru", "В библиотеке"),
        ],
    )
    async def test_is_said_in_the_language_of_the_question(
        self, library: Shelf, question: str, language: str, said: str
    ) -> None:
        answer = await answering(library).ask(SCOPE, question)
        await check(library, answer)
        assert (answer.found, answer.language, answer.citations) == (False, language, ())
        assert answer.text.startswith(said)
        assert answer.message

    async def test_an_empty_library_says_why(self, shelf: Shelf) -> None:
        answer = await answering(shelf).ask(SCOPE, QUESTION)
        assert not answer.found
        assert answer.message is not None and "ningún pasaje en el que buscar" in answer.message

    async def test_a_question_without_a_language_is_answered_in_that_of_the_reader(
        self, shelf: Shelf
    ) -> None:
        assert (await answering(shelf).ask(Scope(language="es"), "53.1")).language == "es"


fragments = st.sampled_from(
    [
        "vacaciones",
        "anuales",
        "treinta días",
        "multa",
        ". ",
        ", ",
        "; ",
        "? ",
        "\n\n",
        "# ",
        "| ",
        "- ",
        "x" * 90,
        "ñ",
        "🙂",
    ]
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(fragments, min_size=1, max_size=150).map(" ".join), min_size=1, max_size=3))
async def test_whatever_the_text_quotes_are_verbatim_and_few(passages: list[str]) -> None:
    with TemporaryDirectory() as folder:
        records = await Records.open(Path(folder))
        try:
            shelf = Shelf(records)
            await shelf.add("texto.md", passages)
            await check(shelf, await answering(shelf).ask(SCOPE, "vacaciones anuales de treinta días, multa"))
        finally:
            await records.close()


async def test_a_document_removed_while_it_is_quoted_is_cited_with_the_page_of_its_chunk(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunk = Chunk(1, 0, len(HOLIDAYS), HOLIDAYS, "content", page=3, page_end=4)
    pages = [Page(3, 0, 60), Page(4, 60, len(HOLIDAYS))]
    pending = await shelf.put("ET.md", HOLIDAYS, [chunk], pages=pages)
    embed = shelf.embedder.embed_passages

    async def removed_meanwhile(texts):  # type: ignore[no-untyped-def]
        await shelf.records.remove(SCOPE, [pending.document])
        return await embed(texts)

    monkeypatch.setattr(shelf.embedder, "embed_passages", removed_meanwhile)
    answer = await answering(shelf).ask(SCOPE, QUESTION)
    assert answer.citations
    assert {citation.page for citation in answer.citations} == {3}
