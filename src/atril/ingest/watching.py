"""Noticing that something in a folder has changed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from time import perf_counter, thread_time
from typing import Final

from atril.errors import UnreadableDocument
from atril.ingest.files import FolderLinks
from atril.ingest.ignoring import IgnoreRules

INTERVAL_SECONDS: Final = 1.0
_SHARE: Final = 10
"""Looking takes at most one part in this many of a processor's time, and at most half of that of a slow disk,
so that a large folder is looked at less often."""

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
        now, worked = await asyncio.to_thread(_timed_snapshot, folder, exclude)
        took = perf_counter() - start
        if seen is None:
            seen = now
            yield None
        elif now != seen:
            changed = frozenset(path for path in seen.keys() | now.keys() if seen.get(path) != now.get(path))
            seen = now
            yield changed
        else:
            await asyncio.sleep(max(interval, worked * _SHARE, took))


def _timed_snapshot(folder: Path, exclude: Path) -> tuple[Snapshot, float]:
    """What there is, and the seconds of computing that it took to find out."""
    start = thread_time()
    return _snapshot(folder, exclude), thread_time() - start


def _snapshot(folder: Path, exclude: Path) -> Snapshot:
    """What `find_files` would find, without asking where links lead: a fifth of the time."""
    found: Snapshot = {}
    excluded = os.path.realpath(exclude)
    waiting = [(folder, IgnoreRules())]
    links = FolderLinks(folder)
    while waiting:
        here, rules = waiting.pop()
        try:
            inside = rules.within(here)
            with os.scandir(here) as entries:
                listed = list(entries)
        except (OSError, ValueError, UnreadableDocument):  # gone, or not to be read
            found[here] = ()
            continue
        for entry in listed:
            path, is_folder = here / entry.name, _is_folder(entry)
            if inside.ignores(path, is_folder=is_folder):
                continue
            if not is_folder:
                found[path] = _look(entry)
            elif os.path.realpath(path) != excluded and (not entry.is_symlink() or links.enters(path)):
                waiting.append((path, inside))
    return found


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _look(entry: os.DirEntry[str]) -> tuple[int, ...]:
    try:
        status = entry.stat()
    except (OSError, ValueError):
        return ()
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
