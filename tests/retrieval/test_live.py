"""Which chunks come out when some points are stale and collections weigh differently."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.retrieval.live import Pool, live_chunks
from atril.store.index.protocol import ScoredPoint
from atril.types import Chunk, Document, Scope, StoredChunk

SCOPE = Scope()


def document(number: int, collection: str) -> Document:
    return Document(
        id=UUID(int=number), version=UUID(int=number), name=f"{number}.md", stem=str(number), source=f"/{number}.md",
        collection=collection, labels=(), title="", type="md", language="es", description="", metadata={},
        pages=None, chunks=1, bytes=1, content_hash="", added_at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip


class FakeRecords:
    """Knows the chunks it is given, one per document, and counts how often it is asked."""

    def __init__(
        self, collections: Mapping[int, str], remembered: Sequence[int] = (), gone: Sequence[int] = ()
    ) -> None:
        self.reads = 0
        self._remembered = {UUID(int=number) for number in remembered}
        self._chunks = {
            UUID(int=number): StoredChunk(
                f"{number}_chunk_0001",
                UUID(int=number),
                Chunk(1, 0, 1, "x", "content"),
                document(number, name),
            )
            for number, name in collections.items()
        }
        self._gone = {UUID(int=number) for number in gone}

    async def hydrate(self, scope: Scope, points: Sequence[UUID]) -> dict[UUID, StoredChunk]:
        self.reads += 1
        return {each: self._chunks[each] for each in points if each in self._chunks.keys() - self._gone}

    def remembered(self, point: UUID) -> Document | None:
        return self._chunks[point].document if point in self._remembered else None


class FakeEngine:
    """Holds points numbered from 1, best first, and gives as many as it is asked for."""

    def __init__(self, scores: Sequence[float]) -> None:
        self.limits: list[int] = []
        self._points = [ScoredPoint(UUID(int=number), score) for number, score in enumerate(scores, 1)]

    async def fetch(self, limit: int) -> Pool:
        self.limits.append(limit)
        return Pool(self._points[:limit], exhausted=limit > len(self._points))


async def numbers(
    records: FakeRecords,
    engine: FakeEngine,
    *,
    top_k: int,
    limit: int,
    weights: Mapping[str, float] | None = None,
) -> list[int]:
    factors = weights or {}
    chunks = await live_chunks(
        records,
        SCOPE,
        engine.fetch,
        top_k=top_k,
        first_limit=limit,
        weigh=lambda document: factors.get(document.collection, 1.0),
        heaviest=max(factors.values(), default=1.0),
    )
    return [chunk.stored.document.id.int for chunk in chunks]


class TestStalePoints:
    async def test_never_surface(self) -> None:
        records = FakeRecords({1: "a", 3: "a", 4: "a"})
        assert await numbers(records, FakeEngine([0.9, 0.8, 0.7, 0.6]), top_k=2, limit=4) == [1, 3]

    async def test_widen_the_search_until_enough_are_found(self) -> None:
        records = FakeRecords(dict.fromkeys(range(15, 21), "a"))
        engine = FakeEngine([1 / number for number in range(1, 21)])
        assert await numbers(records, engine, top_k=3, limit=3) == [15, 16, 17]
        assert engine.limits == [3, 12, 48]

    async def test_leave_fewer_when_the_engine_has_no_more(self) -> None:
        records = FakeRecords({2: "a"})
        assert await numbers(records, FakeEngine([0.9, 0.8, 0.7]), top_k=3, limit=3) == [2]


class TestWeights:
    async def test_move_a_collection_down(self) -> None:
        records = FakeRecords({1: "faq", 2: "law", 3: "faq"})
        engine = FakeEngine([0.9, 0.8, 0.7])
        assert await numbers(records, engine, top_k=3, limit=3, weights={"faq": 0.5, "law": 1.0}) == [2, 1, 3]

    async def test_bring_up_what_lay_beyond_the_first_chunks(self) -> None:
        records = FakeRecords({1: "faq", 2: "faq", 3: "faq", 4: "law"})
        engine = FakeEngine([0.9, 0.8, 0.7, 0.6])
        assert await numbers(records, engine, top_k=1, limit=4, weights={"faq": 0.1, "law": 1.0}) == [4]

    async def test_cost_one_reading_when_their_documents_are_remembered(self) -> None:
        records = FakeRecords({1: "faq", 2: "faq", 3: "faq", 4: "law", 5: "law"}, remembered=range(1, 6))
        engine = FakeEngine([0.9, 0.8, 0.7, 0.6, 0.5])
        assert await numbers(records, engine, top_k=1, limit=5, weights={"faq": 0.1, "law": 1.0}) == [4]
        assert records.reads == 1

    async def test_of_what_is_remembered_and_gone_count_for_nothing(self) -> None:
        records = FakeRecords(dict.fromkeys((1, 2, 3), "law"), remembered=(1, 2, 3), gone=(2,))
        engine = FakeEngine([0.9, 0.8, 0.7])
        assert await numbers(records, engine, top_k=2, limit=3, weights={"law": 1.0}) == [1, 3]

    async def test_cost_one_reading_when_all_are_equal(self) -> None:
        records = FakeRecords(dict.fromkeys(range(1, 101), "a"))
        engine = FakeEngine([1 / number for number in range(1, 101)])
        assert await numbers(records, engine, top_k=10, limit=50, weights={"a": 0.5}) == list(range(1, 11))
        assert records.reads == 1

    @given(
        scores=st.lists(st.floats(0.01, 1.0), min_size=1, max_size=30),
        names=st.lists(st.sampled_from("abc"), min_size=30, max_size=30),
        top_k=st.integers(1, 8),
        weights=st.fixed_dictionaries(dict.fromkeys("abc", st.sampled_from([0.1, 0.5, 1.0, 2.0]))),
    )
    async def test_give_what_weighing_everything_would(
        self, scores: list[float], names: list[str], top_k: int, weights: dict[str, float]
    ) -> None:
        scores.sort(reverse=True)
        collections = dict(enumerate(names[: len(scores)], 1))
        weighed = [score * weights[collections[number]] for number, score in enumerate(scores, 1)]
        found = await numbers(
            FakeRecords(collections), FakeEngine(scores), top_k=top_k, limit=50, weights=weights
        )
        assert [weighed[number - 1] for number in found] == sorted(weighed, reverse=True)[:top_k]

    @given(factor=st.floats(1.0, 3.0))
    async def test_are_monotone(self, factor: float) -> None:
        engine, records = FakeEngine([0.9, 0.8, 0.7]), FakeRecords({1: "a", 2: "b", 3: "a"})
        before = await numbers(records, engine, top_k=3, limit=3, weights={"a": 1.0, "b": 1.0})
        after = await numbers(records, engine, top_k=3, limit=3, weights={"a": 1.0, "b": factor})
        assert after.index(2) <= before.index(2)


@pytest.mark.parametrize("top_k", [1, 2, 5])
async def test_equal_scores_are_ordered_by_document(top_k: int) -> None:
    records = FakeRecords(dict.fromkeys(range(1, 6), "a"))
    assert await numbers(records, FakeEngine([0.5] * 5), top_k=top_k, limit=5) == list(range(1, top_k + 1))
