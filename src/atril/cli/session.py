"""Runs the work of one command on an open library and turns its end into an exit code.

0 is success, 1 a failure that was explained, 2 wrong usage, 130 an interruption.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from atril.cli.terminal import Terminal
from atril.cli.texts import interface_language, said
from atril.errors import AtrilError, InvalidArgument, NotAFolder

if TYPE_CHECKING:
    from atril.app import Library

DONE: Final = 0
FAILED: Final = 1
WRONG_USAGE: Final = 2
INTERRUPTED: Final = 130

_RECORDS: Final = "records.db"
"""What makes a folder a home; `store.records` names it so, and takes too long to import for a look."""

_TYPED: Final = {
    "chunk_type": "--type",
    "collection": "--collection",
    "k": "--k",
    "max_pages": "--max-pages",
    "min_score": "--min-score",
    "position": "--position",
    "predefined": "--predefined",
    "query": "QUERY",
    "question": "QUESTION",
    "start-end": "START END",
    "top_k": "--top-k",
    "type": "--type",
}
"""What the library's names of arguments are called on the command line."""


@dataclass(frozen=True, slots=True)
class Session:
    """The home, the profile and the terminal that a command was given; no home is the configured one."""

    home: Path | None
    profile: str | None
    terminal: Terminal

    def run(
        self,
        work: Callable[[Library], Awaitable[int]],
        *,
        creates_home: bool = False,
        before_home: Callable[[], int] = lambda: DONE,
    ) -> None:
        """Opens the home, does the work and closes it whatever happens; `work` returns the exit code.

        A command that only reads refuses a folder that holds no library, so that a slip of the current
        folder does not leave an empty one behind. For the same reason a command that creates its home asks
        `before_home` first, where there is none yet, and goes no further unless that gives success.
        """
        code = self._code(work, creates_home, before_home)
        if code != DONE:
            raise typer.Exit(code)

    def _code(
        self, work: Callable[[Library], Awaitable[int]], creates_home: bool, before_home: Callable[[], int]
    ) -> int:
        import asyncio  # a tenth of what `--help` takes, which runs nothing

        try:
            home = self.home or configured_home()
            if home.exists() and not home.is_dir():
                raise NotAFolder(path=str(home))
            if not creates_home and not self.holds_library(home):
                return FAILED
            if creates_home and not is_home(home) and (code := before_home()) != DONE:
                return code
            return asyncio.run(self._work(home, work))
        except AtrilError as error:
            if isinstance(error, InvalidArgument):
                name = str(error.fields.get("name", ""))
                error.fields["name"] = _TYPED.get(name, name)
            self.terminal.fail(error.localized(interface_language()), type(error).__name__)
            return WRONG_USAGE if isinstance(error, InvalidArgument) else FAILED
        except BrokenPipeError:
            raise
        except OSError as error:
            self.terminal.fail(said("cli.system_error", detail=error), type(error).__name__)
            return FAILED
        except KeyboardInterrupt:
            self.terminal.note(said("cli.interrupted"))
            return INTERRUPTED

    def holds_library(self, home: Path) -> bool:
        """Whether the folder is a home; says so when it is not."""
        if is_home(home):
            return True
        self.terminal.fail(said("cli.no_home", home=home), "HomeNotFound")
        return False

    async def _work(self, home: Path, work: Callable[[Library], Awaitable[int]]) -> int:
        from atril.app import open as open_library  # takes long to import; `--help` must not pay for it

        async with open_library(home, profile=self.profile, language=interface_language()) as library:
            return await work(library)


def configured_home() -> Path:
    from atril.settings import load_settings

    return load_settings().home


def is_home(folder: Path) -> bool:
    """Whether the folder holds a library."""
    return (folder / _RECORDS).is_file()
