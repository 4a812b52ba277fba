"""What reading costs without a model: processor time of `add` with an embedder that costs nothing.

    python benchmarks/reading.py FOLDER [--embedder bundled]

Prints files, chunks, pages, seconds of wall and of processor (worker processes included). With
`--embedder bundled` the same with the real model, which is what a user waits for.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path
from time import perf_counter

import atril
from atril.home import load_embedder
from measuring import cpu_seconds, folder_megabytes, table


async def main(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        cpu, wall = cpu_seconds(), perf_counter()
        async with atril.open(home, embedder=load_embedder(arguments.embedder)) as library:
            report = await library.add([arguments.folder])
            pages = sum(document.pages or 0 for document in await library.documents())
            size = sum(document.bytes for document in await library.documents()) / 2**20
        wall, cpu = perf_counter() - wall, cpu_seconds() - cpu
        rows = [
            ("files read", report.added),
            ("files failed", len(report.failed)),
            ("megabytes", f"{size:.1f}"),
            ("chunks", report.chunks),
            ("pages", pages),
            ("wall s", f"{wall:.1f}"),
            ("CPU s", f"{cpu:.1f}"),
            ("chunks per CPU s", f"{report.chunks / cpu:.0f}"),
            ("pages per CPU s", f"{pages / cpu:.0f}" if pages else "-"),
            ("home MB", f"{folder_megabytes(home):.0f}"),
        ]
        print(table(("what", "figure"), rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--embedder", default="atril.testing.embedders:HashEmbedder")
    asyncio.run(main(parser.parse_args()))
