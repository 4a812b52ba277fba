"""The principal writes, and what it wrote is held against the passages it was given."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final

from atril.answering.checks import Foreign, foreign_numbers
from atril.answering.citations import UNPROVED, Citations, Proved
from atril.answering.context import Instructions, instructions
from atril.answering.events import AnswerDelta
from atril.answering.gathering import merged
from atril.answering.meta import Reply, Splitter, parse_reply
from atril.answering.needs import Needs
from atril.answering.options import UnifiedOptions
from atril.answering.prompts import prompt
from atril.answering.turn import Making
from atril.errors import ModelUnavailable
from atril.models.chat import ChatModel, Completion, Message
from atril.profiles.profile import Profile
from atril.retrieval.live import ScoredChunk
from atril.types import Issue

ANSWERS: Final = 2
"""Calls for one answer, at most: it is written again once, for what was needed or for numbers."""


@dataclass(frozen=True, slots=True)
class Written:
    """A reply, what the model was told for it, its text with the citations that hold, and the numbers in that
    text which no source has."""

    reply: Reply
    told: Instructions
    proved: Proved
    foreign: tuple[Foreign, ...]


@dataclass(frozen=True, slots=True)
class Writer:
    """Has answers written by one model. `tokens` are those it can read at once, when they are few."""

    principal: ChatModel
    citations: Citations
    needs: Needs
    profile: Profile | None
    options: UnifiedOptions
    tokens: int | None = None

    async def write(self, making: Making, chunks: Sequence[ScoredChunk]) -> Written | None:
        """The answer, or `None` when the model gave none that can be shown; the remarks then say why."""
        told = self._told(making, chunks)
        best: Written | None = None
        for left in reversed(range(ANSWERS)):
            reply = await self._call(making, told)
            written = await self._proved(making, reply, told) if reply else None
            if written is None:
                if best is not None and making.shown:
                    making.emit(AnswerDelta(best.proved.text, restart=True))
                return best
            best = written
            again = await self._again(making, written, chunks) if left else None
            if again is None:
                return best
            chunks, told = again
        return best

    async def _call(self, making: Making, told: Instructions) -> Reply | None:
        """One call, shown as it is written; `None` when the model failed or was cut off."""
        splitter, said, completion = Splitter(), "", None
        restart = making.shown

        def show(text: str) -> None:
            nonlocal restart
            if text:
                making.emit(AnswerDelta(text, restart))
                restart, making.shown = False, True

        try:
            with making.ledger.timed("answer"):
                async with aclosing(self.principal.stream(told.messages)) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, Completion):
                            completion = piece
                        else:
                            said += piece.text
                            show(splitter.feed(piece.text))
        except ModelUnavailable as error:
            making.ledger.failed("principal", self.principal, told.messages, error, said)
            making.remark("answer.principal_failed", problem=error.localized(making.language))
            return None
        if completion is None:
            making.remark("answer.principal_cut")
            return None
        making.ledger.replied("principal", self.principal, told.messages, completion)
        if completion.cut_off:
            making.remark("answer.principal_cut")
            return None
        show(splitter.feed(completion.text[len(said) :]))
        show(splitter.finish())
        return parse_reply(completion.text, len(told.blocks))

    async def _proved(self, making: Making, reply: Reply, told: Instructions) -> Written | None:
        """The reply with the citations that hold. One that cites, or says it used, what does not hold, and one
        that neither cites nor reports anything, is no answer."""
        asked = making.asked
        proved = await self.citations.prove(
            making.scope,
            reply.text,
            told.blocks,
            language=making.language,
            used=reply.used or ((*range(1, len(told.blocks) + 1),) if not reply.reported else ()),
            check=asked.check,
        )
        making.ledger.calls["embedding"] += proved.embedded
        claims = bool(reply.used) or not reply.reported or bool(proved.issues)
        if not reply.text or (claims and not proved.citations):
            making.remark("answer.principal_unproved")
            return None
        foreign = await asyncio.to_thread(self._foreign, making, proved.text, told)
        return Written(reply, told, proved, tuple(foreign))

    def _foreign(self, making: Making, text: str, told: Instructions) -> list[Foreign]:
        questions = [*(turn.question for turn in making.asked.history), making.asked.question]
        sources = [(stored.chunk.content, stored.document.language) for stored in told.blocks]
        sources += [(told.context, making.language), ("\n".join(questions), making.language)]
        return foreign_numbers(text, making.language, sources)

    async def _again(
        self, making: Making, written: Written, chunks: Sequence[ScoredChunk]
    ) -> tuple[Sequence[ScoredChunk], Instructions] | None:
        """What to ask with once more; `None` when the answer may stay as it is."""
        if written.reply.needs:
            making.needed += [need.words for need in written.reply.needs]
            with making.ledger.timed("search"):
                found = await self.needs.fetch(making.scope, written.reply.needs, making.asked.filters)
            limit = self.options.to_model + self.options.retry_extra
            known = {chunk.stored.point for chunk in chunks}
            fresh = [chunk for chunk in found if chunk.stored.point not in known]
            more = merged((chunks, found), limit)
            added = {chunk.stored.point for chunk in more} - known
            needed = "; ".join(making.needed)
            making.ledger.note("need", "needed", needed=needed, found=len(fresh), added=len(added))
            if added:
                return more, self._told(making, more)
        if written.foreign:
            numbers = ", ".join(dict.fromkeys(each.text for each in written.foreign))
            making.ledger.note("check", "rewritten", numbers=numbers)
            said = Message("assistant", written.reply.text)
            ask = Message("user", prompt("answer_again", making.language, numbers=numbers))
            return chunks, replace(written.told, messages=(*written.told.messages, said, ask))
        return None

    def _told(self, making: Making, chunks: Sequence[ScoredChunk]) -> Instructions:
        told = instructions(
            making.asked.question,
            [chunk.stored for chunk in chunks],
            making.asked.history,
            language=making.language,
            profile=self.profile,
            options=self.options,
            tokens=self.tokens,
        )
        if len(told.blocks) < len(chunks):
            making.ledger.note("context", "too_long", cut=len(chunks) - len(told.blocks))
        return told


def marked(text: str, foreign: Sequence[Foreign]) -> tuple[str, list[Issue]]:
    """The text with a mark behind every number that no source has."""
    for each in sorted(foreign, key=lambda each: -each.start):
        text = f"{text[: each.end]} {UNPROVED}{text[each.end :]}"
    return text, [Issue("number", each.text) for each in foreign]
