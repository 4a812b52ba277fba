"""The shards of one index: which there are, and how the set changes without a moment of doubt on the disk."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from atril.errors import HomeDamaged, InvalidArgument
from atril.store.index.protocol import IndexInUse
from atril.store.index.qdrant import manifest
from atril.store.index.qdrant.compaction import copy_shard
from atril.store.index.qdrant.manifest import Manifest, shard_name
from atril.store.index.qdrant.shard import Shard, warm

_log = logging.getLogger(__name__)

_UNCLEAN: Final = "unclean"
_EMPTY: Final = "empty"
_IN_USE: Final = "WouldBlock"  # how the engine says that another process has the log open
_PAGE: Final = 500


class Shards:
    """Open shards, in the order in which a newer one's points replace those of an older one.

    Everything that changes the set is called under the index's lock for writing.
    """

    def __init__(self, folder: Path, dimensions: int, number: int) -> None:
        self.folder = folder
        self.dimensions = dimensions
        self.built: list[Shard] = []
        self.waiting: list[Shard] = []
        self.active: Shard
        self._number = number
        self._writing = False

    def __iter__(self) -> Iterator[Shard]:
        yield from self.built
        yield from self.waiting
        yield self.active

    @classmethod
    async def open(cls, folder: Path, dimensions: int) -> Shards:
        """Opens what the manifest names and sweeps the rest; makes an empty set in a new folder.

        Raises `InvalidArgument` for other dimensions than those of the folder, `IndexInUse`, and
        `HomeDamaged` when something the manifest names cannot be opened.
        """
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        found = manifest.read(folder)
        if found is None:
            shards = cls(folder, dimensions, 1)
            await shards._sweep(())
            shards.active = await shards._create()
            await shards._write()
            return shards
        if found.dimensions != dimensions:
            raise InvalidArgument(name="dimensions", value=dimensions, allowed=str(found.dimensions))
        shards = cls(folder, dimensions, found.next)
        await shards._load(found)
        await shards._sweep(found.names)
        if (folder / _UNCLEAN).exists():
            await shards._drop_replaced()
        return shards

    def take_folder(self) -> Path:
        """A folder that nothing has used; it is swept unless a manifest comes to name it."""
        while True:
            path = self.folder / shard_name(self._number)
            self._number += 1
            # A builder whose owner was killed may still be at work on a folder that was swept.
            if not path.exists():
                return path

    async def begin_write(self, tenant: str | None = None) -> None:
        """Remembers on the disk that points, perhaps this tenant's, are being written.

        The first stays remembered until a close in good order.
        """
        marker = self.folder / _UNCLEAN
        if not self._writing:
            await asyncio.to_thread(marker.touch)
            await asyncio.to_thread(manifest.sync, [self.folder])
            self._writing = True
        if tenant is not None and not self.active.admits(tenant):
            await asyncio.to_thread(self.active.admit, tenant)

    async def seal(self) -> None:
        """Puts the active shard among the waiting ones and an empty one in its place."""
        fresh = await self._create()
        self.waiting.append(self.active)
        self.active = fresh
        await self._write()

    async def replace(self, sources: Sequence[Shard], result: Shard | None) -> None:
        """Puts the result, already on the disk, in the place of its sources, and removes those."""
        self.built = [shard for shard in self.built if shard not in sources]
        self.waiting = [shard for shard in self.waiting if shard not in sources]
        if result is not None:
            self.built.append(result)
        await self._write()
        for shard in sources:
            shard.close()
            await asyncio.to_thread(shutil.rmtree, shard.folder, ignore_errors=True)

    async def flush(self) -> None:
        for shard in self:
            await bring_to_disk(shard)
        for folder in (*(shard.folder for shard in self), self.folder / _EMPTY):
            if folder.exists() and not manifest.settled(folder):
                await asyncio.to_thread(manifest.settle, folder)

    async def close(self) -> None:
        """Closes every shard. What was not flushed stays as safe as before, and the next opening checks it."""
        flushed = all(shard.flushed for shard in self)
        for shard in self:
            shard.close()
            await asyncio.sleep(0)
        if flushed:
            (self.folder / _UNCLEAN).unlink(missing_ok=True)

    async def _sweep(self, names: Iterable[str]) -> None:
        # Only once the shards are open: then no other process is at work in the folder.
        await asyncio.to_thread(manifest.sweep, self.folder, names)
        empty = self.folder / _EMPTY
        if not manifest.settled(empty):
            await asyncio.to_thread(shutil.rmtree, empty, ignore_errors=True)

    async def _create(self) -> Shard:
        """A copy of an empty shard: setting one up takes the engine 30 fsyncs, and a copy none."""
        empty = self.folder / _EMPTY
        if not await asyncio.to_thread(empty.exists):
            draft = self.take_folder()
            shard = Shard.create(draft, self.dimensions)
            shard.flush()
            shard.close()
            draft.rename(empty)
        folder = self.take_folder()
        await asyncio.to_thread(copy_shard, empty, folder)
        return Shard.load(folder)

    async def _load(self, found: Manifest) -> None:
        try:
            for name, points in found.built.items():
                await asyncio.to_thread(warm, self.folder / name)
                self.built.append(Shard.load(self.folder / name, built=points))
                await asyncio.sleep(0)
            for name in (*found.waiting, found.active):
                await asyncio.to_thread(warm, self.folder / name)
                shard = self._load_plain(name)
                if shard is not None:
                    self.waiting.append(shard)
                await asyncio.sleep(0)
        except BaseException as error:
            for shard in (*self.built, *self.waiting):
                shard.close()
            if not _of_engine(error):
                raise
            kind = IndexInUse if _IN_USE in str(error) else HomeDamaged
            raise kind(home=self.folder, detail=str(error)) from error
        if self.waiting and self.waiting[-1].folder.name == found.active:
            self.active = self.waiting.pop()
        else:
            self.active = await self._create()
            await self._write()

    def _load_plain(self, name: str) -> Shard | None:
        folder = self.folder / name
        try:
            return Shard.load(folder)
        except BaseException as error:
            if not _of_engine(error) or manifest.settled(folder) or _IN_USE in str(error):
                raise
            # Made and never flushed before the power failed: nothing in it was promised to be there.
            _log.warning("The shard %s was never flushed and is left out: %s", folder, error)
            return None

    async def _write(self) -> None:
        state = Manifest(
            dimensions=self.dimensions,
            active=self.active.folder.name,
            waiting=tuple(shard.folder.name for shard in self.waiting),
            built={shard.folder.name: shard.built for shard in self.built},
            next=self._number,
        )
        await asyncio.to_thread(manifest.write, self.folder, state)

    async def _drop_replaced(self) -> None:
        """Ends what a kill between the two halves of a replacement left: the new point stays, the old goes.

        A point is first written to the active shard and then deleted elsewhere, so only ids in the active
        one can be in two shards.
        """
        for records in self.active.pages(_PAGE, contents=False):
            for shard in (*self.built, *self.waiting):
                shard.discard([record.id for record in records])
            await asyncio.sleep(0)


async def bring_to_disk(shard: Shard) -> None:
    """Flushes a shard. The engine waits for the disk while nothing else can run, so what was written goes there
    first, in a thread, and little is left to wait for."""
    if not shard.flushed:
        await asyncio.to_thread(_sync_files, shard.folder)
        shard.flush()
        await asyncio.sleep(0)


def _sync_files(folder: Path) -> None:
    for path in folder.rglob("*"):
        # The engine replaces files while this goes on.
        with suppress(FileNotFoundError):
            if path.is_file():
                manifest.sync([path])


def _of_engine(error: BaseException) -> bool:
    """Whether the engine raised it: its errors have no type of their own, and a file that misleads it makes it
    panic, which is no `Exception` and has a type that cannot be imported."""
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"
