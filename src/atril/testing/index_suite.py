"""What every engine must do, as tests to inherit.

Subclass `IndexSuite`, override the one fixture, and every test runs against your engine::

    class TestMyIndex(IndexSuite):
        @pytest.fixture
        async def index(self):
            index = await MyIndex.open(dimensions=self.dimensions)
            yield index
            await index.close()

The fixture gives an empty index for vectors of `dimensions` numbers. Each test's docstring says where to look
when it fails. Tests are coroutines: run them with pytest-asyncio in automatic mode, or mark the class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar
from uuid import UUID, uuid5

import numpy as np
import numpy.typing as npt
import pytest

from atril.errors import InvalidArgument, LimitExceeded
from atril.store.index.filters import AnyOf, Between, Every, Filter, Not, Some, equals
from atril.store.index.protocol import MAX_LIMIT, Index, Point, ScoredPoint, SparseVector, point_id
from atril.types import Scope

DIMENSIONS = 8
NAMES = UUID("6f1d3b1e-6f0f-4f3c-9d0a-2f5f0c1f7a55")
ME = Scope("me")
YOU = Scope("you")


def document_id(name: str) -> UUID:
    return uuid5(NAMES, name)


def version_id(name: str) -> UUID:
    return uuid5(NAMES, f"version of {name}")


def unit(*weights: float) -> npt.NDArray[np.float32]:
    """A vector of unit length that points along the first axes with these weights, in float16 steps."""
    vector = np.zeros(DIMENSIONS)
    vector[: len(weights)] = weights
    return (vector / np.linalg.norm(vector)).astype(np.float16).astype(np.float32)


def sparse(weights: Mapping[int, float]) -> SparseVector:
    terms = sorted(weights)
    return SparseVector(
        np.array(terms, dtype=np.uint32), np.array([weights[term] for term in terms], dtype=np.float32)
    )


def point(name: str = "a", number: int = 1, **changes: Any) -> Point:
    """A point of document `name`; every field has a plain value that `changes` replaces."""
    fields: dict[str, Any] = {
        "id": point_id(document_id(name), version_id(name), number),
        "document": document_id(name),
        "version": version_id(name),
        "number": number,
        "collection": "default",
        "dense": unit(1),
        "sparse": sparse({1: 1.0}),
        "document_type": "md",
        "chunk_type": "content",
        "language": "es",
    }
    return Point(**{**fields, **changes})


def ids(found: Iterable[ScoredPoint | Point]) -> list[UUID]:
    return [each.id for each in found]


async def found_where(index: Index, where: Filter | None, scope: Scope = ME) -> set[UUID]:
    """The points that satisfy the filter, after all four ways to ask agreed on it."""
    dense = await index.search_dense(scope, unit(1), limit=1000, where=where)
    exact = await index.search_dense(scope, unit(1), limit=1000, where=where, exact=True)
    words = await index.search_sparse(scope, sparse({1: 1.0}), limit=1000, where=where)
    assert set(ids(dense)) == set(ids(exact)) == set(ids(words))
    assert await index.count(scope, where) == len(dense)
    return set(ids(dense))


class _Fixture:
    dimensions: ClassVar[int] = DIMENSIONS

    @pytest.fixture
    async def index(self) -> Index:
        raise NotImplementedError("override the fixture `index` with one that gives an empty index")


class SearchTests(_Fixture):
    async def test_an_empty_index_finds_nothing(self, index: Index) -> None:
        """Check that a tenant or a field never seen before is no error."""
        assert await found_where(index, None) == set()
        assert await found_where(index, equals("article", "38")) == set()
        assert [version async for version in index.versions(ME)] == []

    async def test_a_finished_upsert_is_seen_by_the_next_search(self, index: Index) -> None:
        """Check that the engine's write is awaited and its search reads what is not yet indexed."""
        await index.upsert(ME, [point("a")])
        assert await found_where(index, None) == {point("a").id}

    async def test_it_knows_the_terms_of_its_points(self, index: Index) -> None:
        """Check that terms come from what was written last, and that another tenant's point is not there."""
        await index.upsert(
            ME, [point("a", sparse=sparse({1: 1.0, 7: 0.5})), point("b", sparse=sparse({7: 2.0}))]
        )
        await index.upsert(ME, [point("b", sparse=sparse({2**32 - 1: 1.0})), point("c", sparse=sparse({}))])
        asked = [point(name).id for name in "abcd"]
        assert await index.terms(ME, asked) == {
            point("a").id: frozenset({1, 7}),
            point("b").id: frozenset({2**32 - 1}),
            point("c").id: frozenset(),
        }
        assert await index.terms(YOU, asked) == {}
        assert await index.terms(ME, []) == {}

    async def test_a_dense_score_is_the_cosine(self, index: Index) -> None:
        """Check the metric, and that quantized vectors are scored again with the originals."""
        vectors = {"a": unit(1, 0.1), "b": unit(0.6, -0.8), "c": unit(-1, 2, 3)}
        await index.upsert(ME, [point(name, dense=vector) for name, vector in vectors.items()])
        query = unit(3, 1, 1)
        for exact in (False, True):
            hits = await index.search_dense(ME, query, limit=3, exact=exact)
            assert ids(hits) == [point(name).id for name in "abc"]
            for hit, name in zip(hits, "abc", strict=True):
                assert hit.score == pytest.approx(float(vectors[name] @ query), abs=1e-4)

    async def test_a_sparse_score_is_the_dot_product(self, index: Index) -> None:
        """Check that no modifier such as IDF is applied and that weights keep their precision."""
        await index.upsert(
            ME,
            [
                point("a", sparse=sparse({3: 1.2345, 2**32 - 1: 0.5})),
                point("b", sparse=sparse({3: 0.3, 70_000: 2.0})),
            ],
        )
        hits = await index.search_sparse(ME, sparse({3: 7.5, 2**32 - 1: 2.0, 999: 4.0}), limit=10)
        assert ids(hits) == [point("a").id, point("b").id]
        assert [hit.score for hit in hits] == pytest.approx([1.2345 * 7.5 + 1.0, 0.3 * 7.5], abs=1e-4)

    async def test_a_sparse_search_needs_a_shared_term(self, index: Index) -> None:
        """Check that points without a common term are left out rather than scored 0."""
        await index.upsert(ME, [point("a", sparse=sparse({1: 1.0})), point("b", sparse=sparse({2: 1.0}))])
        assert ids(await index.search_sparse(ME, sparse({2: 1.0, 9: 1.0}), limit=10)) == [point("b").id]
        assert await index.search_sparse(ME, sparse({}), limit=10) == []

    async def test_a_point_without_terms_is_found_by_meaning_alone(self, index: Index) -> None:
        """Check that an empty sparse vector is accepted: a chunk may hold nothing but stop words."""
        await index.upsert(ME, [point("a", sparse=sparse({}))])
        assert ids(await index.search_dense(ME, unit(1), limit=10)) == [point("a").id]
        assert await index.search_sparse(ME, sparse({1: 1.0}), limit=10) == []

    async def test_equal_scores_come_by_document_and_number(self, index: Index) -> None:
        """Check the secondary order, and that numbers are compared as numbers."""
        points = [point(name, number) for name in "dbca" for number in (10, 2, 1)]
        await index.upsert(ME, points)
        ordered: list[Point] = sorted(points, key=lambda each: (each.document.int, each.number))
        expected = ids(ordered)
        assert ids(await index.search_dense(ME, unit(1), limit=100)) == expected
        assert ids(await index.search_sparse(ME, sparse({1: 1.0}), limit=100)) == expected

    @pytest.mark.parametrize("limit", [1, 3, 20, 59])
    async def test_a_tie_at_the_limit_is_cut_in_order(self, index: Index, limit: int) -> None:
        """Check that the engine is asked for more until the equal scores at the limit are all there."""
        best = point("best", dense=unit(1), sparse=sparse({1: 2.0}))
        tied = [point(name, number, dense=unit(1, 1)) for name in "abcd" for number in range(1, 16)]
        await index.upsert(ME, [*reversed(tied), best])
        expected = ids([best, *sorted(tied, key=lambda each: (each.document.int, each.number))])[:limit]
        assert ids(await index.search_dense(ME, unit(1), limit=limit)) == expected
        assert ids(await index.search_sparse(ME, sparse({1: 1.0}), limit=limit)) == expected

    @pytest.mark.parametrize("limit", [0, -1])
    async def test_a_limit_below_one_is_refused(self, index: Index, limit: int) -> None:
        """Check the limit before the engine does: it may take 0 for everything."""
        with pytest.raises(InvalidArgument):
            await index.search_dense(ME, unit(1), limit=limit)
        with pytest.raises(InvalidArgument):
            await index.search_sparse(ME, sparse({1: 1.0}), limit=limit)

    async def test_a_limit_above_the_maximum_is_refused(self, index: Index) -> None:
        """Check that the limit is neither clamped nor passed on."""
        with pytest.raises(LimitExceeded):
            await index.search_dense(ME, unit(1), limit=MAX_LIMIT + 1)
        with pytest.raises(LimitExceeded):
            await index.search_sparse(ME, sparse({1: 1.0}), limit=MAX_LIMIT + 1)
        assert await index.search_dense(ME, unit(1), limit=MAX_LIMIT) == []

    async def test_a_vector_of_another_size_is_refused(self, index: Index) -> None:
        """Check that nothing of the batch is written."""
        wrong = np.ones(DIMENSIONS + 1, dtype=np.float32)
        with pytest.raises(InvalidArgument):
            await index.upsert(ME, [point("a"), point("b", dense=wrong)])
        with pytest.raises(InvalidArgument):
            await index.search_dense(ME, wrong, limit=1)
        assert await index.count(ME) == 0


