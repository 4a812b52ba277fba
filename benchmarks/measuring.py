"""What every benchmark needs: processor time, memory of all processes, percentiles, a table."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterable, Sequence
from pathlib import Path


def cpu_seconds() -> float:
    """Of this process and of its children that have ended."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )


def resident_megabytes() -> float:
    """Resident memory of this process and its descendants, mapped files included (Linux)."""
    return sum(_resident(process) for process in _family(os.getpid())) / 2**20


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def folder_megabytes(folder: Path) -> float:
    """What the files take on the disk, which is less than their sizes where they have holes."""
    return sum(path.lstat().st_blocks for path in folder.rglob("*") if path.is_file()) * 512 / 2**20


def _family(process: int) -> list[int]:
    found = [process]
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        for child in task.read_text().split():
            found += _family(int(child))
    return found


def _resident(process: int) -> int:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except FileNotFoundError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
