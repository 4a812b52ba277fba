"""The builder process: merges copies of shards into one and builds its graph.

`python -m atril.store.index.qdrant.builder TARGET DIMENSIONS THREADS [SOURCE…]`: the points of the sources are
added to the target, which is itself a copy. Nobody else opens these folders. The process ends when its
standard input does, so that it does not outlive an owner that was killed.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import qdrant_edge as engine

from atril.store.index.qdrant.manifest import settle
from atril.store.index.qdrant.shard import Shard, graph_config

_BATCH: Final = 64
_FLUSH_EVERY: Final = 20_000


def build(target: Path, sources: Sequence[Path], *, dimensions: int, threads: int) -> None:
    """Leaves in `target` one optimised, flushed shard with the points of all."""
    shard = Shard.load(target, graph_config(dimensions, threads))
    unflushed = 0
    for source in sources:
        held = Shard.load(source)
        for records in held.pages(_BATCH, contents=True):
            shard.upsert([_point(record) for record in records])
            unflushed += len(records)
            if unflushed >= _FLUSH_EVERY:
                shard.flush()
                unflushed = 0
        held.close()
    shard.flush()
    shard.optimize()
    shard.flush()
    shard.close()
    settle(target)


def _point(record: engine.Record) -> engine.Point:
    if record.vector is None:
        raise ValueError(f"point {record.id} has no vectors")
    return engine.Point(record.id, record.vector, record.payload)


def _end_with_owner() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def main(arguments: Sequence[str]) -> None:
    target, dimensions, threads, *sources = arguments
    threading.Thread(target=_end_with_owner, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(5)
    build(
        Path(target), [Path(source) for source in sources], dimensions=int(dimensions), threads=int(threads)
    )
    os._exit(0)  # the watching thread still holds standard input


if __name__ == "__main__":
    main(sys.argv[1:])