class WriteTests(_Fixture):
    async def test_upsert_of_an_id_replaces_the_point(self, index: Index) -> None:
        """Check that vectors, words and every payload field are those of the last write."""
        await index.upsert(ME, [point("a", dense=unit(1), labels=("old",), article="38", page=3)])
        await index.upsert(ME, [point("a", dense=unit(0, 1), sparse=sparse({2: 1.0}), labels=("new",))])
        assert await index.count(ME) == 1
        (hit,) = await index.search_dense(ME, unit(0, 1), limit=10)
        assert hit.score == pytest.approx(1.0, abs=1e-3)
        assert await index.search_sparse(ME, sparse({1: 1.0}), limit=10) == []
        for where in (equals("labels", "old"), equals("article", "38"), equals("page", 3)):
            assert await index.count(ME, where) == 0

    async def test_the_last_of_equal_ids_in_one_upsert_stays(self, index: Index) -> None:
        """Check the order in which a batch is applied."""
        await index.upsert(ME, [point("a", language="es"), point("a", language="ru")])
        assert await index.count(ME) == await index.count(ME, equals("language", "ru")) == 1

    async def test_delete_removes_a_version_whole(self, index: Index) -> None:
        """Check that other versions of the same document stay."""
        old = [point("a", number) for number in range(1, 6)]
        new = point("a", 9, version=version_id("the next a"))
        await index.upsert(ME, [*old, new])
        await index.delete(ME, [version_id("a")])
        assert await found_where(index, None) == {new.id}

    async def test_delete_ignores_collections_and_labels_of_the_scope(self, index: Index) -> None:
        """Check that only the tenant of the scope bounds a deletion."""
        await index.upsert(ME, [point("a", collection="laws", labels=("public",))])
        await index.delete(Scope("me", collections=("other",), labels=("private",)), [version_id("a")])
        assert await index.count(ME) == 0

    async def test_deleting_what_is_missing_is_silent(self, index: Index) -> None:
        """Check an empty index, an unknown version and no versions at all."""
        await index.delete(ME, [version_id("nothing")])
        await index.upsert(ME, [point("a")])
        await index.delete(ME, [version_id("nothing")])
        await index.delete(ME, [])
        assert await index.count(ME) == 1

    async def test_versions_are_listed_once(self, index: Index) -> None:
        """Check that the list has no limit below the number of versions."""
        await index.upsert(ME, [point(str(name), number) for name in range(30) for number in (1, 2)])
        listed = [version async for version in index.versions(ME)]
        assert sorted(listed) == sorted({version_id(str(name)) for name in range(30)})

    async def test_many_points_arrive_whole(self, index: Index) -> None:
        """Check the batches in which points are written."""
        points = [point("long", number) for number in range(1, 301)]
        await index.upsert(ME, points)
        await index.upsert(ME, [])
        assert await found_where(index, None) == set(ids(points))
        assert ids(await index.search_dense(ME, unit(1), limit=300)) == ids(points)

    async def test_flush_keeps_everything(self, index: Index) -> None:
        """Check that a flush of an empty and of a full index is no more than that."""
        await index.flush()
        await index.upsert(ME, [point("a")])
        await index.flush()
        assert await index.count(ME) == 1

    async def test_close_twice_is_safe(self, index: Index) -> None:
        """Check that the second close does nothing, and that calls afterwards say what is wrong."""
        await index.upsert(ME, [point("a")])
        await index.close()
        await index.close()
        with pytest.raises(RuntimeError, match="closed"):
            await index.search_dense(ME, unit(1), limit=1)
        with pytest.raises(RuntimeError, match="closed"):
            await index.upsert(ME, [point("a")])


