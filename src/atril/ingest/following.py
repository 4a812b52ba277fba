"""What has become of documents since their folder was last looked at: which are gone, which have moved."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from atril.documents.unpacking import containers_of
from atril.ingest.files import SourceFile
from atril.ingest.ignoring import ignored_below
from atril.store.names import storable
from atril.types import Document


@dataclass(frozen=True, slots=True)
class Move:
    """A document whose file is somewhere else now."""

    document: Document
    file: SourceFile


def vanished(documents: Sequence[Document], listed: Sequence[SourceFile], root: Path) -> list[Document]:
    """The documents of a folder whose files are not in it any more: deleted, moved away, ignored now, or
    reached by a link that is gone or leads elsewhere.

    What appeared after the listing, perhaps while another add was waited for, is no loss; neither is what
    lies below a folder that cannot be listed.
    """
    present = {file.source for file in listed if file.problem is None}
    unknown = {part for file in listed if file.problem for part in (Path(file.source), file.path)}
    gone = []
    for document in documents:
        # What lies inside a file is there for as long as that file is.
        sources = {document.source, *containers_of(document.source)}
        if not present.isdisjoint(sources):
            continue
        path = Path(document.path or document.source)
        surroundings = {*Path(document.source).parents, *path.parents}
        if unknown.isdisjoint(surroundings) and _is_lost(path, frozenset(sources), root):
            gone.append(document)
    return gone


def moves(gone: Sequence[Document], held: Sequence[Document], listed: Sequence[SourceFile]) -> list[Move]:
    """Files that are new and hold, byte for byte, what a vanished document held.

    A document stays what it was under another name unless its name is part of what was read: its title may
    come from it, and its type from the extension. Files that hold others are read again.
    """
    crowded = {source for each in held for source in containers_of(each.source)}
    known = {each.source for each in held} | crowded
    waiting = [each for each in gone if each.source not in crowded and _is_file(each)]
    sizes = {each.bytes for each in waiting}
    found = []
    for file in listed if waiting else ():
        if file.problem is None and file.source not in known and _size(file.path) in sizes:
            digest = _digest(file.path)
            match = next(
                (each for each in waiting if each.content_hash == digest and _keeps(each, file)), None
            )
            if match is not None:
                waiting.remove(match)
                found.append(Move(match, file))
    return found


def leads_to(path: str | None, source: str) -> bool:
    """Whether a path still ends at that file."""
    return path is not None and storable(os.path.realpath(path)) == source


def of_folder(documents: Sequence[Document], root: Path) -> Iterator[Document]:
    """The documents whose files lie in the folder or were reached through it."""
    resolved, reached = storable(os.path.realpath(root)), storable(str(root.absolute()))
    for document in documents:
        inside = Path(document.source).is_relative_to(resolved)
        if inside or (document.path and Path(document.path).is_relative_to(reached)):
            yield document


def _is_file(document: Document) -> bool:
    """Whether a document is a file by itself, not one inside another."""
    return document.path == document.source or not containers_of(document.source)


def _is_lost(path: Path, sources: frozenset[str], root: Path) -> bool:
    """Whether a path does not lead to the file any more; one that cannot be looked at is not lost."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return True
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    if storable(os.path.realpath(path)) not in sources:
        return True
    return any(
        path.is_relative_to(folder) and ignored_below(folder, path)
        for folder in (root.absolute(), Path(os.path.realpath(root)))
    )


def _keeps(document: Document, file: SourceFile) -> bool:
    old, new = PurePath(document.source), PurePath(file.source)
    same_stem = old.stem == new.stem
    return old.suffix.lower() == new.suffix.lower() and (same_stem or document.title != old.stem)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""
