"""Which files of a folder are no documents: what systems and programs leave behind, and what people say in
`.atrilignore` files, whose syntax is that of `.gitignore`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore import GitIgnorePatternError

from atril.errors import UnreadableDocument

IGNORE_FILE: Final = ".atrilignore"

_SYSTEM_FILES: Final = frozenset(
    {"thumbs.db", "ehthumbs.db", "desktop.ini", "__macosx", "$recycle.bin", "system volume information"}
)
_TEMPORARY_ENDINGS: Final = (".tmp", ".temp", ".part", ".partial", ".crdownload", ".download", ".swp", "~")


def is_ignored(name: str) -> bool:
    """Whether a file or folder of this name inside a folder is no document."""
    lowered = name.lower()
    return name.startswith((".", "~$")) or lowered in _SYSTEM_FILES or lowered.endswith(_TEMPORARY_ENDINGS)


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """What one folder's ignore file says, and those of the folders it lies in, the outermost first.

    The innermost file that says anything about a path decides, as in git.
    """

    specs: tuple[tuple[Path, GitIgnoreSpec], ...] = ()

    def within(self, folder: Path) -> IgnoreRules:
        """The rules inside a folder below.

        Raises `UnreadableDocument` when its ignore file cannot be read or a line of it means nothing: what
        was to be left out is not known then.
        """
        try:
            lines = (folder / IGNORE_FILE).read_text(encoding="utf-8-sig", errors="replace").splitlines()
        except (FileNotFoundError, NotADirectoryError):
            return self
        except (OSError, ValueError) as error:
            raise UnreadableDocument(reason="unreadable", detail=f"{IGNORE_FILE}: {error}") from error
        for number, line in enumerate(lines, start=1):
            try:
                GitIgnoreSpec.from_lines([line])
            except GitIgnorePatternError as error:
                detail = f"{IGNORE_FILE}, line {number}: {line.strip()[:60]!r}"
                raise UnreadableDocument(reason="unreadable", detail=detail) from error
        return IgnoreRules((*self.specs, (folder, GitIgnoreSpec.from_lines(lines))))

    def ignores(self, path: Path, *, is_folder: bool = False) -> bool:
        """Whether a path in the last folder, or its name, says that it is no document."""
        if is_ignored(path.name):
            return True
        for folder, spec in reversed(self.specs):
            relative = path.relative_to(folder).as_posix() + "/" * is_folder
            included = spec.check_file(relative).include
            if included is not None:
                return included
        return False


def ignored_below(root: Path, path: Path) -> bool:
    """Whether a file below `root` would not be found there, for itself or for a folder it lies in.

    A folder whose ignore file cannot be read ignores nothing.
    """
    rules, folder = IgnoreRules(), root
    parts = path.relative_to(root).parts
    for depth, part in enumerate(parts, start=1):
        try:
            rules = rules.within(folder)
        except UnreadableDocument:
            return False
        folder = folder / part
        if rules.ignores(folder, is_folder=depth < len(parts)):
            return True
    return False
