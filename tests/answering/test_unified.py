"""Answers written by a model over what was found, and what becomes of them when it fails."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from answering.scripted import Line, Scripted, down
from atril.answering.answerer import Answering, Asked
from atril.answering.citations import Citations
from atril.answering.events import AnswerDelta, AnswerDone, AnswerError, AnswerEvent
from atril.answering.expansion import Expander
from atril.answering.extractive import ExtractiveAnswering
from atril.answering.followups import FollowUps
from atril.answering.gathering import Gatherer
from atril.answering.options import UnifiedOptions
from atril.answering.unified import Unified
from atril.errors import InvalidArgument
from atril.models.chat import Completion
from atril.models.embeddings import Vectors
from atril.models.roles import Roles
from atril.retrieval.search_filters import SearchFilters
from atril.retrieval.searcher import Retrieval, Searcher
from atril.testing.embedders import HashEmbedder
from atril.types import Answer, Chunk, Scope, Tokens, Turn
from shelf import SCOPE, Shelf

HOLIDAYS = (
    "El periodo de vacaciones anuales retribuidas será el pactado en convenio colectivo. "
    "En ningún caso la duración de las vacaciones será inferior a treinta días naturales."
)
DATES = "El trabajador conocerá las fechas de sus vacaciones dos meses antes, al menos, del comienzo del disfrute."
NOTICE = "El trabajador que dimite debe dar un preaviso de quince días a la empresa."
QUESTION = "¿Cuántos días de vacaciones anuales tengo?"
QUERIES = '["vacaciones anuales duración días"]'
ANSWER = (
    "Tienes derecho a treinta días naturales de vacaciones, como mínimo [1].\n\n===META===\nUSED|1\nDROP|2"
)


@pytest.fixture
async def library(shelf: Shelf) -> Shelf:
    texts = [HOLIDAYS, DATES, NOTICE]
    text, chunks = "", []
    for number, (passage, article) in enumerate(zip(texts, ("38", "38", "49"), strict=True), start=1):
        start = len(text)
        path = ("Estatuto", "Capítulo II", f"Artículo {article}. Tiempo.")
        chunks.append(
            Chunk(number, start, start + len(passage), passage, "content", section_path=path, article=article)
        )
        text += passage + "\n\n"
    await shelf.put("ET.md", text, chunks, collection="normativa")
    await shelf.add("tienda.md", ["Las devoluciones se pagan en catorce días."], collection="tienda")
    return shelf


class Desk:
    """A pipeline over a shelf, with the models a test gives it."""

    def __init__(
        self,
        shelf: Shelf,
        *,
        reader: Scripted | None = None,
        principal: Scripted | None = None,
        options: UnifiedOptions | None = None,
        context_tokens: int | None = None,
    ) -> None:
        searcher, records = shelf.searcher(), shelf.records
        options = options or UnifiedOptions()
        limits = {"principal": context_tokens} if context_tokens else {}
        unified = Unified(
            records=records,
            searcher=searcher,
            gatherer=Gatherer(searcher, records, Expander(records, None, options), options),
            extractive=ExtractiveAnswering(searcher=searcher, records=records, embedder=shelf.embedder),
            follow_ups=FollowUps(records, searcher),
            citations=Citations(records, shelf.embedder, options.quote_floor),
            roles=Roles(reader, principal, limits),
            options=options,
        )
        self._answering = Answering({"unified": unified})

    async def ask(self, question: str = QUESTION, **how: Any) -> Answer:
        return await self._answering.ask(Asked(how.pop("scope", SCOPE), question, **how))

    async def events(self, question: str = QUESTION, **how: Any) -> list[AnswerEvent]:
        return [event async for event in self._answering.stream(Asked(SCOPE, question, **how))]


def writing(*lines: Line, **how: Any) -> Scripted:
    return Scripted(*lines, **how)


def _everything_is_near(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Lets every text mean the same, and gives the passages that are compared from now on."""
    compared: list[str] = []

    async def passages(self: HashEmbedder, texts: Sequence[str]) -> Vectors:
        compared.extend(texts)
        return np.tile(self.vector("igual"), (len(texts), 1))

    async def query(self: HashEmbedder, text: str) -> Vectors:
        return self.vector("igual")

    monkeypatch.setattr(HashEmbedder, "embed_passages", passages)
    monkeypatch.setattr(HashEmbedder, "embed_query", query)
    return compared


