"""Noticing that something in a folder has changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from atril.ingest.files import find_files

INTERVAL_SECONDS: Final = 1.0

Snapshot = dict[str, tuple[int, int]]


async def changes(folder: Path, *, exclude: Path, interval: float = INTERVAL_SECONDS) -> AsyncIterator[None]:
    """Yields at once, then whenever documents have come, gone or changed since the last time.

    It compares sizes and times of modification, which works on every file system, network drives included,
    and misses nothing that happens while the reader is busy: the comparison is with what was there before.
    """
    seen: Snapshot | None = None
    while True:
        now = await asyncio.to_thread(_snapshot, folder, exclude)
        if now != seen:
            seen = now
            yield None
        else:
            await asyncio.sleep(interval)


def _snapshot(folder: Path, exclude: Path) -> Snapshot:
    found: Snapshot = {}
    for file in find_files([folder], exclude=exclude):
        try:
            status = file.path.stat()
        except (OSError, ValueError):  # gone since it was listed, or not to be read: nothing to compare
            continue
        found[str(file.path)] = (status.st_size, status.st_mtime_ns)
    return found
