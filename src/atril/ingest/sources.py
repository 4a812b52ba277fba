"""What can be added: a file, or a text handed over by a program."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from atril.documents.reading import ReadDocument
from atril.documents.workers import PageListener, Readers
from atril.errors import UnreadableDocument
from atril.ingest.files import SourceFile
from atril.store.names import storable
from atril.store.originals import Arrival

TEXT_PREFIX: Final = "text:"
"""Begins the identity of a document that came as a text."""

_BLOCK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Digest:
    """SHA-256 in hexadecimal, and the number of bytes."""

    content_hash: str
    bytes: int


class Source(Protocol):
    """Something that becomes one document."""

    @property
    def identity(self) -> str:
        """With tenant and collection, what makes it the same document next time."""
        ...

    @property
    def name(self) -> str: ...

    @property
    def folder(self) -> str: ...

    @property
    def reached(self) -> str | None:
        """The path by which its file was found; `None` for what comes from no file."""
        ...

    @property
    def shown(self) -> str:
        """What a person knows it by, for reports."""
        ...

    @property
    def given(self) -> Mapping[str, object]:
        """What the caller said about it; a change makes a new version even of the same bytes."""
        ...

    async def digest(self) -> Digest:
        """Raises `UnreadableDocument` when the bytes cannot be had."""
        ...

    async def read(self, readers: Readers, page: PageListener | None = None) -> ReadDocument:
        """Tells `page` how far the reader has come in a long document."""
        ...

    def keep(self, arrival: Arrival) -> str:
        """Stores the bytes and gives their hash as they were stored. Works on files: call it off the loop."""
        ...

    async def release(self) -> None:
        """Called when nothing more will be asked of it, so that what was made for it can go."""
        ...


@dataclass(frozen=True, slots=True)
class FileSource:
    """A file on disk. One of more than `largest` bytes is not even opened."""

    file: SourceFile
    largest: int

    @property
    def identity(self) -> str:
        return self.file.source

    @property
    def name(self) -> str:
        return self.file.name

    @property
    def folder(self) -> str:
        return self.file.folder

    @property
    def reached(self) -> str | None:
        return storable(str(self.file.path.absolute()))

    @property
    def shown(self) -> str:
        return storable(str(self.file.path))

    @property
    def given(self) -> Mapping[str, object]:
        return {}

    async def digest(self) -> Digest:
        if self.file.problem is not None:
            raise self.file.problem
        return await asyncio.to_thread(_digest, self.file.path, self.largest)

    async def read(self, readers: Readers, page: PageListener | None = None) -> ReadDocument:
        return await readers.read(self.file.name, self.file.path, page)

    def keep(self, arrival: Arrival) -> str:
        return arrival.put_file(self.file.path)

    async def release(self) -> None:
        pass


@dataclass(frozen=True, slots=True)
class TextSource:
    """A text with a name, already Markdown or plain."""

    named: str
    title: str
    text: str
    collection: str
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def identity(self) -> str:
        return TEXT_PREFIX + self.named

    @property
    def name(self) -> str:
        return self.named

    @property
    def folder(self) -> str:
        return self.collection

    @property
    def reached(self) -> str | None:
        return None

    @property
    def shown(self) -> str:
        return self.named

    @property
    def given(self) -> Mapping[str, object]:
        return {"title": self.title, "metadata": dict(self.metadata)}

    async def digest(self) -> Digest:
        data = self.text.encode("utf-8", errors="surrogatepass")
        return Digest(hashlib.sha256(data).hexdigest(), len(data))

    async def read(self, readers: Readers, page: PageListener | None = None) -> ReadDocument:
        return await readers.read_text(self.named, self.title, self.text, self.metadata)

    def keep(self, arrival: Arrival) -> str:
        return arrival.put(self.text.encode("utf-8", errors="surrogatepass"))

    async def release(self) -> None:
        pass


def _digest(path: Path, largest: int) -> Digest:
    digest, size = hashlib.sha256(), 0
    try:
        if path.stat().st_size > largest:
            raise UnreadableDocument(reason="too_large", detail=f"more than {largest / 1e6:g} MB")
        with path.open("rb") as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
                size += len(block)
    except OSError as error:
        raise UnreadableDocument(reason="unreadable", detail=error.strerror or "") from error
    return Digest(digest.hexdigest(), size)
