"""The document-first pipeline: two documents, the pages of one, and an answer that cites those pages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final

from atril.answering.answerer import Asked, check_question
from atril.answering.checks import foreign_numbers
from atril.answering.citations import Citations
from atril.answering.document_first_options import DocumentFirstOptions
from atril.answering.document_first_pages import FoundPages, PageSearch, Quality
from atril.answering.document_first_picking import Picked, Picking
from atril.answering.document_first_prompting import Told, page_messages
from atril.answering.document_first_ranking import DocumentRanking
from atril.answering.events import AnswerDelta, AnswerEvent, closing
from atril.answering.extractive import PIPELINE as EXTRACTIVE
from atril.answering.extractive import ExtractiveAnswering, answer_language
from atril.answering.ledger import Ledger
from atril.answering.turn import Work
from atril.documents.analysis import fold, term_id
from atril.errors import InvalidArgument, ModelUnavailable
from atril.messages import message
from atril.models.chat import ChatModel, Completion
from atril.models.embeddings import Embedder
from atril.models.roles import Roles
from atril.profiles.profile import Profile
from atril.retrieval.search_filters import SearchFilters
from atril.retrieval.searcher import Retrieval, Searcher
from atril.store.index.protocol import Index
from atril.store.records import Records
from atril.types import Answer, Citation, Document, Issue

DOCUMENT_FIRST: Final = "document-first"
MOST_PAGES: Final = 100
_PASSAGES: Final = 10
"""Chunks of the search over all candidates; their similarities tell how much the library knows at all."""


@dataclass(slots=True, kw_only=True)
class _Work(Work):
    considered: tuple[str, ...] = ()


class DocumentFirst:
    """Answers from single documents of one home. Without a principal it quotes the pages it has found."""

    def __init__(
        self,
        *,
        records: Records,
        index: Index,
        embedder: Embedder,
        searcher: Searcher,
        extractive: ExtractiveAnswering,
        citations: Citations,
        roles: Roles,
        profile: Profile | None = None,
        options: DocumentFirstOptions | None = None,
    ) -> None:
        self._records = records
        self._searcher = searcher
        self._extractive = extractive
        self._citations = citations
        self._roles = roles
        self._profile = profile
        self._options = options or DocumentFirstOptions()
        self._general = frozenset(map(fold, self._options.general_labels))
        self._picking = Picking(DocumentRanking(records, index), roles.reader, self._options.listed)
        self._pages = PageSearch(records, index, embedder)

    async def run(self, asked: Asked) -> AsyncGenerator[AnswerEvent, None]:
        """The events of one answer. Raises `InvalidArgument` for an empty question or a number of pages that
        cannot be, and what a search raises."""
        _check(asked)
        language = answer_language(asked.question, asked.scope)
        ledger = Ledger(asked.scope.language or language, "document_first")
        work = _Work(asked=asked, language=language, ledger=ledger)
        candidates = await self._candidates(asked)
        work.ledger.note("plan", "candidates", count=len(candidates))
        if not candidates:
            for event in _told(_no_documents(work)):
                yield event
            return
        with work.ledger.timed("plan"):
            question = await self._question(work, candidates)
            picked = await self._picking.pick(asked.scope, question, candidates, language, work.ledger)
            _tell_picked(work, picked)
        with work.ledger.timed("search"):
            found = await self._look(work, question, picked.documents)
        if found is None:
            for event in _told(_no_pages(work)):
                yield event
            return
        async with aclosing(self._answered(work, question, found)) as events:
            async for event in events:
                yield event

    async def _candidates(self, asked: Asked) -> list[Document]:
        """The documents with one of the labels asked for or a general one; all of them without labels."""
        labels, collections = frozenset(asked.filters.labels), asked.filters.collections
        return [
            document
            for document in await self._records.documents(asked.scope)
            if (not collections or document.collection in collections)
            and (not labels or any(label in labels or self._is_general(label) for label in document.labels))
        ]

    def _is_general(self, label: str) -> bool:
        return fold(label) in self._general

    async def _question(self, work: _Work, candidates: Sequence[Document]) -> Retrieval:
        """The question's words and vector, and what the candidates together hold about it."""
        asked = work.asked
        labels: tuple[str, ...] = ()
        if asked.filters.labels:
            held = {label for document in candidates for label in document.labels}
            general = sorted(label for label in held if self._is_general(label))
            labels = tuple(dict.fromkeys((*asked.filters.labels, *general)))
        filters = SearchFilters(collections=asked.filters.collections, labels=labels)
        work.ledger.calls["embedding"] += 1
        return await self._searcher.retrieve(
            asked.scope, asked.question, mode="hybrid", top_k=_PASSAGES, filters=filters
        )

    async def _look(
        self, work: _Work, question: Retrieval, documents: Sequence[Document]
    ) -> FoundPages | None:
        """The pages of the first document when they are excellent, else of the better of both; the first one is
        the better in case of doubt."""
        scope, best = work.asked.scope, None
        terms = [term_id(term) for word in question.lexical.words for term in word.terms]
        statistics = await self._records.statistics_within(scope, documents, terms)
        for document in documents:
            if document.id not in statistics:  # removed since it was picked
                continue
            found = await self._pages.search(
                scope, document, question, statistics[document.id], work.asked.max_pages
            )
            if not found.pages:
                continue
            _tell_looked(work, found)
            if best is None or found.score > best.score + self._options.lead:
                best = found
            if found.score >= self._options.excellent:
                work.ledger.note("search", "enough", excellent=self._options.excellent)
                break
        if best is not None:
            quality = self._quality(best)
            work.ledger.note("search", "used", document=best.document.name, quality=quality)
        return best

    def _quality(self, found: FoundPages) -> Quality:
        if found.score >= self._options.excellent:
            return "excellent"
        return "acceptable" if found.score >= self._options.acceptable else "low"

    # Answering

    async def _answered(
        self, work: _Work, question: Retrieval, found: FoundPages
    ) -> AsyncGenerator[AnswerEvent, None]:
        answer: Answer | None = None
        if self._roles.principal is not None:
            async with aclosing(self._written(work, found, self._roles.principal)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Answer):
                        answer = piece
                    else:
                        yield piece
        if answer is None:
            answer = await self._quoted(work, question, found)
            yield AnswerDelta(answer.text, restart=work.shown)
        for event in closing(answer):
            yield event

    async def _quoted(self, work: _Work, question: Retrieval, found: FoundPages) -> Answer:
        """The sentences of the pages that answer best."""
        chunks = found.chunks
        with work.ledger.timed("answer"):
            seen = replace(question, chunks=chunks, similarities=found.similarities)
            quoted = await self._extractive.quote(work.asked.scope, seen, work.language)
        work.ledger.calls["embedding"] += quoted.embedded
        if quoted.reason:
            work.remarks.append(quoted.reason)
        return self._answer(
            work,
            found,
            text=quoted.text,
            citations=quoted.citations,
            pipeline=EXTRACTIVE,
            context=tuple(chunk.stored.id for chunk in chunks),
        )

    async def _written(
        self, work: _Work, found: FoundPages, principal: ChatModel
    ) -> AsyncGenerator[AnswerDelta | Answer, None]:
        """The pieces of the principal's text as they are written and, if it came to an end, the answer."""
        tokens = self._roles.context_tokens.get("principal")
        told = page_messages(work.asked, found, language=work.language, profile=self._profile, tokens=tokens)
        said, completion = "", None
        try:
            with work.ledger.timed("answer"):
                async with aclosing(principal.stream(told.messages)) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, Completion):
                            completion = piece
                            break
                        said += piece.text
                        work.shown = True
                        yield AnswerDelta(piece.text)
        except ModelUnavailable as error:
            work.ledger.failed("principal", principal, told.messages, error, said)
            work.remark("answer.principal_failed", problem=error.localized(work.language))
            return
        if completion is not None:
            work.ledger.replied("principal", principal, told.messages, completion)
        if completion is None or completion.cut_off or not completion.text.strip():
            work.remark("answer.principal_cut")
            return
        if rest := completion.text[len(said) :]:  # a model may give its whole reply at the end only
            yield AnswerDelta(rest)
        with work.ledger.timed("answer"):
            yield await self._proved(work, found, told, completion.text, principal)

    async def _proved(
        self, work: _Work, found: FoundPages, told: Told, text: str, principal: ChatModel
    ) -> Answer:
        """The text with the citations that hold; a text that cites nothing is given those that support it."""
        asked = work.asked
        proved = await self._citations.prove(
            asked.scope,
            text,
            told.blocks,
            language=work.language,
            used=range(1, len(told.blocks) + 1),
            check=asked.check,
        )
        work.ledger.calls["embedding"] += proved.embedded
        sources = [
            *((stored.chunk.content, stored.document.language) for stored in told.blocks),
            (asked.question, work.language),
        ]
        foreign = await asyncio.to_thread(foreign_numbers, proved.text, work.language, sources)
        return self._answer(
            work,
            found,
            text=proved.text,
            citations=proved.citations,
            pipeline=DOCUMENT_FIRST,
            model=principal.id,
            context=tuple(stored.id for stored in told.blocks),
            issues=(*proved.issues, *(Issue("number", each.text) for each in foreign)),
        )

    def _answer(
        self,
        work: _Work,
        found: FoundPages,
        *,
        text: str,
        citations: tuple[Citation, ...],
        pipeline: str,
        context: tuple[str, ...],
        model: str | None = None,
        issues: tuple[Issue, ...] = (),
    ) -> Answer:
        used = tuple(dict.fromkeys(citation.chunk_id for citation in citations))
        return replace(
            _bare(work, text, pipeline),
            model=model,
            found=bool(citations),
            citations=citations,
            queries=(work.asked.question,),
            context=context,
            used=used,
            context_chunk_ids=used,
            document_used=found.document.name,
            pages=found.numbers,
            quality=self._quality(found),
            issues=issues,
        )


