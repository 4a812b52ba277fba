"""Two documents, the pages of one, an answer that cites them."""

import pytest

from answering.scripted import Scripted
from atril.answering.answerer import Asked
from atril.answering.citations import Citations
from atril.answering.document_first import DocumentFirst
from atril.answering.document_first_options import DocumentFirstOptions
from atril.answering.document_first_ranking import years_in_periods
from atril.answering.events import AnswerCitation, AnswerDelta, AnswerDone, AnswerEvent
from atril.answering.extractive import ExtractiveAnswering
from atril.errors import InvalidArgument
from atril.models.chat import ChatModel
from atril.models.roles import Roles
from atril.retrieval.search_filters import SearchFilters
from atril.types import Answer, Scope, Tokens
from shelf import SCOPE, Shelf

FEES = [
    "El Reglamento de Pagos fija lo que paga cada estudiante de la universidad.",
    "El costo de la matrícula para pregrado es de 350 soles.",
    "El pago de la matrícula se hace en ventanilla o en línea.",
    "Las becas cubren la mitad de la pensión de enseñanza.",
]
CALENDAR = [
    "El calendario académico fija las fechas.",
    "La matrícula empieza el 3 de marzo.",
    "Hay exámenes.",
]
PARKING = ["El aparcamiento abre a las siete.", "Las bicicletas aparcan gratis."]
QUESTION = "¿Cuánto cuesta la matrícula de pregrado?"


def pipeline(
    shelf: Shelf,
    *,
    reader: ChatModel | None = None,
    principal: ChatModel | None = None,
    options: DocumentFirstOptions | None = None,
) -> DocumentFirst:
    searcher = shelf.searcher()
    return DocumentFirst(
        records=shelf.records,
        index=shelf.index,
        embedder=shelf.embedder,
        searcher=searcher,
        extractive=ExtractiveAnswering(searcher=searcher, records=shelf.records, embedder=shelf.embedder),
        citations=Citations(shelf.records, shelf.embedder, 0.34),
        roles=Roles(reader, principal),
        options=options,
    )


async def events(made: DocumentFirst, asked: Asked) -> list[AnswerEvent]:
    return [event async for event in made.run(asked)]


async def ask(made: DocumentFirst, question: str = QUESTION, scope: Scope = SCOPE, **more: object) -> Answer:
    asked = Asked(scope, question, "document-first", **more)  # type: ignore[arg-type]
    last = (await events(made, asked))[-1]
    assert isinstance(last, AnswerDone)
    return last.answer


@pytest.fixture
async def university(shelf: Shelf) -> Shelf:
    await shelf.add("Reglamento de Pagos.pdf", FEES, paged=True, labels=("Ingeniería",))
    await shelf.add("Calendario.pdf", CALENDAR, paged=True, labels=("Información General",))
    await shelf.add("Aparcamiento.pdf", PARKING, paged=True, labels=("Derecho",))
    return shelf


