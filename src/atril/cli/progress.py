"""How far a long command has come, how fast it goes and how long it still takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from atril.cli.terminal import Terminal, plain
from atril.cli.texts import said
from atril.types import Progress

_SETTLED_AFTER = 3.0
"""Seconds before a remaining time is worth showing."""


class Pace:
    """Turns the reports of an `add` or `reindex` into a share, a rate and a remaining time.

    Files are read ahead of being embedded, and embedding is what takes the time: so the total number of
    chunks is estimated from the files read so far, and the share is that of chunks embedded.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = clock()
        self._read_files = 0
        self.done_files = 0
        self.total_files = 0
        self.done_chunks = 0
        self.known_chunks = 0
        self.file = ""
        self.page: int | None = None

    def update(self, progress: Progress) -> None:
        if progress.stage == "reading":
            self._read_files = progress.done_files
        else:
            self.done_files = progress.done_files
        self.total_files = progress.total_files
        self.done_chunks = progress.done_chunks
        self.known_chunks = progress.total_chunks
        self.file, self.page = progress.file, progress.page

    @property
    def rate(self) -> float:
        """Chunks per second since the start."""
        return self.done_chunks / max(self._elapsed, 1e-9)

    @property
    def share(self) -> float:
        """What is done of the whole, 0 to 1."""
        read = max(self._read_files, self.done_files)
        if not (read and self.total_files):
            return 0.0
        if not self.known_chunks:
            return self.done_files / self.total_files
        return min(1.0, self.done_chunks / self.known_chunks * read / self.total_files)

    @property
    def remaining(self) -> float | None:
        """Seconds to the end; `None` while it is too early to tell."""
        if self._elapsed < _SETTLED_AFTER or not self.share:
            return None
        return self._elapsed * (1.0 - self.share) / self.share

    @property
    def _elapsed(self) -> float:
        return self._clock() - self._started


class _Line:
    """The pace as one line of a terminal, drawn anew at every refresh."""

    def __init__(self) -> None:
        self.pace = Pace()

    def __rich__(self) -> Table:
        pace = self.pace
        line = Table.grid(padding=(0, 1), expand=True)
        line.add_column(width=16)
        line.add_column(no_wrap=True)
        line.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        line.add_row(ProgressBar(total=1.0, completed=pace.share, width=16), self._figures(), self._file())
        return line

    def _figures(self) -> Text:
        pace = self.pace
        figures = said(
            "cli.progress",
            done=pace.done_files,
            total=pace.total_files,
            chunks=f"{pace.done_chunks:,}",
            rate=f"{pace.rate:,.0f}",
        )
        if (seconds := pace.remaining) is not None:
            figures += ", " + said("cli.remaining", time=timedelta(seconds=round(seconds)))
        return Text(figures)

    def _file(self) -> Text:
        page = self.pace.page
        file = plain(self.pace.file)
        return Text(said("cli.at_page", file=file, page=page) if page else file, style="dim")


@contextmanager
def progress_line(terminal: Terminal) -> Iterator[Callable[[Progress], None] | None]:
    """Gives the callback that draws progress, or `None` where standard error is not a terminal."""
    if not terminal.err.is_terminal:
        yield None
        return
    line = _Line()
    with Live(line, console=terminal.err, refresh_per_second=4, transient=True):
        yield line.pace.update
