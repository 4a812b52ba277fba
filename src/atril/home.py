"""An open home: the one place that names concrete back ends and wires them together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from shutil import rmtree
from typing import Final

from atril.answering.extractive import ExtractiveAnswering
from atril.documents.analysis import ANALYZER_VERSION
from atril.documents.workers import Readers
from atril.errors import EmbedderMismatch, HomeOutdated, InvalidArgument
from atril.ingest.embedding import Embedding
from atril.ingest.pipeline import Ingest
from atril.ingest.recovery import agree, settle
from atril.ingest.stores import Stores
from atril.models.embeddings import Embedder
from atril.retrieval.searcher import Searcher
from atril.settings import Settings
from atril.store.index.protocol import Index
from atril.store.index.qdrant.edge import EdgeIndex
from atril.store.lock import HomeLock
from atril.store.originals import Originals
from atril.store.records import Records
from atril.store.vectors import VectorCache

BUILT_WITH: Final = "built_with"
GENERATION: Final = "index.generation"
READER_PROCESSES: Final = 2
"""Enough to keep an embedder busy: reading is ten times as fast."""


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
    ) -> None:
        self.folder = folder
        self.language = language
        self.stores = stores
        self.embedding = Embedding(embedder=embedder, cache=vectors)
        self.writing = asyncio.Lock()
        """Held while documents are added and while the index is rebuilt: one at a time."""
        self._users = 0
        self._unused = asyncio.Event()
        self._unused.set()
        self._open = asyncio.Event()
        self._open.set()
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
        )

    @property
    def searcher(self) -> Searcher:
        return Searcher(records=self.stores.records, index=self.stores.index, embedder=self._embedder)

    @property
    def answering(self) -> ExtractiveAnswering:
        return ExtractiveAnswering(
            searcher=self.searcher, records=self.stores.records, embedder=self._embedder
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

    @asynccontextmanager
    async def using_index(self) -> AsyncIterator[None]:
        """For as long as somebody is inside, `stores.index` is neither exchanged nor closed."""
        await self._open.wait()
        self._users += 1
        self._unused.clear()
        try:
            yield
        finally:
            self._users -= 1
            if not self._users:
                self._unused.set()

    async def new_index(self) -> Index:
        """An empty index beside the one in use, for the configured embedder."""
        folder = _index_folder(self.folder, self._generation + 1)
        rmtree(folder, ignore_errors=True)
        return await EdgeIndex.open(folder, dimensions=self._embedder.dimensions)

    async def swap(self, fresh: Index) -> None:
        """Makes the index from `new_index` the one in use and deletes the one before it."""
        built_with, generation = BuiltWith.of(self._embedder), self._generation + 1
        self._open.clear()
        try:
            await self._unused.wait()
            await self.stores.records.set_facts({BUILT_WITH: built_with.fact(), GENERATION: str(generation)})
            old, previous = self.stores.index, self._generation
            self.stores = replace(self.stores, index=fresh)
            self._built_with, self._generation = built_with, generation
        finally:
            self._open.set()
        await old.close()
        await asyncio.to_thread(rmtree, _index_folder(self.folder, previous), ignore_errors=True)
        # What was removed while the new index was filled has left points in it.
        await agree(self.stores, self.embedding)

    async def close(self) -> None:
        await self._readers.close()
        await self.stores.index.close()


@asynccontextmanager
async def open_home(
    folder: Path, embedder: Embedder, settings: Settings, language: str
) -> AsyncIterator[Home]:
    """Takes the lock, opens every part and ends what an interrupted process left, then the reverse."""
    async with AsyncExitStack() as stack:
        stack.push_async_callback(embedder.close)
        stack.enter_context(HomeLock(folder))
        records = await Records.open(folder)
        stack.push_async_callback(records.close)
        vectors = await VectorCache.open(folder)
        stack.push_async_callback(vectors.close)
        built_with = await _built_with(records, embedder)
        generation = int(await records.fact(GENERATION) or 1)
        _sweep_generations(folder, generation)
        index = await EdgeIndex.open(_index_folder(folder, generation), dimensions=built_with.dimensions)
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
        )
        stack.push_async_callback(home.close)
        await settle(home.stores)
        if built_with == BuiltWith.of(embedder):
            await agree(home.stores, home.embedding)
        yield home


def load_embedder(name: str) -> Embedder:
    """The embedder that the setting names: `bundled`, `bundled:PRECISION` or `package.module:factory`.

    Raises `InvalidArgument` when there is no such thing.
    """
    module, _, attribute = name.partition(":")
    if module == "bundled":
        from atril.models.bundled import BundledEmbedder

        match attribute:
            case "" | "fast":
                return BundledEmbedder(precision="fast")
            case "exact" | "reference":
                return BundledEmbedder(precision=attribute)
    try:
        made: Embedder = getattr(import_module(module), attribute)()
    except (ImportError, AttributeError, ValueError) as error:
        allowed = "bundled, bundled:exact, bundled:reference or package.module:factory"
        raise InvalidArgument(name="embedder", value=name, allowed=allowed) from error
    return made


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
        if folder.name != str(generation):
            rmtree(folder, ignore_errors=True)
