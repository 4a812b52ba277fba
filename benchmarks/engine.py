"""How the embedded engine behaves as a library grows.

    python benchmarks/engine.py 1000 10000 100000
    python benchmarks/engine.py --kills 50

For each size: adding and building (seconds, longest stall of the event loop, peak memory of the builder,
disk), then in a process of its own opening, searching (latencies, recall, memory), and searching while 10,000
more points arrive. `--kills` kills a writing process again and again and checks that nothing acknowledged is
lost.

The data is made up: unit vectors of 384 numbers around one centre for each 50 chunks, with a direction in
common as sentence embeddings have it, rounded to float16; 90 words a chunk drawn by Zipf's law from 60,000. It
is kinder to a graph than real embeddings: measure recall on those too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import numpy as np
import numpy.typing as npt

from atril.store.index.filters import equals
from atril.store.index.protocol import Point, SparseVector
from atril.store.index.qdrant.edge import EdgeIndex
from atril.types import Scope

DIMENSIONS: Final = 384
VOCABULARY: Final = 60_000
WORDS: Final = 90
CHUNKS: Final = 50
LIMIT: Final = 50
QUERIES: Final = 500
ADDED: Final = 10_000
SCOPE: Final = Scope()
Vectors = npt.NDArray[np.float32]


def unit(vectors: npt.NDArray[Any]) -> Vectors:
    lengths: npt.NDArray[Any] = np.linalg.norm(vectors, axis=-1, keepdims=True)
    result: Vectors = (vectors / lengths).astype(np.float32)
    return result


def dense(start: int, stop: int) -> Vectors:
    """Vectors of these chunks; the same for the same number in every run."""
    common = unit(np.random.default_rng(1).standard_normal(DIMENSIONS))
    rows = []
    for document in range(start // CHUNKS, (stop - 1) // CHUNKS + 1):
        draw = np.random.default_rng([2, document])
        centre = unit(draw.standard_normal(DIMENSIONS))
        noise = unit(draw.standard_normal((CHUNKS, DIMENSIONS)))
        rows.append(unit(1.2 * common + 0.7 * centre + 0.5 * noise))
    first = start - start // CHUNKS * CHUNKS
    return np.concatenate(rows)[first : first + stop - start].astype(np.float16).astype(np.float32)


def words(draw: np.random.Generator, count: int, *, ranks: tuple[int, int] = (0, VOCABULARY)) -> SparseVector:
    low, high = ranks
    # The inverse of the cumulative distribution of 1/rank.
    picked = np.exp(draw.random(count) * np.log((high + 1) / (low + 1))) * (low + 1) - 1
    terms = np.unique(picked.astype(np.uint64) * 2654435761 % 2**32).astype(np.uint32)
    return SparseVector(terms, (0.3 + 2 * draw.random(len(terms))).astype(np.float32))


def points(start: int, stop: int) -> list[Point]:
    return [
        Point(
            id=UUID(int=number + 1),
            document=UUID(int=10**9 + number // CHUNKS),
            version=UUID(int=10**12 + number // CHUNKS),
            number=number % CHUNKS + 1,
            collection=f"collection {number // CHUNKS % 3}",
            dense=vector,
            sparse=words(np.random.default_rng([3, number]), int(WORDS * 1.6)),
            document_type="md",
            chunk_type="content",
            language="es",
            article=str(number % CHUNKS + 1),
            page=number % 40 + 1,
            page_end=number % 40 + 1,
            metadata={"rank": "law"},
        )
        for number, vector in zip(range(start, stop), dense(start, stop), strict=True)
    ]


def queries(size: int) -> tuple[Vectors, list[SparseVector]]:
    """A vector near some chunk each, and seven words each: two very common, two common, three any."""
    draw = np.random.default_rng(5)
    near = [int(number) for number in draw.integers(0, size, QUERIES)]
    vectors = np.concatenate([dense(number, number + 1) for number in near])
    texts = []
    for _ in near:
        parts = [
            words(draw, count, ranks=ranks)
            for count, ranks in ((2, (0, 60)), (2, (20, 3000)), (3, (1000, VOCABULARY)))
        ]
        terms = np.unique(np.concatenate([part.indices for part in parts]))
        texts.append(SparseVector(terms, (0.5 + 5 * draw.random(len(terms))).astype(np.float32)))
    return unit(vectors + 0.35 * unit(draw.standard_normal(vectors.shape))), texts


def memory() -> int:
    """Resident megabytes of this process, mapped files included."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) // 1024


