"""Why a search gave what it gave, in words that its user understands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from atril.messages import message
from atril.retrieval.facets import Found, Question
from atril.retrieval.live import ScoredChunk
from atril.retrieval.lookup import Citation
from atril.retrieval.planner import Cut
from atril.retrieval.ranking import Moved
from atril.types import Explanation, HitExplanation, QueryExplanation

FACTOR_DIGITS: Final = 3
BM25_DIGITS: Final = 1
SIMILARITY_DIGITS: Final = 2

_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Trace:
    """What happened in one hybrid search: its question, its lists, and what moved which point."""

    question: Question
    lists: Sequence[Found]
    moves: Mapping[UUID, Sequence[Moved]]
    citations: Sequence[Citation]


def explained(
    trace: Trace,
    chunks: Sequence[ScoredChunk],
    calibrate: Callable[[float], float],
    language: str | None,
    phrases_left_out: Sequence[str] = (),
) -> Explanation:
    """The explanation of `chunks`, which are the results in their order; `calibrate` turns a cosine into the
    similarity that people see everywhere else, and `phrases_left_out` are those that nothing holds."""
    ids = {chunk.stored.point: chunk.stored.id for chunk in chunks}
    places = [_Places.of(found, calibrate) for found in trace.lists]
    whole = trace.question.facets[0].text
    return Explanation(
        queries=_queries(trace.question, language),
        lookups=tuple(_lookup(each, language) for each in trace.citations),
        notes=(
            *(message("explain.phrase_left_out", language, phrase=each) for each in phrases_left_out),
            *_notes(trace.question, language),
        ),
        hits=tuple(
            HitExplanation(
                chunk_id=chunk.stored.id,
                found=tuple(_found(chunk.stored.point, places, whole, language)),
                moved=tuple(_moved(move, ids, language) for move in trace.moves.get(chunk.stored.point, ())),
            )
            for chunk in chunks
        ),
    )


def explained_list(query: str, mode: str, chunks: Sequence[ScoredChunk], language: str | None) -> Explanation:
    """The explanation of a search with one list: its order is that of its scores."""
    by = "words" if mode == "lexical" else "meaning"
    hits = (
        HitExplanation(
            chunk.stored.id,
            (message(f"explain.by_{by}", language, rank=rank, score=_shown(by, chunk.score)),),
            (),
        )
        for rank, chunk in enumerate(chunks, start=1)
    )
    return Explanation((QueryExplanation(query, (), ()),), (), (), tuple(hits))


@dataclass(frozen=True, slots=True)
class _Places:
    """Where one list has which point, and with what score."""

    found: Found
    of_point: Mapping[UUID, tuple[int, float]]

    @classmethod
    def of(cls, found: Found, calibrate: Callable[[float], float]) -> _Places:
        """A list by meaning holds cosines, which nobody can read."""
        scale = calibrate if found.by == "meaning" else float
        return cls(found, {each.id: (n, scale(each.score)) for n, each in enumerate(found.points, start=1)})


def _queries(question: Question, language: str | None) -> tuple[QueryExplanation, ...]:
    added = tuple(term for expansion in question.expansions for term in expansion.terms)
    whole = QueryExplanation(
        question.facets[0].text, tuple(dict.fromkeys(added)), _left_out(question, language)
    )
    # Only the parts are what the planner made of the question; as a whole it is searched for as it stands.
    cut = tuple(_cut(each, language) for each in question.plan.cuts)
    parts = (
        QueryExplanation(facet.text, (), cut if n == 0 else ()) for n, facet in enumerate(question.facets[1:])
    )
    return (whole, *parts)


def _left_out(question: Question, language: str | None) -> tuple[str, ...]:
    """The words of the question that search by words cannot use."""
    text, words = question.facets[0].text, question.facets[0].words
    common = [
        match.group()
        for match in _WORD.finditer(text)
        if not any(word.start <= match.start() < word.end for word in words.words)
    ]
    unknown = [] if question.across else [word.word for word in words.words if not words.holds(word)]
    return tuple(
        message(f"explain.{key}", language, words=", ".join(dict.fromkeys(said)))
        for key, said in (("common_words", common), ("unknown_words", unknown))
        if said
    )


def _cut(cut: Cut, language: str | None) -> str:
    return message(f"explain.cut_{cut.why}", language, text=cut.text)


def _lookup(citation: Citation, language: str | None) -> str:
    key = "explain.looked_up" if citation.points else "explain.looked_up_nothing"
    return message(key, language, text=citation.text, document=citation.document.name)


def _notes(question: Question, language: str | None) -> tuple[str, ...]:
    notes = []
    if question.across:
        notes.append(message("explain.across", language))
    if len(question.facets) > 1:
        notes.append(message("explain.parts", language, count=len(question.facets) - 1))
    return tuple(notes)


def _found(point: UUID, places: Sequence[_Places], whole: str, language: str | None) -> list[str]:
    said = []
    for each in places:
        if point in each.of_point:
            rank, score = each.of_point[point]
            by, query = each.found.by, each.found.facet.text
            fields = {"rank": rank, "score": _shown(by, score)}
            if query == whole:
                said.append(message(f"explain.by_{by}", language, **fields))
            else:
                said.append(message(f"explain.by_{by}_of", language, **fields, query=query))
    return said


def _shown(by: str, score: float) -> str:
    return f"{score:.{BM25_DIGITS if by == 'words' else SIMILARITY_DIGITS}f}"


def _moved(move: Moved, ids: Mapping[UUID, str], language: str | None) -> str:
    source = ids.get(move.source, "") if move.source else ""
    return message(
        f"explain.moved_{move.influence}", language, factor=round(move.factor, FACTOR_DIGITS), source=source
    )