class ScopeTests(_Fixture):
    async def test_a_tenant_sees_only_its_own(self, index: Index) -> None:
        """Check the tenant in every call, also where there is another filter."""
        await index.upsert(ME, [point("mine")])
        await index.upsert(YOU, [point("yours")])
        assert await found_where(index, None) == {point("mine").id}
        assert await found_where(index, None, YOU) == {point("yours").id}
        assert await found_where(index, equals("language", "es")) == {point("mine").id}
        assert await found_where(index, Not(equals("language", "ru"))) == {point("mine").id}
        assert [version async for version in index.versions(YOU)] == [version_id("yours")]
        assert await index.count(Scope("nobody")) == 0

    async def test_one_id_in_two_tenants_is_two_points(self, index: Index) -> None:
        """Check that the tenant is part of the key, so that no tenant overwrites another's point."""
        await index.upsert(ME, [point("a", language="es")])
        await index.upsert(YOU, [point("a", language="ru")])
        assert await index.count(ME, equals("language", "es")) == 1
        assert ids(await index.search_dense(YOU, unit(1), limit=5)) == [point("a").id]

    async def test_a_deletion_stays_within_the_tenant(self, index: Index) -> None:
        """Check that versions are deleted by tenant and version, not by version alone."""
        await index.upsert(ME, [point("a")])
        await index.upsert(YOU, [point("a")])
        await index.delete(YOU, [version_id("a")])
        assert (await index.count(ME), await index.count(YOU)) == (1, 0)

    async def test_collections_and_labels_narrow_the_scope(self, index: Index) -> None:
        """Check that both are applied to searches and counts, and that none of them means all."""
        points = {
            "a": point("a", collection="laws", labels=("public", "signed")),
            "b": point("b", collection="laws"),
            "c": point("c", collection="faq", labels=("private",)),
        }
        await index.upsert(ME, list(points.values()))
        visible: Sequence[tuple[Scope, str]] = [
            (Scope("me", collections=("laws",)), "ab"),
            (Scope("me", collections=("laws", "faq")), "abc"),
            (Scope("me", collections=("none",)), ""),
            (Scope("me", collections=(), labels=()), "abc"),
            (Scope("me", labels=("signed", "private")), "ac"),
            (Scope("me", collections=("faq",), labels=("public",)), ""),
        ]
        for scope, names in visible:
            assert await found_where(index, None, scope) == {points[name].id for name in names}
            assert await found_where(index, Not(equals("article", "1")), scope) == {
                points[name].id for name in names
            }