class Stalls:
    """How long the event loop went without a turn, in milliseconds."""

    def __init__(self) -> None:
        self.found = [0.0]
        self._task = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.001)
            self.found.append(1e3 * (time.perf_counter() - before) - 1)

    def report(self) -> dict[str, float]:
        self._task.cancel()
        return {"p99": round(float(np.percentile(self.found, 99)), 1), "max": round(max(self.found), 1)}


async def timed(ask: Callable[[int], Awaitable[object]], times: int = QUERIES) -> dict[str, float]:
    took = []
    for number in range(times):
        before = time.perf_counter()
        await ask(number)
        took.append(1e3 * (time.perf_counter() - before))
    p50, p99 = np.percentile(took, [50, 99])
    return {"p50": round(float(p50), 2), "p99": round(float(p99), 2)}


async def add(folder: Path, size: int) -> dict[str, Any]:
    index = await EdgeIndex.open(folder, dimensions=DIMENSIONS)
    batches = [points(start, min(start + 1000, size)) for start in range(0, size, 1000)]
    stalls, before, cpu = Stalls(), time.perf_counter(), time.process_time()
    for batch in batches:
        await index.upsert(SCOPE, batch)
        await index.flush()
    added, adding = time.perf_counter(), stalls.report()
    stalls = Stalls()
    await index.compact()
    built = time.perf_counter()
    await index.flush()
    result = {
        "add_s": round(added - before, 1),
        "add_cpu_s": round(time.process_time() - cpu, 1),
        "stall_adding_ms": adding,
        "build_s": round(built - added, 1),
        "stall_building_ms": stalls.report(),
    }
    await index.close()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result | {
        "builders_cpu_s": round(children.ru_utime + children.ru_stime, 1),
        "builder_peak_mb": children.ru_maxrss // 1024,
        "disk_mb": sum(path.stat().st_blocks for path in folder.rglob("*")) * 512 // 2**20,
        "shards": len(list(folder.glob("shard-*"))),
    }


async def search(folder: Path, size: int) -> dict[str, Any]:
    vectors, texts = queries(size)
    base, before = memory(), time.perf_counter()
    index = await EdgeIndex.open(folder, dimensions=DIMENSIONS)
    result: dict[str, Any] = {"open_ms": round(1e3 * (time.perf_counter() - before)), "rss_before_mb": base}

    async def both(number: int) -> None:
        await index.search_dense(SCOPE, vectors[number], limit=LIMIT)
        await index.search_sparse(SCOPE, texts[number], limit=LIMIT)

    cpu = time.process_time()
    result["both_ms"] = await timed(both)
    result["both_again_ms"] = await timed(both)
    result["both_cpu_ms"] = round(1e3 * (time.process_time() - cpu) / 2 / QUERIES, 2)
    result["rss_mb"] = memory()
    result["dense_ms"] = await timed(lambda n: index.search_dense(SCOPE, vectors[n], limit=LIMIT))
    result["sparse_ms"] = await timed(lambda n: index.search_sparse(SCOPE, texts[n], limit=LIMIT))
    common = [words(np.random.default_rng(n), 8, ranks=(0, 20)) for n in range(QUERIES)]
    result["sparse_common_ms"] = await timed(lambda n: index.search_sparse(SCOPE, common[n], limit=LIMIT))
    one = equals("document", str(UUID(int=10**9)))
    for where in (one, equals("collection", "collection 1"), equals("page", 7)):
        ask = partial(index.search_dense, SCOPE, limit=LIMIT, where=where)
        result[f"dense_{where.field}_ms"] = await timed(lambda n, ask=ask: ask(vectors[n]), 100)  # type: ignore[misc]
    result["recall_at_10"] = await recall(index, vectors)
    await index.close()
    return result


async def recall(index: EdgeIndex, vectors: Vectors) -> float:
    found = 0
    for vector in vectors[:200]:
        exact = {each.id for each in await index.search_dense(SCOPE, vector, limit=10, exact=True)}
        found += len(
            exact & {each.id for each in (await index.search_dense(SCOPE, vector, limit=LIMIT))[:10]}
        )
    return round(found / 2000, 4)