class TestWithoutModels:
    async def test_the_pages_that_answer_are_quoted_with_their_numbers(self, university: Shelf) -> None:
        answer = await ask(pipeline(university))
        assert answer.found
        assert answer.document_used == "Reglamento de Pagos.pdf"
        assert answer.documents_considered[0] == "Reglamento de Pagos.pdf"
        assert len(answer.documents_considered) == 2
        assert answer.pages[0] == 2
        assert answer.citations[0].page == 2
        assert "350 soles" in answer.text
        assert (answer.requested, answer.pipeline, answer.model) == ("document-first", "extractive", None)
        assert answer.calls["reader"] == answer.calls["principal"] == 0

    async def test_no_more_pages_than_were_asked_for(self, university: Shelf) -> None:
        answer = await ask(pipeline(university), max_pages=1)
        assert answer.pages == (2,)
        assert {citation.page for citation in answer.citations} == {2}

    async def test_a_question_about_a_figure_also_reads_the_statement_it_comes_from(
        self, shelf: Shelf
    ) -> None:
        lines = ("Net sales", "Cost of sales", "Operating profit", "Income taxes", "Net income", "Per share")
        statement = "Consolidated Statements of Income\n" + "\n".join(
            f"{line} 1,204.5 998.7 87.6 7.65" for line in lines
        )
        remarks = [f"The gross margin of Acme improved, remark {number}." for number in range(6)]
        await shelf.add("acme.pdf", [*remarks, statement], paged=True, language="en")
        answer = await ask(pipeline(shelf), "How did the gross margin of Acme improve?")
        assert len(answer.pages) == 5
        assert answer.pages[1] == 7
        assert 7 not in (await ask(pipeline(shelf), "Which remark is about Acme?")).pages

    async def test_a_document_without_pages_answers_with_its_sections(self, shelf: Shelf) -> None:
        await shelf.add("pagos.md", FEES)
        answer = await ask(pipeline(shelf))
        assert (answer.document_used, answer.pages) == ("pagos.md", ())
        assert "350 soles" in answer.text
        assert answer.documents_considered == ("pagos.md",)

    async def test_a_label_leaves_its_documents_and_the_general_ones(self, university: Shelf) -> None:
        made = pipeline(university)
        asked = {"filters": SearchFilters(labels=("Derecho",))}
        answer = await ask(made, "¿Cuándo empieza la matrícula?", **asked)
        assert set(answer.documents_considered) == {"Aparcamiento.pdf", "Calendario.pdf"}
        assert answer.document_used == "Calendario.pdf"

    async def test_another_label_can_be_the_general_one(self, university: Shelf) -> None:
        made = pipeline(university, options=DocumentFirstOptions(general_labels=("INGENIERIA",)))
        answer = await ask(made, filters=SearchFilters(labels=("Derecho",)))
        assert set(answer.documents_considered) == {"Aparcamiento.pdf", "Reglamento de Pagos.pdf"}

    async def test_only_the_collections_asked_for_are_looked_into(self, university: Shelf) -> None:
        await university.add("Pagos antiguos.pdf", FEES, paged=True, collection="archivo")
        answer = await ask(pipeline(university), filters=SearchFilters(collections=("archivo",)))
        assert answer.documents_considered == ("Pagos antiguos.pdf",)

    async def test_nobody_sees_documents_that_are_not_theirs(self, university: Shelf) -> None:
        answer = await ask(pipeline(university), scope=Scope(labels=("Derecho",)))
        assert answer.documents_considered == ("Aparcamiento.pdf",)

    @pytest.mark.parametrize("question", ["", " \n"])
    async def test_an_empty_question_is_refused(self, university: Shelf, question: str) -> None:
        with pytest.raises(InvalidArgument, match="question"):
            await ask(pipeline(university), question)

    @pytest.mark.parametrize("pages", [0, -1, 101])
    async def test_a_number_of_pages_that_cannot_be_is_refused(self, university: Shelf, pages: int) -> None:
        with pytest.raises(InvalidArgument, match="max_pages"):
            await ask(pipeline(university), max_pages=pages)


class TestTheGate:
    async def test_excellent_pages_end_the_search(self, university: Shelf) -> None:
        options = DocumentFirstOptions(excellent=0.0, acceptable=0.0)
        answer = await ask(pipeline(university, options=options), explain=True)
        assert answer.quality == "excellent"
        assert len(answer.documents_considered) == 2
        assert answer.explanation is not None
        assert sum("páginas" in note for note in _notes(answer, "search")) == 1

    async def test_otherwise_the_better_of_two_documents_is_kept(self, university: Shelf) -> None:
        options = DocumentFirstOptions(excellent=1.0, acceptable=1.0)
        reader = Scripted("Aparcamiento.pdf\nReglamento de Pagos.pdf")
        answer = await ask(pipeline(university, reader=reader, options=options), explain=True)
        assert answer.documents_considered == ("Aparcamiento.pdf", "Reglamento de Pagos.pdf")
        assert answer.document_used == "Reglamento de Pagos.pdf"
        assert answer.quality == "low"
        assert sum("páginas" in note for note in _notes(answer, "search")) == 2

    def test_its_bounds_have_an_order(self) -> None:
        with pytest.raises(ValueError, match="above"):
            DocumentFirstOptions(excellent=0.5, acceptable=0.6)


class TestTheReader:
    async def test_it_picks_both_documents_in_one_call(self, university: Shelf) -> None:
        reader = Scripted("1. Calendario.pdf\n2. «Aparcamiento»")
        answer = await ask(pipeline(university, reader=reader))
        assert answer.documents_considered == ("Calendario.pdf", "Aparcamiento.pdf")
        assert (answer.calls["reader"], answer.tokens["reader"]) == (1, Tokens(100, 10))
        told = "\n".join(message.content for message in reader.shown[0])
        assert QUESTION in told
        assert all(name in told for name in ("Reglamento de Pagos.pdf", "Ingeniería", "Calendario.pdf"))

    @pytest.mark.parametrize("reply", ["No lo sé.", "", "Aparcamiento.pdf"])
    async def test_what_it_leaves_open_the_ranking_fills(self, university: Shelf, reply: str) -> None:
        answer = await ask(pipeline(university, reader=Scripted(reply)))
        assert len(answer.documents_considered) == 2
        assert "Reglamento de Pagos.pdf" in answer.documents_considered

    async def test_when_it_fails_the_ranking_picks_and_the_answer_says_so(self, university: Shelf) -> None:
        answer = await ask(pipeline(university, reader=Scripted()))
        assert answer.documents_considered[0] == "Reglamento de Pagos.pdf"
        assert answer.found
        assert answer.message is not None
        assert "modelo que elige documentos" in answer.message

    async def test_it_is_not_asked_to_choose_from_one(self, shelf: Shelf) -> None:
        await shelf.add("Reglamento de Pagos.pdf", FEES, paged=True)
        reader = Scripted("never")
        await ask(pipeline(shelf, reader=reader))
        assert reader.shown == []


