"""The library as people use it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import replace
from math import inf
from os import PathLike, fspath
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, get_args

from atril.answering.answerer import Asked
from atril.answering.events import AnswerDone, AnswerEvent
from atril.answering.transcripts import TranscriptForm, written_out
from atril.documents.languages import detect
from atril.errors import AtrilError, EmptyFolder, InvalidArgument, MissingExtra, NotFound
from atril.evaluation.answers import AnswerEvaluation, evaluate_answers
from atril.evaluation.datasets import Relevant, load_questions
from atril.evaluation.growth import Size, measure_growth
from atril.evaluation.misses import Held, MissedPlace, explain_misses
from atril.evaluation.runner import Evaluation, Search, evaluate
from atril.home import Home, load_embedder, open_home
from atril.ingest.containers import with_members
from atril.ingest.files import SourceFile, check_folder, find_files
from atril.ingest.following import moves, of_folder, vanished
from atril.ingest.linking import aliases
from atril.ingest.rebuild import reread
from atril.ingest.recovery import restore
from atril.ingest.sources import FileSource, Source, TextSource
from atril.ingest.stores import compact, forget
from atril.ingest.tally import ProgressListener
from atril.ingest.watching import changes
from atril.models.embeddings import Embedder
from atril.profiles.loading import load_profile
from atril.retrieval.content import Content
from atril.retrieval.finder import Finder
from atril.retrieval.hits import to_hit
from atril.retrieval.live import ScoredChunk
from atril.retrieval.search_filters import SearchFilters
from atril.retrieval.section import Section
from atril.settings import Settings, load_settings
from atril.store.conversations import TURNS, turn_of
from atril.store.names import storable
from atril.tools.documents import document_tools
from atril.tools.knowledge.options import KnowledgeOptions
from atril.tools.responses import Response, respond
from atril.tools.tool import Tool, ToolContext
from atril.tools.toolset import Toolset
from atril.tools.wording import LANGUAGES, written_in
from atril.types import (
    DEFAULT_COLLECTION,
    AddReport,
    Answer,
    Conversation,
    Document,
    Failure,
    ListedTable,
    Progress,
    ReferenceReport,
    ReindexReport,
    Scope,
    SearchMode,
    SearchResult,
    StoredChunk,
    Transcript,
    Turn,
)

if TYPE_CHECKING:
    from langchain_core.tools import StructuredTool


@asynccontextmanager
async def open(
    home: str | PathLike[str] | None = None,
    *,
    profile: str | None = None,
    embedder: Embedder | None = None,
    language: str | None = None,
    settings: Settings | None = None,
) -> AsyncIterator[Library]:
    """Opens the library in the folder `home`, which is created when absent, and closes it at the end.

    What is not given comes from the settings (`ATRIL_*`, `atril.toml`). An `embedder` that is passed in is
    closed too, even when opening fails. `language` (es, en, ru) is that of messages. Raises `HomeLocked`
    when another process owns the home, `NotAHome` for a file and for a folder with anything else in it,
    `HomeTooNew`, `HomeDamaged`, and for a `profile` (a name or a folder) `ProfileNotFound` and
    `InvalidProfile`.
    """
    async with AsyncExitStack() as stack:
        if embedder is not None:
            stack.push_async_callback(embedder.close)
        chosen = settings or load_settings()
        domain = await asyncio.to_thread(load_profile, profile or chosen.profile)
        folder = Path(fspath(home)) if home is not None else chosen.home
        if embedder is None:
            embedder = load_embedder(chosen.embedder, chosen.embedding_options)
            stack.push_async_callback(embedder.close)
        opened = await stack.enter_async_context(
            open_home(folder, embedder, chosen, language or chosen.language, profile=domain)
        )
        knowledge = await stack.enter_async_context(_knowledge(chosen.knowledge_base))
        scope = Scope(language=opened.language)
        yield Library(opened, scope, largest_file=chosen.reading.file_bytes, more_tools=knowledge)


@asynccontextmanager
async def _knowledge(options: KnowledgeOptions) -> AsyncIterator[tuple[Tool[Any], ...]]:
    """The tool over the configured knowledge base, with a connection for as long as the library is open."""
    if not options.search_url:
        yield ()
        return
    try:
        import httpx  # belongs to an extra, and so do the two below

        from atril.tools.knowledge.client import SearchClient
        from atril.tools.knowledge.search import KnowledgeSearch
    except ImportError as error:
        raise MissingExtra(what="knowledge", extra="http") from error
    async with httpx.AsyncClient() as http:
        yield (KnowledgeSearch(SearchClient(http, options)),)


class Library:
    """Documents that can be searched and asked. Get one from `atril.open`.

    One library serves one event loop. What a coroutine has reported as added or removed stays so, whatever
    happens to the process afterwards.
    """

    def __init__(
        self, home: Home, scope: Scope, *, largest_file: int, more_tools: Sequence[Tool[Any]] = ()
    ) -> None:
        self._home = home
        self._scope = scope
        self._largest_file = largest_file
        self._more_tools = tuple(more_tools)

    def within(self, scope: Scope) -> Library:
        """The same home as another tenant or caller sees it."""
        seen = replace(scope, language=scope.language or self._home.language)
        return Library(self._home, seen, largest_file=self._largest_file, more_tools=self._more_tools)

    async def add(
        self,
        paths: Sequence[str | PathLike[str]] | str | PathLike[str],
        *,
        collection: str = DEFAULT_COLLECTION,
        weight: float | None = None,
        labels: Sequence[str] | None = None,
        progress: ProgressListener | None = None,
    ) -> AddReport:
        """Reads files and folders into a collection; unchanged files are skipped by their content.

        A file that cannot be read is in the report's `failed` and keeps the version it had. `weight` is
        the collection's, above 0, and stays when it is not given. `labels` are those of the documents; when
        not given a document keeps what it has, and `()` takes them away.
        """
        given = [paths] if isinstance(paths, str | PathLike) else paths
        files = await self._files([Path(fspath(path)) for path in given])
        return await self._add(self._sources(files), collection, weight, labels, progress)

    async def add_texts(
        self,
        texts: Sequence[Mapping[str, Any]],
        *,
        collection: str = DEFAULT_COLLECTION,
        weight: float | None = None,
        labels: Sequence[str] | None = None,
        progress: ProgressListener | None = None,
    ) -> AddReport:
        """Adds one document for each mapping of `name`, `text` and, if wanted, `title` and `metadata`.

        The name is the document's identity: the same name again replaces it, and of two mappings with one
        name the last counts. Raises `InvalidArgument` for a mapping without a name or a text.
        """
        sources = [_text_source(row, collection) for row in texts]
        last = {storable(source.identity): source for source in sources}
        return await self._add(list(last.values()), collection, weight, labels, progress)

    async def sync(
        self,
        folder: str | PathLike[str],
        *,
        collection: str = DEFAULT_COLLECTION,
        weight: float | None = None,
        labels: Sequence[str] | None = None,
        progress: ProgressListener | None = None,
    ) -> AddReport:
        """As `add`, and removes the collection's documents whose files have vanished from the folder or are
        ignored now. A file that was renamed or moved within it keeps its document, which counts as updated and
        takes the new name; the ids of its chunks follow.

        What lies below a folder that cannot be listed stays. So that an unmounted disk empties nothing, it
        raises `PathNotFound` when the folder itself is missing, and `EmptyFolder` when it has nothing to
        read while the library holds documents from it. Raises `NotAFolder` for a file.
        """
        return await self._sync(Path(fspath(folder)), None, collection, weight, labels, progress)

    async def watch(
        self,
        folder: str | PathLike[str],
        *,
        collection: str = DEFAULT_COLLECTION,
        weight: float | None = None,
        labels: Sequence[str] | None = None,
    ) -> AsyncIterator[AddReport]:
        """Syncs once, then again whenever something in the folder has changed, until it is closed; only what
        has changed is read again.

        After the first time nothing ends it: a folder that is not there for a while, or a disk that is full,
        is the failure of one report, and what it left undone is part of the next.
        """
        root = Path(fspath(folder))
        undone: frozenset[Path] | None = None
        async for changed in changes(root, exclude=self._home.folder):
            undone = None if changed is None else changed | (undone or frozenset())
            try:
                report = await self._sync(root, undone, collection, weight, labels, None)
                undone = frozenset()
            except (AtrilError, OSError) as error:
                if changed is None:
                    raise
                told = error.localized(self._home.language) if isinstance(error, AtrilError) else str(error)
                report = AddReport(failed=(Failure(storable(str(root)), "unreadable", told),))
            yield report

    async def _sync(
        self,
        root: Path,
        only: frozenset[Path] | None,
        collection: str,
        weight: float | None,
        labels: Sequence[str] | None,
        progress: ProgressListener | None,
    ) -> AddReport:
        """`only` are the files to look into; the others are known not to have changed."""
        check_folder(root)
        start = perf_counter()
        files = await self._files([root])
        if not files and (held := await self._from(root, collection)):
            raise EmptyFolder(path=str(root), count=len(held))
        moved = await self._follow(root, files, collection)
        changed = files if only is None else [file for file in files if file.path in only]
        report = await self._add(self._sources(changed), collection, weight, labels, progress)
        async with self._home.writing:  # or what is added between looking and removing would be lost
            held = await self._from(root, collection)
            gone = await asyncio.to_thread(vanished, held, files, root)
            await self._remove(gone)
        return replace(
            report,
            updated=report.updated + moved,
            unchanged=max(report.unchanged - moved, 0),
            removed=report.removed + len(gone),
            seconds=perf_counter() - start,
        )

    async def _follow(self, root: Path, files: Sequence[SourceFile], collection: str) -> int:
        """Lets documents follow files that were renamed or moved, and gives their number."""
        records, count = self._home.stores.records, 0
        async with self._home.writing:
            held = await self._from(root, collection)
            gone = await asyncio.to_thread(vanished, held, files, root)
            for move in await asyncio.to_thread(moves, gone, held, files):
                reached = storable(str(move.file.path.absolute()))
                moved = await records.move(
                    self._scope,
                    move.document.id,
                    source=move.file.source,
                    path=reached,
                    name=move.file.name,
                    folder=move.file.folder,
                    aliases=aliases(
                        self._home.profile, move.document.title, move.file.name, move.document.metadata
                    ),
                )
                count += moved is not None
        return count

    async def documents(self, collection: str | None = None) -> list[Document]:
        """The documents, in the order of their names."""
        found = await self._home.stores.records.documents(self._scope)
        return [each for each in found if collection is None or each.collection == collection]

    async def references(self, collection: str | None = None) -> ReferenceReport:
        """How many references the texts hold, how many lead to a chunk of the library, and what the others
        name most often."""
        scope = self._scope
        if collection is not None:
            allowed = scope.collections is None or collection in scope.collections
            scope = replace(scope, collections=(collection,) if allowed else ())
        return await self._home.stores.records.reference_report(scope)

    async def tables(self, name: str | None = None) -> list[ListedTable]:
        """The tables of all documents, or of one: where each is, its columns and rows. A long table is in
        several chunks, of which each counts its own rows.

        Raises `DocumentNotFound` or `AmbiguousName`.
        """
        records = self._home.stores.records
        document = None if name is None else await records.find(self._scope, name)
        return await records.tables(self._scope, document)

    async def remove(self, *names: str) -> int:
        """Removes documents by name, attachments with their mail, and gives their number.

        Nothing is removed when one of the names raises `DocumentNotFound` or `AmbiguousName`.
        """
        records = self._home.stores.records
        found = {each.id: each for each in [await records.find(self._scope, name) for name in names]}
        gone = with_members(list(found.values()), await records.documents(self._scope))
        await self._remove(gone)
        return len(gone)

    async def read(self, name: str) -> str:
        """The canonical text of a document. Raises `DocumentNotFound` or `AmbiguousName`."""
        records = self._home.stores.records
        return await records.text(self._scope, (await records.find(self._scope, name)).id)

    async def chunks(self, name: str, start: int = 1, end: int = 100) -> list[StoredChunk]:
        """Chunks number `start` to `end` of a document, both included, 1-based; at most 1,000."""
        return list((await self.section(name, start, end)).chunks)

    async def section(self, name: str, start: int, end: int) -> Section:
        """Chunks number `start` to `end` of a document, both included, 1-based, with their document; at
        most 1,000."""
        return await self._home.finder.section(self._scope, name, start, end)

    async def content(self, name: str) -> Content:
        """The whole canonical text of a document and its chunks, in order."""
        return await self._home.finder.content(self._scope, name)

    async def structure(
        self,
        document: str,
        chunk_type: str | None = None,
        keywords: Sequence[str] | str = (),
        position: str = "all",
        top_k: int = 10,
    ) -> SearchResult:
        """Parts of one document by kind (content, table, list, code, section_header), position (`all`,
        `first_N`, `last_N`) and keywords; see `atril.retrieval.finder.Finder.structure`."""
        self._home.check_current()
        async with self._home.using_index():
            return await self._home.finder.structure(
                self._scope,
                document,
                chunk_type=chunk_type,
                keywords=keywords,
                position=position,
                top_k=top_k,
            )

    async def regex(
        self,
        pattern: str | None = None,
        predefined: str | None = None,
        *,
        case_sensitive: bool = False,
        context_lines: int = 2,
        max_matches_per_file: int = 50,
        document: str | None = None,
        collections: Sequence[str] | None = None,
        labels: Sequence[str] = (),
    ) -> SearchResult:
        """Every match of a regular expression, or of a predefined one, in the texts of the documents; see
        `atril.retrieval.finder.Finder.regex`."""
        return await self._home.finder.regex(
            self._scope,
            pattern=pattern,
            predefined=predefined,
            case_sensitive=case_sensitive,
            context_lines=context_lines,
            max_matches_per_file=max_matches_per_file,
            document=document,
            collections=collections or (),
            labels=labels,
        )

    def tools(self) -> Toolset:
        """The tools with which a language model finds and reads documents, and the configured knowledge
        base; see `atril.tools`."""
        return Toolset([*document_tools(self.finding), *self._more_tools])

    def tool_context(
        self, question: str | None = None, *, language: str | None = None, token_budget: int | None = None
    ) -> ToolContext:
        """This caller's context for tools. Without a `language` texts follow that of the question."""
        spoken = language or _language_of(question) or self._scope.language
        return ToolContext(
            scope=self._scope,
            question=question,
            language=written_in(spoken),
            token_budget=token_budget,
        )

    async def run_tools(
        self,
        text: str,
        *,
        question: str | None = None,
        language: str | None = None,
        token_budget: int | None = None,
    ) -> Response:
        """Runs every tool call in what a model wrote; `Response.text` is what it should read next.

        Nothing that is wrong with a call raises: the text says what was wrong and what to write instead.
        """
        context = self.tool_context(question, language=language, token_budget=token_budget)
        return await respond(text, self.tools(), context)

    def langchain_tools(self, *, language: str | None = None) -> list[StructuredTool]:
        """The tools for LangChain (extra `langchain`); `func` works from any other thread."""
        from atril.tools.export.langchain import langchain_tools  # belongs to an extra

        return langchain_tools(self.tools(), self.tool_context(language=language), loop=self._home.loop)

    @asynccontextmanager
    async def finding(self) -> AsyncIterator[Finder]:
        """What tools find things with, for as long as one call needs it; its index is not exchanged then."""
        self._home.check_current()
        async with self._home.using_index():
            yield self._home.finder

    async def search(
        self,
        query: str,
        *,
        mode: SearchMode = "hybrid",
        top_k: int = 10,
        min_score: float = 0.0,
        collections: Sequence[str] | None = None,
        labels: Sequence[str] = (),
        document: str | None = None,
        type: str | None = None,
        language: str | None = None,
        page: int | None = None,
        metadata: Mapping[str, object] | None = None,
        explain: bool = False,
    ) -> SearchResult:
        """The chunks that answer a query best; see `atril.retrieval.searcher.Searcher.search`.

        `explain` asks for the result's `explanation`: what was searched for, and why each hit is where it is.

        Raises also `EmbedderMismatch` and `HomeOutdated`, when the library must be rebuilt first.
        """
        self._home.check_current()
        filters = SearchFilters(
            collections=tuple(collections or ()),
            labels=tuple(labels),
            document=document,
            type=type,
            language=language,
            page=page,
            metadata=dict(metadata or {}),
        )
        async with self._home.using_index():
            return await self._home.searcher.search(
                self._scope,
                query,
                mode=mode,
                top_k=top_k,
                min_score=min_score,
                filters=filters,
                explain=explain,
            )

    async def ask(
        self,
        question: str,
        *,
        pipeline: str = "unified",
        collections: Sequence[str] | None = None,
        labels: Sequence[str] = (),
        max_pages: int = 5,
        context_chunk_ids: Sequence[str] | None = None,
        history: Sequence[Turn] | None = None,
        conversation: str | None = None,
        explain: bool = False,
        check: bool = False,
    ) -> Answer:
        """The answer with its citations; `found` is false when the library does not hold it.

        With a model configured it is written by the model, otherwise the best sentences are quoted.
        `history` are the turns before, oldest first, and `context_chunk_ids` those of the last answer; without
        them the last turn's are carried over. With a `conversation` the history is what was said in it, and the
        turn is added to it; an id that is not known yet begins one. `explain` asks for the answer's `explanation`, `check` for every
        sentence without support to be marked. Raises `InvalidArgument` for an empty question or an unknown
        pipeline.
        """
        asked = self._asked(
            question,
            pipeline,
            collections,
            labels,
            max_pages=max_pages,
            carried=context_chunk_ids,
            history=await self._said_before(conversation, history),
            explain=explain,
            check=check,
        )
        async with self._home.using_index():
            answer = await self._home.answering.ask(asked)
        await self._keep(conversation, answer)
        return answer

    async def ask_stream(
        self,
        question: str,
        *,
        pipeline: str = "unified",
        collections: Sequence[str] | None = None,
        labels: Sequence[str] = (),
        max_pages: int = 5,
        context_chunk_ids: Sequence[str] | None = None,
        history: Sequence[Turn] | None = None,
        conversation: str | None = None,
        explain: bool = False,
        check: bool = False,
    ) -> AsyncGenerator[AnswerEvent, None]:
        """As `ask`, event by event: pieces of the text as they are written, then `AnswerDone`.

        An answer that cannot be given ends with `AnswerError`. A turn of a conversation is kept by the time
        that `AnswerDone` comes; one that is not waited for to the end is not.
        """
        asked = self._asked(
            question,
            pipeline,
            collections,
            labels,
            max_pages=max_pages,
            carried=context_chunk_ids,
            history=await self._said_before(conversation, history),
            explain=explain,
            check=check,
        )
        async with self._home.using_index(), aclosing(self._home.answering.stream(asked)) as events:
            async for event in events:
                if isinstance(event, AnswerDone):
                    await self._keep(conversation, event.answer)
                yield event

    async def conversations(self) -> list[Conversation]:
        """The conversations, the one written to last first."""
        return await self._home.stores.records.conversations.listing(self._scope)

    async def conversation(self, id: str) -> Transcript:
        """A conversation with its messages. Raises `ConversationNotFound`."""
        return await self._home.stores.records.conversations.transcript(self._scope, id)

    async def export_conversation(self, id: str, form: TranscriptForm = "markdown") -> str:
        """A conversation as `markdown` or as `jsonl`. Raises `ConversationNotFound` and `InvalidArgument`."""
        return written_out(await self.conversation(id), form, self._scope.language)

    async def delete_conversation(self, id: str) -> None:
        """Deletes a conversation with all that was said in it. Raises `ConversationNotFound`."""
        await self._home.stores.records.conversations.delete(self._scope, id)

    async def _said_before(
        self, conversation: str | None, history: Sequence[Turn] | None
    ) -> Sequence[Turn] | None:
        if conversation is None:
            return history
        log = self._home.stores.records.conversations
        turns = await log.turns(self._scope, conversation, limit=TURNS)
        return turns if history is None else history

    async def _keep(self, conversation: str | None, answer: Answer) -> None:
        if conversation is not None:
            log = self._home.stores.records.conversations
            await log.append(self._scope, conversation, turn_of(answer))

    def _asked(
        self,
        question: str,
        pipeline: str,
        collections: Sequence[str] | None,
        labels: Sequence[str],
        *,
        max_pages: int,
        carried: Sequence[str] | None,
        history: Sequence[Turn] | None,
        explain: bool,
        check: bool,
    ) -> Asked:
        self._home.check_current()
        turns = tuple(history or ())
        if carried is None:
            carried = turns[-1].context_chunk_ids if turns else ()
        return Asked(
            self._scope,
            question,
            pipeline,
            SearchFilters(collections=tuple(collections or ()), labels=tuple(labels)),
            context_chunk_ids=tuple(carried),
            history=turns,
            explain=explain,
            check=check,
            max_pages=max_pages,
        )

    async def evaluate(
        self, questions: str | PathLike[str], *, mode: SearchMode = "hybrid", ks: Sequence[int] = (1, 5, 10)
    ) -> Evaluation:
        """Scores retrieval on a file of questions; see `atril.evaluation`."""
        asked = await asyncio.to_thread(load_questions, Path(fspath(questions)))
        return await evaluate(asked, self._searching(mode), ks=ks)

    async def evaluate_answers(
        self, questions: str | PathLike[str], *, pipeline: str = "unified"
    ) -> AnswerEvaluation:
        """Answers a file of questions and scores the answers; see `atril.evaluation.answers`."""
        asked = await asyncio.to_thread(load_questions, Path(fspath(questions)))

        async def ask(query: str) -> Answer:
            return await self.ask(query, pipeline=pipeline)

        return await evaluate_answers(asked, ask)

    async def explain_misses(
        self, questions: str | PathLike[str], evaluation: Evaluation
    ) -> tuple[MissedPlace, ...]:
        """Why an evaluation of these questions missed places; see `atril.evaluation.misses`."""
        asked = await asyncio.to_thread(load_questions, Path(fspath(questions)))
        lists = {mode: self._searching(mode) for mode in get_args(SearchMode)}
        return await explain_misses(asked, evaluation, lists, self._holds)

    async def growth(
        self, questions: str | PathLike[str], *, mode: SearchMode = "hybrid"
    ) -> tuple[Size, ...]:
        """What searches cost with an eighth, a quarter, half and all of the documents in an index.

        A second index is filled from the records beside the one in use and deleted afterwards; nothing can
        be added meanwhile.
        """
        self._home.check_current()
        home, records = self._home, self._home.stores.records
        asked = await asyncio.to_thread(load_questions, Path(fspath(questions)))
        async with home.writing:
            fresh = await home.new_index()
            try:
                searcher = home.searching(fresh)

                async def fill(documents: Sequence[Document]) -> None:
                    await restore(records, fresh, home.embedding, self._scope, documents)
                    await fresh.compact()

                async def search(query: str, top_k: int) -> SearchResult:
                    return await searcher.search(self._scope, query, mode=mode, top_k=top_k)

                return await measure_growth(asked, await self.documents(), fill, search)
            finally:
                await home.discard(fresh)

    def _searching(self, mode: SearchMode) -> Search:
        async def run(query: str, top_k: int) -> SearchResult:
            return await self.search(query, mode=mode, top_k=top_k)

        return run

    async def _holds(self, relevant: Relevant) -> Held:
        records = self._home.stores.records
        try:
            if relevant.chunk_id is not None:
                stored = [await records.chunk(self._scope, relevant.chunk_id)]
            else:
                document = await records.find(self._scope, relevant.source_file or "")
                stored = await records.chunks(self._scope, document.id, 1, max(document.chunks, 1))
        except NotFound:
            return "no_document"
        hits = (to_hit(ScoredChunk(each, 0.0), {}) for each in stored)
        return "yes" if any(map(relevant.matches, hits)) else "no_place"

    async def reindex(self, *, progress: ProgressListener | None = None) -> ReindexReport:
        """Builds a new index beside the old one with the configured embedder and swaps it in; then reads
        again what an earlier release had read.

        Searches go on meanwhile where they could before. Interrupted, the old index stays.
        """
        start = perf_counter()
        home = self._home
        async with home.writing:
            documents, chunks = await self._rebuild(progress)
            again = await reread(home.ingest, home.stores, documents, progress)
            await compact(home.stores)
        total = sum(map(len, documents.values()))
        return ReindexReport(total, chunks + again.chunks, again.failed, perf_counter() - start)

    async def _rebuild(self, progress: ProgressListener | None) -> tuple[dict[Scope, list[Document]], int]:
        home, records = self._home, self._home.stores.records
        scopes = [Scope(tenant) for tenant in await records.tenants()]
        documents = {scope: await records.documents(scope) for scope in scopes}
        total, done, passed, written = sum(map(len, documents.values())), 0, 0, 0

        def rebuilt(document: Document, chunks: int) -> None:
            nonlocal done, passed
            done, passed = done + 1, passed + chunks
            if progress is not None:
                progress(Progress("embedding", done, total, passed, passed, document.name))

        fresh = await home.new_index()
        try:
            for scope, found in documents.items():
                written += await restore(records, fresh, home.embedding, scope, found, rebuilt)
        except BaseException:
            await home.discard(fresh)
            raise
        await home.swap(fresh)
        return documents, written

    async def _files(self, paths: Sequence[Path]) -> list[SourceFile]:
        return await asyncio.to_thread(lambda: list(find_files(paths, exclude=self._home.folder)))

    def _sources(self, files: Sequence[SourceFile]) -> list[FileSource]:
        return [FileSource(file, self._largest_file) for file in files]

    async def _from(self, root: Path, collection: str) -> list[Document]:
        """The collection's documents whose files are or were in the folder."""
        return list(of_folder(await self.documents(collection), root))

    async def _add(
        self,
        sources: Sequence[Source],
        collection: str,
        weight: float | None,
        labels: Sequence[str] | None,
        progress: ProgressListener | None,
    ) -> AddReport:
        if not collection.strip():
            raise InvalidArgument(name="collection", value=collection, allowed="a name that is not blank")
        if weight is not None and not 0 < weight < inf:
            raise InvalidArgument(name="weight", value=weight, allowed="a number above 0")
        self._home.check_current()
        records = self._home.stores.records
        marks = None if labels is None else tuple(sorted(set(labels)))
        async with self._home.writing:
            await records.set_collection(self._scope, collection, weight=weight)
            return await self._home.ingest.add(
                self._scope, sources, collection=collection, labels=marks, progress=progress
            )

    async def _remove(self, documents: Sequence[Document]) -> None:
        async with self._home.using_index():
            retired = await self._home.stores.records.remove(self._scope, [each.id for each in documents])
            await forget(self._home.stores, self._scope, retired)


def _language_of(question: str | None) -> str | None:
    """The question's language when the tools' texts exist in it."""
    found = detect(question, candidates=LANGUAGES) if question else None
    return found if found in LANGUAGES else None


def _text_source(row: Mapping[str, Any], collection: str) -> TextSource:
    name, text = row.get("name"), row.get("text")
    if not isinstance(name, str) or not name.strip():
        raise InvalidArgument(name="name", value=name, allowed="a text that is not blank")
    if not isinstance(text, str):
        raise InvalidArgument(name="text", value=text, allowed="a text")
    metadata = {str(key): str(value) for key, value in (row.get("metadata") or {}).items()}
    return TextSource(name, str(row.get("title") or ""), text, collection, metadata)
