"""The answer without a language model: the sentences that answer best, verbatim, each with its citation."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from math import log, sqrt
from time import perf_counter
from typing import Final
from uuid import UUID

from atril.answering.answerer import Asked
from atril.answering.citations import cite
from atril.answering.events import AnswerDelta, AnswerEvent, closing
from atril.answering.evidence import QuestionWords, Sentence, quotable
from atril.answering.quantities import asks_quantity, states_measure, states_quantity
from atril.answering.rows import is_row
from atril.answering.selection import TOGETHER, Ranked, select, told
from atril.documents.languages import UNKNOWN, detect
from atril.errors import InvalidArgument
from atril.messages import LANGUAGES, message, supported
from atril.models.embeddings import Embedder, Vectors
from atril.retrieval.live import ScoredChunk
from atril.retrieval.search_filters import NO_FILTERS, SearchFilters
from atril.retrieval.searcher import Retrieval, Searcher
from atril.store.records import Records
from atril.types import Answer, Citation, Scope

PIPELINE: Final = "extractive"
PIPELINES: Final = ("unified", PIPELINE)
LATE: Final = 6
"""The sentence of a chunk from which `SentenceWeights.late` counts in full."""

LITTLE: Final = 2
"""Keywords beside a citation that still ask for nothing but the place cited."""

CONTINUED: Final = 5
"""The best chunks whose articles are read on where they are parts of one."""

MOST_PARTS: Final = 6
"""Other parts of one article that are read, the nearest ones."""

OTHER_PART: Final = 0.97
"""The share of its score that a chunk gives to the other parts of its article."""

CARRIED: Final = 3
"""The best chunks of a context that the next turn gets beside those quoted."""

FEW: Final = 10
"""Chunks of the smallest library that the floor is drawn for."""


@dataclass(frozen=True, slots=True)
class SentenceWeights:
    """A sentence's score is the weighted sum of parts in 0..1: the question's information that its words
    hold, the score of its chunk, the calibrated similarity of its chunk, and its own, and `quantity` when it
    states one that the question asks for, `measure` more when it says of what: days, euros. The second and third differ where the question is in another
    language, of which search by words knows nothing. `late` is taken off what stands late in its chunk."""

    words: float = 0.1
    chunk: float = 1.0
    chunk_meaning: float = 0.1
    meaning: float = 0.8
    quantity: float = 0.1
    measure: float = 0.2
    late: float = 0.05
    fragment: float = 0.3


@dataclass(frozen=True, slots=True)
class Floor:
    """Below what nothing is quoted, because the library does not hold the answer.

    What counts is the calibrated similarity of the nearest chunk plus `words` times the most of the question's
    information that one sentence holds. The nearest of many unrelated chunks is nearer than that of few: it
    grows as the greatest of n random values does, with sqrt(2 ln n), and so does the floor, from `base` by
    `growth`. It is lower by `across` when that chunk is in another language than the question, where
    similarities run lower and few words are shared; it is higher by `unfamiliar` when there is a glossary and
    nothing of the question is in it. `benchmarks/answers.py` measures what these values do, on
    libraries of 250 and 7,000 chunks.
    """

    words: float = 0.35
    base: float = 0.29
    growth: float = 0.115
    across: float = 0.30
    unfamiliar: float = 0.08

    def reached(self, found: Retrieval, sentences: Sequence[Sentence], language: str) -> bool:
        """Whether some of the sentences may be quoted to a question in this language: always those of a place
        that the question cites and the library has."""
        return bool(sentences) and (bool(cited_points(found)) or self.margin(found, sentences, language) >= 0)

    def margin(self, found: Retrieval, sentences: Sequence[Sentence], language: str) -> float:
        """How far the evidence lies above the floor; there must be sentences."""
        similarity = max(found.similarities.values(), default=0.0)
        _, nearest_language = max(
            (found.similarities.get(chunk.stored.point, 0.0), chunk.stored.document.language)
            for chunk in found.chunks
        )
        evidence = similarity + self.words * max(sentence.coverage for sentence in sentences)
        floor = self.base + self.growth * sqrt(2 * log(max(FEW, found.lexical.statistics.chunks)))
        if nearest_language != language:
            floor -= self.across
        if found.trace is not None and found.trace.question.unfamiliar:
            floor += self.unfamiliar
        return evidence - floor


@dataclass(frozen=True, slots=True)
class ExtractiveOptions:
    """`passages` chunks are read; the `compared` sentences that look best by their words and chunk are then
    compared with the question by meaning. Zero compares none, and nothing but the question is embedded."""

    passages: int = 10
    compared: int = 24
    weights: SentenceWeights = field(default_factory=SentenceWeights)
    floor: Floor = field(default_factory=Floor)


@dataclass(frozen=True, slots=True)
class Quoted:
    """Quotes as a text with their citations; `reason` says why there are none. `embedded` counts calls of the
    embedder."""

    text: str
    citations: tuple[Citation, ...]
    reason: str | None
    embedded: int

    @property
    def used(self) -> tuple[str, ...]:
        """The ids of the chunks quoted, each once."""
        return tuple(dict.fromkeys(citation.chunk_id for citation in self.citations))

    def carried(self, context: Sequence[str]) -> tuple[str, ...]:
        """What the next turn gets, of a context best first: what was quoted, and the best beside it, which a
        follow-up may be about although no sentence of it was quoted. Nothing when nothing was."""
        return tuple(dict.fromkeys((*self.used, *context[:CARRIED]))) if self.citations else ()


class ExtractiveAnswering:
    """Answers with at most three sentences of the library, 600 characters in all."""

    def __init__(
        self,
        *,
        searcher: Searcher,
        records: Records,
        embedder: Embedder,
        options: ExtractiveOptions | None = None,
    ) -> None:
        self._searcher = searcher
        self._records = records
        self._embedder = embedder
        self._options = options or ExtractiveOptions()

    async def run(self, asked: Asked) -> AsyncGenerator[AnswerEvent, None]:
        """The answer as events; see `ask`."""
        answer = await self.ask(asked.scope, asked.question, requested=asked.requested, filters=asked.filters)
        yield AnswerDelta(answer.text)
        for event in closing(answer):
            yield event

    async def ask(
        self,
        scope: Scope,
        question: str,
        *,
        requested: str = "unified",
        filters: SearchFilters = NO_FILTERS,
    ) -> Answer:
        """The answer; `found` is false when nothing in the library comes near enough to the question.

        Raises `InvalidArgument` for an empty question or an unknown pipeline, and what the search raises.
        """
        if requested not in PIPELINES:
            raise InvalidArgument(name="pipeline", value=requested, allowed=", ".join(PIPELINES))
        start = perf_counter()
        language = answer_language(question, scope)
        planned = perf_counter()
        found = await self._searcher.retrieve(
            scope, question, mode="hybrid", top_k=self._options.passages, filters=filters
        )
        searched = perf_counter()
        quoted = await self.quote(scope, found, language)
        ended = perf_counter()
        timings = {
            "plan": planned - start,
            "search": searched - planned,
            "answer": ended - searched,
            "total": ended - start,
        }
        return Answer(
            question=question,
            text=quoted.text,
            requested=requested,
            pipeline=PIPELINE,
            language=language,
            found=bool(quoted.citations),
            message=quoted.reason,
            citations=quoted.citations,
            queries=(question,),
            context=tuple(chunk.stored.id for chunk in found.chunks),
            used=quoted.used,
            context_chunk_ids=quoted.carried([chunk.stored.id for chunk in found.chunks]),
            calls={"embedding": 1 + quoted.embedded},
            timings_ms={stage: seconds * 1000 for stage, seconds in timings.items()},
        )

    @property
    def passages(self) -> int:
        """How many chunks are read for their sentences."""
        return self._options.passages

    async def quote(self, scope: Scope, found: Retrieval, language: str) -> Quoted:
        """The sentences of the chunks in `found` that answer its query, if they come near enough to it."""
        sentences = evidence_of(found)
        held = self._options.floor.reached(found, sentences, language)
        if held:
            others = await self._other_parts(scope, found)
            sentences += quotable(others, QuestionWords.of(found.lexical))
        ranked = _without_others(found, await self._ranked(found, sentences, language)) if held else []
        chosen = select(ranked, 0.0 if _several(found) else TOGETHER)
        citations = await self._citations(scope, chosen)
        return Quoted(
            text=told(chosen) or message("answer.not_found", language),
            citations=citations,
            reason=None if citations else _reason(found, language),
            embedded=int(bool(held and self._options.compared)),
        )

    async def _ranked(self, found: Retrieval, sentences: Sequence[Sentence], language: str) -> list[Ranked]:
        """The sentences, best first; of an article that is asked for as a whole, as they stand."""
        whole = [each for each in sentences if each.chunk.stored.point in asked_for(found)]
        if whole:
            return [Ranked(each, 1.0) for each in whole]
        weights = self._options.weights
        near = found.similarities
        quantity = asks_quantity(found.query, language)
        ranked = [
            Ranked(
                sentence,
                weights.words * sentence.coverage
                + weights.chunk * sentence.chunk.score
                + weights.chunk_meaning * near.get(sentence.chunk.stored.point, 0.0)
                + (weights.quantity * _states(sentence) + weights.measure * _measures(sentence)) * quantity
                - weights.late * min(1.0, sentence.place / LATE)
                - weights.fragment * (sentence.fragment or _beside_the_question(sentence)),
            )
            for sentence in sentences
        ]
        ranked.sort(key=_best_first)  # stable: equal sentences stay in the order of their chunks
        compared = ranked[: self._options.compared]
        meaning = _meaning(found)
        if not compared or meaning is None:
            return ranked
        vectors = await self._embedder.embed_passages([each.sentence.text for each in compared])
        calibrate = self._embedder.anchors.calibrate
        similarities = (calibrate(float(cosine)) for cosine in vectors @ meaning)
        compared = [
            Ranked(each.sentence, each.score + weights.meaning * similarity)
            for each, similarity in zip(compared, similarities, strict=True)
        ]
        return sorted(compared, key=_best_first)

    async def _other_parts(self, scope: Scope, found: Retrieval) -> list[ScoredChunk]:
        """The rest of the best articles, of which search gave a part; not when it was narrowed to some."""
        if found.params.get("filters_applied") or asked_for(found):
            return []
        best = [chunk for chunk in found.chunks[:CONTINUED] if chunk.stored.chunk.article is not None]
        parts = await self._records.siblings(scope, [chunk.stored.point for chunk in best]) if best else {}
        known = {chunk.stored.point for chunk in found.chunks}
        wanted: dict[UUID, float] = {}
        for chunk in best:
            for point in parts.get(chunk.stored.point, ())[:MOST_PARTS]:
                if point not in known:
                    wanted.setdefault(point, OTHER_PART * chunk.score)
        stored = await self._records.hydrate(scope, list(wanted)) if wanted else {}
        return [ScoredChunk(stored[point], score) for point, score in wanted.items() if point in stored]

    async def _citations(self, scope: Scope, quotes: Sequence[Sentence]) -> tuple[Citation, ...]:
        return tuple(
            [
                await cite(self._records, scope, number, quote.chunk.stored, quote.start, quote.stop)
                for number, quote in enumerate(quotes, 1)
            ]
        )


def evidence_of(found: Retrieval) -> list[Sentence]:
    """What may be quoted. Of an article that is asked for as a whole, long sentences keep their beginnings."""
    words, whole = QuestionWords.of(found.lexical), asked_for(found)
    asked = [chunk for chunk in found.chunks if chunk.stored.point in whole]
    others = [chunk for chunk in found.chunks if chunk.stored.point not in whole]
    return [*quotable(asked, QuestionWords(())), *quotable(others, words)]


def cited_points(found: Retrieval) -> frozenset[UUID]:
    """The chunks that the question cites."""
    citations = found.trace.citations if found.trace else ()
    return frozenset(point for citation in citations for point in citation.points)


def asked_for(found: Retrieval) -> frozenset[UUID]:
    """The chunks that the question cites when it says little else: it wants to read them."""
    cited = cited_points(found)
    if not cited or found.trace is None:
        return frozenset()
    said = sum(len(query.keywords) for query in found.trace.question.plan.queries)
    return cited if said <= LITTLE else frozenset()


def _without_others(found: Retrieval, ranked: list[Ranked]) -> list[Ranked]:
    """The sentences without those of norms for people or matters of whom the question does not speak, unless the
    best one is of such a norm."""
    moves = found.trace.moves if found.trace else {}
    apart = {point for point, moved in moves.items() if any(each.influence == "apart" for each in moved)}
    if not ranked or ranked[0].sentence.chunk.stored.point in apart:
        return ranked
    return [each for each in ranked if each.sentence.chunk.stored.point not in apart]


def _several(found: Retrieval) -> bool:
    return found.trace is not None and len(found.trace.question.facets) > 1


def _meaning(found: Retrieval) -> Vectors | None:
    """The question's, drawn to the words of the documents where a glossary knows them."""
    return found.trace.question.facets[0].meaning if found.trace else found.vector


def _beside_the_question(sentence: Sentence) -> bool:
    """A row says so little of its own that its meaning is near to many questions."""
    return not sentence.coverage and is_row(sentence.text)


def _states(sentence: Sentence) -> bool:
    return states_quantity(sentence.text, sentence.chunk.stored.document.language)


def _measures(sentence: Sentence) -> bool:
    return states_measure(sentence.text, sentence.chunk.stored.document.language)


def _best_first(ranked: Ranked) -> float:
    return -ranked.score


def answer_language(question: str, scope: Scope) -> str:
    """The language of the question, or of its reader where it has none."""
    detected = detect(question, candidates=LANGUAGES)
    return supported(scope.language) if detected == UNKNOWN else detected


def _reason(found: Retrieval, language: str) -> str:
    return message("answer.nothing_related" if found.chunks else "answer.empty_library", language)
