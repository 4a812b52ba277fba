"""One answer in the making."""

from __future__ import annotations

from dataclasses import dataclass, field

from atril.answering.answerer import Asked
from atril.answering.events import Emit
from atril.answering.ledger import Ledger
from atril.messages import message
from atril.types import Issue, Scope, StoredChunk


@dataclass(slots=True)
class Making:
    """What has been asked and what is known so far. `scope` is narrowed by the question's filters; `remarks`
    become the answer's message; `shown` is whether a reader has seen text already."""

    asked: Asked
    scope: Scope
    language: str
    ledger: Ledger
    emit: Emit
    carried: list[StoredChunk] = field(default_factory=list)
    queries: tuple[str, ...] = ()
    issues: list[Issue] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    needed: list[str] = field(default_factory=list)
    shown: bool = False

    def remark(self, key: str, **fields: object) -> None:
        """Tells the reader something: a key of the messages' table `answer`."""
        self.remarks.append(message(f"answer.{key}", self.language, **fields))
