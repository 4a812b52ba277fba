"""Keeping a library equal to a folder."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from time import perf_counter

from atril.errors import AtrilError, EmptyFolder
from atril.ingest.files import SourceFile, check_folder
from atril.ingest.following import moves, of_folder, vanished
from atril.ingest.linking import aliases
from atril.ingest.tally import ProgressListener
from atril.ingest.watching import changes
from atril.library.adding import Adding
from atril.library.reading import Reading
from atril.store.names import storable
from atril.types import DEFAULT_COLLECTION, AddReport, Document, Failure


class Syncing(Adding, Reading):
    """Makes a collection what a folder holds, once or for as long as it is watched."""

    async def sync(
        self,
        folder: str | PathLike[str],
        *,
        collection: str = DEFAULT_COLLECTION,
        weight: float | None = None,
        labels: Sequence[str] | None = None,
        progress: ProgressListener | None = None,
    ) -> AddReport:
        """As `add`, and removes the collection's documents whose files have vanished from the folder or are
        ignored now. A file that was renamed or moved within it keeps its document, which counts as updated and
        takes the new name; the ids of its chunks follow.

        What lies below a folder that cannot be listed stays. So that an unmounted disk empties nothing, it
        raises `PathNotFound` when the folder itself is missing, and `EmptyFolder` when it has nothing to
        read while the library holds documents from it. Raises `NotAFolder` for a file.
        """
        return await self._sync(Path(fspath(folder)), None, collection, weight, labels, progress)

    async def watch(
        self,
        folder: str | PathLike[str],
        *,
        collection: str = DEFAULT_COLLECTION,
        weight: float | None = None,
        labels: Sequence[str] | None = None,
    ) -> AsyncIterator[AddReport]:
        """Syncs once, then again whenever something in the folder has changed, until it is closed; only what
        has changed is read again.

        After the first time nothing ends it: a folder that is not there for a while, or a disk that is full,
        is the failure of one report, and what it left undone is part of the next.
        """
        root = Path(fspath(folder))
        undone: frozenset[Path] | None = None
        async for changed in changes(root, exclude=self._home.folder):
            undone = None if changed is None else changed | (undone or frozenset())
            try:
                report = await self._sync(root, undone, collection, weight, labels, None)
                undone = frozenset()
            except (AtrilError, OSError) as error:
                if changed is None:
                    raise
                told = error.localized(self._home.language) if isinstance(error, AtrilError) else str(error)
                report = AddReport(failed=(Failure(storable(str(root)), "unreadable", told),))
            yield report

    async def _sync(
        self,
        root: Path,
        only: frozenset[Path] | None,
        collection: str,
        weight: float | None,
        labels: Sequence[str] | None,
        progress: ProgressListener | None,
    ) -> AddReport:
        """`only` are the files to look into; the others are known not to have changed."""
        check_folder(root)
        start = perf_counter()
        files = await self._files([root])
        if not files and (held := await self._from(root, collection)):
            raise EmptyFolder(path=str(root), count=len(held))
        moved = await self._follow(root, files, collection)
        changed = files if only is None else [file for file in files if file.path in only]
        report = await self._add(self._sources(changed), collection, weight, labels, progress)
        async with self._home.writing:  # or what is added between looking and removing would be lost
            held = await self._from(root, collection)
            gone = await asyncio.to_thread(vanished, held, files, root)
            await self._remove(gone)
        return replace(
            report,
            updated=report.updated + moved,
            unchanged=max(report.unchanged - moved, 0),
            removed=report.removed + len(gone),
            seconds=perf_counter() - start,
        )

    async def _follow(self, root: Path, files: Sequence[SourceFile], collection: str) -> int:
        """Lets documents follow files that were renamed or moved, and gives their number."""
        records, count = self._home.stores.records, 0
        async with self._home.writing:
            held = await self._from(root, collection)
            gone = await asyncio.to_thread(vanished, held, files, root)
            for move in await asyncio.to_thread(moves, gone, held, files):
                reached = storable(str(move.file.path.absolute()))
                moved = await records.move(
                    self._scope,
                    move.document.id,
                    source=move.file.source,
                    path=reached,
                    name=move.file.name,
                    folder=move.file.folder,
                    aliases=aliases(
                        self._home.profile, move.document.title, move.file.name, move.document.metadata
                    ),
                )
                count += moved is not None
        return count

    async def _from(self, root: Path, collection: str) -> list[Document]:
        """The collection's documents whose files are or were in the folder."""
        return list(of_folder(await self.documents(collection), root))
