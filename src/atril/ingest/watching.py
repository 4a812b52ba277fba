"""Noticing that something in a folder has changed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from atril.ingest.files import is_ignored


async def changes(folder: Path, *, exclude: Path) -> AsyncIterator[None]:
    """Yields at once, then after each burst of changes to documents in the folder."""
    from watchfiles import Change, awatch

    root, excluded = folder.resolve(), exclude.resolve()

    def concerns(_: Change, path: str) -> bool:
        changed = Path(path)
        if changed.is_relative_to(excluded):
            return False
        parts = changed.relative_to(root).parts if changed.is_relative_to(root) else changed.parts
        return not any(is_ignored(part) for part in parts)

    yield None
    async for _ in awatch(root, watch_filter=concerns):
        yield None
