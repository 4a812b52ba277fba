"""Evaluations, comparisons and growth as text for a person."""

from __future__ import annotations

from collections.abc import Sequence

from atril.evaluation.answers import AnswerEvaluation
from atril.evaluation.comparison import Comparison
from atril.evaluation.datasets import Relevant
from atril.evaluation.growth import Size
from atril.evaluation.metrics import CUTOFF
from atril.evaluation.misses import MissedPlace
from atril.evaluation.runner import Evaluation
from atril.messages import message

_IDS_SHOWN = 10


def render(
    evaluation: Evaluation,
    language: str | None = None,
    *,
    misses: int = 0,
    missed: Sequence[MissedPlace] = (),
) -> str:
    """A small table of the measures, then up to `misses` questions that found nothing, then as many of the
    `missed` places with the reason and their places in each list."""
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
    found_nothing = evaluation.misses
    if misses and found_nothing:
        lines += ["", message("evaluation.misses", language, count=len(found_nothing), within=CUTOFF)]
        lines += [f"  {outcome.id}  {outcome.query}" for outcome in found_nothing[:misses]]
    if misses and missed:
        lines += ["", message("evaluation.missed", language, count=len(missed), within=CUTOFF)]
        lines += [f"  {_missed(place, language)}" for place in missed[:misses]]
    return "\n".join(lines)


def render_answers(evaluation: AnswerEvaluation, language: str | None = None) -> str:
    """A row for each measure of the answers, and the questions whose answer cites nothing relevant."""
    shares = ("answered", "cited", "phrase", "refused", "numbers")
    rows = [
        (message(f"evaluation.answers_{name}", language), _percent(getattr(evaluation, name)))
        for name in shares
    ]
    rows += [
        (message("evaluation.answers_by_model", language), f"{evaluation.by_model:,}"),
        (message("evaluation.answers_calls", language), f"{evaluation.calls:,}"),
        (message("evaluation.answers_tokens", language), f"{evaluation.tokens:,}"),
    ]
    if evaluation.cost is not None:
        rows.append((message("evaluation.answers_cost", language), f"{evaluation.cost:.4f}"))
    rows += [("p50 ms", f"{evaluation.p50:.1f}"), ("p95 ms", f"{evaluation.p95:.1f}")]
    wrong = [each for each in evaluation.outcomes if each.cited is False or each.refused is False]
    lines = [message("evaluation.answers", language, count=evaluation.questions), "", *_table(rows)]
    if wrong:
        lines += ["", message("evaluation.answers_wrong", language, count=len(wrong))]
        lines += [f"  {each.id}  {each.query}" for each in wrong[:_IDS_SHOWN]]
    return "\n".join(lines)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.3f}"


def render_comparison(comparison: Comparison, language: str | None = None) -> str:
    """A table of both means, the difference and its interval, starred where it is not by chance."""
    first, second = comparison.names
    rows = [("", first, second, "Δ", "95%")]
    for each in comparison.differences:
        star = " *" if each.significant else ""
        interval = f"[{each.low:+.3f}, {each.high:+.3f}]{star}"
        rows.append((each.measure, f"{each.first:.3f}", f"{each.second:.3f}", f"{each.mean:+.3f}", interval))
    lines = [*_table(rows), "", message("evaluation.starred", language)]
    for key, ids in (("better", comparison.better), ("worse", comparison.worse)):
        shown = ", ".join(ids[:_IDS_SHOWN]) + (", …" if len(ids) > _IDS_SHOWN else "")
        lines.append(message(f"evaluation.{key}", language, count=len(ids), name=second, ids=shown or "–"))
    return "\n".join(lines)


def render_growth(sizes: Sequence[Size], language: str | None = None) -> str:
    """A row for each size: documents, passages, percentiles of the latency."""
    rows: list[tuple[str, ...]] = [
        (
            message("evaluation.documents", language),
            message("evaluation.chunks", language),
            "p50 ms",
            "p95 ms",
            "p99 ms",
        )
    ]
    for size in sizes:
        times = (size.latency.p50, size.latency.p95, size.latency.p99)
        rows.append((f"{size.documents:,}", f"{size.chunks:,}", *(f"{each:.1f}" for each in times)))
    return "\n".join(_table(rows))


def _missed(place: MissedPlace, language: str | None) -> str:
    reason = message(f"evaluation.{place.reason}", language)
    lists = ", ".join(f"{name} {rank or '–'}" for name, rank in place.places.items())
    return f"{place.id}  {_where(place.relevant)}: {reason} ({lists})"


def _where(relevant: Relevant) -> str:
    parts = (relevant.source_file, relevant.article, relevant.page, relevant.chunk_id)
    return " · ".join(str(part) for part in parts if part is not None)


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
