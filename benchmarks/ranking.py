"""What each influence on the ranking brings, and the fit of their weights.

    python benchmarks/ranking.py ablate --home HOME [--profile labour-law-es] QUESTIONS.jsonl…
    python benchmarks/ranking.py fit    --home HOME [--profile labour-law-es] QUESTIONS.jsonl
    python benchmarks/ranking.py around --home HOME [--profile labour-law-es] QUESTIONS.jsonl

A question file has lines `{"id", "query", "relevant": [{"source_file", "article"?}]}`, as `atril eval` takes them;
the files of `../shared/data/law` and the folders of `../shared/data/retrieval` are read as they are. `ablate` switches
one influence off after the other, and prints recall and nDCG with the 95% interval of the difference (paired
bootstrap, 2,000 samples). `fit` tries a few values for one weight after the other and leaves out one question at
a time: the value that is best on all others is measured on it, so a weight whose gain does not carry over shows no
gain. `around` draws whole settings at random from the values next to those in use: when these are on a plateau the
neighbours are as good, and the setting that is best on all other questions is no better on the one left out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

import atril
from atril.retrieval.ranking import RankingOptions
from atril.types import Scope

OFF: Mapping[str, float] = {
    "expanded": 0.0,
    "part": 0.0,
    "across": 1.0,
    "rank": 0.0,
    "apart": 1.0,
    "outdated": 1.0,
    "referenced": 1e-9,
    "brought": 0.0,
    "again": 1.0,
    "named": 0.0,
}
TRIED: Mapping[str, Sequence[float]] = {
    "expanded": (0.0, 0.3, 0.5, 0.7, 1.0),
    "part": (0.0, 0.85, 0.9, 0.95, 1.0),
    "rank": (0.0, 0.01, 0.02, 0.03, 0.05),
    "apart": (1.0, 0.9, 0.75, 0.6),
    "outdated": (1.0, 0.9, 0.75, 0.6),
    "referenced": (1e-9, 0.05, 0.1),
    "brought": (0.0, 0.6, 0.7, 0.8),
    "again": (1.0, 0.9, 0.85, 0.8),
    "named": (0.0, 0.1, 0.3, 0.5),
}
NEIGHBOURS = 40
SAMPLES = 2000
DEPTH = 25


@dataclass(frozen=True)
class Asked:
    query: str
    relevant: frozenset[tuple[str, str]]


def questions(path: Path) -> list[Asked]:
    if path.is_dir():
        return _beir(path)
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        places = row.get("relevant") or [
            {"source_file": f"{gold['identifier']}.md", "article": gold["article"]} for gold in row["gold"]
        ]
        relevant = frozenset((place["source_file"], _key(place.get("article"))) for place in places)
        if relevant:
            found.append(Asked(row.get("query") or row["question"], relevant))
    return found


def _beir(folder: Path) -> list[Asked]:
    texts = {}
    for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        texts[row["_id"]] = row["text"]
    relevant: dict[str, set[tuple[str, str]]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")[:3]
        if int(grade) > 0 and query in texts:
            relevant.setdefault(query, set()).add((document, ""))
    return [Asked(texts[query], frozenset(found)) for query, found in sorted(relevant.items())]


def _key(article: str | None) -> str:
    return (article or "").lower()


async def ranks(library: atril.Library, options: RankingOptions, asked: Sequence[Asked]) -> list[list[int]]:
    """For each question the ranks of what is relevant among different places, 0 where it was not found."""
    searcher = library._home.searcher
    searcher._options = replace(searcher._options, ranking=options)
    found = []
    for each in asked:
        with_article = any(article for _, article in each.relevant)
        chunks = (await searcher.retrieve(Scope(), each.query, top_k=DEPTH)).chunks
        places = list(
            dict.fromkeys(
                (c.stored.document.name, _key(c.stored.chunk.article) if with_article else "") for c in chunks
            )
        )
        found.append([places.index(place) + 1 if place in places else 0 for place in each.relevant])
    return found


def recall(ranked: Sequence[Sequence[int]], k: int) -> np.ndarray:
    return np.array([sum(0 < rank <= k for rank in each) / len(each) for each in ranked])


def ndcg(ranked: Sequence[Sequence[int]], k: int = 10) -> np.ndarray:
    def ideal(count: int) -> float:
        return sum(1 / np.log2(place + 1) for place in range(1, min(count, k) + 1))

    return np.array(
        [sum(1 / np.log2(rank + 1) for rank in each if 0 < rank <= k) / ideal(len(each)) for each in ranked]
    )


def interval(difference: np.ndarray) -> tuple[float, float]:
    """95% of the mean of paired differences."""
    draws = np.random.default_rng(7).integers(0, len(difference), (SAMPLES, len(difference)))
    low, high = np.quantile(difference[draws].mean(axis=1), (0.025, 0.975))
    return float(low), float(high)


def line(name: str, ranked: Sequence[Sequence[int]], full: Sequence[Sequence[int]]) -> str:
    low, high = interval(ndcg(ranked) - ndcg(full))
    shares = "  ".join(f"R@{k} {recall(ranked, k).mean():.3f}" for k in (1, 5, 10, DEPTH))
    return f"{name:22} {shares}  nDCG@10 {ndcg(ranked).mean():.3f}  [{low:+.3f}, {high:+.3f}]"


async def ablate(library: atril.Library, options: argparse.Namespace) -> None:
    everything = RankingOptions()
    for path in options.questions:
        asked = questions(path)[: options.limit]
        full = await ranks(library, everything, asked)
        print(f"{path.name}: {len(asked)} questions\n{line('everything', full, full)}")
        for name, value in OFF.items():
            ranked = await ranks(library, replace(everything, **{name: value}), asked)
            print(line(f"without {name}", ranked, full), flush=True)
        plain = await ranks(library, RankingOptions(**OFF), asked)
        print(line("without any", plain, full))


async def fit(library: atril.Library, options: argparse.Namespace) -> None:
    asked = questions(options.questions[0])[: options.limit]
    chosen = RankingOptions()
    for each in fields(chosen):
        if each.name not in TRIED:
            continue
        scores = {}
        for value in TRIED[each.name]:
            ranked = await ranks(library, replace(chosen, **{each.name: value}), asked)
            scores[value] = recall(ranked, 10) + ndcg(ranked)
        now = scores[getattr(chosen, each.name)]
        held_out = left_one_out(np.stack(list(scores.values())))
        means = "  ".join(f"{value:g}: {score.mean() / 2:.3f}" for value, score in scores.items())
        print(
            f"{each.name:12} {means}   held out {held_out.mean() / 2:.3f}, as it is {now.mean() / 2:.3f}",
            flush=True,
        )


def left_one_out(scores: np.ndarray) -> np.ndarray:
    """For each question (column) the score of the setting (row) that is best on all the others."""
    others = scores.sum(axis=1, keepdims=True) - scores
    return scores[others.argmax(axis=0), np.arange(scores.shape[1])]


def neighbours() -> list[RankingOptions]:
    """Settings with each weight at its value in use or at the next one tried to either side."""
    random, now = np.random.default_rng(7), RankingOptions()
    near = {}
    for name, values in TRIED.items():
        ordered = sorted(values)
        place = ordered.index(getattr(now, name))
        near[name] = ordered[max(0, place - 1) : place + 2]
    return [
        replace(now, **{name: float(random.choice(values)) for name, values in near.items()})
        for _ in range(NEIGHBOURS)
    ]


async def around(library: atril.Library, options: argparse.Namespace) -> None:
    asked = questions(options.questions[0])[: options.limit]
    settings = [RankingOptions(), *neighbours()]
    found = [await ranks(library, setting, asked) for setting in settings]
    scores = np.stack([(recall(ranked, 10) + ndcg(ranked)) / 2 for ranked in found])
    low, middle, high = np.quantile(scores[1:].mean(axis=1), (0.05, 0.5, 0.95))
    print(
        f"as it is {scores[0].mean():.3f}   {NEIGHBOURS} neighbours {low:.3f} {middle:.3f} {high:.3f} (5, 50, 95%)"
        f"   the best of them on questions left out {left_one_out(scores).mean():.3f}"
    )


async def main(options: argparse.Namespace) -> None:
    work = {"ablate": ablate, "fit": fit, "around": around}[options.work]
    async with atril.open(options.home, profile=options.profile) as library:
        await work(library, options)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", choices=("ablate", "fit", "around"))
    parser.add_argument("questions", nargs="+", type=Path)
    parser.add_argument("--home", required=True, type=Path)
    parser.add_argument("--profile")
    parser.add_argument("--limit", type=int, default=300)
    asyncio.run(main(parser.parse_args()))
