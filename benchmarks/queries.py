"""Latency and memory of hybrid search as a library grows, and its pauses while documents are added.

    python benchmarks/queries.py [--sizes 1000,10000,100000,300000] [--queries 1000] [--folder FOLDER]

Searches go through `Library.search` with highlights, over chunks of about 900 characters, with an embedder
that costs nothing, so what is measured is everything but the query's embedding. "Pause" is the longest
search while 10,000 more chunks are added to the same library; "beat" the longest time the event loop was
not answering meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from itertools import islice
from pathlib import Path
from time import perf_counter

import atril
from measuring import folder_megabytes, percentile, resident_megabytes, table
from synthetic import ClusteredEmbedder, Statutes

ADDED_MEANWHILE = 10_000
HEADER = (
    "chunks",
    "add s",
    "p50 ms",
    "p99 ms",
    "RSS MB",
    "disk MB",
    "p50 adding",
    "p99 adding",
    "pause ms",
    "beat ms",
)


async def measure(home: Path, chunks: int, queries: int) -> list[object]:
    statutes = Statutes()
    async with atril.open(home, embedder=ClusteredEmbedder()) as library:
        start = perf_counter()
        laws = statutes.laws(chunks)
        while batch := list(islice(laws, 200)):
            await library.add_texts(batch)
        adding = perf_counter() - start
    # A fresh opening is what a server has after a restart; it also leaves the builder time to finish.
    async with atril.open(home, embedder=ClusteredEmbedder()) as library:
        found = sum(document.chunks for document in await library.documents())
        await library.search("tema1 calentamiento")
        alone = [await timed(library, query) for query in statutes.queries(queries)]
        memory = resident_megabytes()
        meanwhile, beat = await while_adding(library, statutes)
        row = [found, f"{adding:.0f}", f"{percentile(alone, 0.5):.2f}", f"{percentile(alone, 0.99):.2f}"]
        row += [f"{memory:.0f}", f"{folder_megabytes(home):.0f}"]
        row += [f"{percentile(meanwhile, share):.1f}" for share in (0.5, 0.99, 1.0)]
        return [*row, f"{beat:.1f}"]


async def timed(library: atril.Library, query: str) -> float:
    start = perf_counter()
    result = await library.search(query)
    elapsed = (perf_counter() - start) * 1000
    if not result.results:
        raise SystemExit(f"nothing found for {query!r}")
    return elapsed


async def while_adding(library: atril.Library, statutes: Statutes) -> tuple[list[float], float]:
    rows = list(statutes.laws(ADDED_MEANWHILE, prefix="more"))
    task = asyncio.ensure_future(library.add_texts(rows))
    beats: list[float] = []
    heart = asyncio.ensure_future(heartbeat(beats))
    times = []
    for query in statutes.queries(100_000):
        times.append(await timed(library, query))
        await asyncio.sleep(0.01)
        if task.done():
            break
    await task
    heart.cancel()
    return times, max(beats)


async def heartbeat(beats: list[float]) -> None:
    while True:
        start = perf_counter()
        await asyncio.sleep(0.001)
        beats.append((perf_counter() - start) * 1000 - 1)


async def main(arguments: argparse.Namespace) -> None:
    rows = []
    for size in (int(size) for size in arguments.sizes.split(",")):
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            rows.append(await measure(Path(folder) / "home", size, arguments.queries))
            print(table(HEADER, rows[-1:]), flush=True)
    print("\n" + table(HEADER, rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,10000,100000,300000")
    parser.add_argument("--queries", default=1000, type=int)
    parser.add_argument(
        "--folder", help="where to make the homes; the system's folder for such things if not given"
    )
    asyncio.run(main(parser.parse_args()))
