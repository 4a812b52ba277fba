"""The two documents of the document-first pipeline, picked by the reader or ranked without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from atril.answering.document_first_choice import chosen
from atril.answering.document_first_ranking import DocumentRanking
from atril.answering.ledger import Ledger
from atril.answering.prompts import prompt
from atril.errors import ModelUnavailable
from atril.models.chat import ChatModel, Message
from atril.retrieval.searcher import Retrieval
from atril.types import Document, Scope

WANTED: Final = 2
_DESCRIPTION: Final = 300
"""Characters of a description that the reader sees."""


@dataclass(frozen=True, slots=True)
class Picked:
    """The documents to look into, the best first, and how they were found: by the reader, by the ranking, or
    because there is no other. `failure` is the reader's, when it gave no reply."""

    documents: tuple[Document, ...]
    by: Literal["reader", "ranking", "only"]
    failure: ModelUnavailable | None = None


@dataclass(frozen=True, slots=True)
class Picking:
    """Picks documents. `listed` bounds how many of them the reader is shown: the first of the ranking."""

    ranking: DocumentRanking
    reader: ChatModel | None
    listed: int

    async def pick(
        self,
        scope: Scope,
        asked: Retrieval,
        candidates: Sequence[Document],
        language: str,
        ledger: Ledger,
    ) -> Picked:
        """Two documents for the question in `asked`, or all when there are fewer; one call of the reader at
        most. What it leaves open the ranking fills."""
        ranked = [document for document, _ in await self.ranking.rank(scope, asked, candidates)]
        if len(ranked) < WANTED:
            return Picked(tuple(ranked), "only")
        if self.reader is None:
            return Picked(tuple(ranked[:WANTED]), "ranking")
        listed = sorted(ranked[: self.listed], key=lambda document: document.name)
        messages = selection_messages(asked.query, listed, language)
        try:
            completion = await self.reader.complete(messages)
        except ModelUnavailable as error:
            ledger.failed("reader", self.reader, messages, error)
            return Picked(tuple(ranked[:WANTED]), "ranking", error)
        ledger.replied("reader", self.reader, messages, completion)
        named = chosen(completion.text, listed, most=WANTED)
        filled = [*named, *(document for document in ranked if document not in named)]
        return Picked(tuple(filled[:WANTED]), "reader" if named else "ranking")


def selection_messages(question: str, candidates: Sequence[Document], language: str) -> list[Message]:
    """What the reader is told: each document by its name, labels and description."""
    listed = "\n\n".join(_listed(document) for document in candidates)
    return [
        Message("system", prompt("pick_documents", language, count=WANTED)),
        Message("user", prompt("pick_documents_question", language, question=question, documents=listed)),
    ]


def _listed(document: Document) -> str:
    lines = [document.name]
    if document.title and document.title != document.name:
        lines.append(f"  {_line(document.title)}")
    if document.labels:
        lines.append(f"  ({_line(', '.join(document.labels))})")
    if document.description:
        lines.append(f"  {_line(document.description)}")
    return "\n".join(lines)


def _line(text: str) -> str:
    """On one line, so that no description can look like the name of another document."""
    return " ".join(text.split())[:_DESCRIPTION]
