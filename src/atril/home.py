"""An open home: the one place that names concrete back ends and wires them together."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Final

from atril.documents.analysis import ANALYZER_VERSION
from atril.documents.workers import Readers
from atril.errors import (
    AtrilError,
    EmbedderMismatch,
    HomeDamaged,
    HomeLocked,
    HomeOutdated,
    InvalidArgument,
    NotAHome,
)
from atril.ingest.embedding import Embedding
from atril.ingest.gate import Gate
from atril.ingest.linking import relink
from atril.ingest.pipeline import Ingest
from atril.ingest.recovery import agree, settle
from atril.ingest.stores import Stores
from atril.ingest.unbroken import to_the_end
from atril.models.embedders.loading import PROVIDERS, open_embedder
from atril.models.embedders.options import EmbedderOptions
from atril.models.embeddings import Embedder
from atril.models.prices import PriceTable
from atril.models.roles import Roles, open_roles
from atril.profiles.profile import Profile
from atril.retrieval.finder import Finder
from atril.retrieval.knowledge import Knowledge
from atril.retrieval.searcher import Searcher, SearchOptions
from atril.retrieval.synonyms import SynonymFile, SynonymSource
from atril.retrieval.texts import Texts
from atril.settings import Settings
from atril.store.index.protocol import Index, IndexInUse
from atril.store.index.qdrant.edge import EdgeIndex
from atril.store.lock import FILE_NAME as LOCK_FILE
from atril.store.lock import HomeLock
from atril.store.originals import Originals
from atril.store.records import FILE_NAME as RECORDS_FILE
from atril.store.records import Records
from atril.store.vectors import VectorCache
from atril.types import Tokens

# What answers is imported when something is asked: with it, a search from the command line starts a tenth later.
if TYPE_CHECKING:
    from atril.answering.answerer import Answering
    from atril.answering.document_first import DocumentFirst
    from atril.answering.extractive import ExtractiveAnswering
    from atril.answering.unified import Unified

_log = logging.getLogger(__name__)

BUILT_WITH: Final = "built_with"
WORKSPACE: Final = "unpacked"
GENERATION: Final = "index.generation"
READER_PROCESSES: Final = 2
"""Enough to keep an embedder busy: reading is ten times as fast."""

_GENERATION_NAME: Final = re.compile(r"[0-9]+")
_PARTS: Final = (
    "id",
    "dimensions",
    "max_tokens",
    "anchors",
    "tokenizer",
    "embed_passages",
    "embed_query",
    "close",
)


@dataclass(frozen=True, slots=True)
class BuiltWith:
    """What the points of an index were made with; a search with anything else would compare nothing."""

    embedder: str
    dimensions: int
    analyzer: str

    @classmethod
    def of(cls, embedder: Embedder) -> BuiltWith:
        return cls(embedder.id, embedder.dimensions, ANALYZER_VERSION)

    @classmethod
    def parse(cls, fact: str) -> BuiltWith:
        embedder, dimensions, analyzer = fact.split("\n")
        return cls(embedder, int(dimensions), analyzer)

    def fact(self) -> str:
        return f"{self.embedder}\n{self.dimensions}\n{self.analyzer}"


class Home:
    """The parts of one home, for as long as it is open. `stores.index` changes when one is swapped in."""

    def __init__(
        self,
        *,
        folder: Path,
        language: str,
        settings: Settings,
        embedder: Embedder,
        stores: Stores,
        vectors: VectorCache,
        readers: Readers,
        built_with: BuiltWith,
        generation: int,
        profile: Profile | None = None,
        synonyms: SynonymSource | None = None,
        roles: Roles | None = None,
        prices: PriceTable | None = None,
    ) -> None:
        self.folder = folder
        self.language = language
        self.profile = profile
        self.roles = roles or Roles()
        self.prices = prices or PriceTable.load()
        self._synonyms = synonyms
        self._knowledge = Knowledge.of(profile)
        self.stores = stores
        self.embedding = Embedding(embedder=embedder, cache=vectors)
        self.writing = asyncio.Lock()
        """Held while documents are added and while the index is rebuilt: one at a time."""
        self._gate = Gate()
        self.loop = asyncio.get_running_loop()
        self._texts = Texts()
        self._vectors = vectors
        self._settings = settings
        self._embedder = embedder
        self._readers = readers
        self._built_with = built_with
        self._generation = generation

    @property
    def ingest(self) -> Ingest:
        return Ingest(
            stores=self.stores,
            embedding=self.embedding,
            readers=self._readers,
            chunking=self._settings.chunking,
            language=self.language,
            workspace=self.folder / WORKSPACE,
            profile=self.profile,
        )

    @property
    def searcher(self) -> Searcher:
        return self.searching(self.stores.index)

    def searching(self, index: Index, *, prefetch: int | None = None) -> Searcher:
        """A searcher of the home's records through another index than the one in use, or one that looks at
        more or fewer candidates."""
        return Searcher(
            records=self.stores.records,
            index=index,
            embedder=self._embedder,
            knowledge=self._knowledge,
            options=SearchOptions(synonyms=self._synonyms)
            if prefetch is None
            else SearchOptions(synonyms=self._synonyms, prefetch=prefetch),
        )

    @property
    def finder(self) -> Finder:
        return Finder(records=self.stores.records, searcher=self.searcher, texts=self._texts)

    @property
    def answering(self) -> Answering:
        from atril.answering.answerer import Answering
        from atril.answering.extractive import ExtractiveAnswering

        extractive = ExtractiveAnswering(
            searcher=self.searcher, records=self.stores.records, embedder=self._embedder
        )
        return Answering(
            {
                "unified": self._unified(extractive),
                "document-first": self._document_first(extractive),
                "extractive": extractive,
            },
            self._cost,
        )

    def _cost(self, tokens: Mapping[str, Tokens]) -> float | None:
        models = {"reader": self.roles.reader, "principal": self.roles.principal}
        return self.prices.cost(tokens, {role: model.id for role, model in models.items() if model})

    def _unified(self, extractive: ExtractiveAnswering) -> Unified:
        from atril.answering.citations import Citations
        from atril.answering.expansion import Expander
        from atril.answering.followups import FollowUps
        from atril.answering.gathering import Gatherer
        from atril.answering.unified import Unified

        options, records = self._settings.answering, self.stores.records
        searcher = self.searching(self.stores.index, prefetch=options.prefetch)
        return Unified(
            records=records,
            searcher=searcher,
            gatherer=Gatherer(searcher, records, Expander(records, self.profile, options), options),
            extractive=extractive,
            follow_ups=FollowUps(records, searcher, self._knowledge.glossary),
            citations=Citations(records, self._embedder, options.quote_floor),
            roles=self.roles,
            profile=self.profile,
            options=options,
        )

    def _document_first(self, extractive: ExtractiveAnswering) -> DocumentFirst:
        from atril.answering.citations import Citations
        from atril.answering.document_first import DocumentFirst

        records = self.stores.records
        return DocumentFirst(
            records=records,
            index=self.stores.index,
            embedder=self._embedder,
            searcher=self.searcher,
            extractive=extractive,
            citations=Citations(records, self._embedder, self._settings.answering.quote_floor),
            roles=self.roles,
            profile=self.profile,
            options=self._settings.document_first,
        )

    def check_current(self) -> None:
        """Raises `EmbedderMismatch` or `HomeOutdated` when the index must be rebuilt before it is used."""
        wanted = BuiltWith.of(self._embedder)
        if (self._built_with.embedder, self._built_with.dimensions) != (wanted.embedder, wanted.dimensions):
            raise EmbedderMismatch(
                home=str(self.folder), found=self._built_with.embedder, wanted=wanted.embedder
            )
        if self._built_with.analyzer != wanted.analyzer:
            raise HomeOutdated(home=str(self.folder))

    def using_index(self) -> AbstractAsyncContextManager[None]:
        """For as long as somebody is inside, `stores.index` is neither exchanged nor closed."""
        return self._gate.among_others()

    async def new_index(self) -> Index:
        """An empty index beside the one in use, for the configured embedder; for `swap` or `discard`."""
        folder = _index_folder(self.folder, self._generation + 1)
        await asyncio.to_thread(rmtree, folder, ignore_errors=True)
        return await EdgeIndex.open(folder, dimensions=self._embedder.dimensions)

    async def discard(self, fresh: Index) -> None:
        """Closes an index from `new_index` that will not be used, and deletes it."""
        await to_the_end(self._delete(fresh, self._generation + 1))

    async def swap(self, fresh: Index) -> None:
        """Makes the index from `new_index` the one in use and deletes the one before it.

        Cancelled before the exchange, nothing has changed and the new one is deleted.
        """
        old, before, generation = self.stores.index, self._built_with, self._generation
        try:
            async with self._gate.alone():
                await to_the_end(self._exchange(fresh))
        finally:
            exchanged = self.stores.index is fresh
            unused = (old, generation) if exchanged else (fresh, generation + 1)
            await to_the_end(self._delete(*unused))
        # What was removed while the new index was filled has left points in it.
        await agree(self.stores, self.embedding)
        if before.embedder != self._built_with.embedder:
            await self._vectors.forget(before.embedder)

    async def _exchange(self, fresh: Index) -> None:
        built_with, generation = BuiltWith.of(self._embedder), self._generation + 1
        await self.stores.records.set_facts({BUILT_WITH: built_with.fact(), GENERATION: str(generation)})
        self.stores = replace(self.stores, index=fresh)
        self._built_with, self._generation = built_with, generation

    async def _delete(self, index: Index, generation: int) -> None:
        await index.close()
        await asyncio.to_thread(rmtree, _index_folder(self.folder, generation), ignore_errors=True)

    async def close(self) -> None:
        await self._readers.close()
        await self.roles.close()
        await self.stores.index.close()


@asynccontextmanager
async def open_home(
    folder: Path,
    embedder: Embedder,
    settings: Settings,
    language: str,
    *,
    profile: Profile | None = None,
) -> AsyncIterator[Home]:
    """Takes the lock, opens every part and ends what an interrupted process left, then the reverse.

    Raises `NotAHome` for a file and for a folder that holds anything and is no home. The embedder is not
    closed here.
    """
    roles = open_roles(settings.reader_model, settings.principal_model)
    async with AsyncExitStack() as stack:
        stack.enter_context(_lock(folder))
        records = await Records.open(folder)
        stack.push_async_callback(records.close)
        vectors = await VectorCache.open(folder)
        stack.push_async_callback(vectors.close)
        built_with = await _built_with(records, embedder)
        generation = int(await records.fact(GENERATION) or 1)
        _sweep_generations(folder, generation)
        await asyncio.to_thread(rmtree, folder / WORKSPACE, ignore_errors=True)
        index = await _open_index(folder, generation, built_with.dimensions)
        home = Home(
            folder=folder,
            language=language,
            settings=settings,
            embedder=embedder,
            stores=Stores(records, index, Originals(folder)),
            vectors=vectors,
            readers=Readers(
                tokenizer=embedder.tokenizer,
                options=settings.chunking,
                limits=settings.reading,
                processes=READER_PROCESSES,
            ),
            built_with=built_with,
            generation=generation,
            profile=profile,
            synonyms=await asyncio.to_thread(SynonymFile.load, settings.synonyms)
            if settings.synonyms
            else None,
            roles=roles,
            prices=await asyncio.to_thread(PriceTable.load, settings.prices),
        )
        stack.push_async_callback(home.close)
        await settle(home.stores)
        await relink(records, profile)
        if built_with == BuiltWith.of(embedder):
            await agree(home.stores, home.embedding)
        yield home


def load_embedder(name: str, options: EmbedderOptions | None = None) -> Embedder:
    """The embedder that the setting names: `bundled`, `bundled:PRECISION`, `PROVIDER:MODEL` with its
    `options`, or `package.module:factory`.

    Raises `InvalidArgument` when there is no such thing and `MissingExtra`.
    """
    module, _, attribute = name.partition(":")
    if module in PROVIDERS and attribute:
        return open_embedder(name, options or EmbedderOptions())
    if module == "bundled":
        from atril.models.bundled import BundledEmbedder

        match attribute:
            case "" | "fast":
                return BundledEmbedder(precision="fast")
            case "exact" | "reference":
                return BundledEmbedder(precision=attribute)
    try:
        made: Embedder = getattr(import_module(module), attribute)()
        missing = [part for part in _PARTS if not hasattr(made, part)]
        if missing:
            raise TypeError(f"it has no {', '.join(missing)}")
    except AtrilError:
        raise
    except Exception as error:  # a factory is anybody's code
        allowed = "bundled, bundled:exact, bundled:reference, PROVIDER:MODEL or package.module:factory"
        detail = f"{allowed} ({type(error).__name__}: {error})"
        raise InvalidArgument(name="embedder", value=name, allowed=detail) from error
    return made


def _lock(folder: Path) -> HomeLock:
    """The lock of a home, made when there is nothing; whatever else is there belongs to somebody."""
    if folder.is_dir():
        names = {path.name for path in folder.iterdir()}
        if RECORDS_FILE not in names and names - {LOCK_FILE}:
            raise NotAHome(home=str(folder))
    try:
        return HomeLock(folder)
    except (FileExistsError, NotADirectoryError) as error:
        raise NotAHome(home=str(folder)) from error


async def _open_index(home: Path, generation: int, dimensions: int) -> Index:
    """The index in use. One that is damaged gives way to an empty one, which `agree` fills."""
    folder = _index_folder(home, generation)
    try:
        return await EdgeIndex.open(folder, dimensions=dimensions)
    except IndexInUse as error:
        raise HomeLocked(home=str(home), pid="?") from error
    except (HomeDamaged, InvalidArgument) as error:
        _log.warning(
            "The index in %s is damaged and is filled again from the records: %s",
            folder,
            error.fields.get("detail", error),
        )
    await asyncio.to_thread(rmtree, folder)
    return await EdgeIndex.open(folder, dimensions=dimensions)


async def _built_with(records: Records, embedder: Embedder) -> BuiltWith:
    fact = await records.fact(BUILT_WITH)
    if fact is not None:
        return BuiltWith.parse(fact)
    fresh = BuiltWith.of(embedder)
    await records.set_facts({BUILT_WITH: fresh.fact()})
    return fresh


def _index_folder(home: Path, generation: int) -> Path:
    return home / "index" / str(generation)


def _sweep_generations(home: Path, generation: int) -> None:
    """An interrupted rebuild leaves a folder that nobody will ever finish."""
    for folder in (home / "index").glob("*"):
        if _GENERATION_NAME.fullmatch(folder.name) and folder.name != str(generation):
            rmtree(folder, ignore_errors=True)
