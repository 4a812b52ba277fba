"""The embedded engine against the reference, on points and filters that nobody thought of."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atril.store.index.filters import AnyOf, Between, Every, Filter, Not, Some
from atril.store.index.memory import MemoryIndex
from atril.store.index.protocol import Index, Point
from atril.store.index.qdrant.edge import EdgeIndex
from atril.testing.index_suite import DIMENSIONS, document_id, point, sparse, unit, version_id
from atril.types import Scope

T = TypeVar("T")

NAMES = st.sampled_from("abc")
TEXTS = st.sampled_from(["es", "ES", "é", "e\u0301", "", "1", "x y"])
PAGES = st.none() | st.integers(1, 5)
# Cosines of these with one another are equal or far apart, so both engines must order them alike.
VECTORS = [unit(1), unit(0, 1), unit(1, 1), unit(-1), unit(1, 1, 1, 1)]
KEYS = st.sampled_from(["k", "k k", "a.b", "q"])


@st.composite
def points(draw: st.DrawFn) -> Point:
    name = draw(NAMES)
    terms = draw(st.dictionaries(st.integers(0, 6), st.sampled_from([0.5, 1.0, 2.25]), max_size=5))
    return point(
        name,
        draw(st.integers(1, 30)),
        version=version_id(name + draw(NAMES)),
        collection=draw(NAMES),
        labels=tuple(draw(st.lists(TEXTS, max_size=3))),
        dense=draw(st.sampled_from(VECTORS)),
        sparse=sparse(terms),
        language=draw(TEXTS),
        article=draw(st.none() | TEXTS),
        page=draw(PAGES),
        page_end=draw(PAGES),
        metadata=draw(st.dictionaries(KEYS, TEXTS, max_size=3)),
    )


FIELDS = st.sampled_from(
    [
        "collection",
        "labels",
        "language",
        "article",
        "page",
        "page_end",
        "metadata.k",
        "metadata.a.b",
        "document",
    ]
)
VALUES = TEXTS | st.integers(0, 6) | NAMES | NAMES.map(lambda name: str(document_id(name)))
LEAVES: st.SearchStrategy[Filter] = st.builds(
    AnyOf, FIELDS, st.lists(VALUES, max_size=3).map(tuple)
) | st.builds(Between, FIELDS, PAGES, PAGES)
FILTERS: st.SearchStrategy[Filter | None] = st.none() | st.recursive(
    LEAVES,
    lambda inner: (
        st.builds(Every, st.lists(inner, max_size=3).map(tuple))
        | st.builds(Some, st.lists(inner, max_size=3).map(tuple))
        | st.builds(Not, inner)
    ),
    max_leaves=6,
)
SCOPES = st.builds(
    Scope,
    st.sampled_from(["default", "other"]),
    st.none() | st.lists(NAMES, max_size=2).map(tuple),
    st.lists(TEXTS, max_size=2).map(tuple),
)


async def both(folder: Path, ask: Callable[[Index], Awaitable[T]]) -> tuple[T, T]:
    reference, edge = MemoryIndex(dimensions=DIMENSIONS), await EdgeIndex.open(folder, dimensions=DIMENSIONS)
    try:
        return await ask(reference), await ask(edge)
    finally:
        await edge.close()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    writes=st.lists(
        st.tuples(st.sampled_from(["default", "other"]), st.lists(points(), max_size=12)), max_size=3
    ),
    asks=st.lists(st.tuples(SCOPES, FILTERS, st.sampled_from(VECTORS)), min_size=10, max_size=20),
    gone=st.lists(st.tuples(NAMES, NAMES), max_size=2),
)
def test_both_engines_find_the_same_in_the_same_order(
    writes: list[tuple[str, list[Point]]],
    asks: list[tuple[Scope, Filter | None, object]],
    gone: list[tuple[str, str]],
) -> None:
    async def ask(index: Index) -> list[object]:
        for tenant, batch in writes:
            await index.upsert(Scope(tenant), batch)
        await index.delete(Scope(), [version_id(name + draw) for name, draw in gone])
        answers: list[object] = []
        for scope, where, vector in asks:
            dense = await index.search_dense(scope, vector, limit=7, where=where)  # type: ignore[arg-type]
            words = await index.search_sparse(scope, sparse({1: 3.0, 4: 0.5, 6: 1.0}), limit=7, where=where)
            answers.append([[(each.id, round(each.score, 3)) for each in found] for found in (dense, words)])
            answers.append(await index.count(scope, where))
        return answers

    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as made:
        expected, found = asyncio.run(both(Path(made) / "index", ask))
    assert found == expected


@pytest.mark.parametrize("field", ["labels", "metadata.k"])
async def test_a_lone_value_is_no_prefix_of_another(folder: Path, field: str) -> None:
    async def ask(index: Index) -> int:
        await index.upsert(Scope(), [point("a", labels=("12",), metadata={"k": "12"})])
        return await index.count(Scope(), AnyOf(field, ("1", "2", "")))

    assert await both(folder, ask) == (0, 0)
