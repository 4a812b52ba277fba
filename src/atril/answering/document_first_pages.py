"""The pages of one document that come nearest to a question, and whether they are good enough."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from statistics import fmean
from typing import Final, Literal, TypeAlias
from uuid import UUID

from atril.answering.document_first_statements import Statements, load_statements
from atril.errors import DocumentNotFound
from atril.models.embeddings import Anchors, Embedder
from atril.retrieval.fusion import fuse
from atril.retrieval.lexical import LexicalQuery
from atril.retrieval.live import ScoredChunk
from atril.retrieval.searcher import Retrieval
from atril.store.index.filters import equals
from atril.store.index.protocol import Index, SparseVector
from atril.store.records import Records
from atril.store.terms import TermStatistics, query_weights
from atril.types import Chunk, Document, Scope, StoredChunk

Quality = Literal["excellent", "acceptable", "low"]
Place: TypeAlias = int | tuple[str, ...]
"""A page, or the path of a section of a document without pages."""

CANDIDATES: Final = 200
"""Passages of one document that are ranked by their words and by their meaning."""

READ: Final = 200
"""Of those, how many are read at a time until there are pages enough."""

WORDS: Final = 0.3
"""What the words count beside the meaning. Within one document they tell less than in a library: of what a
question says most stands on many of its pages."""

SECOND: Final = 0.2
"""What the second best passage of a page adds to the best one: two that speak of the question say more."""

GATED: Final = 5
"""Pages that the gate looks at."""

AROUND: Final = 8
"""Chunks on either side of a found one that are looked at for the rest of its page."""


@dataclass(frozen=True, slots=True)
class PageGate:
    """How good a document's pages are, on the same scale 0..1 as similarities.

    The statistic is the mean, over up to five pages, of the calibrated similarity of the nearest passage on
    each. It has anchors of its own, because the fifth page of the right document is further from the question
    than its first: `unrelated` is the median over questions asked of a document that does not answer them,
    `right` of the one that does, on articles of Spanish SQuAD (`benchmarks/gate.py`). Being on the calibrated
    scale, they hold for other embedders too.
    """

    unrelated: float = 0.326
    right: float = 0.700

    def score(self, similarities: Sequence[float]) -> float:
        """0 for a document without pages."""
        if not similarities:
            return 0.0
        return Anchors(self.unrelated, self.right).calibrate(fmean(similarities))


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page, or a section of a document without pages: its score (0..1, within the document) and the
    calibrated similarity of its nearest passage; `chunks` are all its passages, in order."""

    place: Place
    score: float
    similarity: float
    chunks: tuple[ScoredChunk, ...]

    @property
    def number(self) -> int | None:
        return self.place if isinstance(self.place, int) else None


@dataclass(frozen=True, slots=True)
class FoundPages:
    """The best pages of a document, best first. `score` is that of the gate, `similarities` are calibrated."""

    document: Document
    pages: tuple[FoundPage, ...]
    score: float
    similarities: Mapping[UUID, float]

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(page.number for page in self.pages if page.number is not None)

    @property
    def chunks(self) -> tuple[ScoredChunk, ...]:
        return tuple(chunk for page in self.pages for chunk in page.chunks)


