"""What reading costs without a model, and what it keeps.

    python benchmarks/reading.py FOLDER [--embedder bundled]
    python benchmarks/reading.py FOLDER --numbers
    python benchmarks/reading.py FOLDER --each
    python benchmarks/reading.py FOLDER --peer
    python benchmarks/reading.py --pages 500,1500,3000

The first prints files, chunks, pages, seconds of wall and of processor of `add` (worker processes included)
with an embedder that costs nothing; with `--embedder bundled` the same with the real model, which is what a
user waits for.

`--numbers` compares every PDF page with the text that pdfium gives: the share of its numbers that are in the
same page of ours, as a multiset. pdfium breaks letter-spaced pages into single letters, so that their numbers are
none: "kept" compares those pages, which are counted, digit by digit, "kept as pdfium has it" compares all alike.

`--each` reads every file below the folder alone and prints the ten that take most seconds of processor.

`--peer` converts the PDFs of the folder to Markdown with Atril's reader and with markitdown, each in a process
of its own, in the same run (`pip install "markitdown[pdf]"`). `--files` takes the first so many of them.

`--pages` writes PDFs of so many pages and prints the most memory that a worker held while it read them.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter, process_time

import atril
from atril.documents.chunking import ChunkOptions
from atril.documents.parsing import parse
from atril.documents.reading import read
from atril.documents.workers import Readers, ReadLimits
from atril.errors import UnreadableDocument
from atril.home import load_embedder
from measuring import cpu_seconds, folder_megabytes, table

COUNTER = "atril.testing.embedders:count_words"
NUMBER = re.compile(r"\d[\d.,]*\d|\d")
PROSE = "The committee approved item {page}.{line} of the plan for the coming year, worth {amount:,} euros."


async def add(arguments: argparse.Namespace) -> None:
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


def numbers(files: Sequence[Path]) -> None:
    import pypdfium2 as pdfium

    rows = []
    totals = Counter[str]()
    for file in files:
        document = parse(file.name, file.read_bytes())
        counts = Counter[str]()
        with pdfium.PdfDocument(file) as reference:
            for sheet, page in zip(reference, document.pages, strict=True):
                theirs = sheet.get_textpage().get_text_range()
                ours = document.text[page.start : page.end]
                spaced = _is_spaced(theirs)
                counts["spaced"] += spaced
                counts += _kept(NUMBER, theirs, ours, "plain ")
                counts += _kept(re.compile(r"\d") if spaced else NUMBER, theirs, ours)
        rows.append(_figures(file.name, counts))
        totals += counts
    heads = ("file", "numbers", "kept", "kept as pdfium has it", "letter-spaced pages")
    print(table(heads, [*rows, _figures("all", totals)]))


def _kept(pattern: re.Pattern[str], theirs: str, ours: str, prefix: str = "") -> Counter[str]:
    numbers = Counter(pattern.findall(theirs))
    kept = numbers & Counter(pattern.findall(ours))
    return Counter({f"{prefix}wanted": numbers.total(), f"{prefix}kept": kept.total()})


def _figures(name: str, counts: Counter[str]) -> tuple[str, int, str, str, int]:
    kept, plain = (counts[f"{which}kept"] / max(counts[f"{which}wanted"], 1) for which in ("", "plain "))
    return name, counts["wanted"], f"{kept:.4f}", f"{plain:.4f}", counts["spaced"]


def _is_spaced(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return sum(len(line.strip()) == 1 for line in lines) > len(lines) / 2


def each(folder: Path) -> None:
    took = []
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        start, outcome = process_time(), ""
        try:
            document = read(file.name, file.read_bytes(), tokenizer=COUNTER, options=ChunkOptions())
            outcome = f"{len(document.chunks)} chunks"
        except UnreadableDocument as error:
            outcome = error.reason
        took.append((process_time() - start, file.name, outcome))
    rows = [(name, outcome, f"{seconds:.2f}") for seconds, name, outcome in sorted(took, reverse=True)[:10]]
    print(table(("file", "outcome", "CPU s"), rows))
    print(f"{len(took)} files, {sum(seconds for seconds, *_ in took):.1f} s")


def peer(files: Sequence[Path]) -> None:
    rows = []
    for system in ("atril", "markitdown"):
        command = [sys.executable, __file__, "--convert", system, *map(str, files)]
        pages, seconds = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        rows.append((system, pages, f"{float(seconds):.1f}", f"{int(pages) / float(seconds):.1f}"))
    print(table(("reader", "pages", "CPU s", "pages per CPU s"), rows))


def convert(system: str, files: Sequence[Path]) -> None:
    """Imports count for neither."""
    import pypdfium2 as pdfium

    if system == "markitdown":
        from markitdown import MarkItDown  # type: ignore[import-not-found, unused-ignore]

        converter = MarkItDown()
    else:
        parse("small.pdf", long_pdf(1))

    pages = sum(len(pdfium.PdfDocument(file)) for file in files)
    start = process_time()
    for file in files:
        if system == "markitdown":
            converter.convert(file)
        else:
            parse(file.name, file.read_bytes())
    print(pages, process_time() - start)


async def memory(counts: Sequence[int]) -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            file = Path(folder) / f"{count}.pdf"
            file.write_bytes(long_pdf(count))
            limits = ReadLimits(seconds=600.0, memory_bytes=8 << 30)
            options = ChunkOptions()
            start = perf_counter()
            async with Readers(tokenizer=COUNTER, options=options, limits=limits, processes=1) as readers:
                reading = asyncio.create_task(readers.read(file.name, file))
                most = 0.0
                while not reading.done():
                    most = max(most, _worker_megabytes())
                    await asyncio.sleep(0.05)
                try:
                    outcome = f"{len((await reading).chunks)} chunks"
                except UnreadableDocument as error:
                    outcome = f"{error.reason}: {error.detail}"
            seconds = perf_counter() - start
            size = file.stat().st_size / 2**20
            rows.append((count, f"{size:.0f}", outcome, f"{seconds:.1f}", f"{most:.0f}"))
    print(table(("pages", "file MB", "outcome", "wall s", "most MB of the worker"), rows))


def _worker_megabytes() -> float:
    """The most that any child of this process has held (Linux)."""
    found = [0.0]
    for children in Path("/proc/self/task").glob("*/children"):
        for child in children.read_text().split():
            try:
                status = Path(f"/proc/{child}/status").read_text()
            except OSError:
                continue
            found += [int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")]
    return max(found)


def long_pdf(count: int) -> bytes:
    """A PDF of `count` pages of forty lines each."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for page in range(1, count + 1):
        lines = [
            f"1 0 0 1 50 {750 - 16 * line} Tm ({PROSE.format(page=page, line=line, amount=page * 997 + line)}) Tj"
            for line in range(40)
        ]
        content = ("BT /F1 10 Tf " + " ".join(lines) + " ET").encode()
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            + b"/Contents %d 0 R >>" % (len(objects) + 2)
        )
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content))
    kids = " ".join(f"{4 + 2 * page} 0 R" for page in range(count))
    objects[1] = f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode()
    parts, offsets, end = [b"%PDF-1.4\n"], [], 9
    for number, body in enumerate(objects, 1):
        parts.append(b"%d 0 obj\n%b\nendobj\n" % (number, body))
        offsets.append(end)
        end += len(parts[-1])
    rows = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n%b" % (len(objects) + 1, rows))
    parts.append(b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, end))
    return b"".join(parts)


def main(arguments: argparse.Namespace) -> None:
    files = [
        file for path in arguments.paths for file in (sorted(path.glob("*.pdf")) if path.is_dir() else [path])
    ]
    if arguments.convert:
        convert(arguments.convert, files)
    elif arguments.pages:
        asyncio.run(memory([int(count) for count in arguments.pages.split(",")]))
    elif arguments.numbers:
        numbers(files[: arguments.files])
    elif arguments.each:
        each(arguments.paths[0])
    elif arguments.peer:
        peer(files[: arguments.files])
    else:
        arguments.folder = arguments.paths[0]
        asyncio.run(add(arguments))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", type=Path, nargs="*")
    parser.add_argument("--embedder", default="atril.testing.embedders:HashEmbedder")
    parser.add_argument("--numbers", action="store_true")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--files", type=int)
    parser.add_argument("--pages")
    parser.add_argument("--convert", help=argparse.SUPPRESS)
    main(parser.parse_args())
