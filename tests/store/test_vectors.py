"""Remembered vectors are as good as fresh ones."""

from pathlib import Path

import numpy as np
import pytest

from atril.store.vectors import FILE_NAME, VectorCache, passage_key, rounded


def unit(seed: int, count: int = 1) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, 48)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def keys(count: int) -> list[bytes]:
    return [passage_key(f"passage {number}") for number in range(count)]


async def test_a_remembered_vector_equals_a_fresh_one_bit_for_bit(tmp_path: Path) -> None:
    fresh = rounded(unit(1, 1200))
    names = keys(1200)
    cache = await VectorCache.open(tmp_path)
    await cache.put("m", dict(zip(names, fresh, strict=True)))
    await cache.close()
    cache = await VectorCache.open(tmp_path)
    found = await cache.get("m", names)
    assert all(np.array_equal(found[key], vector) for key, vector in zip(names, fresh, strict=True))
    assert found[names[0]].dtype == np.float32
    await cache.close()
    await cache.close()


async def test_what_is_not_there_is_left_out(tmp_path: Path) -> None:
    cache = await VectorCache.open(tmp_path / "new")
    first, second = keys(2)
    assert await cache.get("m", [first]) == {}
    await cache.put("m", {first: unit(1)[0]})
    assert list(await cache.get("m", [first, second])) == [first]
    assert await cache.get("other", [first]) == {}
    await cache.close()


async def test_the_same_key_is_replaced(tmp_path: Path) -> None:
    cache = await VectorCache.open(tmp_path)
    [key] = keys(1)
    for seed in (1, 2):
        await cache.put("m", {key: unit(seed)[0]})
    assert np.array_equal((await cache.get("m", [key]))[key], rounded(unit(2))[0])
    await cache.close()


async def test_a_model_can_be_forgotten(tmp_path: Path) -> None:
    cache = await VectorCache.open(tmp_path)
    names = keys(500)
    for model in ("old", "new"):
        await cache.put(model, dict(zip(names, unit(3, 500), strict=True)))
    await cache.forget("old")
    await cache.forget("never seen")
    assert await cache.get("old", names) == {}
    assert len(await cache.get("new", names)) == 500
    await cache.close()


@pytest.mark.parametrize(
    "damaged",
    [b"this is not a database, it is a sentence that says so. " * 40, b"SQLite format 3\0" + b"\xff" * 4000],
)
async def test_a_damaged_file_is_started_anew(tmp_path: Path, damaged: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(damaged)
    cache = await VectorCache.open(tmp_path)
    [key] = keys(1)
    await cache.put("m", {key: unit(1)[0]})
    assert len(await cache.get("m", [key])) == 1
    await cache.close()


async def test_damage_found_later_costs_only_the_cache(tmp_path: Path) -> None:
    cache = await VectorCache.open(tmp_path)
    names = keys(2000)
    await cache.put("m", dict(zip(names, unit(1, 2000), strict=True)))
    await cache.close()
    path = tmp_path / FILE_NAME
    data = bytearray(path.read_bytes())
    data[3 * 4096 :] = b"\xa5" * (len(data) - 3 * 4096)
    path.write_bytes(data)
    cache = await VectorCache.open(tmp_path)
    assert await cache.get("m", names) == {}
    await cache.put("m", {names[0]: unit(1)[0]})
    assert len(await cache.get("m", names)) == 1
    await cache.close()


def test_rounding_is_done_once() -> None:
    once = rounded(unit(1, 10))
    assert np.array_equal(rounded(once), once)
    assert np.abs(once - unit(1, 10)).max() < 1e-3