@dataclass(frozen=True, slots=True)
class PageSearch:
    """Searches single documents of one home."""

    records: Records
    index: Index
    embedder: Embedder
    gate: PageGate = PageGate()
    statements: Statements = field(default_factory=load_statements)

    async def search(
        self, scope: Scope, document: Document, asked: Retrieval, statistics: TermStatistics, max_pages: int
    ) -> FoundPages:
        """The best `max_pages` pages for a question whose words and vector are in `asked`; none when the
        document has gone. `statistics` are the document's own. Where the question is about figures of
        financial statements, those come after the best page, up to half of all; the gate does not look at
        them."""
        ranked, similarities = await self._ranked(scope, document, asked, statistics)
        places = await self._places(scope, ranked, max_pages)
        stated = await self._stated(scope, document, asked.query, max_pages // 2) if places else {}
        pages = []
        for place, (best, score) in (places | stated).items():
            chunks = await self._on_page(scope, place, best)
            scored = tuple(ScoredChunk(each, ranked.get(each.point, 0.0)) for each in chunks)
            similarity = max(similarities.get(each.point, 0.0) for each in chunks)
            pages.append(FoundPage(place, places.get(place, (best, score))[1], similarity, scored))
        nearest = [page.similarity for page in pages if page.place in places]
        kept = [page for page in pages if page.place in stated]
        others = [page for page in pages if page.place not in stated][: max_pages - len(kept)]
        return FoundPages(
            document,
            (*others[:1], *kept, *others[1:]),
            self.gate.score(nearest[:GATED]),
            similarities,
        )

    async def _stated(
        self, scope: Scope, document: Document, question: str, most: int
    ) -> dict[Place, tuple[StoredChunk, float]]:
        """The pages of the statements that the figures in the question come from, each with its first passage."""
        kinds = self.statements.needed(question)
        if not kinds or not document.pages or not most:
            return {}
        try:
            text, pages = (
                await self.records.text(scope, document.id),
                await self.records.pages(scope, document.id),
            )
            found = await asyncio.to_thread(self.statements.find, text, pages, document.language, kinds)
            starts = await self.records.starts(scope, document.id)
        except DocumentNotFound:
            return {}
        first = {
            page.number: next((point for start, point in starts if page.start <= start < page.end), None)
            for page in found[:most]
        }
        stored = await self.records.hydrate(scope, [point for point in first.values() if point])
        return {number: (stored[point], 0.0) for number, point in first.items() if point and point in stored}

    async def _ranked(
        self, scope: Scope, document: Document, asked: Retrieval, statistics: TermStatistics
    ) -> tuple[dict[UUID, float], dict[UUID, float]]:
        """The fused score and the calibrated similarity of the document's passages, best first."""
        where = equals("document", str(document.id))
        words = own_weights(asked.lexical, statistics)
        near = (
            await self.index.search_dense(scope, asked.vector, limit=CANDIDATES, where=where)
            if asked.vector is not None
            else []
        )
        said = (
            await self.index.search_sparse(scope, words, limit=CANDIDATES, where=where)
            if len(words.indices)
            else []
        )
        calibrate = self.embedder.anchors.calibrate
        fused = fuse((said, near), weights=(WORDS, 1.0))
        return (
            {point.id: point.score for point in fused},
            {point.id: calibrate(point.score) for point in near},
        )

    async def _places(
        self, scope: Scope, ranked: Mapping[UUID, float], most: int
    ) -> dict[Place, tuple[StoredChunk, float]]:
        """The best places, best first, each with its best passage and its score."""
        points = list(ranked)
        held: dict[Place, list[StoredChunk]] = {}
        for start in range(0, len(points), READ):
            part = points[start : start + READ]
            stored = await self.records.hydrate(scope, part)
            for point in part:
                if point in stored:
                    held.setdefault(place_of(stored[point].chunk), []).append(stored[point])
            if len(held) >= most:
                break
        scored = {
            place: (chunks[0], _page_score([ranked[each.point] for each in chunks]))
            for place, chunks in held.items()
        }
        best = sorted(scored.items(), key=lambda item: (-item[1][1], item[1][0].chunk.number))
        return dict(best[:most])

    async def _on_page(self, scope: Scope, place: Place, best: StoredChunk) -> list[StoredChunk]:
        number = best.chunk.number
        around = await self.records.chunks(scope, best.document.id, max(1, number - AROUND), number + AROUND)
        return [each for each in around if place_of(each.chunk) == place] or [best]


def _page_score(passages: Sequence[float]) -> float:
    """Of a page's passages, best first; at most 1."""
    return fsum((passages[0], SECOND * fsum(passages[1:2]))) / (1.0 + SECOND)


def place_of(chunk: Chunk) -> Place:
    return chunk.section_path if chunk.page is None else chunk.page


def own_weights(query: LexicalQuery, statistics: TermStatistics) -> SparseVector:
    """The query's words as the document weighs them: what all its pages say, such as the name of the company
    whose report it is, tells none of them from another."""
    return query_weights(query.words, statistics)
