"""A process that is killed at any moment loses nothing it has acknowledged."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from atril.store.index.qdrant.edge import EdgeIndex
from atril.testing.index_suite import DIMENSIONS, ME, point, version_id

WRITER = """
import asyncio, sys
from pathlib import Path
from atril.store.index.qdrant.edge import EdgeIndex
from atril.testing.index_suite import DIMENSIONS, ME, point, version_id

async def main(folder, start):
    index = await EdgeIndex.open(Path(folder), dimensions=DIMENSIONS, capacity=128)
    for step in range(int(start), 100_000):
        await index.upsert(ME, [point(str(step), number) for number in range(1, 41)])
        print("added", step, flush=True)
        await index.upsert(ME, [point(str(step), 1, language="ru")])
        print("changed", step, flush=True)
        if step % 3 == 0:
            await index.delete(ME, [version_id(str(step - 2))])
            print("deleted", step - 2, flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


def write_until_killed(folder: Path, start: int, lines: int) -> list[tuple[str, int]]:
    """What a writer had acknowledged when it was killed, after at least so many lines."""
    command = [sys.executable, "-c", WRITER, str(folder), str(start)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        said += process.stdout.readlines()
    return [(words[0], int(words[1])) for words in map(str.split, said) if len(words) == 2]


@pytest.mark.parametrize("lines", [3, 26, 61])
async def test_a_killed_writer_loses_nothing_acknowledged(folder: Path, lines: int) -> None:
    first = write_until_killed(folder, 1, lines)
    resumed = max(step for _, step in first) + 10
    second = write_until_killed(folder, resumed, lines)

    index = await EdgeIndex.open(folder, dimensions=DIMENSIONS)
    found = await index.search_dense(ME, point().dense, limit=10_000)
    assert len({each.id for each in found}) == len(found) == await index.count(ME)
    chunks = Counter(each.id.int >> 64 for each in found)  # the document's part of the id
    held = {version async for version in index.versions(ME)}
    deleted = {step for what, step in first + second if what == "deleted"}
    for steps in (first, second):
        # The deletion after the last word may have been done without the word for it coming through.
        unsure = {max(step for _, step in steps) - 2 + ahead for ahead in range(3)}
        added = {step for what, step in steps if what == "added"}
        for step in added - deleted - unsure:
            assert chunks[point(str(step)).id.int >> 64] == 40
    for step in deleted:
        assert version_id(str(step)) not in held
        assert point(str(step)).id.int >> 64 not in chunks
    await index.close()
