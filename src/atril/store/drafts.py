"""What goes into the records and what comes back from writing: plain values."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol
from uuid import UUID

import numpy as np
import numpy.typing as npt

from atril.documents.references.places import Place
from atril.documents.references.targets import Reference
from atril.types import Chunk, Page

AuditAction = Literal["add", "update", "remove", "weight", "delete_conversation"]


class CountedTerms(Protocol):
    """The terms of one passage: distinct uint32 ids, and how many analysed words it has."""

    @property
    def ids(self) -> npt.NDArray[np.uint32]: ...

    @property
    def length(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Draft:
    """A document that has been read and is about to be written.

    `source` is its resolved path or upload id and, with the collection, its identity; `path` is how the file
    was reached. `name` is the name it would like; `folder` goes before it when another document has that
    name. `bytes` is the size of the original and `content_hash` the SHA-256 of it in hexadecimal. `terms` has
    one entry per chunk. `given` is what the caller said of the document, JSON values, where title and metadata
    are what it came to.
    """

    collection: str
    source: str
    name: str
    folder: str
    content_hash: str
    fingerprint: str
    bytes: int
    title: str
    type: str
    language: str
    description: str
    text: str
    chunks: Sequence[Chunk]
    terms: Sequence[CountedTerms]
    pages: Sequence[Page] = ()
    labels: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    path: str | None = None
    references: Sequence[Reference] = ()
    places: Sequence[Place] = ()
    aliases: Mapping[str, int | None] = field(default_factory=dict)
    """The name keys by which other documents refer to this one, besides its file name, each with the year from
    which it means the numbers of this one."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A version that is written and not yet current.

    `points` are the ids of its chunks' points, in order of number. `updates` tells whether the document
    has a current version that this one would replace. `superseded` are versions whose points may exist
    and that nobody will ever commit.
    """

    document: UUID
    version: UUID
    name: str
    stem: str
    points: tuple[UUID, ...]
    updates: bool
    superseded: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class Committed:
    """`current` are the versions that now count, `retired` those whose points must be deleted."""

    current: tuple[UUID, ...]
    retired: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class KnownDocument:
    """What must be known of a document to decide whether it has changed, and to read it again."""

    document: UUID
    version: UUID
    name: str
    content_hash: str
    fingerprint: str
    labels: tuple[str, ...]
    given: Mapping[str, Any]
    path: str | None


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A version that an interrupted process left behind."""

    tenant: str
    version: UUID
    state: Literal["pending", "retired"]


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection's name and what its scores are multiplied by; `None` when nobody has chosen a weight."""

    name: str
    weight: float | None

    def weight_or(self, usual: Mapping[str, float]) -> float:
        """The weight chosen for it, else the usual one of its name, else 1."""
        return self.weight if self.weight is not None else usual.get(self.name, 1.0)


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One write: who did what, to which document, collection or conversation."""

    at: datetime
    actor: str | None
    action: AuditAction
    subject: str


def fingerprint(content_hash: str, **parts: Any) -> str:
    """One hash of everything that makes a version what it is; a document whose fingerprint changes is
    read again.

    `parts` are JSON values: versions of parser, chunker, analyzer, embedder and profile, and a title,
    labels or metadata that were given and not read.
    """
    canonical = json.dumps([content_hash, parts], sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.blake2b(canonical.encode(), digest_size=16).hexdigest()
