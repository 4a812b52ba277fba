"""The unified pipeline: plan, search, join references, and one call that answers and says what it used."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import replace
from typing import Final

from atril.answering.answerer import Asked, check_question
from atril.answering.citations import Citations
from atril.answering.events import AnswerDelta, AnswerEvent, Emit, closing, emitted
from atril.answering.extractive import PIPELINE as EXTRACTIVE
from atril.answering.extractive import ExtractiveAnswering, answer_language
from atril.answering.followups import FollowUps, whole_question
from atril.answering.gathering import Gathered, Gatherer
from atril.answering.ledger import Ledger
from atril.answering.needs import Needs
from atril.answering.options import UnifiedOptions
from atril.answering.planning import planning_messages, read_queries
from atril.answering.turn import Making
from atril.answering.writing import Writer, Written, marked
from atril.errors import ModelUnavailable, NotFound
from atril.models.roles import Roles
from atril.profiles.profile import Profile
from atril.retrieval.live import ScoredChunk
from atril.retrieval.lookup import Lookup
from atril.retrieval.searcher import Retrieval, Searcher
from atril.store.records import Records
from atril.types import Answer, Issue, Scope, StoredChunk

PIPELINE: Final = "unified"


class Unified:
    """Answers from one home. Without a principal, or with one that fails, it quotes from the same context."""

    def __init__(
        self,
        *,
        records: Records,
        searcher: Searcher,
        gatherer: Gatherer,
        extractive: ExtractiveAnswering,
        follow_ups: FollowUps,
        citations: Citations,
        roles: Roles,
        profile: Profile | None = None,
        options: UnifiedOptions | None = None,
    ) -> None:
        self._records = records
        self._searcher = searcher
        self._gatherer = gatherer
        self._extractive = extractive
        self._follow_ups = follow_ups
        self._reader = roles.reader
        self._options = options or UnifiedOptions()
        self._writer = None
        if roles.principal is not None:
            needs, tokens = Needs(records, searcher, gatherer), roles.context_tokens.get("principal")
            self._writer = Writer(roles.principal, citations, needs, profile, self._options, tokens)

    async def run(self, asked: Asked) -> AsyncGenerator[AnswerEvent, None]:
        """The events of one answer. Raises `InvalidArgument` for an empty question and what a search raises."""
        check_question(asked.question)

        async def work(emit: Emit) -> None:
            await self._answer(asked, emit)

        async for event in emitted(work):
            yield event

    async def _answer(self, asked: Asked, emit: Emit) -> None:
        language = answer_language(asked.question, asked.scope)
        ledger = Ledger(asked.scope.language or language)
        making = Making(asked=asked, scope=_narrowed(asked), language=language, ledger=ledger, emit=emit)
        with ledger.timed("plan"):
            await self._carry(making)
            by_reader = await self._plan(making)
        with ledger.timed("search"):
            gathered = await self._gather(making, by_reader=by_reader)
        written = None
        if self._writer is not None and gathered.chunks:
            written = await self._writer.write(making, gathered.chunks)
        if written is None or self._writer is None:
            answer = await self._quoted(making, gathered)
            emit(AnswerDelta(answer.text, restart=making.shown))
        else:
            answer = self._finished(making, written, self._writer.principal.id)
        for event in closing(answer):
            emit(event)

    async def _carry(self, making: Making) -> None:
        missing = []
        for chunk_id in dict.fromkeys(making.asked.context_chunk_ids):
            try:
                making.carried.append(await self._records.chunk(making.scope, chunk_id))
            except NotFound:
                missing.append(chunk_id)
        making.issues += [Issue("unknown_chunk", chunk_id) for chunk_id in missing]
        if missing:
            making.remark("answer.unknown_chunks", ids=", ".join(missing))
        if making.carried:
            making.ledger.note("plan", "carried", ids=_ids(making.carried))

    async def _plan(self, making: Making) -> bool:
        """Decides what to search for, and gives whether the reader did."""
        asked, follow_up, ledger = making.asked, bool(making.carried), making.ledger
        if self._reader is not None:
            messages = planning_messages(
                asked.question,
                asked.history,
                follow_up=follow_up,
                language=making.language,
                options=self._options,
            )
            try:
                completion = await self._reader.complete(messages)
            except ModelUnavailable as error:
                ledger.failed("reader", self._reader, messages, error)
                making.remark("answer.reader_failed", problem=error.localized(making.language))
            else:
                ledger.replied("reader", self._reader, messages, completion)
                making.queries, read = read_queries(completion.text, asked.question, follow_up=follow_up)
                ledger.note("plan", "by_reader" if read else "unreadable", queries=_listed(making.queries))
                return True
        if follow_up or asked.history:
            planned = await self._follow_ups.plan(
                making.scope,
                asked.question,
                asked.history,
                making.carried,
                making.language,
                asked.filters,
            )
            making.queries = planned.queries
            ledger.calls["embedding"] += planned.searches
            ledger.note("plan", "follow_up", queries=_listed(making.queries))
        else:
            making.queries = (asked.question,)
        return False

    async def _gather(self, making: Making, *, by_reader: bool) -> Gathered:
        asked, ledger = making.asked, making.ledger
        cited = await self._cited(making) if by_reader else []
        gathered = await self._gatherer.gather(
            making.scope, making.queries, asked.filters, making.carried, extra=cited
        )
        ledger.calls["embedding"] += len(gathered.searches)
        for found in gathered.searches:
            cut = len(found.retrieval.chunks) - len(found.chunks)
            ledger.note("search", "query", query=found.retrieval.query, found=len(found.chunks), cut=cut)
        if cited:
            ledger.note("search", "looked_up", ids=_ids(chunk.stored for chunk in cited))
        for joined in gathered.expansion.joined:
            score = round(joined.chunk.score, 3)
            ledger.note("expansion", joined.by, id=joined.chunk.stored.id, score=score)
        if gathered.expansion.cut:
            ledger.note("expansion", "cut", count=gathered.expansion.cut)
        ledger.note("context", "kept", count=len(gathered.chunks), cut=gathered.cut)
        return gathered

    async def _cited(self, making: Making) -> list[ScoredChunk]:
        """What the question itself cites; the reader's queries leave numbers of articles out."""
        found = await Lookup(records=self._records).find(making.scope, making.asked.question)
        points = list(dict.fromkeys(point for each in found for point in each.points))
        stored = await self._records.hydrate(making.scope, points) if points else {}
        return [ScoredChunk(stored[point], 1.0) for point in points if point in stored]

    async def _quoted(self, making: Making, gathered: Gathered) -> Answer:
        """The extractive answer over the same context."""
        ledger = making.ledger
        with ledger.timed("search"):
            found = await self._evidence(making, gathered)
        with ledger.timed("answer"):
            quoted = await self._extractive.quote(making.scope, found, making.language)
        ledger.calls["embedding"] += quoted.embedded
        if quoted.reason:
            making.remarks.append(quoted.reason)
        ledger.note("answer", "quoted", count=len(quoted.citations))
        context = [chunk.stored for chunk in gathered.chunks]
        return replace(
            _basis(making, EXTRACTIVE, quoted.text, context),
            found=bool(quoted.citations),
            citations=quoted.citations,
            used=quoted.used,
            context_chunk_ids=quoted.carried([stored.id for stored in context]),
        )

    async def _evidence(self, making: Making, gathered: Gathered) -> Retrieval:
        """The search whose question the quotes are to answer, with the best of the context as its
        passages; what joined by references is there for a model, which reads what it is told by them."""
        question = making.asked.question
        searches = [each.retrieval for each in gathered.searches]
        found = next((each for each in searches if question in each.query), None)
        if found is None:
            making.ledger.calls["embedding"] += 1
            asked = whole_question(question, making.asked.history, making.carried)
            found = await self._searcher.retrieve(
                making.scope, asked, top_k=self._extractive.passages, filters=making.asked.filters
            )
        carried = {chunk.stored.point: chunk for chunk in gathered.carried}
        joined = {each.chunk.stored.point for each in gathered.expansion.joined}
        searched = [chunk for chunk in gathered.chunks if chunk.stored.point not in joined]
        best = searched[: self._extractive.passages]
        more = (chunk for chunk in searched[len(best) :] if chunk.stored.point in carried)
        return replace(found, chunks=(*best, *more))

    def _finished(self, making: Making, written: Written, model: str) -> Answer:
        """The answer of the model, with everything about it that does not hold said and marked."""
        reply, proved, blocks = written.reply, written.proved, written.told.blocks
        text, numbers = marked(proved.text, written.foreign)
        making.issues += [*proved.issues, *numbers]
        self._remark(making)
        if not proved.citations:
            making.remark("answer.uncited")
        used = tuple(blocks[number - 1].id for number in reply.used)
        dropped = tuple(blocks[number - 1].id for number in reply.dropped)
        cited = tuple(dict.fromkeys(citation.chunk_id for citation in proved.citations))
        used = tuple(dict.fromkeys((*used, *cited)))
        making.ledger.note(
            "answer", "written", used=len(reply.used), dropped=len(dropped), citations=len(proved.citations)
        )
        return replace(
            _basis(making, PIPELINE, text, blocks),
            model=model,
            found=bool(proved.citations),
            citations=proved.citations,
            used=used,
            dropped=dropped,
            context_chunk_ids=tuple(each for each in used if each not in dropped),
        )

    def _remark(self, making: Making) -> None:
        for kind in ("invented_citation", "dropped_citation", "unsupported", "number"):
            about = [issue.text for issue in making.issues if issue.kind == kind]
            if about:
                shown = ", ".join(dict.fromkeys(text.split(" ", 1)[0] for text in about))
                making.remark(f"answer.{kind}", count=len(about), numbers=shown)


def _basis(making: Making, pipeline: str, text: str, context: Sequence[StoredChunk]) -> Answer:
    return replace(
        making.basis(pipeline, text),
        queries=making.queries,
        context=tuple(stored.id for stored in context),
        needed=tuple(making.needed),
        issues=tuple(making.issues),
    )


def _narrowed(asked: Asked) -> Scope:
    """The scope with the question's collections and labels in it, so that whatever is read keeps to them."""
    scope, filters = asked.scope, asked.filters
    if filters.collections:
        allowed = scope.collections
        within = tuple(each for each in filters.collections if allowed is None or each in allowed)
        scope = replace(scope, collections=within)
    if filters.labels and not scope.labels:
        scope = replace(scope, labels=filters.labels)
    return scope


def _ids(chunks: Iterable[StoredChunk]) -> str:
    return ", ".join(stored.id for stored in chunks)


def _listed(queries: Sequence[str]) -> str:
    return "; ".join(queries) or "—"
