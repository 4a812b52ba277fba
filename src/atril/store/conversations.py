"""Conversations: an append-only log of messages, in the order in which they were written.

The number of a message is given when it is written, so that two who write to one conversation at once are
both kept, one after the other. Nothing in the log is ever changed; a conversation goes as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from atril.errors import ConversationNotFound, InvalidArgument
from atril.store.database import Database
from atril.store.frequencies import upsert
from atril.store.names import storable
from atril.store.schema import audit, conversations, messages
from atril.types import Answer, Conversation, LoggedMessage, MessageRole, Scope, Transcript, Turn

MAX_ID: Final = 200
"""Characters of the id of a conversation."""

TURNS: Final = 10
"""Turns of a conversation that an answer may need to know."""

_ATTEMPTS: Final = 5
"""On an engine that lets two write at once, the second one finds its number taken and takes the next."""


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message that is not in the log yet; see `LoggedMessage`."""

    role: MessageRole
    text: str
    answer: Mapping[str, Any] | None = None
    context_chunk_ids: tuple[str, ...] = ()


def turn_of(answer: Answer) -> list[NewMessage]:
    """A question and its answer as they go into the log, together; how the answer came about does not."""
    told = replace(answer, explanation=None).to_dict()
    return [
        NewMessage("user", answer.question),
        NewMessage("assistant", answer.text, told, answer.context_chunk_ids),
    ]


@dataclass(frozen=True, slots=True)
class Contact:
    """Where a conversation comes from and whose it is; only its first message decides it."""

    channel: str | None = None
    contact: str | None = None
    assignee: str | None = None


NOBODY: Final = Contact()

_FIRST, _LAST = messages.alias("first"), messages.alias("last")
_OF_TENANT = conversations.c.tenant == sa.bindparam("tenant")
_CONVERSATIONS = (
    sa.select(
        conversations.c.id,
        _FIRST.c.text,
        _LAST.c.sequence,
        conversations.c.created_at,
        _LAST.c.created_at,
        conversations.c.channel,
        conversations.c.contact,
        conversations.c.assignee,
    )
    .join_from(
        conversations,
        _FIRST,
        sa.and_(
            _FIRST.c.tenant == conversations.c.tenant,
            _FIRST.c.conversation == conversations.c.id,
            _FIRST.c.sequence == 1,
        ),
    )
    .join(
        _LAST,
        sa.and_(
            _LAST.c.tenant == conversations.c.tenant,
            _LAST.c.conversation == conversations.c.id,
            _LAST.c.sequence
            == sa.select(sa.func.max(messages.c.sequence))
            .where(messages.c.tenant == conversations.c.tenant, messages.c.conversation == conversations.c.id)
            .scalar_subquery(),
        ),
    )
    .where(_OF_TENANT)
)
_HERE = sa.and_(
    messages.c.tenant == sa.bindparam("tenant"), messages.c.conversation == sa.bindparam("conversation")
)
_MESSAGES = (
    sa.select(
        messages.c.sequence,
        messages.c.role,
        messages.c.text,
        messages.c.created_at,
        messages.c.answer,
        messages.c.context_chunk_ids,
    )
    .where(_HERE)
    .order_by(messages.c.sequence)
)
_LAST_MESSAGES = (
    sa.select(messages.c.sequence, messages.c.role, messages.c.text, messages.c.context_chunk_ids)
    .where(_HERE)
    .order_by(messages.c.sequence.desc())
)


