"""Which files a path given to `add` or `sync` means, and what each is called."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from atril.errors import NotAFolder, PathNotFound, UnreadableDocument
from atril.ingest.ignoring import IgnoreRules
from atril.store.names import storable


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to read, or a path that stands in the way of finding files.

    `path` is how it was reached and `source` its resolved path, the file's identity, as text that UTF-8
    can hold. `name` is what it would like to be called, `folder` the name that goes before it when another
    file has that name. `problem` tells why it cannot be read, when that showed already; `path` may then be
    a folder that cannot be listed.
    """

    path: Path
    source: str
    name: str
    folder: str
    problem: UnreadableDocument | None = None


def find_files(paths: Sequence[Path], *, exclude: Path | None = None) -> Iterator[SourceFile]:
    """The files at `paths`, folders walked in the order of their names, each file once.

    A file in a folder is named by its path below that folder; a file given by itself by its bare name.
    Links inside folders are followed, to files and, where those lie elsewhere, to folders. Hidden, temporary
    and system files inside folders are passed over, what their `.atrilignore` files say, and pipes, devices
    and sockets. Nothing at or below `exclude` (the home) is given, however it is reached.
    What cannot be read comes with its `problem`; a folder whose `.atrilignore` cannot be read is one of these.
    """
    seen: set[str] = set()
    excluded = Path(os.path.realpath(exclude)) if exclude else None
    for given in paths:
        whole = Path(_resolved(given)).name
        for found, target, problem in _found(given, excluded):
            if target in seen:
                continue
            seen.add(target)
            if found == given:
                folder = Path(_resolved(found.parent)).name
                yield SourceFile(found, storable(target), found.name, folder, problem)
            else:
                yield SourceFile(found, storable(target), found.relative_to(given).as_posix(), whole, problem)


class FolderLinks:
    """Which linked folders are entered while a folder is walked: what the walk comes to anyway is not, nor
    what holds the folder itself, and nothing is entered twice."""

    def __init__(self, folder: Path) -> None:
        self._root = Path(_resolved(folder))
        self._entered: set[Path] = set()

    def enters(self, path: Path) -> bool:
        """Whether a folder that a link leads to is to be walked; asking counts as entering."""
        target = Path(_resolved(path))
        if target.is_relative_to(self._root) or self._root.is_relative_to(target) or target in self._entered:
            return False
        self._entered.add(target)
        return True


def check_folder(path: Path) -> None:
    """Raises `PathNotFound` or `NotAFolder`."""
    if path.is_dir():
        return
    raise NotAFolder(path=str(path)) if path.exists() else PathNotFound(path=str(path))


_Found = tuple[Path, str, UnreadableDocument | None]
"""How a file is reached, its resolved path, and what stands in the way of reading it."""


def _found(given: Path, excluded: Path | None) -> Iterator[_Found]:
    target = _resolved(given)
    if _inside(target, excluded):
        return
    try:
        mode = given.stat().st_mode
    except (OSError, ValueError) as error:
        yield given, target, _problem(error)
        return
    if stat.S_ISDIR(mode):
        yield from _walk(given, excluded)
    else:
        yield given, target, None if stat.S_ISREG(mode) else _problem("not a regular file")


def _walk(folder: Path, excluded: Path | None) -> Iterator[_Found]:
    unlisted: list[OSError] = []
    rules: dict[Path, IgnoreRules] = {folder: IgnoreRules()}
    links = FolderLinks(folder)
    for root, folders, names in os.walk(folder, onerror=unlisted.append, followlinks=True):
        yield from _drained(unlisted, folder)
        here, target = Path(root), _resolved(Path(root))
        try:
            inside = rules.pop(here).within(here)
        except UnreadableDocument as problem:
            folders.clear()
            yield here, target, problem
            continue
        folders[:] = sorted(
            name
            for name in folders
            if not inside.ignores(here / name, is_folder=True)
            and not _inside(_resolved(here / name), excluded)
            and (not (here / name).is_symlink() or links.enters(here / name))
        )
        rules |= {here / name: inside for name in folders}
        for name in sorted(names):
            path = here / name
            if not inside.ignores(path):
                yield from _file(path, str(Path(target, name)), excluded)
    yield from _drained(unlisted, folder)


def _drained(unlisted: list[OSError], walked: Path) -> Iterator[_Found]:
    """The folders that could not be listed since the last time."""
    while unlisted:
        error = unlisted.pop(0)
        # A listing that breaks off half-way does not say where.
        path = Path(error.filename or walked)
        yield path, _resolved(path), _problem(error)


def _file(path: Path, target: str, excluded: Path | None) -> Iterator[_Found]:
    """A file in a folder; `target` is where it is unless it is a link, which alone costs a look at every
    folder above."""
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            target = _resolved(path)
            mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        yield path, target, _problem(error)
        return
    if stat.S_ISREG(mode) and not _inside(target, excluded):
        yield path, target, None


def _resolved(path: Path) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return str(path.absolute())


def _inside(target: str, folder: Path | None) -> bool:
    return folder is not None and Path(target).is_relative_to(folder)


def _problem(cause: OSError | ValueError | str) -> UnreadableDocument:
    detail = (cause.strerror or "") if isinstance(cause, OSError) else str(cause)
    return UnreadableDocument(reason="unreadable", detail=detail)
