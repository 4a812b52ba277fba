"""What is inside a file: the members of archives and mails, each written to a file of its own.

Runs where it can be killed. Names are labels: a member is written under a number, never under its name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from atril.documents.parsing.archives import Archive, ArchiveLimits
from atril.documents.parsing.detection import ZIP, detect
from atril.documents.parsing.formats import is_foreign, suffix_of
from atril.documents.parsing.mail import Mail
from atril.errors import UnreadableDocument

INSIDE: Final = "!/"
"""Stands in a member's identity between its container's and its own."""

DEEPEST: Final = 4
LARGEST_TOTAL: Final = 2_000_000_000
_CONTAINERS: Final = (ZIP, "eml")


@dataclass(frozen=True, slots=True)
class Member:
    """One file inside another.

    `name` is what a person calls it inside its container, `key` its identity there: the same but with
    `!/` after each container on the way. Its bytes are in `file` below the folder given to `unpack`; or
    there is a `problem`.
    """

    name: str
    key: str
    file: str = ""
    content_hash: str = ""
    bytes: int = 0
    problem: UnreadableDocument | None = None


@dataclass(frozen=True, slots=True)
class Contents:
    """What a container holds. `is_document` tells whether it has text of its own too, as mails do."""

    is_document: bool
    members: tuple[Member, ...]


class _Full(UnreadableDocument):
    """The budget of the whole container is spent, not just that of a member."""


@dataclass(slots=True)
class _Unpacking:
    """One container being unpacked, with those inside it; they share one budget."""

    folder: Path
    limits: ArchiveLimits
    members: list[Member] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    spent: int = 0

    def take(self, kind: str, data: bytes, name: str, key: str, depth: int) -> None:
        """Takes in all that a container holds. Raises `UnreadableDocument` when it cannot be opened."""
        parts = self._of_mail(data) if kind == "eml" else self._of_archive(data)
        for own, part in parts:
            label, place = self._free(f"{name}{own}", f"{key}{own}")
            if isinstance(part, UnreadableDocument):
                self._add(Member(label, place, problem=part))
                continue
            try:
                self._take_member(part, label, place, depth)
            except _Full:
                raise
            except UnreadableDocument as error:
                self._add(Member(label, place, problem=error))

    def _take_member(self, data: bytes, label: str, place: str, depth: int) -> None:
        self.spent += len(data)
        if self.spent > LARGEST_TOTAL:
            raise _Full(reason="too_large", hint="bomb")
        try:
            kind = detect(label, data) if data.strip(b"\0 \r\n\t") else ""
        except UnreadableDocument:
            kind = ""  # its reader will say what is wrong with it
        if kind != ZIP:
            self._write(data, label, place)
        if kind in _CONTAINERS:
            if depth >= DEEPEST:
                raise UnreadableDocument(reason="unsupported", hint="nested")
            self.take(kind, data, f"{label}/", f"{place}{INSIDE}", depth + 1)

    def _write(self, data: bytes, label: str, place: str) -> None:
        file = f"{len(self.members) + 1:06}"
        (self.folder / file).write_bytes(data)
        self._add(Member(label, place, file, hashlib.sha256(data).hexdigest(), len(data)))

    def _add(self, member: Member) -> None:
        if len(self.members) >= self.limits.entries:
            raise _Full(reason="too_large", hint="bomb")
        self.members.append(member)

    def _free(self, label: str, place: str) -> tuple[str, str]:
        """The names, or with a number when another member has them."""
        number, given = 1, (label, place)
        while given[1] in self.taken:
            number += 1
            given = (_numbered(label, number), _numbered(place, number))
        self.taken.add(given[1])
        return given

    def _of_archive(self, data: bytes) -> Iterator[tuple[str, bytes | UnreadableDocument]]:
        archive = Archive(data, self.limits)
        if archive.names and all(map(archive.is_encrypted, archive.names)):
            raise UnreadableDocument(reason="encrypted")
        for name in archive.names:
            label = archive.label(name)
            if label:
                try:
                    yield label, archive.read(name)
                except UnreadableDocument as error:
                    yield label, error

    def _of_mail(self, data: bytes) -> Iterator[tuple[str, bytes | UnreadableDocument]]:
        for attachment in Mail(data).attachments:
            try:
                yield attachment.name, attachment.data()
            except UnreadableDocument as error:
                yield attachment.name, error


def unpack(name: str, data: bytes, folder: Path, *, largest: int) -> Contents | None:
    """Writes what a file holds into `folder`; `None` for a file that is no container.

    A member of more than `largest` bytes is left out with its `problem`.
    Archives in archives are opened `DEEPEST` deep; a mail inside is a member and so are its attachments.
    Raises `UnreadableDocument` for a file that nothing could be read of, and for an archive with nothing
    in it.
    """
    if is_foreign(suffix_of(name)):
        return None
    kind = detect(name, data)
    if kind not in _CONTAINERS:
        return None
    unpacking = _Unpacking(folder, ArchiveLimits(entry_bytes=largest, total_bytes=LARGEST_TOTAL + largest))
    unpacking.take(kind, data, "", "", 1)
    if kind == ZIP and not unpacking.members:
        raise UnreadableDocument(reason="empty")
    return Contents(kind != ZIP, tuple(unpacking.members))


def containers_of(source: str) -> list[str]:
    """The sources inside of which that one may lie, outermost first; most have none."""
    parts = source.split(INSIDE)
    return [INSIDE.join(parts[:end]) for end in range(1, len(parts))]


def _numbered(name: str, number: int) -> str:
    stem, dot, ending = name.rpartition(".")
    return f"{stem} ({number}).{ending}" if dot and "/" not in ending else f"{name} ({number})"
