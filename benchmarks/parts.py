"""Hybrid search against search by words and by meaning alone.

    python benchmarks/parts.py --homes HOMES [--data ../shared/data/retrieval] [--limit N] [SET…]

Each set is a folder with `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`; one whose name ends in `_to_LANGUAGE` has
no corpus and is asked of the one in that language. A home is made for each corpus that HOMES does not hold yet.
Every question is asked in the three modes. The intervals are those of the difference in nDCG@10 to the better of
the two parts, and to each of them, as `atril eval --compare` measures it (paired bootstrap, 95%).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import atril
from atril.evaluation.comparison import Difference, compare
from atril.evaluation.datasets import Question, Relevant
from atril.evaluation.runner import Evaluation, evaluate
from atril.types import SearchMode, SearchResult

AT_ONCE = 500
"""Documents added in one go, so that a run that is stopped goes on where it was."""

MODES: Sequence[SearchMode] = ("hybrid", "lexical", "semantic")


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def corpus_of(name: str) -> str:
    """`xquad_es_to_en` is asked of `xquad_en`."""
    head, crosses, language = name.partition("_to_")
    return f"{head.rpartition('_')[0]}_{language}" if crosses else name


def questions(folder: Path, limit: int | None) -> list[Question]:
    relevant: dict[str, list[Relevant]] = defaultdict(list)
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")[:3]
        if int(grade) > 0:
            relevant[query].append(Relevant(source_file=document))
    found = [
        Question(row["_id"], row["text"], tuple(relevant[row["_id"]]))
        for row in rows(folder / "queries.jsonl")
        if row["_id"] in relevant
    ]
    return random.Random(7).sample(found, limit) if limit and limit < len(found) else found


async def fill(library: atril.Library, corpus: Path) -> None:
    held = {document.name for document in await library.documents()}
    missing = [
        {"name": row["_id"], "title": row.get("title") or "", "text": row["text"]}
        for row in rows(corpus / "corpus.jsonl")
        if row["_id"] not in held
    ]
    for start in range(0, len(missing), AT_ONCE):
        await library.add_texts(missing[start : start + AT_ONCE])


async def asked(library: atril.Library, mode: SearchMode, which: Sequence[Question]) -> Evaluation:
    async def search(query: str, top_k: int) -> SearchResult:
        return await library.search(query, mode=mode, top_k=top_k)

    return await evaluate(which, search)


def difference(part: Evaluation, whole: Evaluation) -> Difference:
    measures = compare(part, whole, ("part", "hybrid")).differences
    return next(each for each in measures if each.measure == "ndcg@10")


def shown(gain: Difference) -> str:
    return f"{gain.mean:+.3f} ({gain.low:+.3f} to {gain.high:+.3f}){' *' if gain.significant else ''}"


async def main(options: argparse.Namespace) -> None:
    names = options.sets or sorted(each.name for each in options.data.iterdir() if each.is_dir())
    print("| set | questions | hybrid | words | meaning | to the better | to words | to meaning |")
    print("| --- " * 8 + "|")
    gains = []
    for name in names:
        which = questions(options.data / name, options.limit)
        async with atril.open(options.homes / corpus_of(name)) as library:
            await fill(library, options.data / corpus_of(name))
            hybrid, words, meaning = [await asked(library, mode, which) for mode in MODES]
        over_words, over_meaning = difference(words, hybrid), difference(meaning, hybrid)
        better = over_words if words.ndcg > meaning.ndcg else over_meaning
        figures = " | ".join(f"{each.ndcg:.3f}" for each in (hybrid, words, meaning))
        print(
            f"| {name} | {len(which):,} | {figures} | {shown(better)} | {shown(over_words)} |"
            f" {shown(over_meaning)} |",
            flush=True,
        )
        gains.append((better.mean, over_words.mean, over_meaning.mean))
    means = (fmean(column) for column in zip(*gains, strict=True))
    print("mean gain over the better {:+.4f}, over words {:+.4f}, over meaning {:+.4f}".format(*means))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="*", metavar="SET")
    parser.add_argument("--homes", required=True, type=Path)
    parser.add_argument("--data", default=Path("../shared/data/retrieval"), type=Path)
    parser.add_argument("--limit", type=int)
    asyncio.run(main(parser.parse_args()))
