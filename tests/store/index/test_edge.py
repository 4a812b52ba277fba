"""The embedded engine: as it comes, and through every change of shard that a large library goes through."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest

from atril.errors import HomeDamaged, InvalidArgument
from atril.store.index.filters import equals
from atril.store.index.memory import MemoryIndex
from atril.store.index.protocol import CompactionFailed, Index, Point
from atril.store.index.qdrant.edge import EdgeIndex
from atril.testing.index_suite import (
    DIMENSIONS,
    ME,
    YOU,
    IndexSuite,
    ids,
    point,
    sparse,
    unit,
    version_id,
)

CAPACITY = 64
"""Points that fill the active shard in these tests; they are written 64 at a time."""


def many(name: str, count: int, start: int = 1) -> list[Point]:
    """Points with scores of their own: the higher the number, the further from `unit(1)`."""
    return [
        point(
            f"{name}{number}",
            number,
            dense=unit(1, number / 50),
            sparse=sparse({1: 1 + number / 100}),
            article=str(number),
        )
        for number in range(start, start + count)
    ]


async def small(folder: Path) -> EdgeIndex:
    return await EdgeIndex.open(folder, dimensions=DIMENSIONS, capacity=CAPACITY)


async def everything(index: Index) -> list[tuple[UUID, float]]:
    found = await index.search_dense(ME, unit(1), limit=1000)
    return [(each.id, round(each.score, 4)) for each in found]


class TestEdgeIndex(IndexSuite):
    @pytest.fixture
    async def index(self, folder: Path) -> AsyncIterator[Index]:
        index = await EdgeIndex.open(folder, dimensions=self.dimensions)
        yield index
        await index.close()


async def test_the_points_of_all_shards_are_ranked_together(folder: Path) -> None:
    reference, index = MemoryIndex(dimensions=DIMENSIONS), await small(folder)
    for engine in (reference, index):
        await engine.upsert(ME, many("a", 64))
        await engine.upsert(YOU, many("a", 64))
        await engine.upsert(ME, many("b", 70))
    assert await everything(index) == await everything(reference)
    await index.compact()
    assert await everything(index) == await everything(reference)
    found = await index.search_sparse(ME, sparse({1: 2.0}), limit=7, where=equals("article", "3"))
    expected = await reference.search_sparse(ME, sparse({1: 2.0}), limit=7, where=equals("article", "3"))
    assert found == expected
    await index.close()


async def test_what_happens_while_a_shard_is_built_is_not_undone_by_it(folder: Path) -> None:
    index = await small(folder)
    await index.upsert(ME, many("a", 64))
    await index.upsert(YOU, many("a", 10))
    compaction = asyncio.create_task(index.compact())
    await asyncio.sleep(0.05)
    await index.delete(ME, [version_id("a1"), version_id("a2")])
    await index.upsert(ME, [point("a3", 3, dense=unit(0, 1), article="changed")])
    await compaction
    assert await index.count(ME) == 62
    assert await index.count(ME, equals("article", "changed")) == 1
    assert await index.count(ME, equals("article", "3")) == 0
    assert await index.count(YOU) == 10
    await index.close()


async def test_replacing_a_point_of_a_built_shard_leaves_one(folder: Path) -> None:
    index = await small(folder)
    await index.upsert(ME, many("a", 64))
    await index.compact()
    await index.upsert(ME, [point("a5", 5, dense=unit(0, 1), sparse=sparse({7: 1.0}))])
    assert await index.count(ME) == 64
    assert ids(await index.search_sparse(ME, sparse({7: 1.0}), limit=5)) == [point("a5", 5).id]
    await index.close()


async def test_an_index_opens_with_everything_it_held(folder: Path) -> None:
    index = await small(folder)
    for name in "abc":
        await index.upsert(ME, many(name, 64))
    await index.compact()
    await index.upsert(ME, many("d", 5))
    await index.delete(ME, [version_id("b7")])
    before = await everything(index)
    await index.close()
    index = await small(folder)
    assert await everything(index) == before
    assert len([version async for version in index.versions(ME)]) == 3 * 64 + 5 - 1
    await index.close()


async def test_compaction_ends_in_few_shards_and_leaves_no_folders_behind(folder: Path) -> None:
    index = await small(folder)
    for name in "abcdefg":
        await index.upsert(ME, many(name, 64))
    await index.compact()
    assert len(list(folder.glob("shard-*"))) <= 4
    assert await index.count(ME) == 7 * 64
    await index.close()


async def test_a_shard_that_lost_everything_is_dropped(folder: Path) -> None:
    index = await small(folder)
    await index.upsert(ME, many("a", 64))
    await index.compact()
    await index.delete(ME, [version_id(f"a{number}") for number in range(1, 65)])
    await index.compact()
    assert await index.count(ME) == 0
    assert len(list(folder.glob("shard-*"))) == 1
    await index.close()


async def test_closing_does_not_wait_for_a_build(folder: Path) -> None:
    index = await small(folder)
    await index.upsert(ME, many("a", 130))
    compaction = asyncio.create_task(index.compact())
    await asyncio.sleep(0.05)
    await index.close()
    await compaction
    index = await small(folder)
    assert await index.count(ME) == 130
    await index.close()


async def test_a_tie_across_shards_is_cut_in_order(folder: Path) -> None:
    points = [point(name, number) for number in range(1, 41) for name in "abcd"]
    index = await small(folder)
    await index.upsert(ME, points)
    expected = ids(sorted(points, key=lambda each: (each.document.int, each.number)))
    for _ in range(2):
        assert ids(await index.search_dense(ME, unit(1), limit=75)) == expected[:75]
        assert ids(await index.search_sparse(ME, sparse({1: 1.0}), limit=75)) == expected[:75]
        await index.compact()
    await index.close()


async def test_a_large_built_shard_finds_the_nearest(folder: Path) -> None:
    vectors = np.random.default_rng(4).standard_normal((3000, DIMENSIONS))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    points = [point("a", n + 1, dense=vector.astype(np.float32)) for n, vector in enumerate(vectors)]
    index = await EdgeIndex.open(folder, dimensions=DIMENSIONS, capacity=3000)
    await index.upsert(ME, points)
    await index.compact()
    for query in (unit(1, 2, 3), unit(-1, 1, 0, 4)):
        exact = await index.search_dense(ME, query, limit=10, exact=True)
        assert await index.search_dense(ME, query, limit=10) == exact
        assert ids(exact) == [points[place].id for place in np.argsort(-(vectors @ query))[:10]]
    await index.close()


async def test_a_build_that_fails_is_reported_and_changes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = await small(folder)
    await index.upsert(ME, many("a", 64))
    before = await everything(index)
    monkeypatch.setattr("atril.store.index.qdrant.compaction._BUILDER", "atril.no_such_builder")
    with pytest.raises(CompactionFailed, match="no_such_builder"):
        await index.compact()
    assert await everything(index) == before
    monkeypatch.undo()
    await index.compact()
    assert await everything(index) == before
    assert len(list(folder.glob("shard-*"))) == 2
    await index.close()


@pytest.mark.parametrize("content", ["", '"me"\nhalf a li', None])
async def test_tenants_stay_apart_when_the_list_of_them_is_damaged(folder: Path, content: str | None) -> None:
    index = await small(folder)
    await index.upsert(ME, [point("mine")])
    await index.upsert(YOU, [point("yours")])
    await index.close()
    (shard,) = folder.glob("shard-*")
    if content is None:
        (shard / "tenants").unlink()
    else:
        (shard / "tenants").write_text(content)
    index = await small(folder)
    await index.upsert(ME, [point("more")])
    assert set(ids(await index.search_dense(ME, unit(1), limit=9))) == {point("mine").id, point("more").id}
    assert ids(await index.search_dense(YOU, unit(1), limit=9)) == [point("yours").id]
    await index.close()


async def test_folders_that_no_manifest_names_are_swept(folder: Path) -> None:
    await (await small(folder)).close()
    leftover = folder / "shard-000099"
    leftover.mkdir()
    (leftover / "half").write_text("written")
    await (await small(folder)).close()
    assert not leftover.exists()


async def test_other_dimensions_than_those_of_the_folder_are_refused(folder: Path) -> None:
    await (await small(folder)).close()
    with pytest.raises(InvalidArgument, match="dimensions"):
        await EdgeIndex.open(folder, dimensions=DIMENSIONS + 1)


async def test_a_second_opening_is_refused_and_harmless(folder: Path) -> None:
    index = await small(folder)
    await index.upsert(ME, [point("a")])
    with pytest.raises(HomeDamaged):
        await small(folder)
    assert await index.count(ME) == 1
    await index.close()


async def test_a_damaged_manifest_is_named(folder: Path) -> None:
    await (await small(folder)).close()
    (folder / "manifest.json").write_text('{"format": 1}')
    with pytest.raises(HomeDamaged, match=r"manifest\.json"):
        await small(folder)


async def test_a_flushed_shard_that_cannot_be_read_is_an_error_and_not_an_empty_index(folder: Path) -> None:
    index = await small(folder)
    await index.upsert(ME, [point("a")])
    await index.flush()
    await index.close()
    (shard,) = folder.glob("shard-*")
    (shard / "edge_config.json").write_text("not a configuration")
    with pytest.raises(HomeDamaged):
        await small(folder)