class TestThePrincipal:
    REPLY = "La matrícula de pregrado cuesta 350 soles [1]."

    async def test_it_answers_from_the_pages_and_its_citations_open_there(self, university: Shelf) -> None:
        principal = Scripted(self.REPLY, name="scripted:model")
        answer = await ask(pipeline(university, principal=principal))
        assert (answer.text, answer.pipeline, answer.model) == (
            self.REPLY,
            "document-first",
            "scripted:model",
        )
        [citation] = answer.citations
        assert (citation.page, citation.source_file) == (2, "Reglamento de Pagos.pdf")
        assert "350 soles" in citation.quote
        assert answer.used == answer.context_chunk_ids == (citation.chunk_id,)
        assert answer.calls["principal"] == 1
        told = principal.shown[0][-1].content
        assert "Página: 2" in told
        assert told.endswith(QUESTION)

    async def test_its_text_is_streamed(self, university: Shelf) -> None:
        made = pipeline(university, principal=Scripted(self.REPLY))
        told = await events(made, Asked(SCOPE, QUESTION, "document-first"))
        assert "".join(event.text for event in told if isinstance(event, AnswerDelta)) == self.REPLY
        assert sum(isinstance(event, AnswerCitation) for event in told) == 1
        assert isinstance(told[-1], AnswerDone)

    async def test_a_citation_that_it_invented_is_removed_and_reported(self, university: Shelf) -> None:
        reply = f"{self.REPLY} La luna es de queso [99]."
        answer = await ask(pipeline(university, principal=Scripted(reply)))
        assert "[99]" not in answer.text
        assert [issue.kind for issue in answer.issues] == ["invented_citation"]

    async def test_a_number_that_no_page_holds_is_reported(self, university: Shelf) -> None:
        reply = f"{self.REPLY} Antes costaba 275 soles."
        answer = await ask(pipeline(university, principal=Scripted(reply)))
        assert ("number", "275") in [(issue.kind, issue.text) for issue in answer.issues]

    @pytest.mark.parametrize(
        "principal", [Scripted(), Scripted(REPLY, breaks_after=3), Scripted("")], ids=["off", "cut", "empty"]
    )
    async def test_when_it_fails_the_pages_are_quoted_and_the_answer_says_so(
        self, university: Shelf, principal: Scripted
    ) -> None:
        told = await events(
            pipeline(university, principal=principal), Asked(SCOPE, QUESTION, "document-first")
        )
        last = told[-1]
        assert isinstance(last, AnswerDone)
        assert (last.answer.pipeline, last.answer.found) == ("extractive", True)
        assert last.answer.message
        shown = ""
        for event in told:
            if isinstance(event, AnswerDelta):
                shown = event.text if event.restart else shown + event.text
        assert shown == last.answer.text


class TestFailures:
    async def test_no_documents(self, shelf: Shelf) -> None:
        answer = await ask(pipeline(shelf))
        assert (answer.found, answer.citations, answer.documents_considered) == (False, (), ())
        assert "ningún documento" in answer.text

    async def test_no_documents_with_the_label(self, university: Shelf) -> None:
        made = pipeline(university, options=DocumentFirstOptions(general_labels=()))
        answer = await ask(made, filters=SearchFilters(labels=("Medicina",)))
        assert not answer.found
        assert "Medicina" in answer.text

    async def test_nothing_relevant(self, shelf: Shelf) -> None:
        for name in ("vacío.md", "nada.md"):
            await shelf.add(name, [])
        answer = await ask(pipeline(shelf))
        assert (answer.found, answer.document_used, answer.quality) == (False, None, None)
        assert answer.documents_considered == ("nada.md", "vacío.md")
        assert "nada.md, vacío.md" in answer.text


def _notes(answer: Answer, stage: str) -> list[str]:
    assert answer.explanation is not None
    return [note for each in answer.explanation.stages if each.name == stage for note in each.notes]


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("FY2022 and FY 21", ("2022", "2021")),
        ("Q2'23, Q42024 and 1H 2025", ("2023", "2024", "2025")),
        ("report_2023Q4", ()),
        ("the 2023Q4 report", ("2023",)),
        ("in 2022 they sold 15% in Q4 10 times", ()),
    ],
)
def test_years_are_read_from_fiscal_periods(text: str, years: tuple[str, ...]) -> None:
    assert years_in_periods(text) == years
