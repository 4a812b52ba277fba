"""What the principal is told about the pages of one document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from atril.answering.answerer import Asked
from atril.answering.context import REPLY_SHARE, SEPARATOR, block
from atril.answering.document_first_pages import FoundPages
from atril.answering.planning import conversation
from atril.answering.prompts import prompt
from atril.models.chat import Message
from atril.models.counting import estimate_tokens
from atril.profiles.profile import Profile
from atril.types import StoredChunk

HISTORY: Final = 6
"""Messages of the conversation that the principal sees."""


@dataclass(frozen=True, slots=True)
class Told:
    """The messages of the request and the passages in it: passage n is `blocks[n - 1]`."""

    messages: tuple[Message, ...]
    blocks: tuple[StoredChunk, ...]


def page_messages(
    asked: Asked, found: FoundPages, *, language: str, profile: Profile | None, tokens: int | None
) -> Told:
    """The rules, the last messages of the conversation, then the pages and the question.

    `tokens` are those the model can read: the last pages are left out until they fit. One passage always
    stays.
    """
    blocks = [chunk.stored for chunk in found.chunks]
    said = conversation(asked.history, HISTORY)
    while True:
        messages = (
            Message("system", prompt("answer_from_pages", language)),
            *said,
            Message("user", _question(asked.question, found, blocks, language, profile)),
        )
        size = sum(estimate_tokens(each.content) for each in messages)
        if tokens is None or size <= tokens - tokens // REPLY_SHARE or len(blocks) < 2:
            return Told(messages, tuple(blocks))
        blocks.pop()


def _question(
    question: str,
    found: FoundPages,
    blocks: Sequence[StoredChunk],
    language: str,
    profile: Profile | None,
) -> str:
    passages = SEPARATOR.join(
        block(number, stored, language, profile) for number, stored in enumerate(blocks, 1)
    )
    name = found.document.name
    return prompt("answer_from_pages_question", language, document=name, passages=passages, question=question)
