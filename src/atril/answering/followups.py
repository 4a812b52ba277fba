"""Follow-up questions without a reader: whether they need a search, and for what.

Two things together tell that the passages at hand are enough. The words of the question that tell something are
known to them, or to the question before. And, searched for behind the question before, it draws their articles
nearer: something new would draw the search away from them. A question of known words that finds these articles
by itself needs nothing else either.
"""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, TypeAlias
from uuid import UUID

from atril.documents.analysis import distinct_terms, fold, query_terms
from atril.documents.chunking import passage
from atril.retrieval.glossary import Glossary
from atril.retrieval.lookup import Lookup
from atril.retrieval.planner import plan as plan_keywords
from atril.retrieval.search_filters import SearchFilters
from atril.retrieval.searcher import Retrieval, Searcher
from atril.store.records import Records
from atril.types import Scope, StoredChunk, Turn

NEARER: Final = 0.02
"""By how much the score of an article at hand must rise; a hybrid score moves that far by chance."""

KNOWN: Final = 1 / 3
"""The share of the question's keywords that must be known."""

ALL_KNOWN: Final = 0.75
"""That share where the question before is not known, and nothing can be drawn anywhere."""

DEPTH: Final = 20
FIRST: Final = 2
"""Hits of a question alone that tell what it is about."""

Article: TypeAlias = tuple[UUID, str | None]


@dataclass(frozen=True, slots=True)
class FollowUp:
    """The queries of a follow-up question, none when what was carried over is enough, and how many searches it
    took to tell."""

    queries: tuple[str, ...]
    searches: int


@dataclass(frozen=True, slots=True)
class FollowUps:
    """Plans the follow-up questions of one home by rules."""

    records: Records
    searcher: Searcher
    glossary: Glossary | None = None

    async def plan(
        self,
        scope: Scope,
        question: str,
        history: Sequence[Turn],
        carried: Sequence[StoredChunk],
        language: str,
        filters: SearchFilters,
    ) -> FollowUp:
        before = history[-1].question if history else ""
        enough, searches = False, 0
        if carried:
            enough, searches = await self._enough(scope, question, before, carried, language, filters)
        if enough:
            return FollowUp((), searches)
        whole = whole_question(question, history, carried)
        title = _title(carried)
        named = f"{title}. {question}" if title else whole
        return FollowUp(tuple(dict.fromkeys((whole, named))), searches)

    async def _enough(
        self,
        scope: Scope,
        question: str,
        before: str,
        carried: Sequence[StoredChunk],
        language: str,
        filters: SearchFilters,
    ) -> tuple[bool, int]:
        """Whether what was carried over is enough, and how many searches that took."""
        cited = await Lookup(records=self.records).find(scope, question)
        if {point for each in cited for point in each.points} - {stored.point for stored in carried}:
            return False, 0
        expansions = tuple(self.glossary.expand(question, [language])) if self.glossary else ()
        planned = plan_keywords(question, language, expansions)
        keywords = [keyword for query in planned.queries for keyword in query.keywords]
        if keywords and all(_about_answer(keyword, language) for keyword in keywords):
            return True, 0
        known = await self._known(scope, carried, before, language)
        held = {
            fold(word)
            for each in expansions
            if any(_terms(phrase, language) <= known for phrase in each.terms)
            for word in question[each.start : each.end].split()
        }
        share = sum(
            fold(keyword) in held or bool(_terms(keyword, language) & known) for keyword in keywords
        ) / max(1, len(keywords))
        if not before:
            return bool(keywords) and share >= ALL_KNOWN, 0
        if keywords and share < KNOWN:
            return False, 0
        all_known = bool(keywords) and share == 1.0
        if all_known and await self._leads_back(scope, question, carried, filters):
            return True, 1
        return await self._nearer(scope, question, before, carried, filters), 2 + all_known

    async def _known(
        self, scope: Scope, carried: Sequence[StoredChunk], before: str, language: str
    ) -> set[str]:
        """The terms of the articles at hand, all their parts, and of the question before."""
        parts = await self.records.siblings(scope, [stored.point for stored in carried])
        points = {point for found in parts.values() for point in found}
        others = await self.records.hydrate(scope, sorted(points)) if points else {}
        known = _terms(before, language)
        for stored in (*carried, *others.values()):
            known |= await asyncio.to_thread(distinct_terms, passage(stored.chunk), stored.document.language)
        return known

    async def _leads_back(
        self, scope: Scope, question: str, carried: Sequence[StoredChunk], filters: SearchFilters
    ) -> bool:
        """Whether the question by itself finds an article at hand among its first hits."""
        found = await self.searcher.retrieve(scope, question, top_k=DEPTH, filters=filters)
        articles = {_article(stored) for stored in carried}
        return any(_article(chunk.stored) in articles for chunk in found.chunks[:FIRST])

    async def _nearer(
        self,
        scope: Scope,
        question: str,
        before: str,
        carried: Sequence[StoredChunk],
        filters: SearchFilters,
    ) -> bool:
        """Whether the question draws an article at hand nearer than the question before did alone."""
        alone, together = await asyncio.gather(
            *(
                self.searcher.retrieve(scope, asked, top_k=DEPTH, filters=filters)
                for asked in (before, f"{before} {question}")
            )
        )
        articles = {_article(stored) for stored in carried}
        first, second = _best(alone, articles), _best(together, articles)
        return first > 0.0 and second >= first + NEARER


def whole_question(question: str, history: Sequence[Turn], carried: Sequence[StoredChunk]) -> str:
    """The question with what it is about, taken from the last question or from what was carried over."""
    if history:
        return f"{history[-1].question} {question}"
    title = _title(carried)
    return f"{title}. {question}" if title else question


def _title(carried: Sequence[StoredChunk]) -> str:
    return carried[0].chunk.section_title.strip(" .") if carried else ""


def _article(stored: StoredChunk) -> Article:
    return stored.document.id, stored.chunk.article or stored.id


def _best(found: Retrieval, articles: set[Article]) -> float:
    scores = (chunk.score for chunk in found.chunks if _article(chunk.stored) in articles)
    return max(scores, default=0.0)


def _terms(text: str, language: str) -> set[str]:
    return {term for word in query_terms(text, [language]) for term in word.terms}


def _about_answer(keyword: str, language: str) -> bool:
    return fold(keyword).startswith(_requests(language))


@cache
def _requests(language: str) -> tuple[str, ...]:
    words = tomllib.loads((files(__package__) / "followups.toml").read_text(encoding="utf-8"))
    known: list[str] = words.get(language) or words["en"]
    return tuple(known)
