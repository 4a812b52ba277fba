"""What one search takes, by mode and by stage, over a home that exists.

    python benchmarks/latency.py HOME QUESTIONS.jsonl [--profile labour-law-es] [--repeats 3] [--modes …]

Lines hold `question`, `query` or `text`. Every question is asked once before anything is measured. Stages are
medians of the milliseconds of a search that passed while it waited for the query's embedding, for the records and
for the engine; embedding and records overlap. `CPU` is the processor time of the process, its threads included.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import atril
from measuring import percentile, table

LIMITS = {"hybrid": 15.0, "lexical": 10.0}
"""Milliseconds that a search of the Spanish laws may take at the median, everything on."""

HEADER = ("mode", "p50 ms", "limit", "p99 ms", "CPU ms", "embedding", "records", "engine")


class Stages:
    """Milliseconds spent in each of a library's parts since `reset`."""

    def __init__(self, library: atril.Library) -> None:
        home = library._home
        self.spent: dict[str, float] = {}
        self._time("embedding", home._embedder, "embed_query")
        self._time("records", home.stores.records._database, "read")
        for name in ("search_dense", "search_sparse", "terms"):
            self._time("engine", home.stores.index, name)

    def reset(self) -> None:
        self.spent = dict.fromkeys(HEADER[-3:], 0.0)

    def _time(self, stage: str, owner: object, name: str) -> None:
        call: Callable[..., Awaitable[Any]] = getattr(owner, name)

        async def timed(*given: Any, **named: Any) -> Any:
            start = perf_counter()
            try:
                return await call(*given, **named)
            finally:
                self.spent[stage] += (perf_counter() - start) * 1000

        setattr(owner, name, timed)


async def measure(library: atril.Library, questions: list[str], mode: Any, repeats: int) -> list[object]:
    stages = Stages(library)
    stages.reset()
    for question in questions:
        await library.search(question, mode=mode)
    times, processor, parts = [], [], []
    for question in questions * repeats:
        stages.reset()
        start, used = perf_counter(), process_time()
        await library.search(question, mode=mode)
        times.append((perf_counter() - start) * 1000)
        processor.append((process_time() - used) * 1000)
        parts.append(stages.spent)
    row: list[object] = [mode, f"{median(times):.1f}", LIMITS.get(mode, ""), f"{percentile(times, 0.99):.1f}"]
    row.append(f"{median(processor):.1f}")
    return [*row, *(f"{median(part[name] for part in parts):.1f}" for name in HEADER[-3:])]


async def main(arguments: argparse.Namespace) -> None:
    lines = arguments.questions.read_text(encoding="utf-8").splitlines()
    asked = [json.loads(line) for line in lines if line.strip()]
    questions = [row.get("question") or row.get("query") or row["text"] for row in asked]
    rows = []
    for mode in arguments.modes.split(","):
        async with atril.open(arguments.home, profile=arguments.profile) as library:
            rows.append(await measure(library, questions, mode, arguments.repeats))
    print(table(HEADER, rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("home", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--profile")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--modes", default="hybrid,semantic,lexical")
    asyncio.run(main(parser.parse_args()))
