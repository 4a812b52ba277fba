"""One answer in the making."""

from __future__ import annotations

from dataclasses import dataclass, field

from atril.answering.answerer import Asked
from atril.answering.events import Emit
from atril.answering.ledger import Ledger
from atril.messages import message
from atril.types import Answer, Issue, Scope, StoredChunk


@dataclass(slots=True, kw_only=True)
class Work:
    """What has been asked, and what every pipeline keeps: `remarks` become the answer's message; `shown` is
    whether a reader has seen text already."""

    asked: Asked
    language: str
    ledger: Ledger
    remarks: list[str] = field(default_factory=list)
    shown: bool = False

    def remark(self, key: str, **fields: object) -> None:
        """Tells the reader something: a key of the messages."""
        self.remarks.append(message(key, self.language, **fields))

    def basis(self, pipeline: str, text: str = "") -> Answer:
        """What every answer says, whoever wrote it; nothing is found yet."""
        asked, ledger = self.asked, self.ledger
        return Answer(
            question=asked.question,
            text=text,
            requested=asked.requested,
            pipeline=pipeline,
            language=self.language,
            found=False,
            message=" ".join(self.remarks) or None,
            calls=dict(ledger.calls),
            tokens=dict(ledger.tokens),
            timings_ms=ledger.timings_ms,
            explanation=ledger.explanation if asked.explain else None,
        )


@dataclass(slots=True, kw_only=True)
class Making(Work):
    """An answer from one context. `scope` is narrowed by the question's filters."""

    scope: Scope
    emit: Emit
    carried: list[StoredChunk] = field(default_factory=list)
    queries: tuple[str, ...] = ()
    issues: list[Issue] = field(default_factory=list)
    needed: list[str] = field(default_factory=list)
