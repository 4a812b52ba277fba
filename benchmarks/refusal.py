"""How well the extractive answer knows what a library does not hold: the curve of refusals.

    python benchmarks/refusal.py --home HOME [--profile labour-law-es] [--data ../shared/data]
    python benchmarks/refusal.py --homes HOMES [--data ../shared/data]

HOME holds the Spanish labour laws. Asked are its development questions that have an answer, its near misses
(income tax, other countries), 200 questions of Spanish XQuAD and those of FinanceBench. What is scored is how far
the evidence lies above the floor (`atril.answering.extractive.Floor`); the curve says for each share of answerable
questions that would be lost which share of the others would be refused. The line `now` is the floor as it is.
Behind it, what a threshold drawn on one half of all questions does on the other half, over 200 random halves.

HOMES holds libraries about anything (`benchmarks/parts.py` makes them). Each is asked its own questions and those of
other sets, in its language and in others; the table has the share that the floor as it is lets through.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

import atril
from atril.answering.extractive import Floor, cited_points, evidence_of
from atril.documents.languages import detect
from atril.messages import LANGUAGES
from atril.types import Scope

_FOREIGN = 200
_PASSAGES = 10
_HALVES = 200
_LOST = 0.02
_EACH = 60

OTHERS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "xquad_en": (("xquad_en",), ("xquad_es_to_en", "xquad_ru_to_en"), ("tydiqa_en",), ("law", "tydiqa_ru")),
    "xquad_es": (("xquad_es",), ("xquad_en", "xquad_ru"), ("law",), ("tydiqa_en", "tydiqa_ru", "wb_faq_ru")),
    "tydiqa_en": (("tydiqa_en",), (), ("xquad_en",), ("xquad_es", "xquad_ru", "law")),
    "tydiqa_ru": (("tydiqa_ru",), (), ("xquad_ru", "wb_faq_ru"), ("xquad_en", "xquad_es", "law")),
    "wb_faq_ru": (("wb_faq_ru",), (), ("xquad_ru", "tydiqa_ru"), ("xquad_en", "xquad_es", "law")),
    "cranfield": (("cranfield",), (), ("xquad_en", "tydiqa_en"), ("xquad_es", "tydiqa_ru")),
}
"""For each library the sets that it can answer, in its language and in others, and those that it cannot, likewise."""


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def questions(data: Path) -> dict[str, list[str]]:
    law = rows(data / "law/dev.jsonl")
    foreign = [row["text"] for row in rows(data / "retrieval/xquad_es/queries.jsonl")]
    random.Random(3).shuffle(foreign)
    filings = [
        row["question"]
        for path in sorted((data / "financebench").glob("*.jsonl"))
        for row in rows(path)
        if "question" in row
    ]
    return {
        "answerable": [row["question"] for row in law if row["gold"]],
        "near misses": [row["question"] for row in law if not row["gold"]],
        "XQuAD": foreign[:_FOREIGN],
        "FinanceBench": list(dict.fromkeys(filings)),
    }


async def margin(library: atril.Library, floor: Floor, question: str) -> float:
    """Above 0 something is quoted; 1 more for what a citation leads to, which is always quoted."""
    searcher = library._home.searcher
    found = await searcher.retrieve(Scope(), question, top_k=_PASSAGES)
    sentences = evidence_of(found)
    if not sentences:
        return -1.0
    cited = 1.0 if cited_points(found) else 0.0
    return cited + floor.margin(found, sentences, detect(question, candidates=LANGUAGES))


def area(right: Sequence[float], wrong: Sequence[float]) -> float:
    """The chance that an answerable question scores above another, ties counting half (AUC)."""
    wrong = sorted(wrong)
    below = [bisect_left(wrong, score) + 0.5 * wrong.count(score) for score in right]
    return fmean(below) / len(wrong)


def halves(right: Sequence[float], wrong: Sequence[float]) -> str:
    """What is lost and refused above a threshold that loses few of the questions it was drawn for."""
    random_ = np.random.default_rng(7)
    told, foreign = np.array(right), np.array(wrong)
    lost, refused = [], []
    for _ in range(_HALVES):
        one, other = random_.permutation(len(told)), random_.permutation(len(foreign))
        middle = len(told) // 2
        threshold = np.quantile(told[one[:middle]], _LOST)
        lost.append((told[one[middle:]] < threshold).mean())
        refused.append((foreign[other[len(foreign) // 2 :]] < threshold).mean())
    return f"half on half: {fmean(lost):.3f} lost, {fmean(refused):.3f} refused"


def asked_of(data: Path, name: str) -> list[str]:
    if name == "law":
        found = [row["question"] for row in rows(data / "law/dev.jsonl") if row["gold"]]
    else:
        found = [row["text"] for row in rows(data / "retrieval" / name / "queries.jsonl")]
    return random.Random(3).sample(found, min(_EACH, len(found)))


async def other_libraries(options: argparse.Namespace) -> None:
    floor = Floor()
    print("| library | its own | its own, another language | foreign | foreign, another language |")
    print("| --- " * 5 + "|")
    for name, groups in OTHERS.items():
        async with atril.open(options.homes / name) as library:
            shares = []
            for group in groups:
                asked = [question for each in group for question in asked_of(options.data, each)]
                let = [await margin(library, floor, question) >= 0 for question in asked]
                shares.append(f"{fmean(let):.3f}" if let else "")
        print(f"| {name} | " + " | ".join(shares) + " |", flush=True)


async def main(options: argparse.Namespace) -> None:
    if options.homes:
        await other_libraries(options)
        return
    floor = Floor()
    async with atril.open(options.home, profile=options.profile) as library:
        scores = {
            name: [await margin(library, floor, question) for question in asked]
            for name, asked in questions(options.data).items()
        }
    right = sorted(scores.pop("answerable"))
    wrong = [score for each in scores.values() for score in each]
    print(
        f"AUC {area(right, wrong):.4f}   "
        + "   ".join(f"{n} {area(right, s):.3f}" for n, s in scores.items())
    )
    print(
        "| answerable lost | refused | " + " | ".join(scores) + " |\n| --- | --- |" + " --- |" * len(scores)
    )
    thresholds = [("now", 0.0)] + [
        (f"{share:.0%}", right[int(share * len(right))]) for share in (0.0, 0.02, 0.04, 0.06, 0.1, 0.15, 0.2)
    ]
    for name, threshold in thresholds:
        lost = fmean(score < threshold for score in right)
        refused = [fmean(score < threshold for score in each) for each in (wrong, *scores.values())]
        print(f"| {name}: {lost:.3f} | " + " | ".join(f"{share:.3f}" for share in refused) + " |")
    print(halves(right, wrong))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--home", type=Path)
    where.add_argument("--homes", type=Path)
    parser.add_argument("--profile")
    parser.add_argument("--data", default=Path("../shared/data"), type=Path)
    asyncio.run(main(parser.parse_args()))
