"""Building a shard in another process: the copies it works on, and the process."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from atril.store.index.protocol import CompactionFailed
from atril.store.index.qdrant.manifest import SETTLED

_BUILDER: Final = "atril.store.index.qdrant.builder"
_BLOCK: Final = 64 * 1024
_ZEROS: Final = bytes(_BLOCK)


def copy_shard(source: Path, target: Path) -> None:
    """Copies a shard's folder and leaves its holes as holes.

    The engine lays out files of fixed size; most of a small shard's are empty. The copy is not settled.
    """
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(SETTLED), copy_function=_copy_file)


def _copy_file(source: str, target: str) -> None:
    with Path(source).open("rb", buffering=0) as reading, Path(target).open("wb", buffering=0) as writing:
        while block := reading.read(_BLOCK):
            if block == _ZEROS[: len(block)]:
                writing.seek(len(block), os.SEEK_CUR)
            else:
                writing.write(block)
        writing.truncate(writing.tell())


async def run_builder(target: Path, sources: Sequence[Path], *, dimensions: int, stop: asyncio.Event) -> bool:
    """Runs the builder to its end; false when `stop` was set first. Raises `CompactionFailed`."""
    # Half of the processors: searches go on meanwhile.
    threads = max(1, (os.cpu_count() or 1) // 2)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",  # a file in the current folder must not stand in for a module
        "-m",
        _BUILDER,
        *map(str, (target, dimensions, threads, *sources)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    if process.stdin is None or process.stderr is None:
        raise CompactionFailed("the builder process has no pipes")
    said = asyncio.ensure_future(process.stderr.read())
    stopping = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({said, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        if not said.done() and process.returncode is None:
            process.kill()
        process.stdin.close()
    detail = (await said).decode(errors="replace").strip()
    status = await process.wait()
    if stop.is_set():
        return False
    if status:
        raise CompactionFailed(f"building the index failed with status {status}: {detail[-2000:]}")
    return True