class FilterTests(_Fixture):
    @pytest.mark.parametrize(
        ("where", "names"),
        [
            (equals("collection", "laws"), "a"),
            (AnyOf("document", (str(document_id("b")), "nothing")), "b"),
            (AnyOf("document_type", ("pdf", "md")), "abc"),
            (equals("chunk_type", "table"), "c"),
            (equals("language", "ru"), "c"),
            (equals("labels", "public"), "ab"),
            (equals("article", "20 bis"), "a"),
            (equals("page", 3), "b"),
            (equals("page_end", 4), "b"),
            (equals("metadata.Ámbito", "estatal"), "a"),
            (equals("metadata.a.b[0]", 'a "quoted" value'), "b"),
            (AnyOf("language", ()), ""),
            (equals("page", "3"), ""),
            (equals("language", 3), ""),
            (Between("page", 1, 3), "ab"),
            (Between("page", at_least=2), "b"),
            (Between("page", at_most=2), "a"),
            (Between("page"), "ab"),
            (Between("page", 5, 4), ""),
            (Between("page", -(10**400), 10**400), "ab"),
            (Between("metadata.Ámbito", 0, 9), ""),
            (Every(()), "abc"),
            (Some(()), ""),
            (Every((equals("labels", "public"), equals("page", 1))), "a"),
            (Some((equals("page", 1), equals("language", "ru"))), "ac"),
            (Not(equals("page", 1)), "bc"),
            (Not(Between("page", 1, 3)), "c"),
            (Not(equals("labels", "public")), "c"),
            (Not(Every(())), ""),
            (Not(Some(())), "abc"),
            (Not(Not(equals("language", "ru"))), "c"),
            (Some((Some(()), Every((Not(equals("article", "20 bis")), equals("labels", "public"))))), "b"),
        ],
        ids=str,
    )
    async def test_a_filter_finds_what_it_says(self, index: Index, where: Filter, names: str) -> None:
        """Check the translation of this filter; remember that a missing field matches no comparison."""
        points = {
            "a": point(
                "a",
                collection="laws",
                labels=("public", "signed"),
                article="20 bis",
                page=1,
                page_end=1,
                metadata={"Ámbito": "estatal"},
            ),
            "b": point("b", labels=("public",), page=3, page_end=4, metadata={"a.b[0]": 'a "quoted" value'}),
            "c": point("c", language="ru", chunk_type="table"),
        }
        await index.upsert(ME, list(points.values()))
        assert await found_where(index, where) == {points[name].id for name in names}

    @pytest.mark.parametrize(
        "text",
        ["niño", "nin\u0303o", "🧵👩‍👧", "\u202eشارع\u200f", "договор", "  a  ", "", "a=b", "İ", "100%_\\"],
    )
    async def test_text_is_compared_byte_for_byte(self, index: Index, text: str) -> None:
        """Check that nothing is folded, trimmed or normalised on the way in or in the query."""
        fields: dict[str, Any] = {"labels": (text,), "article": text, "metadata": {"key": text}}
        await index.upsert(ME, [point("a", **fields), point("b", labels=("nino", "x"), article="i")])
        for field in ("labels", "article", "metadata.key"):
            assert await found_where(index, equals(field, text)) == {point("a").id}
            assert await found_where(index, Not(equals(field, text))) == {point("b").id}

    async def test_a_key_of_metadata_is_not_confused_with_its_value(self, index: Index) -> None:
        """Check how key and value are joined, when they are stored as one."""
        await index.upsert(
            ME,
            [point("a", metadata={"a=b": "c"}), point("b", metadata={"a": "b=c"}), point("c", article="1")],
        )
        assert await found_where(index, equals("metadata.a=b", "c")) == {point("a").id}
        assert await found_where(index, equals("metadata.a", "b=c")) == {point("b").id}
        assert await found_where(index, equals("metadata.article", "1")) == set()

    async def test_an_unknown_field_is_refused(self, index: Index) -> None:
        """Check every condition, also in an empty index: a filter that is ignored shows what it should hide."""
        for where in (
            equals("colection", "x"),
            Not(Between("number", 1)),
            Every((equals("metadata.", "x"),)),
        ):
            with pytest.raises(InvalidArgument):
                await index.count(ME, where)


class IndexSuite(SearchTests, WriteTests, ScopeTests, FilterTests):
    """All of it: override the fixture `index`."""
