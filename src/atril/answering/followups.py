"""Follow-up questions without a reader: whether they need a search, and for what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from atril.store.records import Records
from atril.types import Scope, StoredChunk, Turn

MOST_TITLES = 2


@dataclass(frozen=True, slots=True)
class FollowUps:
    """Plans the follow-up questions of one home by rules."""

    records: Records

    async def plan(
        self,
        scope: Scope,
        question: str,
        history: Sequence[Turn],
        carried: Sequence[StoredChunk],
        language: str,
    ) -> tuple[str, ...]:
        """What to search for, nothing when what was carried over is enough."""
        asked = [self.whole(question, history, carried)]
        titles = list(dict.fromkeys(stored.chunk.section_title for stored in carried))
        if history and titles and titles[0]:
            asked.append(f"{titles[0].rstrip('.')}. {question}")
        return tuple(asked)

    def whole(self, question: str, history: Sequence[Turn], carried: Sequence[StoredChunk]) -> str:
        """The question with what it is about, taken from the last question or from what was carried over."""
        if history:
            return f"{history[-1].question} {question}"
        if carried and carried[0].chunk.section_title:
            return f"{carried[0].chunk.section_title.rstrip('.')}. {question}"
        return question
