"""An evaluation as text for a person."""

from __future__ import annotations

from atril.evaluation.metrics import CUTOFF
from atril.evaluation.runner import Evaluation
from atril.messages import message


def render(evaluation: Evaluation, language: str | None = None, *, misses: int = 0) -> str:
    """A small table of the measures, then up to `misses` questions that found nothing."""
    rows = [(f"recall@{k}", f"{value:.3f}") for k, value in evaluation.recall.items()]
    rows += [(f"MRR@{CUTOFF}", f"{evaluation.mrr:.3f}"), (f"nDCG@{CUTOFF}", f"{evaluation.ndcg:.3f}")]
    latency = evaluation.latency
    rows += [
        (f"p{share} ms", f"{value:.1f}")
        for share, value in ((50, latency.p50), (95, latency.p95), (99, latency.p99))
    ]
    names, values = max(len(name) for name, _ in rows), max(len(value) for _, value in rows)
    lines = [
        message(
            "evaluation.asked", language, questions=evaluation.questions, unanswerable=evaluation.unanswerable
        ),
        "",
        *(f"{name:<{names}}  {value:>{values}}" for name, value in rows),
    ]
    missed = evaluation.misses
    if misses and missed:
        lines += ["", message("evaluation.misses", language, count=len(missed), within=CUTOFF)]
        lines += [f"  {outcome.id}  {outcome.query}" for outcome in missed[:misses]]
    return "\n".join(lines)
