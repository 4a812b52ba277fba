"""Noticing that something in a folder has changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from time import perf_counter
from typing import Final

from atril.ingest.files import find_files

INTERVAL_SECONDS: Final = 1.0
_SHARE: Final = 10
"""Looking takes at most one part in this many of the time, so that a large folder is looked at less often."""

Snapshot = dict[Path, tuple[int, ...]]


async def changes(
    folder: Path, *, exclude: Path, interval: float = INTERVAL_SECONDS
) -> AsyncIterator[frozenset[Path] | None]:
    """Yields `None` at once, then the files that have come, gone or changed whenever there are any.

    It compares sizes and times, which works on every file system, network drives included, has no limit of
    folders, and misses nothing that happens while the reader is busy: the comparison is with what was there
    before.
    """
    seen: Snapshot | None = None
    while True:
        start = perf_counter()
        now = await asyncio.to_thread(_snapshot, folder, exclude)
        took = perf_counter() - start
        if seen is None:
            seen = now
            yield None
        elif now != seen:
            changed = frozenset(path for path in seen.keys() | now.keys() if seen.get(path) != now.get(path))
            seen = now
            yield changed
        else:
            await asyncio.sleep(max(interval, took * _SHARE))


def _snapshot(folder: Path, exclude: Path) -> Snapshot:
    found: Snapshot = {}
    for file in find_files([folder], exclude=exclude):
        try:
            status = file.path.stat()
        except (OSError, ValueError):  # gone since it was listed, or not to be read
            found[file.path] = ()
            continue
        found[file.path] = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    return found
