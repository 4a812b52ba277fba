"""Asking a library, alone or within a conversation."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from atril.library.base import Base
from atril.retrieval.search_filters import SearchFilters
from atril.store.conversations import TURNS, turn_of
from atril.types import Answer, Conversation, Transcript, Turn

if TYPE_CHECKING:
    from atril.answering.answerer import Asked
    from atril.answering.events import AnswerEvent
    from atril.answering.transcripts import TranscriptForm


class Asking(Base):
    """Answers questions, and keeps the conversations they belong to."""

    async def ask(
        self,
        question: str,
        *,
        pipeline: str = "unified",
        collections: Sequence[str] | None = None,
        labels: Sequence[str] = (),
        max_pages: int = 5,
        context_chunk_ids: Sequence[str] | None = None,
        history: Sequence[Turn] | None = None,
        conversation: str | None = None,
        explain: bool = False,
        check: bool = False,
    ) -> Answer:
        """The answer with its citations; `found` is false when the library does not hold it.

        With a model configured it is written by the model, otherwise the best sentences are quoted.
        `history` are the turns before, oldest first, and `context_chunk_ids` those of the last answer; without
        them the last turn's are carried over. With a `conversation` the history is what was said in it, and the
        turn is added to it; an id that is not known yet begins one. `explain` asks for the answer's
        `explanation`, `check` for every sentence without support to be marked. Raises `InvalidArgument` for an
        empty question or an unknown pipeline.
        """
        asked = self._asked(
            question,
            pipeline,
            collections,
            labels,
            max_pages=max_pages,
            carried=context_chunk_ids,
            history=await self._said_before(conversation, history),
            explain=explain,
            check=check,
        )
        async with self._home.using_index():
            answer = await self._home.answering.ask(asked)
        await self._keep(conversation, answer)
        return answer

    async def ask_stream(
        self,
        question: str,
        *,
        pipeline: str = "unified",
        collections: Sequence[str] | None = None,
        labels: Sequence[str] = (),
        max_pages: int = 5,
        context_chunk_ids: Sequence[str] | None = None,
        history: Sequence[Turn] | None = None,
        conversation: str | None = None,
        explain: bool = False,
        check: bool = False,
    ) -> AsyncGenerator[AnswerEvent, None]:
        """As `ask`, event by event: pieces of the text as they are written, then `AnswerDone`.

        An answer that cannot be given ends with `AnswerError`. A turn of a conversation is kept by the time
        that `AnswerDone` comes; one that is not waited for to the end is not.
        """
        from atril.answering.events import AnswerDone

        asked = self._asked(
            question,
            pipeline,
            collections,
            labels,
            max_pages=max_pages,
            carried=context_chunk_ids,
            history=await self._said_before(conversation, history),
            explain=explain,
            check=check,
        )
        async with self._home.using_index(), aclosing(self._home.answering.stream(asked)) as events:
            async for event in events:
                if isinstance(event, AnswerDone):
                    await self._keep(conversation, event.answer)
                yield event

    async def conversations(self) -> list[Conversation]:
        """The conversations, the one written to last first."""
        return await self._home.stores.records.conversations.listing(self._scope)

    async def conversation(self, id: str) -> Transcript:
        """A conversation with its messages. Raises `ConversationNotFound`."""
        return await self._home.stores.records.conversations.transcript(self._scope, id)

    async def export_conversation(self, id: str, form: TranscriptForm = "markdown") -> str:
        """A conversation as `markdown` or as `jsonl`. Raises `ConversationNotFound` and `InvalidArgument`."""
        from atril.answering.transcripts import written_out

        return written_out(await self.conversation(id), form, self._scope.language)

    async def delete_conversation(self, id: str) -> None:
        """Deletes a conversation with all that was said in it. Raises `ConversationNotFound`."""
        await self._home.stores.records.conversations.delete(self._scope, id)

    async def _said_before(
        self, conversation: str | None, history: Sequence[Turn] | None
    ) -> Sequence[Turn] | None:
        if conversation is None:
            return history
        log = self._home.stores.records.conversations
        turns = await log.turns(self._scope, conversation, limit=TURNS)
        return turns if history is None else history

    async def _keep(self, conversation: str | None, answer: Answer) -> None:
        if conversation is not None:
            log = self._home.stores.records.conversations
            await log.append(self._scope, conversation, turn_of(answer))

    def _asked(
        self,
        question: str,
        pipeline: str,
        collections: Sequence[str] | None,
        labels: Sequence[str],
        *,
        max_pages: int,
        carried: Sequence[str] | None,
        history: Sequence[Turn] | None,
        explain: bool,
        check: bool,
    ) -> Asked:
        from atril.answering.answerer import Asked

        self._home.check_current()
        turns = tuple(history or ())
        if carried is None:
            carried = turns[-1].context_chunk_ids if turns else ()
        return Asked(
            self._scope,
            question,
            pipeline,
            SearchFilters(collections=tuple(collections or ()), labels=tuple(labels)),
            context_chunk_ids=tuple(carried),
            history=turns,
            explain=explain,
            check=check,
            max_pages=max_pages,
        )
