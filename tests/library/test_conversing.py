"""Conversations through the library: what was said before counts, and nothing said is lost."""

import asyncio
import json
from contextlib import aclosing
from pathlib import Path

import pytest

import atril
from atril.answering.events import AnswerDelta, AnswerDone
from atril.errors import ConversationNotFound, InvalidArgument
from atril.types import Scope

FIRST = "¿Cuántos días de vacaciones tiene cada persona?"
SECOND = "¿Con cuánta antelación se piden las vacaciones?"


@pytest.fixture
async def filled(library: atril.Library, folder: Path) -> atril.Library:
    await library.add(folder)
    return library


async def test_turns_are_kept_with_their_answers(filled: atril.Library) -> None:
    first = await filled.ask(FIRST, conversation="c1")
    second = await filled.ask(SECOND, conversation="c1")

    transcript = await filled.conversation("c1")
    assert [(each.role, each.text) for each in transcript.messages] == [
        ("user", FIRST),
        ("assistant", first.text),
        ("user", SECOND),
        ("assistant", second.text),
    ]
    assert transcript.messages[1].answer == first.to_dict()
    assert [(each.id, each.title, each.messages) for each in await filled.conversations()] == [
        ("c1", FIRST, 4)
    ]


async def test_a_conversation_goes_on_after_the_library_was_closed(home: Path, folder: Path) -> None:
    from atril.testing.embedders import HashEmbedder

    async with atril.open(home, embedder=HashEmbedder()) as library:
        await library.add(folder)
        answer = await library.ask(FIRST, conversation="c1")
    async with atril.open(home, embedder=HashEmbedder()) as library:
        await library.ask(SECOND, conversation="c1")
        messages = (await library.conversation("c1")).messages
    assert len(messages) == 4
    assert messages[1].context_chunk_ids == answer.context_chunk_ids


async def test_two_tabs_that_ask_at_once_are_both_kept(filled: atril.Library) -> None:
    await asyncio.gather(*(filled.ask(f"{FIRST} {n}", conversation="c1") for n in range(4)))
    messages = (await filled.conversation("c1")).messages
    assert [each.sequence for each in messages] == list(range(1, 9))
    assert {each.text for each in messages[::2]} == {f"{FIRST} {n}" for n in range(4)}
    assert all(
        asked.text == given.answer["question"]
        for asked, given in zip(messages[::2], messages[1::2], strict=True)
    )  # type: ignore[index]


async def test_a_streamed_turn_is_kept_when_its_end_is_told(filled: atril.Library) -> None:
    async with aclosing(filled.ask_stream(FIRST, conversation="c1")) as events:
        async for event in events:
            if isinstance(event, AnswerDone):
                assert (await filled.conversation("c1")).messages[1].text == event.answer.text


async def test_a_turn_that_was_stopped_is_not_kept_and_the_next_one_is(filled: atril.Library) -> None:
    async with aclosing(filled.ask_stream(FIRST, conversation="c1")) as events:
        async for event in events:
            assert isinstance(event, AnswerDelta)
            break
    assert await filled.conversations() == []
    await filled.ask(SECOND, conversation="c1")
    assert (await filled.conversation("c1")).messages[0].text == SECOND


async def test_every_pipeline_keeps_its_turns(filled: atril.Library) -> None:
    for pipeline in ("unified", "document-first", "extractive"):
        await filled.ask(FIRST, pipeline=pipeline, conversation="c1")
    answers = [each.answer for each in (await filled.conversation("c1")).messages if each.answer]
    assert [each["requested"] for each in answers] == ["unified", "document-first", "extractive"]


async def test_an_explanation_is_not_kept(filled: atril.Library) -> None:
    answer = await filled.ask(FIRST, conversation="c1", explain=True)
    assert answer.explanation is not None
    kept = (await filled.conversation("c1")).messages[1].answer
    assert kept is not None
    assert "explanation" not in kept


async def test_export_as_markdown_and_as_json_lines(filled: atril.Library) -> None:
    answer = await filled.within(Scope(language="es")).ask(FIRST, conversation="c1")
    text = await filled.within(Scope(language="es")).export_conversation("c1")
    assert text.startswith(f"# {FIRST}\n\n## Pregunta")
    assert "## Respuesta" in text
    assert f"> [1] manual.md · Vacaciones: “{answer.citations[0].quote}”" in text
    lines = (await filled.export_conversation("c1", "jsonl")).splitlines()
    assert [json.loads(line)["role"] for line in lines] == ["user", "assistant"]
    assert json.loads(lines[1])["answer"] == answer.to_dict()
    with pytest.raises(InvalidArgument, match="form"):
        await filled.export_conversation("c1", "pdf")  # type: ignore[arg-type]


async def test_deleting_a_conversation(filled: atril.Library) -> None:
    await filled.ask(FIRST, conversation="c1")
    await filled.delete_conversation("c1")
    assert await filled.conversations() == []
    for wanted in (filled.conversation("c1"), filled.delete_conversation("c1")):
        with pytest.raises(ConversationNotFound, match="c1"):
            await wanted


async def test_another_tenant_has_its_own_conversations(filled: atril.Library) -> None:
    await filled.ask(FIRST, conversation="c1")
    other = filled.within(Scope(tenant="other"))
    assert await other.conversations() == []
    with pytest.raises(ConversationNotFound):
        await other.export_conversation("c1")


async def test_an_empty_id_is_refused_before_anything_is_asked(filled: atril.Library) -> None:
    with pytest.raises(InvalidArgument, match="conversation"):
        await filled.ask(FIRST, conversation=" ")
