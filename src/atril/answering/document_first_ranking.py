"""Which documents answer a question, without a model that reads their descriptions.

Three things speak for a document: how near its best passages are in meaning, how well they match the words,
and how much more often than in the other candidates the question's words occur in it at all. The last is the
likelihood of the question in the document's language model, smoothed with that of all candidates (Zhai and
Lafferty, "A Study of Smoothing Methods for Language Models Applied to Ad Hoc Information Retrieval", SIGIR 2001;
Dirichlet prior): it sees what no single passage says, such as whose report this is and of which year.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, log, sqrt
from typing import Final
from uuid import UUID

from atril.documents.analysis import QueryTerm, distinct_terms, query_terms, term_id
from atril.retrieval.lexical import lexical_pool
from atril.retrieval.searcher import Retrieval
from atril.retrieval.semantic import semantic_pool
from atril.store.index.filters import AnyOf, Filter
from atril.store.index.protocol import Index, ScoredPoint, point_id, version_key
from atril.store.records import Records
from atril.store.terms import TermStatistics
from atril.types import Document, Scope

PASSAGES: Final = 1000
"""Nearest passages of all candidates, by words and by meaning, that speak for their documents."""

BEST: Final = 3
"""Passages of one document that count."""

PRIOR: Final = 20.0
"""Passages of the average document that are added to each, so that a short one proves nothing by chance."""

YEAR: Final = 3.0
"""What a year counts beside any other word: who names one wants the document of that year, and most documents
of the same kind share everything else."""

MOST: Final = 300
"""Candidates whose words are counted: those with the best passages."""

_PERIOD: Final = re.compile(
    r"""\b(?:
      (?:FY|CY)[\s\-]?['’]?(?P<fiscal>(?:19|20)\d\d|\d\d)
    | (?:[QH][1-4]|[1-4][QH])[\s\-]?['’]?(?P<after>(?:19|20)\d\d)
    | (?:[QH][1-4]|[1-4][QH])['’]?(?P<short>\d\d)
    | (?P<before>(?:19|20)\d\d)[\s\-]?(?:[QH][1-4]|[1-4][QH])
    )(?!\w|[.,]\d)""",
    re.IGNORECASE | re.VERBOSE,
)
_A_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_JOINT: Final = re.compile(r"[_/.\-]+")


@dataclass(frozen=True, slots=True)
class EvidenceWeights:
    """What each kind of evidence counts; zero leaves it out. On 27 filings the best passages by words said
    nothing that the likelihood had not said better."""

    meaning: float = 1.0
    words: float = 0.0
    likelihood: float = 1.0


@dataclass(frozen=True, slots=True)
class DocumentRanking:
    """Ranks the documents of one home."""

    records: Records
    index: Index
    weights: EvidenceWeights = EvidenceWeights()

    async def rank(
        self, scope: Scope, asked: Retrieval, candidates: Sequence[Document]
    ) -> list[tuple[Document, float]]:
        """The candidates, best first, with what speaks for each in standard deviations from their mean; equal
        ones by name. `asked` has the question's words and vector."""
        if len(candidates) < 2:
            return [(document, 0.0) for document in candidates]
        where = AnyOf("document", tuple(str(document.id) for document in candidates))
        meaning, words = await self._passages(scope, asked, candidates, where)
        spoken = _sum((_standard(meaning), self.weights.meaning), (_standard(words), self.weights.words))
        ordered = sorted(candidates, key=lambda each: (-spoken[each.id], each.name))[:MOST]
        likely = await self.likelihoods(scope, asked, ordered)
        kept = {each.id: spoken[each.id] for each in ordered}
        total = _sum((kept, 1.0), (_standard(likely), self.weights.likelihood))
        ranked = sorted(ordered, key=lambda each: (-total[each.id], each.name))
        return [(document, total[document.id]) for document in ranked]

    async def likelihoods(
        self, scope: Scope, asked: Retrieval, candidates: Sequence[Document]
    ) -> dict[UUID, float]:
        """The log of how much likelier the question's words are in each document than in all of them."""
        words = with_years(asked)
        ids = {term: term_id(term) for word in words for term in word.terms}
        statistics = await self.records.statistics_within(scope, candidates, list(ids.values()))
        called = {each.id: _called(each) for each in candidates}
        held = {
            each.id: [
                _holding(statistics.get(each.id), word, ids, each.chunks, called[each.id]) for word in words
            ]
            for each in candidates
        }
        passages = max(1, sum(each.chunks for each in candidates))
        shares = [sum(counts[number] for counts in held.values()) / passages for number in range(len(words))]
        weights = [YEAR if _A_YEAR.fullmatch(word.word) else 1.0 for word in words]
        return {
            each.id: fsum(
                weight * log((count + PRIOR * share) / ((each.chunks + PRIOR) * share))
                for count, share, weight in zip(held[each.id], shares, weights, strict=True)
                if share > 0
            )
            for each in candidates
        }

    async def _passages(
        self, scope: Scope, asked: Retrieval, candidates: Sequence[Document], where: Filter
    ) -> tuple[dict[UUID, float], dict[UUID, float]]:
        near: Sequence[ScoredPoint] = ()
        if asked.vector is not None:
            near = (await semantic_pool(self.index, scope, asked.vector, PASSAGES, where)).points
        said: Sequence[ScoredPoint] = ()
        if self.weights.words:
            said = (await lexical_pool(self.index, scope, asked.lexical, PASSAGES, where)).points
        return _best_of(near, candidates), _best_of(said, candidates)


def with_years(asked: Retrieval) -> tuple[QueryTerm, ...]:
    """The question's words, each once, and the years that it only writes as part of a period."""
    known = {word.word for word in asked.lexical.words}
    years = " ".join(year for year in years_in_periods(asked.query) if year not in known)
    words = (*asked.lexical.words, *(query_terms(years, ()) if years else ()))
    return tuple({word.terms: word for word in words}.values())


def years_in_periods(text: str) -> tuple[str, ...]:
    """The years that fiscal periods are written with: 2022 of "FY22", 2023 of "Q2'23" and "2023Q4"."""
    found = (match[match.lastgroup or 0] for match in _PERIOD.finditer(text))
    return tuple(dict.fromkeys(year if len(year) == 4 else f"20{year}" for year in found))


def _best_of(points: Sequence[ScoredPoint], documents: Sequence[Document]) -> dict[UUID, float]:
    """The mean score of each document's best points; where a document has fewer among them, the last score of
    all stands for the missing ones."""
    least = points[-1].score if points else 0.0
    of_version: dict[int, list[float]] = defaultdict(list)
    for point in points:
        of_version[version_key(point.id)].append(point.score)
    best = {}
    for document in documents:
        scores = of_version.get(version_key(point_id(document.id, document.version, 0)), [])[:BEST]
        best[document.id] = fsum((*scores, *[least] * (BEST - len(scores)))) / BEST
    return best


def _called(document: Document) -> frozenset[str]:
    """The terms of what a document is called; they hold for all of it."""
    name = _JOINT.sub(" ", document.name)
    texts = (name, document.title, *document.metadata.values(), *document.labels)
    joined = " ".join((*texts, *years_in_periods(name)))
    return frozenset(distinct_terms(joined, document.language))


def _holding(
    statistics: TermStatistics | None,
    word: QueryTerm,
    ids: Mapping[str, int],
    chunks: int,
    called: frozenset[str],
) -> int:
    """How many of a document's passages hold the word."""
    if not called.isdisjoint(word.terms):
        return chunks
    frequencies = statistics.frequencies if statistics else {}
    return max((frequencies.get(ids[term], 0) for term in word.terms), default=0)


def _standard(values: Mapping[UUID, float]) -> dict[UUID, float]:
    """In standard deviations from the mean; all zero when nothing tells them apart."""
    mean = fsum(values.values()) / len(values)
    deviation = sqrt(fsum((value - mean) ** 2 for value in values.values()) / len(values))
    if deviation <= 1e-9:
        return dict.fromkeys(values, 0.0)
    return {key: (value - mean) / deviation for key, value in values.items()}


def _sum(*parts: tuple[Mapping[UUID, float], float]) -> dict[UUID, float]:
    keys = parts[0][0]
    return {key: fsum(values[key] * weight for values, weight in parts) for key in keys}