@pytest.mark.parametrize("question", ["¿Y cuántos días naturales?", "¿Y las fechas de la empresa?"])
async def test_every_search_of_a_follow_up_counts_as_an_embedding(
    library: Shelf, question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await Desk(library).ask()
    searched: list[str] = []
    search = Searcher.retrieve

    async def counting(self: Searcher, scope: Scope, query: str, **how: Any) -> Retrieval:
        searched.append(query)
        return await search(self, scope, query, **how)

    monkeypatch.setattr(Searcher, "retrieve", counting)
    carried, history = first.context[:1], (Turn(QUESTION, first.text),)
    answer = await Desk(library).ask(question, context_chunk_ids=carried, history=history)
    assert len(searched) > 1
    assert answer.calls["embedding"] == len(searched) + 1  # and once for the sentences


class TestAnAnswerByModels:
    async def test_takes_one_call_of_each_and_cites_words_of_the_text(self, library: Shelf) -> None:
        reader, principal = Scripted(QUERIES), Scripted(ANSWER)
        answer = await Desk(library, reader=reader, principal=principal).ask()

        assert answer.text == "Tienes derecho a treinta días naturales de vacaciones, como mínimo [1]."
        assert (answer.pipeline, answer.requested, answer.model) == ("unified", "unified", "scripted")
        assert (answer.found, answer.message, answer.issues) == (True, None, ())
        assert answer.queries == ("vacaciones anuales duración días",)
        [citation] = answer.citations
        assert (citation.number, citation.chunk_id, citation.article) == (1, answer.context[0], "38")
        assert "treinta días naturales" in citation.quote
        document = await library.records.find(SCOPE, citation.source_file)
        text = await library.records.text(SCOPE, document.id)
        assert text[citation.start : citation.end] == citation.quote
        assert answer.used == answer.context_chunk_ids == (answer.context[0],)
        assert answer.dropped == (answer.context[1],)
        assert (answer.calls["reader"], answer.calls["principal"]) == (1, 1)
        assert answer.tokens == {"reader": Tokens(100, 10), "principal": Tokens(100, 10)}

    async def test_the_model_reads_role_passages_and_form_then_the_conversation(self, library: Shelf) -> None:
        principal = Scripted(ANSWER)
        turns = [Turn(f"pregunta {n}", f"respuesta {n}") for n in range(5)]
        answer = await Desk(library, principal=principal).ask(history=tuple(turns))

        [shown] = principal.shown
        assert [each.role for each in shown[:3]] == ["system"] * 3
        assert [each.content for each in shown[3:]] == [
            *(f"{kind} {n}" for n in (2, 3, 4) for kind in ("pregunta", "respuesta")),
            QUESTION,
        ]
        context = shown[1].content
        assert "[1] ET.md > Artículo 38. Tiempo." in context
        assert "Capítulo: Capítulo II" in context
        assert f"[{len(answer.context)}] " in context and f"[{len(answer.context) + 1}] " not in context
        assert "===META===" in shown[2].content

    async def test_the_reader_sees_the_last_messages_cut_short_when_something_is_carried_over(
        self, library: Shelf
    ) -> None:
        reader, principal = Scripted("[]"), Scripted(ANSWER)
        turns = tuple(Turn(f"{n}" * 300, f"{n}" * 300) for n in range(4))
        answer = await Desk(library, reader=reader, principal=principal).ask(
            "¿Puedes explicarlo mejor?", history=turns, context_chunk_ids=("ET_chunk_0001",)
        )

        [shown] = reader.shown
        assert [each.content for each in shown[1:-1]] == ["2" * 200, "2" * 200, "3" * 200, "3" * 200]
        assert answer.queries == ()
        assert answer.context[0] == "ET_chunk_0001"

    async def test_what_a_model_needs_is_fetched_and_the_answer_written_again_once(
        self, library: Shelf
    ) -> None:
        more = (
            "Debes avisar con quince días de preaviso a la empresa [{n}].\n===META===\nUSED|{n}\nNEED|99|ET"
        )
        options = UnifiedOptions(to_model=1, references=0)
        principal = Scripted(
            "No está en los pasajes.\n===META===\nUSED|none\nDROP|none\nNEED|preaviso dimite trabajador",
            more.format(n=1),
        )
        desk = Desk(library, reader=Scripted(QUERIES), principal=principal, options=options)
        answer = await desk.ask("¿Y si dimito?")

        assert (answer.calls["reader"], answer.calls["principal"]) == (1, 2)
        assert answer.needed == ("preaviso dimite trabajador",)
        assert len(answer.context) > 1
        assert answer.tokens["principal"] == Tokens(200, 20)

    async def test_a_reply_without_a_report_carries_what_it_cites(self, library: Shelf) -> None:
        principal = Scripted("Son treinta días naturales de vacaciones como mínimo [1].")
        answer = await Desk(library, principal=principal).ask()
        assert answer.used == answer.context_chunk_ids == (answer.context[0],)

    async def test_a_text_without_marks_gets_them_where_its_passages_support_it(self, library: Shelf) -> None:
        principal = Scripted(
            "La duración de las vacaciones no será inferior a treinta días naturales.\n===META===\nUSED|1"
        )
        answer = await Desk(library, principal=principal).ask()
        assert answer.text.endswith("treinta días naturales. [1]")
        assert answer.citations[0].number == 1

    async def test_an_honest_no_is_kept(self, library: Shelf) -> None:
        principal = Scripted("Los pasajes no lo dicen.\n===META===\nUSED|ninguno\nDROP|ninguno")
        answer = await Desk(library, principal=principal).ask("¿Quién ganó la liga?")
        assert (answer.found, answer.text, answer.pipeline) == (False, "Los pasajes no lo dicen.", "unified")
        assert answer.citations == ()
        assert (
            answer.message is not None and "Ninguna frase de esta respuesta cita un pasaje" in answer.message
        )

    async def test_is_made_from_what_fits_into_the_model(self, library: Shelf) -> None:
        principal = Scripted(ANSWER)
        answer = await Desk(library, principal=principal, context_tokens=600).ask()
        assert 1 <= len(answer.context) < 4

    async def test_stays_inside_its_collections(self, library: Shelf) -> None:
        principal = Scripted("Nada.\n===META===\nUSED|none")
        answer = await Desk(library, principal=principal).ask(
            filters=SearchFilters(collections=("tienda",)), context_chunk_ids=("ET_chunk_0001",)
        )
        assert set(answer.context) == {"tienda_chunk_0001"}


class TestCitations:
    async def test_one_that_is_invented_is_removed_and_reported(self, library: Shelf) -> None:
        principal = Scripted("Son treinta días naturales de vacaciones [1][9].\n===META===\nUSED|1")
        answer = await Desk(library, principal=principal).ask()
        assert answer.text == "Son treinta días naturales de vacaciones [1]."
        assert [issue.kind for issue in answer.issues] == ["invented_citation"]
        assert answer.message is not None and "[9]" in answer.message

    async def test_one_that_its_passage_does_not_support_is_dropped_and_the_sentence_marked(
        self, library: Shelf
    ) -> None:
        principal = Scripted(
            "Son treinta días naturales de vacaciones [1]. La luna gira alrededor del planeta azul [1].\n"
            "===META===\nUSED|1"
        )
        answer = await Desk(library, principal=principal).ask()
        assert answer.text.endswith("La luna gira alrededor del planeta azul [?].")
        assert len(answer.citations) == 1
        assert [issue.kind for issue in answer.issues] == ["dropped_citation"]

    async def test_nearness_in_meaning_proves_nothing_without_a_word_in_common(
        self, library: Shelf, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _everything_is_near(monkeypatch)
        principal = Scripted("Hay que solicitar permiso previamente [1].\n===META===\nUSED|1")
        answer = await Desk(library, principal=principal).ask()
        assert (answer.pipeline, answer.model) == ("extractive", None)

    async def test_a_sentence_in_another_language_is_held_against_the_whole_passage(
        self, library: Shelf, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        short = "\n\n".join(f"Nota {word}." for word in ("una", "dos", "tres", "cuatro", "cinco"))
        await library.add("avisos.md", [f"{short}\n\n{NOTICE}"], collection="avisos")
        compared = _everything_is_near(monkeypatch)
        principal = Scripted("Whoever resigns tells the employer beforehand [1].\n===META===\nUSED|1")
        answer = await Desk(library, principal=principal).ask(
            "When must I tell my employer?", filters=SearchFilters(collections=("avisos",))
        )
        assert NOTICE in compared
        assert answer.citations[0].chunk_id == "avisos_chunk_0001"

    async def test_a_quote_of_the_models_own_must_be_there(self, library: Shelf) -> None:
        reply = 'Como mínimo un mes [1: "no será   inferior a treinta días"]. Y más [1: “{quote}”].\n===META===\nUSED|1'
        principal = Scripted(reply.format(quote="inferior a  treinta\ndías naturales".replace("\n", " ")))
        answer = await Desk(library, principal=principal).ask()
        assert [citation.quote for citation in answer.citations] == ["inferior a treinta días naturales"]
        assert answer.text == "Como mínimo un mes [?]. Y más [1]."

    async def test_check_marks_sentences_that_nothing_supports(self, library: Shelf) -> None:
        principal = Scripted(
            "Son treinta días naturales de vacaciones [1]. Los marcianos bailan claqué los domingos.\n===META===\nUSED|1"
        )
        desk = Desk(library, principal=principal)
        answer = await desk.ask(check=True)
        assert answer.text.endswith("Los marcianos bailan claqué los domingos. [?]")
        assert [issue.kind for issue in answer.issues] == ["unsupported"]


class TestNumbers:
    WRONG = "Tienes derecho a 41 días naturales de vacaciones anuales [1].\n===META===\nUSED|1"

    async def test_a_number_from_nowhere_has_the_answer_written_again(self, library: Shelf) -> None:
        principal = Scripted(self.WRONG, ANSWER)
        answer = await Desk(library, principal=principal).ask()
        assert answer.calls["principal"] == 2
        assert answer.issues == ()
        assert "41" in principal.shown[1][-1].content

    async def test_and_is_marked_when_it_stays(self, library: Shelf) -> None:
        answer = await Desk(library, principal=Scripted(self.WRONG, self.WRONG)).ask()
        assert "41 [?] días" in answer.text
        assert [(issue.kind, issue.text) for issue in answer.issues] == [("number", "41")]
        assert answer.message is not None and "41" in answer.message

    async def test_digits_for_words_of_the_passage_are_fine(self, library: Shelf) -> None:
        principal = Scripted(
            "Son 30 días naturales de vacaciones anuales como duración [1].\n===META===\nUSED|1"
        )
        answer = await Desk(library, principal=principal).ask()
        assert (answer.calls["principal"], answer.issues) == (1, ())


class TestTrouble:
    @pytest.mark.parametrize(
        "principal",
        [
            writing(down()),
            writing(ANSWER, breaks_after=3),
            writing(""),
            writing("===META===\nUSED|1"),
            writing("Xyzzy plugh frobnicar quux."),
            writing("La luna gira alrededor del planeta azul [1].\n===META===\nUSED|1"),
            writing(Completion("Tienes derecho a treinta", Tokens(1, 1), cut_off=True)),
        ],
        ids=["down", "broken", "empty", "only_report", "nonsense", "unproved", "cut_off"],
    )
    async def test_of_the_principal_gives_quotes_and_says_so(
        self, library: Shelf, principal: Scripted
    ) -> None:
        answer = await Desk(library, principal=principal).ask()
        assert (answer.pipeline, answer.requested, answer.model) == ("extractive", "unified", None)
        assert answer.found
        assert answer.citations[0].quote in HOLIDAYS
        assert answer.message is not None and "se citan las mejores frases" in answer.message

    async def test_of_the_reader_searches_for_the_question_and_says_so(self, library: Shelf) -> None:
        answer = await Desk(library, reader=Scripted(down()), principal=Scripted(ANSWER)).ask()
        assert answer.found and answer.queries == (QUESTION,)
        assert answer.message is not None and "tal cual" in answer.message
        assert answer.calls["reader"] == 1

    @pytest.mark.parametrize("reply", ["Lo siento, no puedo ayudarte con eso.", "", "{}", "[]"])
    async def test_a_reader_that_talks_nonsense_leaves_the_question(self, library: Shelf, reply: str) -> None:
        answer = await Desk(library, reader=Scripted(reply), principal=Scripted(ANSWER)).ask()
        assert answer.queries == (QUESTION,)

    async def test_in_the_second_call_leaves_the_first_answer(self, library: Shelf) -> None:
        answer = await Desk(library, principal=Scripted(TestNumbers.WRONG)).ask()
        assert "41 [?]" in answer.text and answer.pipeline == "unified"

    async def test_an_empty_library_asks_no_model(self, shelf: Shelf) -> None:
        principal = Scripted(ANSWER)
        answer = await Desk(shelf, principal=principal).ask()
        assert not answer.found and principal.shown == []


class TestTheStream:
    async def test_shows_the_text_and_never_the_report(self, library: Shelf) -> None:
        events = await Desk(library, principal=Scripted(ANSWER, piece=1)).events()
        shown = "".join(event.text for event in events if isinstance(event, AnswerDelta))
        assert shown == "Tienes derecho a treinta días naturales de vacaciones, como mínimo [1]."
        done = events[-1]
        assert isinstance(done, AnswerDone) and done.answer.text == shown

    async def test_begins_again_when_the_answer_does(self, library: Shelf) -> None:
        events = await Desk(library, principal=Scripted(TestNumbers.WRONG, ANSWER)).events()
        deltas = [event for event in events if isinstance(event, AnswerDelta)]
        [begin] = [at for at, delta in enumerate(deltas) if delta.restart]
        assert "41" in "".join(delta.text for delta in deltas[:begin])
        assert "41" not in "".join(delta.text for delta in deltas[begin:])

    async def test_a_break_in_the_middle_begins_again_with_quotes(self, library: Shelf) -> None:
        events = await Desk(library, principal=Scripted(ANSWER, breaks_after=4)).events()
        deltas = [event for event in events if isinstance(event, AnswerDelta)]
        assert deltas[-1].restart
        assert isinstance(events[-1], AnswerDone) and events[-1].answer.text == deltas[-1].text

    async def test_what_cannot_be_asked_ends_with_an_error(self, library: Shelf) -> None:
        [event] = await Desk(library).events(" ")
        assert isinstance(event, AnswerError)
        with pytest.raises(InvalidArgument):
            await Desk(library).ask(" ")


class TestCarryingOver:
    async def test_unknown_chunks_are_listed_and_the_rest_is_used(self, library: Shelf) -> None:
        answer = await Desk(library).ask(
            context_chunk_ids=("ET_chunk_0003", "ET_chunk_0999", "nada"), history=()
        )
        assert answer.message is not None and "ET_chunk_0999, nada" in answer.message
        assert [issue.text for issue in answer.issues] == ["ET_chunk_0999", "nada"]
        assert "ET_chunk_0003" in answer.context

    async def test_the_last_question_says_what_a_short_one_is_about(self, library: Shelf) -> None:
        turn = Turn("¿Qué preaviso debo dar si dimito?", "Quince días.", ("ET_chunk_0003",))
        answer = await Desk(library).ask(
            "¿Y a quién aviso?", history=(turn,), context_chunk_ids=turn.context_chunk_ids
        )
        assert all("preaviso" in query or "Tiempo" in query for query in answer.queries)
        assert "ET_chunk_0003" in answer.context


class TestAnExplanation:
    async def test_shows_every_stage_and_the_prompts_to_the_letter(self, library: Shelf) -> None:
        reader, principal = Scripted(QUERIES), Scripted(ANSWER)
        answer = await Desk(library, reader=reader, principal=principal).ask(
            explain=True, scope=replace(SCOPE, language="en")
        )
        assert answer.explanation is not None
        assert [stage.name for stage in answer.explanation.stages] == [
            "plan",
            "search",
            "context",
            "answer",
        ]
        [first, second] = answer.explanation.exchanges
        assert (first.role, first.reply) == ("reader", QUERIES)
        assert second.messages == tuple((each.role, each.content) for each in principal.shown[0])
        assert answer.to_dict()["explanation"]["exchanges"][1]["reply"] == ANSWER

    async def test_is_there_only_when_asked_for(self, library: Shelf) -> None:
        answer = await Desk(library, principal=Scripted(ANSWER)).ask()
        assert answer.explanation is None
        assert not {"explanation", "issues"} & answer.to_dict().keys()

    async def test_scope_decides_its_language(self, library: Shelf) -> None:
        answer = await Desk(library).ask(explain=True, scope=Scope(language="ru"))
        assert answer.explanation is not None
        assert "отрывков" in " ".join(answer.explanation.stages[0].notes)
