"""Why places were missed: whether the library holds them at all, and how far down each list has them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from atril.evaluation.datasets import Question, Relevant
from atril.evaluation.metrics import CUTOFF, rank
from atril.evaluation.runner import Evaluation, Search

DEPTH: Final = 300
"""Hits of each list that are looked through."""

Held: TypeAlias = Literal["yes", "no_document", "no_place"]
Holds: TypeAlias = Callable[[Relevant], Awaitable[Held]]
"""Whether the library has a chunk for the place: no such document, or nothing of it in the document."""

Reason: TypeAlias = Literal["no_document", "no_place", "not_found", "too_low"]


@dataclass(frozen=True, slots=True)
class MissedPlace:
    """A relevant place that is not among the first ten.

    `places` maps each list to its 1-based place there, `None` when it is not among the first hundreds.
    `reason` is `no_document` or `no_place` when the library cannot find what it does not hold,
    `not_found` when no list has it, and `too_low` when some list has it.
    """

    id: str
    query: str
    relevant: Relevant
    reason: Reason
    places: Mapping[str, int | None]

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "query": self.query,
            "source_file": self.relevant.source_file,
            "article": self.relevant.article,
            "page": self.relevant.page,
            "chunk_id": self.relevant.chunk_id,
            "reason": self.reason,
            "places": dict(self.places),
        }


async def explain_misses(
    questions: Sequence[Question], evaluation: Evaluation, lists: Mapping[str, Search], holds: Holds
) -> tuple[MissedPlace, ...]:
    """Every relevant place beyond the first ten, in the order of the questions.

    Each list is searched once more for each question that has one, deeper than for the measures.
    """
    missed: list[MissedPlace] = []
    asked = {question.id: question for question in questions}
    for outcome in evaluation.outcomes:
        question = asked[outcome.id]
        beyond = [
            index for index, place in enumerate(outcome.ranks.places) if place is None or place > CUTOFF
        ]
        if not beyond:
            continue
        found = {
            name: rank((await search(question.query, DEPTH)).results, question.relevant).places
            for name, search in lists.items()
        }
        for index in beyond:
            places = {name: ranks[index] for name, ranks in found.items()}
            relevant = question.relevant[index]
            reason = await _reason(relevant, places, holds)
            missed.append(MissedPlace(question.id, question.query, relevant, reason, places))
    return tuple(missed)


async def _reason(relevant: Relevant, places: Mapping[str, int | None], holds: Holds) -> Reason:
    if any(place is not None for place in places.values()):
        return "too_low"
    held = await holds(relevant)
    return "not_found" if held == "yes" else held
