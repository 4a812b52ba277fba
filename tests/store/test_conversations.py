"""The log of conversations: what is written stays in order, whoever writes at the same time."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from atril.errors import ConversationNotFound, InvalidArgument
from atril.store.conversations import Contact, Conversations, NewMessage
from atril.store.database import Database
from atril.store.records import Records
from atril.types import Scope, Turn

SCOPE = Scope(actor="ana")
OTHER = Scope(tenant="other")


class Clock:
    """Each look at it is a minute later."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now


@pytest.fixture
async def records(tmp_path: Path) -> AsyncIterator[Records]:
    opened = await Records.open(tmp_path, clock=Clock())
    yield opened
    await opened.close()


def turn(question: str, answer: str, *carried: str) -> list[NewMessage]:
    return [
        NewMessage("user", question),
        NewMessage("assistant", answer, {"text": answer, "found": True}, carried),
    ]


async def test_a_conversation_begins_with_its_first_message(records: Records) -> None:
    log = records.conversations
    assert await log.listing(SCOPE) == []
    await log.append(SCOPE, "c1", turn("¿Cuándo?", "Mañana. 👋", "a_chunk_0001"), contact=Contact("web"))

    transcript = await log.transcript(SCOPE, "c1")
    asked, answered = transcript.messages
    assert (asked.sequence, asked.role, asked.text, asked.answer) == (1, "user", "¿Cuándo?", None)
    assert (answered.sequence, answered.role, answered.text) == (2, "assistant", "Mañana. 👋")
    assert answered.answer == {"text": "Mañana. 👋", "found": True}
    assert answered.context_chunk_ids == ("a_chunk_0001",)
    about = transcript.conversation
    assert (about.id, about.title, about.messages) == ("c1", "¿Cuándo?", 2)
    assert (about.channel, about.contact, about.assignee) == ("web", None, None)
    assert await log.listing(SCOPE) == [about]


async def test_conversations_are_listed_with_the_latest_first(records: Records) -> None:
    log = records.conversations
    for conversation in ("first", "second", "first"):
        await log.append(SCOPE, conversation, turn("a", "b"))
    listed = await log.listing(SCOPE)
    assert [(each.id, each.messages) for each in listed] == [("first", 4), ("second", 2)]
    assert listed[0].created_at < listed[1].created_at < listed[0].updated_at


async def test_the_last_turns_come_back_oldest_first(records: Records) -> None:
    log = records.conversations
    assert await log.turns(SCOPE, "c1", limit=5) == ()
    for number in range(4):
        await log.append(SCOPE, "c1", turn(f"q{number}", f"a{number}", f"chunk{number}"))
    await log.append(SCOPE, "c1", [NewMessage("user", "never answered")])
    assert await log.turns(SCOPE, "c1", limit=1) == ()
    await log.append(SCOPE, "c1", turn("q5", "a5"))
    assert await log.turns(SCOPE, "c1", limit=2) == (Turn("q5", "a5"),)
    assert await log.turns(SCOPE, "c1", limit=3) == (Turn("q3", "a3", ("chunk3",)), Turn("q5", "a5"))


async def test_two_who_write_at_once_are_both_kept(records: Records, tmp_path: Path) -> None:
    second = await Records.open(tmp_path)
    try:
        writers = (records.conversations, second.conversations)
        await asyncio.gather(*(writers[n % 2].append(SCOPE, "c1", turn(f"q{n}", f"a{n}")) for n in range(20)))
    finally:
        await second.close()
    messages = (await records.conversations.transcript(SCOPE, "c1")).messages
    assert [each.sequence for each in messages] == list(range(1, 41))
    pairs = {(asked.text, given.text) for asked, given in zip(messages[::2], messages[1::2], strict=True)}
    assert pairs == {(f"q{n}", f"a{n}") for n in range(20)}


async def test_a_number_that_is_taken_is_tried_again(tmp_path: Path) -> None:
    class Contended(Database):
        refusals = 2

        async def write(self, work: Callable[..., Any], *, durable: bool = True) -> Any:
            if self.refusals:
                self.refusals -= 1
                raise IntegrityError("INSERT", {}, Exception("taken"))
            return await super().write(work, durable=durable)

    await (await Records.open(tmp_path)).close()
    database = Contended(tmp_path / "records.db")
    try:
        log = Conversations(database, Clock())
        logged = await log.append(SCOPE, "c1", turn("q", "a"))
        assert [each.sequence for each in logged] == [1, 2]
        database.refusals = 100
        with pytest.raises(IntegrityError):
            await log.append(SCOPE, "c1", turn("q", "a"))
    finally:
        await database.close()


async def test_a_tenant_never_meets_the_conversations_of_another(records: Records) -> None:
    log = records.conversations
    await log.append(SCOPE, "c1", turn("mine", "yes"))
    await log.append(OTHER, "c1", turn("theirs", "no"))
    assert [each.title for each in await log.listing(OTHER)] == ["theirs"]
    await log.delete(OTHER, "c1")
    assert await log.turns(SCOPE, "c1", limit=1) == (Turn("mine", "yes"),)
    with pytest.raises(ConversationNotFound, match="c1"):
        await log.transcript(OTHER, "c1")


async def test_deleting_leaves_nothing_but_the_record_of_it(records: Records) -> None:
    log = records.conversations
    await log.append(SCOPE, "c1", turn("secret", "very"))
    await log.delete(SCOPE, "c1")
    assert await log.listing(SCOPE) == []
    [entry] = await records.history(SCOPE)
    assert (entry.action, entry.subject, entry.actor) == ("delete_conversation", "c1", "ana")
    with pytest.raises(ConversationNotFound):
        await log.delete(SCOPE, "c1")
    assert len(await records.history(SCOPE)) == 1


@pytest.mark.parametrize("conversation", ["", " \n", "x" * 201, "\ud800"])
async def test_an_id_must_be_something_that_can_be_written_down(records: Records, conversation: str) -> None:
    with pytest.raises(InvalidArgument, match="conversation"):
        await records.conversations.append(SCOPE, conversation, turn("q", "a"))


async def test_nothing_to_write_makes_no_conversation(records: Records) -> None:
    assert await records.conversations.append(SCOPE, "c1", []) == ()
    assert await records.conversations.listing(SCOPE) == []
