"""The seam between Atril and the engines that find points by vector.

What every engine must do, each point a test in `atril.testing.index_suite`:

- the tenant of the `Scope` bounds every call; its collections and labels bound every search and count;
- results come in order of score (highest first), then document id, then chunk number; a tie at the limit
  is cut in that order, never by chance;
- an empty index and a filter that nothing matches give `[]`;
- scores rank within one search only and are not comparable between engines or queries, except that
  `search_dense` gives the cosine and `search_sparse` the dot product, to four decimals;
- a sparse search returns only points that share a term with the query;
- `upsert` of an id replaces the point; a finished `upsert` is seen by the next search;
- `delete` of what is missing is silent;
- a missing field never matches a comparison;
- a limit above `MAX_LIMIT` raises `LimitExceeded`, and one below 1 `InvalidArgument`;
- text in payloads (accents, emoji, right-to-left marks) filters byte for byte;
- `close` twice is safe.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol
from uuid import UUID

import numpy as np
import numpy.typing as npt

from atril.store.index.filters import Filter
from atril.types import Scope

MAX_LIMIT: Final = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class SparseVector:
    """Weights of terms: `indices` are distinct uint32 term ids, `values` float32, same length."""

    indices: npt.NDArray[np.uint32]
    values: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """One chunk of one version of a document, as the engine sees it.

    `dense` has unit length. `number` is the chunk's 1-based number. `metadata` holds the document's own
    keys as text.
    """

    id: UUID
    document: UUID
    version: UUID
    number: int
    collection: str
    dense: npt.NDArray[np.float32]
    sparse: SparseVector
    document_type: str
    chunk_type: str
    language: str
    labels: tuple[str, ...] = ()
    page: int | None = None
    page_end: int | None = None
    article: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ScoredPoint:
    """A found point: enough to order it and to find its chunk in the records."""

    id: UUID
    score: float
    document: UUID
    number: int


class Index(Protocol):
    """An engine. Open it with the implementation's own `open`; it is used from one event loop."""

    async def upsert(self, scope: Scope, points: Sequence[Point]) -> None:
        """Writes points; durable against the death of the process when it returns."""
        ...

    async def delete(self, scope: Scope, versions: Sequence[UUID]) -> None:
        """Removes every point of these versions, whatever the scope's collections and labels."""
        ...

    async def search_dense(
        self,
        scope: Scope,
        vector: npt.NDArray[np.float32],
        *,
        limit: int,
        where: Filter | None = None,
        exact: bool = False,
    ) -> list[ScoredPoint]:
        """The nearest points by cosine; `exact` asks for a full scan instead of the graph."""
        ...

    async def search_sparse(
        self, scope: Scope, vector: SparseVector, *, limit: int, where: Filter | None = None
    ) -> list[ScoredPoint]:
        """The points with the highest dot product."""
        ...

    async def count(self, scope: Scope, where: Filter | None = None) -> int: ...

    def versions(self, scope: Scope) -> AsyncIterator[UUID]:
        """Every version that has a point of this tenant, each once, in no order; for recovery."""
        ...

    async def flush(self) -> None:
        """Everything written so far survives a loss of power when this returns."""
        ...

    async def close(self) -> None: ...
