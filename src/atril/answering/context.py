"""What the principal is told: its role and rules, the numbered passages, the form of the reply, the conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from atril.answering.options import UnifiedOptions
from atril.answering.planning import conversation
from atril.answering.prompts import prompt
from atril.messages import message
from atril.models.chat import Message
from atril.models.counting import estimate_tokens
from atril.profiles.profile import Profile
from atril.types import StoredChunk, Turn

SEPARATOR = "\n\n---\n\n"
REPLY_SHARE = 4
"""One part in so many of what a model can read is left for its reply."""


@dataclass(frozen=True, slots=True)
class Instructions:
    """The messages of one request and the passages that are in it: block n is `blocks[n - 1]`."""

    messages: tuple[Message, ...]
    blocks: tuple[StoredChunk, ...]

    @property
    def context(self) -> str:
        """All that the answer may take its facts from, as the model read it."""
        return self.messages[1].content


def instructions(
    question: str,
    blocks: Sequence[StoredChunk],
    history: Sequence[Turn],
    *,
    language: str,
    profile: Profile | None,
    options: UnifiedOptions,
    tokens: int | None = None,
) -> Instructions:
    """Three system messages, the last messages of the conversation, and the question.

    `tokens` are those the model can read: passages from the end, then messages from the beginning, are left
    out until they fit. One passage always stays.
    """
    said = conversation(history, options.history_messages)
    first = Message("system", role(profile, language))
    last = Message("system", prompt("answer_format", language))
    ask = Message("user", question)
    kept = list(blocks)
    while True:
        passages = SEPARATOR.join(block(n, each, language, profile) for n, each in enumerate(kept, 1))
        context = Message("system", prompt("answer_context", language, context=passages))
        messages = (first, context, last, *said, ask)
        if tokens is None or _size(messages) <= tokens - tokens // REPLY_SHARE:
            return Instructions(messages, tuple(kept))
        if len(kept) > 1:
            kept.pop()
        elif said:
            said = said[1:]
        else:
            return Instructions(messages, tuple(kept))


def role(profile: Profile | None, language: str) -> str:
    """Who the model is, what it may rest on, and the rules of the domain."""
    grounding = profile.grounding if profile else "strict"
    rules = _rules(profile, language)
    parts = (prompt("answer_role", language), rules, prompt(f"answer_{grounding}", language))
    return "\n\n".join(part for part in parts if part)


def block(number: int, stored: StoredChunk, language: str, profile: Profile | None) -> str:
    """One passage: where it stands, its chapter, a summary and its text."""
    chunk = stored.chunk
    title = title_of(stored, profile)
    place = " > ".join(part for part in (title, chunk.section_title) if part)
    lines = [f"[{number}] {place}"]
    if chunk.page is not None:
        lines.append(message("context.page", language, page=chunk.page))
    if len(chunk.section_path) > 1 and chunk.section_path[-2] != title:
        lines.append(message("context.chapter", language, chapter=chunk.section_path[-2]))
    if chunk.description:
        lines.append(message("context.summary", language, summary=chunk.description))
    if chunk.flags:
        lines.append(message("context.flagged", language))
    lines.append(message("context.text", language, text=chunk.content.strip()))
    return "\n".join(lines)


def title_of(stored: StoredChunk, profile: Profile | None) -> str:
    """What people call the document."""
    norm = profile.norm_of(stored.document) if profile else None
    return norm.titles[0] if norm and norm.titles else stored.document.title or stored.document.name


def _rules(profile: Profile | None, language: str) -> str:
    if profile is None or not profile.answering:
        return ""
    written = profile.answering
    return written.get(language) or written.get(profile.language) or next(iter(written.values()))


def _size(messages: Sequence[Message]) -> int:
    return sum(estimate_tokens(each.content) for each in messages)
