"""One shard of the engine: how it is set up, and the few calls made on it.

Every call holds the interpreter's lock until it returns, so each is kept short by its caller.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, cast
from uuid import UUID

import qdrant_edge as engine

from atril.store.index.ordering import DENSE_DECIMALS, SPARSE_DECIMALS
from atril.store.index.qdrant import tenants
from atril.store.index.qdrant.mapping import (
    DENSE,
    SPARSE,
    Candidate,
    ScopedFilter,
    candidates,
    sparse_terms,
    tenant_filter,
)

_UNSEARCHED: Final = "vector_storage-sparse"  # searches read the index of words, and of the vectors few
_BLOCK: Final = 2**20
_EF: Final = 100  # 64 was no faster for 50 results, and 128 cost 0.4 ms more
_OVERFETCH: Final = 8
_WIDEN: Final = 4
_EVERY_VALUE: Final = 2**31

# 4 MB segments of write-ahead log instead of 32: loading reads and checks them (9 ms each at 32 MB), and an
# idle shard keeps two. The engine has no argument for it but reads it from its configuration file.
_WAL: Final = {"segment_capacity": 4 * 2**20, "segment_queue_len": 0, "retain_closed": 1}

_ON_DISK: Final = engine.Memory.Cold


def plain_config(dimensions: int) -> engine.EdgeConfig:
    """A shard that takes new points and scans them: nothing is ever built in it."""
    return _config(dimensions, None, engine.EdgeOptimizersConfig(default_segment_number=1))


def graph_config(dimensions: int, threads: int) -> engine.EdgeConfig:
    """A shard that is built once, with `threads`, and then only loses points.

    Vectors are not quantized: they are float16 already, and at 100,000 points int8 codes with rescoring gave
    the same recall (0.999) in the same time (0.65 ms) for 38 MB more. A shard of 110,000 answers a dense and
    a sparse search for 50 in 2.2 ms (99th percentile 3.7) with 284 MB resident, every mapped file included.
    """
    hnsw = engine.HnswIndexConfig(
        m=16,
        ef_construct=128,
        # In KB: up to about 10,000 points a scan is as fast as the graph, and exact.
        full_scan_threshold=8_000,
        max_indexing_threads=threads,
        memory=engine.Memory.Cached,
    )
    optimizers = engine.EdgeOptimizersConfig(
        deleted_threshold=0.05,
        vacuum_min_vector_number=100,
        default_segment_number=1,
        max_segment_size=2**31,
        # Every build ends in one read-only segment: a list of words that is mapped, not held in memory.
        indexing_threshold=1,
    )
    return _config(dimensions, hnsw, optimizers)


def _config(
    dimensions: int, hnsw: engine.HnswIndexConfig | None, optimizers: engine.EdgeOptimizersConfig
) -> engine.EdgeConfig:
    # `Cached` is mapped and read when the shard is loaded; `Cold` pages come from the disk one by one.
    memory = engine.Memory.Cold if hnsw is None else engine.Memory.Cached
    dense = engine.EdgeVectorParams(
        dimensions,
        # Vectors come with unit length: the engine's cosine would normalise and round them once more.
        engine.Distance.Dot,
        datatype=engine.VectorStorageDatatype.Float16,
        memory=memory,
        hnsw_config=hnsw,
    )
    return engine.EdgeConfig(
        vectors={DENSE: dense},
        # float32: scores are promised to four decimals
        sparse_vectors={SPARSE: engine.EdgeSparseVectorParams(memory=memory)},
        payload_memory=_ON_DISK,
        id_tracker_memory=_ON_DISK,
        optimizers=optimizers,
        max_search_threads=1,
        wal_enabled=True,
    )


class Shard:
    """An open shard. `folder` names it; `built` counts the points it had when its graph was built."""

    def __init__(self, folder: Path, shard: engine.EdgeShard, *, built: int = 0) -> None:
        self.folder = folder
        self.built = built
        self._engine = shard
        self._unflushed = False
        self.tenants = self._verified(tenants.read(folder))

    @classmethod
    def load(cls, folder: Path, config: engine.EdgeConfig | None = None, *, built: int = 0) -> Shard:
        """Opens a shard as it was set up, or with another set-up that its next build will follow.

        The engine reads the files of the graph one page at a time while it holds the interpreter's lock
        (6.5 s for 20,000 points from a busy disk, 25 ms from the page cache): call `warm` first.
        """
        return cls(folder, engine.EdgeShard.load(str(folder), config), built=built)

    @classmethod
    def create(cls, folder: Path, dimensions: int) -> Shard:
        """An empty plain shard in a new folder."""
        folder.mkdir(parents=True)
        (folder / "edge_config.json").write_text(json.dumps({"wal_options": _WAL}), encoding="utf-8")
        shard = cls.load(folder, plain_config(dimensions))
        # No graph of its own for each value: it doubled the time of a build and found no more.
        tags = engine.KeywordIndexParams(enable_hnsw=False, memory=_ON_DISK)
        page = engine.IntegerIndexParams(lookup=False, range=True, memory=_ON_DISK)
        shard._update(engine.UpdateOperation.create_field_index("tags", tags))
        shard._update(engine.UpdateOperation.create_field_index("page", page))
        return shard

    def _verified(self, names: frozenset[str] | None) -> frozenset[str] | None:
        # 17 ms at 90,000 points, so that no damage to a file can show one tenant's points to another.
        complete = names is not None and self.count(tenant_filter(names)) == self.count()
        return names if complete else None

    def admits(self, tenant: str) -> bool:
        """Whether points of this tenant may be written; `admit` makes it so."""
        return self.tenants is None or tenant in self.tenants

    def admit(self, tenant: str) -> None:
        """Remembers, on the disk, that points of this tenant may be here."""
        tenants.add(self.folder, [tenant])
        self.tenants = (self.tenants or frozenset()) | {tenant}

    def upsert(self, points: list[engine.Point]) -> None:
        """Writes points; their tenant must have been admitted."""
        self._update(engine.UpdateOperation.upsert_points(points))

    def discard(self, ids: Sequence[engine.PointId]) -> bool:
        """Deletes those of the ids that are here, and says whether there were any."""
        held = [record.id for record in self._engine.retrieve(list(ids), False, False)]
        if held:
            self._update(engine.UpdateOperation.delete_points(held))
        return bool(held)

    def delete(self, where: engine.Filter) -> bool:
        """Deletes what matches, and says whether anything did."""
        if not self.count(where):
            return False
        self._update(engine.UpdateOperation.delete_points_by_filter(where))
        return True

    def count(self, where: engine.Filter | None = None) -> int:
        """How many points match; all of them without a filter."""
        return self._engine.count(engine.CountRequest(exact=True, filter=where))

    def tags(self, where: engine.Filter) -> Iterator[str]:
        """Every tag that a matching point carries, each once."""
        request = engine.FacetRequest("tags", limit=_EVERY_VALUE, exact=True, filter=where)
        return (str(hit.value) for hit in self._engine.facet(request).hits)

    def search_dense(
        self, vector: list[float], where: ScopedFilter, *, limit: int, exact: bool
    ) -> list[Candidate]:
        params = engine.SearchParams(hnsw_ef=max(_EF, limit), exact=exact)
        query = engine.Query.Nearest(vector, using=DENSE)
        return self._complete(query, where, params, limit, DENSE_DECIMALS)

    def search_sparse(
        self, vector: engine.SparseVector, where: ScopedFilter, *, limit: int
    ) -> list[Candidate]:
        query = engine.Query.Nearest(vector, using=SPARSE)
        return self._complete(query, where, None, limit, SPARSE_DECIMALS)

    def terms(self, ids: Sequence[UUID]) -> Iterator[tuple[UUID, frozenset[int]]]:
        """The terms of those points that are here."""
        for record in self._engine.retrieve(list(ids), False, [SPARSE]):
            yield cast(UUID, record.id), sparse_terms(record)

    def _complete(
        self,
        query: engine.Query,
        where: ScopedFilter,
        params: engine.SearchParams | None,
        limit: int,
        decimals: int,
    ) -> list[Candidate]:
        """At least the first `limit` points, and every point whose score equals the last of them."""
        if not where.possible(self.tenants):
            return []
        wanted = limit + _OVERFETCH
        while True:
            request = engine.QueryRequest(
                wanted,
                query=query,
                filter=where.within(self.tenants),
                params=params,
            )
            hits = candidates(self._engine.query(request), where.tenant, decimals)
            if len(hits) < wanted or hits[-1][0] > hits[limit - 1][0]:
                return hits
            wanted *= _WIDEN

    def pages(self, size: int, *, contents: bool) -> Iterator[list[engine.Record]]:
        """Every point, `size` at a time, with all it holds or with its id alone."""
        offset: engine.PointId | None = None
        while True:
            request = engine.ScrollRequest(offset, size, None, contents, contents)
            records, offset = self._engine.scroll(request)
            yield records
            if offset is None:
                return

    def optimize(self) -> None:
        while self._engine.optimize():
            pass

    @property
    def flushed(self) -> bool:
        """Whether nothing was written since the last flush by this process."""
        return not self._unflushed

    def flush(self) -> None:
        if self._unflushed:
            self._engine.flush()
            self._unflushed = False

    def close(self) -> None:
        self._engine.close()

    def _update(self, operation: engine.UpdateOperation) -> None:
        self._unflushed = True
        self._engine.update(operation)


def warm(folder: Path) -> None:
    """Reads the files of a shard that searches read, from end to end, so that they are in the page cache."""
    for path in folder.rglob("*"):
        if path.is_file() and path.parent.parent.name != _UNSEARCHED:
            with path.open("rb", buffering=0) as file:
                while file.read(_BLOCK):
                    pass
