"""The seam between Atril and the engines that find points by vector.

What every engine must do, each point a test in `atril.testing.index_suite`:

- the tenant of the `Scope` bounds every call; its collections and labels bound every search and count;
- results come in order of score (highest first), then point id, which is the order of documents and chunk
  numbers (`point_id`); a tie at the limit is cut in that order, never by chance;
- an empty index and a filter that nothing matches give `[]`;
- scores rank within one search only and are not comparable between engines or queries, except that
  `search_dense` gives the cosine and `search_sparse` the dot product, to four decimals;
- a sparse search returns only points that share a term with the query;
- `terms` gives what the sparse vectors of points were written with;
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

from atril.errors import HomeDamaged
from atril.store.index.filters import Filter
from atril.types import Scope

MAX_LIMIT: Final = 10_000


class IndexInUse(HomeDamaged):
    """The index cannot be opened because it is open elsewhere: nothing is wrong with it."""


class CompactionFailed(RuntimeError):
    """An engine could not compact; it goes on as it was. The message says why."""


@dataclass(frozen=True, slots=True, eq=False)
class SparseVector:
    """Weights of terms: `indices` are distinct uint32 term ids, `values` float32, same length."""

    indices: npt.NDArray[np.uint32]
    values: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """One chunk of one version of a document, as the engine sees it.

    `id` comes from `point_id`. `dense` has unit length. `number` is the chunk's 1-based number. `metadata` holds the document's own
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
    """A found point: what orders it, and finds its chunk in the records."""

    id: UUID
    score: float


def point_id(document: UUID, version: UUID, number: int) -> UUID:
    """The id of the point of chunk `number` of a version, made so that ids sort by document, then by number.

    Its bits are the first 64 of the document's id, the last 32 of the version's, and the number: an engine
    can put equal scores in order without reading anything but ids.
    """
    return UUID(int=document.int >> 64 << 64 | (version.int & 0xFFFFFFFF) << 32 | number)


def version_key(identity: UUID) -> int:
    """What the ids of all points of a version have in common; of a point, that of its version."""
    return identity.int >> 32


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

    async def terms(self, scope: Scope, points: Sequence[UUID]) -> dict[UUID, frozenset[int]]:
        """The terms of each point's sparse vector, whatever the scope's collections and labels; a point that
        is not there has no key."""
        ...

    async def count(self, scope: Scope, where: Filter | None = None) -> int: ...

    def versions(self, scope: Scope) -> AsyncIterator[UUID]:
        """Every version that has a point of this tenant, each once, in no order; for recovery."""
        ...

    async def flush(self) -> None:
        """Everything written so far survives a loss of power when this returns."""
        ...

    async def compact(self) -> None:
        """Brings what was added into the shape that searches best; it may take minutes, and searches go on
        meanwhile. Cheap when little was added since; an engine without such a shape does nothing. Raises
        `CompactionFailed`."""
        ...

    async def close(self) -> None: ...
