"""The default engine: Qdrant embedded in the process, split into shards so that no query waits.

New points go to a small *active* shard, scanned as it is. When it is full it becomes *waiting*, another takes
its place, and a builder process merges copies of waiting and built shards into one *built* shard, which then
replaces them under a new manifest. What is deleted meanwhile is deleted from the originals at once and from
the result before it is used, so a crash at any moment leaves either the old shards or the new one, whole.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final
from uuid import UUID

import numpy as np
import numpy.typing as npt

from atril.store.index.filters import Filter
from atril.store.index.ordering import check_limit, check_vector
from atril.store.index.protocol import CompactionFailed, Point, ScoredPoint, SparseVector
from atril.store.index.qdrant import mapping, tenants
from atril.store.index.qdrant.compaction import copy_shard, run_builder
from atril.store.index.qdrant.merging import Size, choose
from atril.store.index.qdrant.shard import Shard, warm
from atril.store.index.qdrant.shards import Shards, bring_to_disk
from atril.types import Scope

_log = logging.getLogger(__name__)

ACTIVE_CAPACITY: Final = 10_000
"""A dense search scans so many points in 0.8 ms, and they open in a tenth of a second."""

LARGEST_SHARD: Final = 250_000
"""A shard of 90,000 is loaded in 34 ms once its files are read; searches wait for that."""

_BATCH: Final = 32  # 2 ms a call, during which nothing else runs; 256 points took 15
_WORTH_BUILDING: Final = 0.2
_MOST_WAITING: Final = 4  # 80 MB each
_LOOK_AGAIN: Final = 0.2


class EdgeIndex:
    """An `Index` in a folder of its own, used by one process at a time: the caller holds the home's lock."""

    def __init__(self, shards: Shards, *, capacity: int) -> None:
        self._shards = shards
        self._capacity = capacity
        self._writing = asyncio.Lock()
        self._building: asyncio.Task[None] | None = None
        self._thorough = False
        self._missed: list[Callable[[Shard], object]] | None = None
        self._stop = asyncio.Event()

    @classmethod
    async def open(cls, folder: Path, *, dimensions: int, capacity: int = ACTIVE_CAPACITY) -> EdgeIndex:
        """Opens the index in a folder, made when absent; `capacity` points fill the active shard.

        Raises `InvalidArgument` when the folder was made with other dimensions, `HomeDamaged` when a shard
        cannot be opened and `IndexInUse` when it is open elsewhere.
        """
        return cls(await Shards.open(folder, dimensions), capacity=capacity)

    async def upsert(self, scope: Scope, points: Sequence[Point]) -> None:
        self._check_open()
        for point in points:
            check_vector(point.dense.shape, self._shards.dimensions)
        for start in range(0, len(points), _BATCH):
            await self._room()
            async with self._writing:
                self._check_open()
                if self._shards.active.count() >= self._capacity:
                    await self._shards.seal()
                    self._start_building()
                await self._shards.begin_write(scope.tenant)
                self._put(scope.tenant, points[start : start + _BATCH])
            await asyncio.sleep(0)

    async def _room(self) -> None:
        """Waits for the builder while too many shards wait for it: each holds its words in memory."""
        while len(self._shards.waiting) >= _MOST_WAITING and self._building and not self._building.done():
            await asyncio.wait({self._building}, timeout=_LOOK_AGAIN)

    async def delete(self, scope: Scope, versions: Sequence[UUID]) -> None:
        self._check_open()
        async with self._writing:
            self._check_open()
            await self._shards.begin_write()
            for start in range(0, len(versions), _BATCH):
                gone = mapping.version_filter(scope.tenant, versions[start : start + _BATCH])
                self._remove(partial(Shard.delete, where=gone), list(self._shards))
                await asyncio.sleep(0)

    async def search_dense(
        self,
        scope: Scope,
        vector: npt.NDArray[np.float32],
        *,
        limit: int,
        where: Filter | None = None,
        exact: bool = False,
    ) -> list[ScoredPoint]:
        self._check_open()
        check_limit(limit)
        check_vector(vector.shape, self._shards.dimensions)
        condition, query = mapping.scoped_filter(scope, where), vector.tolist()
        found: list[mapping.Candidate] = []
        for shard in self._shards:
            found += shard.search_dense(query, condition, limit=limit, exact=exact)
        return _first(found, limit)

    async def search_sparse(
        self, scope: Scope, vector: SparseVector, *, limit: int, where: Filter | None = None
    ) -> list[ScoredPoint]:
        self._check_open()
        check_limit(limit)
        condition, query = mapping.scoped_filter(scope, where), mapping.engine_sparse(vector)
        found: list[mapping.Candidate] = []
        if vector.indices.size:
            for shard in self._shards:
                found += shard.search_sparse(query, condition, limit=limit)
        return _first(found, limit)

    async def terms(self, scope: Scope, points: Sequence[UUID]) -> dict[UUID, frozenset[int]]:
        self._check_open()
        condition = mapping.scoped_filter(Scope(scope.tenant))
        ids = {mapping.engine_id(scope.tenant, point): point for point in points}
        held: dict[UUID, frozenset[int]] = {}
        for shard in self._shards:
            if condition.possible(shard.tenants):
                held.update((ids[id], terms) for id, terms in shard.terms(list(ids)))
        return held

    async def count(self, scope: Scope, where: Filter | None = None) -> int:
        self._check_open()
        condition = mapping.scoped_filter(scope, where)
        return sum(
            shard.count(condition.within(shard.tenants))
            for shard in self._shards
            if condition.possible(shard.tenants)
        )

    async def versions(self, scope: Scope) -> AsyncIterator[UUID]:
        self._check_open()
        condition = mapping.scoped_filter(Scope(scope.tenant))
        shards = [shard for shard in self._shards if condition.possible(shard.tenants)]
        # Without a filter the engine also lists the values of deleted points.
        tags = {tag for shard in shards for tag in shard.tags(condition.for_all())}
        for version in map(mapping.version_of, tags):
            if version is not None:
                yield version

    async def flush(self) -> None:
        self._check_open()
        async with self._writing:
            self._check_open()
            await self._shards.flush()

    async def compact(self) -> None:
        """Builds what has been added, and returns when it is in use.

        A shard with a graph opens faster and needs less memory than an active one; call it after adding
        much. An active shard less than a fifth full is left as it is. Raises `CompactionFailed`; the index goes
        on working without the build.
        """
        self._check_open()
        async with self._writing:
            if self._shards.active.count() >= max(1.0, self._capacity * _WORTH_BUILDING):
                await self._shards.begin_write()
                await self._shards.seal()
            self._thorough = True
            self._start_building()
        if self._building is not None:
            await asyncio.shield(self._building)

    async def close(self) -> None:
        if self._stop.is_set():
            return
        self._stop.set()
        if self._building is not None:
            await asyncio.wait({self._building})
        async with self._writing:
            await self._shards.close()

    def _put(self, tenant: str, points: Sequence[Point]) -> None:
        """Writes new points, then removes those they replace; in the other order a kill would lose both."""
        active = self._shards.active
        written = [mapping.engine_point(tenant, point) for point in points]
        active.upsert(written)
        older = [shard for shard in self._shards if shard is not active]
        self._remove(partial(Shard.discard, ids=[point.id for point in written]), older)

    def _remove(self, removal: Callable[[Shard], bool], shards: Sequence[Shard]) -> None:
        removed = [removal(shard) for shard in shards]
        if self._missed is not None and any(removed):
            self._missed.append(removal)

    def _start_building(self) -> None:
        if self._building is None or self._building.done():
            self._building = asyncio.create_task(self._build_all())
            self._building.add_done_callback(_report)

    async def _build_all(self) -> None:
        while not self._stop.is_set() and (sources := self._choose()):
            await self._build(sources)
        self._thorough = False

    def _choose(self) -> list[Shard]:
        shards = {shard.folder.name: shard for shard in self._shards}
        waiting = {shard.folder.name: shard.count() for shard in self._shards.waiting}
        built = {shard.folder.name: Size(shard.count(), shard.built) for shard in self._shards.built}
        chosen = choose(waiting, built, largest=LARGEST_SHARD, thorough=self._thorough)
        return [shards[name] for name in chosen]

    async def _build(self, sources: list[Shard]) -> None:
        sources.sort(key=Shard.count, reverse=True)
        if not sources[0].count():
            async with self._writing:
                await self._shards.replace(sources, None)
            return
        copies = [self._shards.take_folder() for _ in sources]
        try:
            async with self._writing:
                for source, copy in zip(sources, copies, strict=True):
                    await asyncio.to_thread(copy_shard, source.folder, copy)
                tenants.add(copies[0], _tenants(sources))
                self._missed = []
            target, *others = copies
            if await run_builder(target, others, dimensions=self._shards.dimensions, stop=self._stop):
                await self._use(sources, target)
        finally:
            self._missed = None
            used = {shard.folder for shard in self._shards}
            for copy in copies:
                if copy not in used:
                    await asyncio.to_thread(shutil.rmtree, copy, ignore_errors=True)

    async def _use(self, sources: list[Shard], folder: Path) -> None:
        """Brings a finished build up to what happened meanwhile and puts it in the place of its sources."""
        await asyncio.to_thread(warm, folder)
        async with self._writing:
            result = Shard.load(folder)
            result.built = result.count()
            for removal in self._missed or ():
                removal(result)
                await asyncio.sleep(0)
            await bring_to_disk(result)
            self._missed = None
            await self._shards.replace(sources, result)

    def _check_open(self) -> None:
        if self._stop.is_set():
            raise RuntimeError(f"The index in {self._shards.folder} has been closed: open it again.")


def _first(found: list[mapping.Candidate], limit: int) -> list[ScoredPoint]:
    return [mapping.scored_point(each) for each in sorted(found)[:limit]]


def _report(build: asyncio.Task[None]) -> None:
    # Retrieves the error, which nobody may be waiting for.
    error = None if build.cancelled() else build.exception()
    if error is not None:
        level = logging.WARNING if isinstance(error, CompactionFailed) else logging.ERROR
        _log.log(level, "Compaction stopped; the index goes on without it.", exc_info=error)


def _tenants(shards: Sequence[Shard]) -> set[str] | None:
    everyone: set[str] = set()
    for shard in shards:
        if shard.tenants is None:
            return None
        everyone |= shard.tenants
    return everyone