async def together(folder: Path, size: int) -> dict[str, Any]:
    """Latencies as one who waits for the answer sees them, the wait for the loop included."""
    vectors, texts = queries(size)
    index = await EdgeIndex.open(folder, dimensions=DIMENSIONS)
    batches = [points(start, start + 500) for start in range(size, size + ADDED, 500)]

    async def write() -> None:
        for batch in batches:
            await index.upsert(SCOPE, batch)
            await index.flush()
        await index.compact()

    writing = asyncio.create_task(write())
    took: list[float] = []
    while not writing.done():
        number, due = len(took) % QUERIES, time.perf_counter() + 0.005
        await asyncio.sleep(0.005)
        await index.search_dense(SCOPE, vectors[number], limit=LIMIT)
        await index.search_sparse(SCOPE, texts[number], limit=LIMIT)
        took.append(1e3 * (time.perf_counter() - due))
    await writing
    await index.close()
    p50, p99 = np.percentile(took, [50, 99])
    return {
        "queries": len(took),
        "p50": round(float(p50), 1),
        "p99": round(float(p99), 1),
        "max": round(max(took), 1),
    }


async def write_forever(folder: Path, start: int) -> None:
    index = await EdgeIndex.open(folder, dimensions=DIMENSIONS, capacity=512)
    for document in range(start, 10**6):
        await index.upsert(SCOPE, points(document * CHUNKS, (document + 1) * CHUNKS))
        print("added", document, flush=True)
        if document % 3 == 0:
            await index.delete(SCOPE, [UUID(int=10**12 + document - 1)])
            print("deleted", document - 1, flush=True)


def write_until_killed(folder: Path, start: int) -> list[tuple[str, int]]:
    """What a writer had acknowledged when it was killed after a random time."""
    command = [sys.executable, __file__, "--phase", "write", "--folder", str(folder), str(start)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        time.sleep(random.uniform(0.5, 4))
        process.kill()
        said = process.stdout.read() if process.stdout else ""
    return [
        (line.split()[0], int(line.split()[1])) for line in said.splitlines(keepends=True) if "\n" in line
    ]


async def kills(folder: Path, rounds: int) -> dict[str, int]:
    """Kills a writer again and again and compares what is left with what was acknowledged."""
    added, deleted, lost, undone = set[int](), set[int](), 0, 0
    for _ in range(rounds):
        start = max(added | deleted, default=0) + 2
        for what, document in await asyncio.to_thread(write_until_killed, folder, start):
            (added if what == "added" else deleted).add(document)
        index = await EdgeIndex.open(folder, dimensions=DIMENSIONS, capacity=512)
        held = {version.int - 10**12 async for version in index.versions(SCOPE)}
        last = max(added, default=0)  # the next word may not have come through: these two may be deleted
        lost += len(added - deleted - held - {last - 1, last})
        lost += max(0, CHUNKS * len(held & added) - await index.count(SCOPE))
        undone += len(deleted & held)
        await index.close()
    return {"kills": rounds, "documents": len(added), "lost": lost, "undone": undone}


def run(phase: str, folder: Path, size: int) -> dict[str, Any]:
    """One phase in a process of its own, so that memory is that phase's alone."""
    command = [sys.executable, __file__, "--phase", phase, "--folder", str(folder), str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sizes", nargs="*", type=int)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--phase", choices=["add", "search", "together", "write"], help=argparse.SUPPRESS)
    parser.add_argument(
        "--folder", type=Path, default=None, help="where the index is kept; temporary by default"
    )
    options = parser.parse_args(arguments)
    if options.phase == "write":
        asyncio.run(write_forever(options.folder, options.sizes[0]))
    elif options.phase:
        measure = {"add": add, "search": search, "together": together}[options.phase]
        print(json.dumps(asyncio.run(measure(options.folder, options.sizes[0]))))
    else:
        folder = options.folder or Path(tempfile.mkdtemp(prefix="atril-engine-"))
        for size in options.sizes:
            at = folder / str(size)
            for phase in ("add", "search", "together"):
                load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
                print(
                    json.dumps({"points": size, "phase": phase, "load": load} | run(phase, at, size)),
                    flush=True,
                )
        if options.kills:
            print(json.dumps(asyncio.run(kills(folder / "kills", options.kills))))
        if options.folder is None:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