class Conversations:
    """The conversations of one home. Every coroutine is one transaction and honours the scope's tenant."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    async def append(
        self, scope: Scope, conversation: str, new: Sequence[NewMessage], *, contact: Contact = NOBODY
    ) -> tuple[LoggedMessage, ...]:
        """Writes messages one right after the other; the first one makes the conversation.

        Raises `InvalidArgument` for an id that is blank or longer than 200 characters.
        """
        _check(conversation)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return await self._database.write(
                    lambda connection: _append(connection, scope, conversation, new, contact, self._clock())
                )
            except IntegrityError:
                if attempt == _ATTEMPTS:
                    raise
        raise AssertionError("unreachable")

    async def turns(self, scope: Scope, conversation: str, *, limit: int) -> tuple[Turn, ...]:
        """The questions that were answered among the last `2 * limit` messages, oldest first; none for a
        conversation that does not exist yet.

        Raises `InvalidArgument` as `append` does.
        """
        _check(conversation)
        return await self._database.read(lambda connection: _turns(connection, scope, conversation, limit))

    async def listing(self, scope: Scope) -> list[Conversation]:
        """The tenant's conversations, the one written to last first."""
        order = (_LAST.c.created_at.desc(), conversations.c.id)

        def work(connection: Connection) -> list[Conversation]:
            rows = connection.execute(_CONVERSATIONS.order_by(*order), {"tenant": scope.tenant})
            return [Conversation(*row) for row in rows]

        return await self._database.read(work)

    async def transcript(self, scope: Scope, conversation: str) -> Transcript:
        """Raises `ConversationNotFound`."""

        def work(connection: Connection) -> Transcript:
            wanted = _CONVERSATIONS.where(conversations.c.id == conversation)
            row = connection.execute(wanted, {"tenant": scope.tenant}).first()
            if row is None:
                raise ConversationNotFound(id=conversation)
            said = connection.execute(_MESSAGES, _key(scope, conversation))
            return Transcript(Conversation(*row), tuple(LoggedMessage(*each) for each in said))

        return await self._database.read(work)

    async def delete(self, scope: Scope, conversation: str) -> None:
        """Deletes a conversation with all that was said in it; that it was deleted, when and by whom stays in
        the audit. Raises `ConversationNotFound`."""

        def work(connection: Connection) -> None:
            of_messages = (messages.c.tenant == scope.tenant, messages.c.conversation == conversation)
            connection.execute(messages.delete().where(*of_messages))
            itself = (conversations.c.tenant == scope.tenant, conversations.c.id == conversation)
            if not connection.execute(conversations.delete().where(*itself)).rowcount:
                raise ConversationNotFound(id=conversation)
            entry = {"tenant": scope.tenant, "actor": scope.actor, "at": self._clock()}
            connection.execute(
                audit.insert(), entry | {"action": "delete_conversation", "subject": conversation}
            )

        await self._database.write(work)


def _append(
    connection: Connection,
    scope: Scope,
    conversation: str,
    new: Sequence[NewMessage],
    contact: Contact,
    now: datetime,
) -> tuple[LoggedMessage, ...]:
    if not new:
        return ()
    connection.execute(
        upsert(connection, conversations).on_conflict_do_nothing(),
        {
            "tenant": scope.tenant,
            "id": conversation,
            "created_at": now,
            "channel": contact.channel,
            "contact": contact.contact,
            "assignee": contact.assignee,
        },
    )
    key = _key(scope, conversation)
    last = connection.scalar(sa.select(sa.func.max(messages.c.sequence)).where(_HERE), key) or 0
    logged = tuple(
        LoggedMessage(sequence, each.role, storable(each.text), now, each.answer, each.context_chunk_ids)
        for sequence, each in enumerate(new, last + 1)
    )
    connection.execute(
        messages.insert(),
        [
            key
            | {
                "sequence": each.sequence,
                "role": each.role,
                "text": each.text,
                "answer": each.answer,
                "context_chunk_ids": each.context_chunk_ids,
                "created_at": each.created_at,
            }
            for each in logged
        ],
    )
    return logged


def _turns(connection: Connection, scope: Scope, conversation: str, limit: int) -> tuple[Turn, ...]:
    """A turn is an answer and the message right before it, when that one asked."""
    rows = connection.execute(_LAST_MESSAGES.limit(2 * limit), _key(scope, conversation)).all()
    turns = [
        Turn(asked.text, answered.text, answered.context_chunk_ids)
        for asked, answered in pairwise(reversed(rows))
        if asked.role == "user" and answered.role == "assistant"
    ]
    return tuple(turns)


def _key(scope: Scope, conversation: str) -> dict[str, Any]:
    return {"tenant": scope.tenant, "conversation": conversation}


def _check(conversation: str) -> None:
    if not conversation.strip() or len(conversation) > MAX_ID or storable(conversation) != conversation:
        raise InvalidArgument(
            name="conversation", value=conversation[:MAX_ID], allowed=f"a text of 1 to {MAX_ID} characters"
        )
