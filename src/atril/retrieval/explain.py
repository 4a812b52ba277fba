"""Why a search gave what it gave, in words that its user understands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

SHOWN_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Trace:
    """What happened in one hybrid search: its question, its lists, and what moved which point."""

    question: Question
    lists: Sequence[Found]
    moves: Mapping[UUID, Sequence[Moved]]
    citations: Sequence[Citation]


def explained(trace: Trace, chunks: Sequence[ScoredChunk], language: str | None) -> Explanation:
    """The explanation of `chunks`, which are the results in their order."""
    ids = {chunk.stored.point: chunk.stored.id for chunk in chunks}
    places = [
        (found, {point.id: (place, point.score) for place, point in enumerate(found.points, start=1)})
        for found in trace.lists
    ]
    return Explanation(
        queries=_queries(trace.question, language),
        lookups=tuple(_lookup(each, language) for each in trace.citations),
        notes=_notes(trace.question, language),
        hits=tuple(
            HitExplanation(
                chunk_id=chunk.stored.id,
                found=tuple(_found(chunk.stored.point, places, language)),
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
            (
                message(
                    f"explain.by_{by}",
                    language,
                    rank=rank,
                    score=round(chunk.score, SHOWN_DIGITS),
                    query=query,
                ),
            ),
            (),
        )
        for rank, chunk in enumerate(chunks, start=1)
    )
    return Explanation((QueryExplanation(query, (), ()),), (), (), tuple(hits))


def _queries(question: Question, language: str | None) -> tuple[QueryExplanation, ...]:
    cut = [_cut(each, language) for each in question.plan.cuts]
    added = tuple(term for expansion in question.expansions for term in expansion.terms)
    whole = QueryExplanation(question.facets[0].text, tuple(dict.fromkeys(added)), tuple(cut))
    parts = (QueryExplanation(facet.text, (), ()) for facet in question.facets[1:])
    return (whole, *parts)


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


def _found(
    point: UUID, places: Sequence[tuple[Found, Mapping[UUID, tuple[int, float]]]], language: str | None
) -> list[str]:
    return [
        message(
            f"explain.by_{found.by}",
            language,
            rank=held[point][0],
            score=round(held[point][1], SHOWN_DIGITS),
            query=found.facet.text,
        )
        for found, held in places
        if point in held
    ]


def _moved(move: Moved, ids: Mapping[UUID, str], language: str | None) -> str:
    source = ids.get(move.source, "") if move.source else ""
    return message(
        f"explain.moved_{move.influence}", language, factor=round(move.factor, SHOWN_DIGITS), source=source
    )
