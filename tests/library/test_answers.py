"""Answers through the library, with models behind real HTTP."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import atril
from atril.answering.events import AnswerDelta, AnswerDone, AnswerUsage
from atril.settings import Settings
from atril.testing.chat_server import ChatServer, Reply, Request
from atril.testing.embedders import HashEmbedder
from atril.types import Turn

LAW = """# Estatuto de los Trabajadores

## Capítulo II

##### Artículo 38. Vacaciones anuales.

La duración de las vacaciones anuales no será inferior a treinta días naturales.

##### Artículo 49. Dimisión.

Quien dimite avisará con quince días de preaviso.
"""
QUESTION = "¿Cuántos días de vacaciones anuales tengo?"
REPLY = "Como mínimo, treinta días naturales de vacaciones anuales [1].\n\n===META===\nUSED|1\nDROP|ninguno"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


def settings(server: ChatServer, **options: object) -> Settings:
    model = {"base_url": server.url, "api_key": "sk-test", "timeout": 5, "attempts": 1, **options}
    return Settings(
        reader={"model": "openai:small", **model},  # type: ignore[arg-type]
        principal={"model": "openai:large", **model},  # type: ignore[arg-type]
    )


@asynccontextmanager
async def law(home: Path, configured: Settings) -> AsyncIterator[atril.Library]:
    opening = atril.open(
        home, embedder=HashEmbedder(), settings=configured, language="es", profile="labour-law-es"
    )
    async with opening as library:
        await library.add_texts(
            [{"name": "BOE-A-2015-11430.md", "text": LAW, "title": "Estatuto de los Trabajadores"}]
        )
        yield library


async def test_an_answer_takes_one_call_of_each_model(home: Path, server: ChatServer) -> None:
    server.add('["vacaciones anuales días"]', REPLY)
    async with law(home, settings(server)) as library:
        answer = await library.ask(QUESTION)
    assert (answer.pipeline, answer.model, answer.found) == ("unified", "openai:large", True)
    assert answer.citations[0].article == "38"
    assert (answer.calls["reader"], answer.calls["principal"]) == (1, 1)
    assert answer.tokens["principal"].input > 100
    assert [request.streamed for request in server.requests] == [False, True]


async def test_an_article_that_is_needed_is_looked_up_and_no_call_follows_the_second(
    home: Path, server: ChatServer
) -> None:
    missing = "Falta la dimisión.\n===META===\nUSED|ninguno\nNEED|49|Estatuto de los Trabajadores"
    second = "Con quince días de preaviso avisará quien dimite [{}].\n===META===\nUSED|{}\nNEED|99|ET"

    def answering(request: Request) -> str:
        told = "\n".join(message["content"] for message in request.messages)
        number = re.search(r"\[(\d+)\][^\n]*Artículo 49", told)
        assert number, told
        return second.format(number[1], number[1])

    server.add('["vacaciones"]', missing, answering)
    configured = settings(server).model_copy(
        update={
            "answering": atril.settings.Settings().answering.model_copy(
                update={"to_model": 1, "references": 0}
            )
        }
    )
    async with law(home, configured) as library:
        answer = await library.ask("¿Y si dejo el trabajo?")
    assert (answer.calls["reader"], answer.calls["principal"]) == (1, 2)
    assert answer.needed == ("49 Estatuto de los Trabajadores",)
    assert [citation.article for citation in answer.citations] == ["49"]


async def test_whatever_happens_to_the_model_there_are_quotes_and_a_word_about_it(
    home: Path, server: ChatServer
) -> None:
    troubles = [
        Reply(REPLY, fault="disconnect", after=2),
        Reply(REPLY, fault="malformed", after=2),
        Reply(REPLY, fault="stall", after=2),
        Reply(REPLY, delay=30),
        Reply(status=500),
        Reply(status=401),
        Reply(status=429, retry_after=60),
        Reply("Lorem ipsum dolor sit amet."),
    ]
    async with law(home, settings(server, timeout=1, stall=0.3)) as library:
        await library.ask(QUESTION, pipeline="extractive")
        for trouble in troubles:
            server.add('["vacaciones anuales días"]', trouble)
            answer = await library.ask(QUESTION)
            assert (answer.pipeline, answer.requested, answer.model) == ("extractive", "unified", None)
            assert answer.citations[0].article == "38", trouble
            assert answer.message is not None and "se citan las mejores frases" in answer.message


async def test_a_stream_shows_the_text_then_what_it_cost_and_the_whole(
    home: Path, server: ChatServer
) -> None:
    server.add('["vacaciones anuales días"]', Reply(REPLY, piece=3))
    async with law(home, settings(server)) as library:
        events = [event async for event in library.ask_stream(QUESTION)]
    shown = "".join(event.text for event in events if isinstance(event, AnswerDelta))
    assert shown == REPLY.partition("\n\n===")[0]
    assert isinstance(events[-2], AnswerUsage) and isinstance(events[-1], AnswerDone)


async def test_without_models_a_follow_up_goes_on_from_what_was_quoted(home: Path) -> None:
    async with law(home, Settings()) as library:
        first = await library.ask(QUESTION)
        turn = Turn(QUESTION, first.text, first.context_chunk_ids[:1])
        again = await library.ask("¿Puedes explicarlo mejor?", history=[turn])
        assert (again.queries, again.found) == ((), True)
        assert again.context[0] == first.context_chunk_ids[0]
        other = await library.ask(
            "¿Qué dice el artículo 49 del Estatuto de los Trabajadores?", history=[turn]
        )
        assert other.queries
        assert "49" in {citation.article for citation in other.citations}


async def test_answers_are_scored(home: Path, tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    rows = [
        {
            "id": 1,
            "query": QUESTION,
            "relevant": [{"source_file": "BOE-A-2015-11430.md", "article": "38"}],
            "answer_phrases": ["treinta días naturales"],
        },
        {"id": 2, "query": "¿Quién escribió esta canción tan bonita sobre ríos?", "relevant": []},
    ]
    questions.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    async with law(home, Settings()) as library:
        scored = await library.evaluate_answers(questions)
    assert (scored.questions, scored.answered, scored.cited, scored.phrase) == (2, 1.0, 1.0, 1.0)
    assert (scored.numbers, scored.by_model, scored.tokens, scored.calls) == (1.0, 0, 0, 0)
    assert [each["cited"] for each in scored.to_dict()["outcomes"]] == [True, None]
