"""What an add has come to so far, and who wants to hear of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from time import perf_counter

from atril.types import AddReport, Failure, Progress, ProgressStage, ReadingWarning

ProgressListener = Callable[[Progress], None]


@dataclass(slots=True)
class Tally:
    """Counts, and tells the listener at each step. `total_files` grows as containers are opened."""

    total_files: int
    listener: ProgressListener | None
    started: float = field(default_factory=perf_counter)
    read: int = 0
    embedded: int = 0
    read_chunks: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    gone: int = 0
    chunks: int = 0
    failures: list[Failure] = field(default_factory=list)
    warnings: list[ReadingWarning] = field(default_factory=list)

    def tell(self, stage: ProgressStage, file: str, page: int | None = None) -> None:
        if self.listener is None:
            return
        done = self.read if stage == "reading" else self._settled
        told = Progress(stage, done, self.total_files, self.embedded, self.read_chunks, file, page)
        self.listener(told)

    def was_read(self, file: str, *, chunks: int = 0, warnings: Iterable[ReadingWarning] = ()) -> None:
        """One more file is through its reader, whatever came of it."""
        self.read += 1
        self.read_chunks += chunks
        self.warnings.extend(warnings)
        self.tell("reading", file)

    def failed(self, failure: Failure) -> None:
        self.failures.append(failure)

    def committed(self, *, added: int, updated: int, chunks: int) -> None:
        self.added += added
        self.updated += updated
        self.chunks += chunks

    @property
    def _settled(self) -> int:
        return self.added + self.updated + self.unchanged + len(self.failures) + self.gone

    def report(self) -> AddReport:
        return AddReport(
            added=self.added,
            updated=self.updated,
            unchanged=self.unchanged,
            removed=self.removed,
            failed=tuple(self.failures),
            warnings=tuple(self.warnings),
            chunks=self.chunks,
            seconds=perf_counter() - self.started,
        )
