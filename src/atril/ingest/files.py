"""Which files a path given to `add` or `sync` means, and what each is called."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SYSTEM_FILES: Final = frozenset({"thumbs.db", "desktop.ini"})
_TEMPORARY_ENDINGS: Final = (".tmp", ".temp", ".part", ".crdownload", ".swp", "~")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to read.

    `path` is how it was reached and `source` its resolved path, the file's identity. `name` is what it
    would like to be called, `folder` the name that goes before it when another file has that name.
    """

    path: Path
    source: str
    name: str
    folder: str


def find_files(paths: Sequence[Path], *, exclude: Path | None = None) -> Iterator[SourceFile]:
    """The files at `paths`, folders walked in the order of their names, each file once.

    A file in a folder is named by its path below that folder; a file given by itself by its bare name.
    Hidden, temporary and system files inside folders are passed over, and so is the folder `exclude` (the
    home, when it lies inside). A path with nothing there is given back as it is: opening it will fail with
    its own error.
    """
    seen: set[str] = set()
    excluded = exclude.resolve() if exclude else None
    for path in paths:
        for found in _walk(path, excluded) if path.is_dir() else [path]:
            source = str(found.resolve())
            if source in seen:
                continue
            seen.add(source)
            name = found.relative_to(path).as_posix() if found != path else found.name
            yield SourceFile(path=found, source=source, name=name, folder=_folder_name(found, path))


def is_ignored(name: str) -> bool:
    """Whether a file or folder of this name inside a folder is no document."""
    lowered = name.lower()
    return name.startswith((".", "~$")) or lowered in _SYSTEM_FILES or lowered.endswith(_TEMPORARY_ENDINGS)


def _walk(folder: Path, excluded: Path | None) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        here = Path(root)
        folders[:] = sorted(
            name
            for name in folders
            if not is_ignored(name) and (excluded is None or (here / name).resolve() != excluded)
        )
        yield from (here / name for name in sorted(names) if not is_ignored(name))


def _folder_name(found: Path, given: Path) -> str:
    folder = given if found != given else found.parent
    return folder.resolve().name
