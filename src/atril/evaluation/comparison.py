"""Two evaluations of the same questions, and whether they differ by more than chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from atril.evaluation.metrics import CUTOFF, Ranks
from atril.evaluation.runner import Evaluation

SAMPLES: Final = 10_000
CONFIDENCE: Final = 0.95
FEWEST: Final = 6
"""Changed questions with which a difference can be told from chance."""
_SEED: Final = 20
_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class Difference:
    """The second mean minus the first, with the interval that holds it with 95% confidence.

    From a paired bootstrap: questions are drawn with replacement, both sides of each together (Efron and
    Tibshirani, An Introduction to the Bootstrap, percentile interval). `changed` is the number of questions
    whose value differs.
    """

    measure: str
    first: float
    second: float
    low: float
    high: float
    changed: int

    @property
    def mean(self) -> float:
        return self.second - self.first

    @property
    def significant(self) -> bool:
        """Whether the interval leaves out 0, and enough questions changed for one: of fewer than six, all
        turn the same way by chance more often than one time in twenty (sign test)."""
        return self.changed >= FEWEST and (self.low > 0.0 or self.high < 0.0)

    def to_dict(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "first": self.first,
            "second": self.second,
            "difference": self.mean,
            "low": self.low,
            "high": self.high,
            "changed": self.changed,
            "significant": self.significant,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences by measure, and the questions whose nDCG@10 got better and worse."""

    names: tuple[str, str]
    differences: tuple[Difference, ...]
    better: tuple[str, ...]
    worse: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "first": self.names[0],
            "second": self.names[1],
            "differences": [each.to_dict() for each in self.differences],
            "better": list(self.better),
            "worse": list(self.worse),
        }


def compare(first: Evaluation, second: Evaluation, names: tuple[str, str]) -> Comparison:
    """Both must be of the same questions; raises `ValueError` otherwise. The same input gives the same
    intervals."""
    ids = [outcome.id for outcome in first.outcomes]
    if ids != [outcome.id for outcome in second.outcomes]:
        raise ValueError("the evaluations are of different questions")
    measures: dict[str, Callable[[Ranks], float]] = {
        **{f"recall@{k}": _recall(k) for k in first.recall},
        f"mrr@{CUTOFF}": lambda ranks: ranks.reciprocal,
        f"ndcg@{CUTOFF}": lambda ranks: ranks.ndcg,
    }
    before, after = _ranks(first), _ranks(second)
    gains = {each: after[each].ndcg - before[each].ndcg for each in ids}
    return Comparison(
        names=names,
        differences=tuple(
            _difference(name, [value(before[each]) for each in ids], [value(after[each]) for each in ids])
            for name, value in measures.items()
        ),
        better=tuple(each for each in ids if gains[each] > 0),
        worse=tuple(each for each in ids if gains[each] < 0),
    )


def _ranks(evaluation: Evaluation) -> dict[str, Ranks]:
    return {outcome.id: outcome.ranks for outcome in evaluation.outcomes}


def _recall(k: int) -> Callable[[Ranks], float]:
    return lambda ranks: ranks.recall(k)


def _difference(measure: str, first: Sequence[float], second: Sequence[float]) -> Difference:
    gains = np.array(second) - np.array(first)
    if not gains.any():
        mean = float(np.mean(first)) if first else 0.0
        return Difference(measure, mean, mean, 0.0, 0.0, 0)
    random = np.random.default_rng(_SEED)
    draws = (random.integers(0, len(gains), (_AT_ONCE, len(gains))) for _ in range(SAMPLES // _AT_ONCE))
    means = np.concatenate([gains[drawn].mean(axis=1) for drawn in draws])
    low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    means_of_both = float(np.mean(first)), float(np.mean(second))
    return Difference(measure, *means_of_both, float(low), float(high), int(np.count_nonzero(gains)))
