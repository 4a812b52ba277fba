"""Conversations as they are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal

MessageRole = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True)
class LoggedMessage:
    """One message of a conversation. `sequence` counts from 1.

    `answer` is the `Answer` as JSON, of a message that answers, and `context_chunk_ids` are the chunks that
    its next turn may carry on.
    """

    sequence: int
    role: MessageRole
    text: str
    created_at: datetime
    answer: Mapping[str, Any] | None = None
    context_chunk_ids: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "sequence": self.sequence,
            "role": self.role,
            "text": self.text,
            "created_at": self.created_at.isoformat(),
            "answer": None if self.answer is None else dict(self.answer),
            "context_chunk_ids": list(self.context_chunk_ids),
        }


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation without what was said in it: `title` is its first message, `messages` their number."""

    id: str
    title: str
    messages: int
    created_at: datetime
    updated_at: datetime
    channel: str | None = None
    contact: str | None = None
    assignee: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {
            "created_at": self.created_at.isoformat(),
            "updated_at": self.updated_at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class Transcript:
    """A whole conversation, its messages in order."""

    conversation: Conversation
    messages: tuple[LoggedMessage, ...]

    def to_dict(self) -> dict[str, Any]:
        return self.conversation.to_dict() | {"messages": [each.to_dict() for each in self.messages]}
