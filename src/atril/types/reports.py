"""What adding, following a folder, indexing anew and resolving references did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

ProgressStage = Literal["reading", "embedding", "saving"]

FailureReason = Literal[
    "encrypted", "corrupt", "empty", "too_large", "needs_ocr", "unsupported", "timeout", "unreadable"
]


@dataclass(frozen=True, slots=True)
class ReadingWarning:
    """Something a person should know about a file that was read all the same."""

    file: str
    page: int | None
    kind: str
    text: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that could not be read: why, and in `error` what a person can do about it."""

    file: str
    reason: FailureReason
    error: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class AddReport:
    """What one `add` or `sync` did. `chunks` counts those written by this call."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: tuple[Failure, ...] = ()
    warnings: tuple[ReadingWarning, ...] = ()
    chunks: int = 0
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        return {
            "added": self.added,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "failed": [failure.to_dict() for failure in self.failed],
            "warnings": [warning.to_dict() for warning in self.warnings],
            "chunks": self.chunks,
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an `add`, `sync` or `reindex` has come.

    `total_files` grows when an archive turns out to hold several; `total_chunks` counts the chunks of the
    files read so far and grows. `file` is the one last finished in this stage or, with a `page`, the one
    being read and how far its reader has come.
    """

    stage: ProgressStage
    done_files: int
    total_files: int
    done_chunks: int
    total_chunks: int
    file: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """What a `reindex` rebuilt. `failed` names documents kept as they were read before."""

    documents: int
    chunks: int
    failed: tuple[Failure, ...]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "documents": self.documents,
            "chunks": self.chunks,
            "failed": [failure.to_dict() for failure in self.failed],
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, slots=True)
class UnresolvedName:
    """What references name and nothing was found for: how often, and the id of a chunk that does so.

    `document` is the one that was meant; `None` when the library does not hold it.
    """

    name: str
    document: str | None
    count: int
    example: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ReferenceReport:
    """The references in the texts of a library.

    `found` counts those that mean a place in the library and `resolved` those whose place was found, by kind
    (article, norm, section, page, link) in `by_kind` as (found, resolved). `outside` counts those to
    documents that the library does not hold, and `outdated` those to the articles of a document that it holds
    as an older text numbers them. `missing`, `unknown` and `earlier` list the most frequent of each.
    """

    found: int
    resolved: int
    outside: int
    outdated: int
    by_kind: Mapping[str, tuple[int, int]]
    missing: tuple[UnresolvedName, ...]
    unknown: tuple[UnresolvedName, ...]
    earlier: tuple[UnresolvedName, ...]

    @property
    def share(self) -> float:
        """The share resolved of those found, 0 to 1; 1 when there are none."""
        return self.resolved / self.found if self.found else 1.0

    def to_dict(self) -> dict[str, Any]:
        return {
            "found": self.found,
            "resolved": self.resolved,
            "share": round(self.share, 4),
            "outside": self.outside,
            "outdated": self.outdated,
            "by_kind": {
                kind: {"found": found, "resolved": resolved}
                for kind, (found, resolved) in self.by_kind.items()
            },
            "missing": [each.to_dict() for each in self.missing],
            "earlier": [each.to_dict() for each in self.earlier],
            "unknown": [each.to_dict() for each in self.unknown],
        }
