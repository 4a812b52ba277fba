"""Damages real files of every format and has the real workers read them.

    python benchmarks/mutations.py --files FOLDER… [--count 2000] [--seed 1] [--keep FOLDER]

A file must end as a document or with a reason: no crash of a worker, no reading past its time. A worker that would
need more than its memory is ended by its own guard, which is a reason too. Prints what became of the files of each
format, the slowest file and the largest worker (Linux), and ends with 1 when a worker crashed or a file took too long;
`--keep` keeps the files that did it, and those that needed too much memory.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from atril.documents.chunking import ChunkOptions
from atril.documents.parsing import SUPPORTED_SUFFIXES
from atril.documents.parsing.detection import may_hold_documents
from atril.documents.workers import Readers, ReadLimits
from atril.errors import UnreadableDocument
from atril.testing.embedders import HashEmbedder
from atril.testing.mutations import mutated
from measuring import table

LARGEST = 2_000_000
FAILURES = ("CRASH", "timeout", "NO REASON")
STARVED = "not enough memory"


@dataclass
class Outcome:
    ends: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0


async def main(arguments: argparse.Namespace) -> int:
    originals = [
        path
        for folder in arguments.files
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in {*SUPPORTED_SUFFIXES, ".zip"} and 0 < path.stat().st_size <= LARGEST
    ]
    by_format: dict[str, list[Path]] = defaultdict(list)
    for path in originals:
        by_format[path.suffix.lower()].append(path)
    donors = [path.read_bytes() for path in originals if path.stat().st_size < 200_000]
    chance = random.Random(arguments.seed)
    outcomes: dict[str, Outcome] = defaultdict(Outcome)
    bad: list[str] = []
    peak, started = 0.0, time.perf_counter()
    limits = ReadLimits(seconds=arguments.seconds)
    with tempfile.TemporaryDirectory() as work:
        async with Readers(
            tokenizer=HashEmbedder().tokenizer, options=ChunkOptions(), limits=limits, processes=1
        ) as readers:
            for number in range(arguments.count):
                suffix = sorted(by_format)[number % len(by_format)]
                source = chance.choice(by_format[suffix])
                data = mutated(source.read_bytes(), chance.randrange(1 << 30), donors)
                file = Path(work) / f"{number}{suffix}"
                file.write_bytes(data)
                start = time.perf_counter()
                end = await read(readers, file, Path(work) / str(number))
                seconds = time.perf_counter() - start
                outcomes[suffix].ends[end] += 1
                outcomes[suffix].slowest = max(outcomes[suffix].slowest, seconds)
                memory = max((high_water(worker) for worker in children()), default=0.0)
                peak = max(peak, memory)
                if end in (*FAILURES, STARVED):
                    bad.append(f"{number}{suffix} from {source.name}: {end}, {seconds:.1f} s")
                    if arguments.keep:
                        arguments.keep.mkdir(parents=True, exist_ok=True)
                        (arguments.keep / file.name).write_bytes(data)
                file.unlink()
    print(table(("format", "files", "ended as", "slowest, s"), rows(outcomes)))
    print(f"\n{arguments.count} files in {time.perf_counter() - started:.0f} s; largest worker {peak:.0f} MB")
    print("\n".join(bad) if bad else "no crash, no hang, no worker beyond its memory")
    return int(any(outcome.ends[end] for outcome in outcomes.values() for end in FAILURES))


async def read(readers: Readers, file: Path, place: Path) -> str:
    """What became of a file and of what is inside it; the worst of it."""
    try:
        inside = None
        if may_hold_documents(file.name, file.read_bytes()[:4096]):
            place.mkdir()
            inside = await readers.unpack(file.name, file, place)
        for member in inside.members if inside else ():
            if member.file:
                try:
                    await readers.read(member.name, place / member.file)
                except UnreadableDocument as error:
                    if kind(error) in (*FAILURES, STARVED):
                        return kind(error)
        if inside is None or inside.is_document:
            await readers.read(file.name, file)
    except UnreadableDocument as error:
        return kind(error)
    except Exception as error:  # noqa: BLE001  that is what this looks for
        print(f"{file.name}: {type(error).__name__}: {error}", file=sys.stderr)
        return "NO REASON"
    return "read"


def kind(error: UnreadableDocument) -> str:
    if error.detail == "its reader crashed":
        return "CRASH"
    return STARVED if error.detail == STARVED else error.reason


def children() -> list[int]:
    lists = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return [int(process) for children in lists for process in children.read_text().split()]


def high_water(process: int) -> float:
    """The most resident memory a process ever had, in MB."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    found = re.search(r"VmHWM:\s+(\d+)", status)
    return int(found[1]) / 1024 if found else 0.0


def rows(outcomes: dict[str, Outcome]) -> list[tuple[str, int, str, str]]:
    return [
        (
            suffix,
            outcome.ends.total(),
            ", ".join(f"{end} {count}" for end, count in outcome.ends.most_common()),
            f"{outcome.slowest:.1f}",
        )
        for suffix, outcome in sorted(outcomes.items())
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=Path, nargs="+", required=True)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60.0, help="what one file may take")
    parser.add_argument("--keep", type=Path)
    sys.exit(asyncio.run(main(parser.parse_args())))
