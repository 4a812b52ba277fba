"""The reference engine: every point in memory, every search a full scan in numpy.

It is what other engines are compared with, and enough for tests and for a library of a few thousand chunks.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from uuid import UUID

import numpy as np
import numpy.typing as npt

from atril.store.index import fields
from atril.store.index.filters import AnyOf, Between, Every, Filter, Not, Some
from atril.store.index.ordering import DENSE_DECIMALS, SPARSE_DECIMALS, check_limit, check_vector, first
from atril.store.index.protocol import Point, ScoredPoint, SparseVector
from atril.types import Scope


class MemoryIndex:
    """An `Index` that forgets everything when it is dropped."""

    def __init__(self, *, dimensions: int) -> None:
        self._dimensions = dimensions
        self._tenants: dict[str, dict[UUID, Point]] = {}
        self._closed = False

    async def upsert(self, scope: Scope, points: Sequence[Point]) -> None:
        self._check_open()
        for point in points:
            check_vector(point.dense.shape, self._dimensions)
        self._tenants.setdefault(scope.tenant, {}).update({point.id: point for point in points})

    async def delete(self, scope: Scope, versions: Sequence[UUID]) -> None:
        self._check_open()
        gone = set(versions)
        held = self._tenants.get(scope.tenant, {})
        self._tenants[scope.tenant] = {id: point for id, point in held.items() if point.version not in gone}

    async def search_dense(
        self,
        scope: Scope,
        vector: npt.NDArray[np.float32],
        *,
        limit: int,
        where: Filter | None = None,
        exact: bool = False,
    ) -> list[ScoredPoint]:
        check_limit(limit)
        check_vector(vector.shape, self._dimensions)
        query = vector.astype(np.float64)
        found = [
            _scored(point, float(point.dense.astype(np.float64) @ query), DENSE_DECIMALS)
            for point in self._visible(scope, where)
        ]
        return first(found, limit)

    async def search_sparse(
        self, scope: Scope, vector: SparseVector, *, limit: int, where: Filter | None = None
    ) -> list[ScoredPoint]:
        check_limit(limit)
        weights = dict(zip(vector.indices.tolist(), vector.values.tolist(), strict=True))
        found = []
        for point in self._visible(scope, where):
            pairs = zip(point.sparse.indices.tolist(), point.sparse.values.tolist(), strict=True)
            products = [value * weights[term] for term, value in pairs if term in weights]
            if products:
                found.append(_scored(point, sum(products), SPARSE_DECIMALS))
        return first(found, limit)

    async def terms(self, scope: Scope, points: Sequence[UUID]) -> dict[UUID, frozenset[int]]:
        self._check_open()
        held = self._tenants.get(scope.tenant, {})
        return {each: frozenset(held[each].sparse.indices.tolist()) for each in points if each in held}

    async def count(self, scope: Scope, where: Filter | None = None) -> int:
        return len(self._visible(scope, where))

    async def versions(self, scope: Scope) -> AsyncIterator[UUID]:
        self._check_open()
        for version in {point.version for point in self._tenants.get(scope.tenant, {}).values()}:
            yield version

    async def flush(self) -> None:
        self._check_open()

    async def compact(self) -> None:
        """Nothing: points are scanned as they are."""
        self._check_open()

    async def close(self) -> None:
        self._tenants.clear()
        self._closed = True

    def _visible(self, scope: Scope, where: Filter | None) -> list[Point]:
        self._check_open()
        if where is not None:
            check_fields(where)
        points = self._tenants.get(scope.tenant, {}).values()
        return [
            point
            for point in points
            if (not scope.collections or point.collection in scope.collections)
            and (not scope.labels or not set(scope.labels).isdisjoint(point.labels))
            and (where is None or matches(point, where))
        ]

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("The index in memory has been closed: make a new one.")


def matches(point: Point, where: Filter) -> bool:
    """Whether the point satisfies the filter: the meaning that every engine has to give it."""
    match where:
        case AnyOf(field, values):
            if fields.kind(field) == "number":
                return fields.numbers(point).get(field) in values
            return any(name == field and value in values for name, value in fields.texts(point))
        case Between(field, at_least, at_most):
            fields.kind(field)
            number = fields.numbers(point).get(field)
            return (
                number is not None
                and (at_least is None or number >= at_least)
                and (at_most is None or number <= at_most)
            )
        case Every(conditions):
            return all(matches(point, condition) for condition in conditions)
        case Some(conditions):
            return any(matches(point, condition) for condition in conditions)
        case Not(condition):
            return not matches(point, condition)


def check_fields(where: Filter) -> None:
    """Raises `InvalidArgument` when a condition names an unknown field, whether or not a point meets it."""
    match where:
        case AnyOf(field=field) | Between(field=field):
            fields.kind(field)
        case Every(conditions) | Some(conditions):
            for condition in conditions:
                check_fields(condition)
        case Not(condition):
            check_fields(condition)


def _scored(point: Point, score: float, decimals: int) -> ScoredPoint:
    return ScoredPoint(point.id, round(score, decimals))