def _told(answer: Answer) -> tuple[AnswerEvent, ...]:
    return AnswerDelta(answer.text), *closing(answer)


def _no_documents(work: _Work) -> Answer:
    labels = ", ".join(work.asked.filters.labels)
    shown = message("document_first.for_labels", work.language, labels=labels) if labels else ""
    work.remark("document_first.no_documents_hint")
    return _bare(work, message("document_first.no_documents", work.language, labels=shown))


def _no_pages(work: _Work) -> Answer:
    documents = ", ".join(work.considered)
    return _bare(work, message("document_first.no_pages", work.language, documents=documents))


def _bare(work: _Work, text: str, pipeline: str = DOCUMENT_FIRST) -> Answer:
    return replace(work.basis(pipeline, text), documents_considered=work.considered)


def _tell_picked(work: _Work, picked: Picked) -> None:
    work.considered = tuple(document.name for document in picked.documents)
    work.ledger.note("plan", f"picked_{picked.by}", documents=", ".join(work.considered))
    if picked.failure is not None:
        work.remark("document_first.reader_failed", problem=picked.failure.localized(work.language))


def _tell_looked(work: _Work, found: FoundPages) -> None:
    score, name = f"{found.score:.2f}", found.document.name
    if found.numbers:
        pages = ", ".join(map(str, found.numbers))
        work.ledger.note("search", "looked", document=name, pages=pages, score=score)
    else:
        work.ledger.note("search", "looked_sections", document=name, count=len(found.pages), score=score)


def _check(asked: Asked) -> None:
    check_question(asked.question)
    if not 1 <= asked.max_pages <= MOST_PAGES:
        raise InvalidArgument(
            name="max_pages", value=asked.max_pages, allowed="allowed.range", least=1, most=MOST_PAGES
        )
