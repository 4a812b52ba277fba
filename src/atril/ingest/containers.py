"""One file gives several documents: archives are opened and mails give their attachments.

A member is a document like any other, with its own original; its source is its container's, `!/`, and its
name inside. What a container no longer holds is removed when the container is read again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from atril.documents.parsing.detection import may_hold_documents
from atril.documents.reading import ReadDocument
from atril.documents.unpacking import INSIDE, Contents, Member, containers_of
from atril.documents.workers import PageListener, Readers
from atril.errors import UnreadableDocument
from atril.ingest.ignoring import is_ignored
from atril.ingest.sources import Digest, FileSource, Source
from atril.store.names import storable
from atril.store.originals import Arrival
from atril.types import Document

_HEAD = 4096


@dataclass(frozen=True, slots=True)
class MemberSource:
    """A file inside another, unpacked at `path` for as long as it takes to add it."""

    container: FileSource
    member: Member
    path: Path

    @property
    def identity(self) -> str:
        return f"{self.container.identity}{INSIDE}{storable(self.member.key)}"

    @property
    def name(self) -> str:
        return f"{self.container.name}/{self.member.name}"

    @property
    def folder(self) -> str:
        return self.container.folder

    @property
    def reached(self) -> str | None:
        return self.container.reached

    @property
    def shown(self) -> str:
        return f"{self.container.shown}/{storable(self.member.name)}"

    @property
    def given(self) -> Mapping[str, object]:
        return {}

    async def digest(self) -> Digest:
        if self.member.problem is not None:
            raise self.member.problem
        return Digest(self.member.content_hash, self.member.bytes)

    async def read(self, readers: Readers, page: PageListener | None = None) -> ReadDocument:
        return await readers.read(self.name, self.path, page)

    def keep(self, arrival: Arrival) -> str:
        return arrival.put_file(self.path)

    async def release(self) -> None:
        if self.member.file:
            self.path.unlink(missing_ok=True)


class Unpacking:
    """Opens containers among the sources of one add. An async context manager, because what it unpacks into
    `folder` must go again."""

    def __init__(self, readers: Readers, folder: Path, found: Callable[[int], None]) -> None:
        """`found` is told how many more files there are than it seemed."""
        self._readers = readers
        self._folder = folder
        self._found = found
        self._opened: dict[str, frozenset[str]] = {}
        self._places: list[Path] = []

    async def __aenter__(self) -> Unpacking:
        return self

    async def __aexit__(self, *_: object) -> None:
        for place in self._places:
            await asyncio.to_thread(rmtree, place, ignore_errors=True)

    async def every(self, sources: Sequence[Source]) -> AsyncGenerator[Source]:
        """The sources in order; a container's members come after it or, when it has no text, in its place."""
        for source in sources:
            if not isinstance(source, FileSource) or source.file.problem is not None:
                yield source
                continue
            try:
                opened = await self._open(source)
            except UnreadableDocument as error:
                yield replace(source, file=replace(source.file, problem=error))
                continue
            for each in opened:
                yield each

    def failed(self, source: Source) -> None:
        """What came from inside a file that cannot be read now stays."""
        self._opened.pop(source.identity, None)

    def vanished(self, documents: Sequence[Document]) -> list[Document]:
        """Those of the documents that came from inside a file which was looked into and are not there now,
        or from a file itself which has turned into an archive."""
        return [document for document in documents if self._has_vanished(document.source)]

    def _has_vanished(self, source: str) -> bool:
        if source in self._opened:
            return source not in self._opened[source]
        held = [self._opened[outer] for outer in containers_of(source) if outer in self._opened]
        return any(source not in members for members in held)

    async def _open(self, source: FileSource) -> list[Source]:
        contents = None
        if await asyncio.to_thread(_may_hold_documents, source):
            place = Path(await asyncio.to_thread(self._new_place))
            self._places.append(place)
            contents = await self._readers.unpack(source.name, source.file.path, place)
        if contents is None:
            self._opened[source.identity] = frozenset({source.identity})
            return [source]
        members = self._members(source, contents, place)
        opened: list[Source] = [source, *members] if contents.is_document else [*members]
        self._opened[source.identity] = frozenset(each.identity for each in opened)
        self._found(len(opened) - 1)
        return opened

    def _members(self, source: FileSource, contents: Contents, place: Path) -> list[MemberSource]:
        return [
            MemberSource(source, member, place / member.file)
            for member in contents.members
            if not any(is_ignored(part) for part in member.name.split("/"))
        ]

    def _new_place(self) -> str:
        self._folder.mkdir(parents=True, exist_ok=True)
        return mkdtemp(dir=self._folder)


def with_members(chosen: Sequence[Document], documents: Sequence[Document]) -> list[Document]:
    """The chosen documents and those of the others that lie inside one of them, in the same collection."""
    picked = {(each.collection, each.source) for each in chosen}
    inside = [
        each
        for each in documents
        if any((each.collection, outer) in picked for outer in containers_of(each.source))
    ]
    return list({each.id: each for each in (*chosen, *inside)}.values())


def _may_hold_documents(source: FileSource) -> bool:
    try:
        if source.file.path.stat().st_size > source.largest:
            return False
        with source.file.path.open("rb") as stream:
            return may_hold_documents(source.name, stream.read(_HEAD))
    except OSError:
        return False  # said when the file itself is read
