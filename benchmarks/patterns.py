"""Search by pattern over a corpus of Markdown files, beside ripgrep or GNU grep on the same files.

    python benchmarks/patterns.py [--corpus ../shared/data/law/corpus] [--repeats 5]

The library is made in a temporary folder with a toy embedder, for no vector is needed. `cold` is the first
search after opening, which reads every text; `warm` is the median of the others. Both include the reading
of the chunks and making the results, at most 50 matches a file, two lines of context. The other tool runs
with the same limits as a process of its own, so its time includes starting it.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import subprocess
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import atril
from atril.testing.embedders import HashEmbedder

CORPUS = Path(__file__).parents[2] / "shared/data/law/corpus"
PATTERNS = (
    r"despido improcedente",
    r"\bvacaciones\b",
    r"art(?:ículo|\.)\s+\d+\.\d+",
    r"\b(?:treinta|sesenta|noventa) días\b",
    r"\bretribuci[oó]n\w*\b",
    r"zzzyyyxxx",
)
PREDEFINED = ("email", "date", "money", "iban")


async def measure(corpus: Path, repeats: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        async with atril.open(home, embedder=HashEmbedder()) as library:
            report = await library.add(corpus)
            print(f"{report.added} files, {report.chunks} chunks")
        for pattern in PATTERNS:
            await _row(home, corpus, repeats, pattern=pattern)
        for name in PREDEFINED:
            await _row(home, corpus, repeats, predefined=name)


async def _row(home: Path, corpus: Path, repeats: int, **asked: str) -> None:
    async with atril.open(home, embedder=HashEmbedder()) as library:
        times = []
        for _ in range(repeats + 1):
            start = perf_counter()
            result = await library.regex(**asked)
            times.append((perf_counter() - start) * 1000)
    line = f"{next(iter(asked.values())):40} {result.total_found:6} matches in {result.total_files:3} files"
    line += f"  cold {times[0]:7.1f} ms  warm {median(times[1:]):7.1f} ms"
    if "pattern" in asked:
        line += "  " + _other(asked["pattern"], corpus, repeats)
    print(line)


def _other(pattern: str, corpus: Path, repeats: int) -> str:
    if shutil.which("rg"):
        command = ["rg", "-i", "-m", "50", "-C", "2", "-n", "--", pattern, str(corpus)]
    else:
        command = ["grep", "-rPi", "-m", "50", "-C", "2", "-n", "--", pattern, str(corpus)]
    times = []
    for _ in range(repeats):
        start = perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        times.append((perf_counter() - start) * 1000)
    return f"{command[0]} {median(times):7.1f} ms"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    asyncio.run(measure(arguments.corpus, arguments.repeats))
