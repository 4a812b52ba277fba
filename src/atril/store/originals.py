"""The bytes of every document as they came, kept once per tenant and content.

A file is `originals/<tenant>/<first two digits>/<sha-256>`. It is written under another name, brought to disk
and then renamed, so that what has the right name is whole.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final
from uuid import uuid4

from atril.errors import UnreadableDocument

FOLDER: Final = "originals"
_ARRIVING: Final = "arriving"
_BLOCK: Final = 1 << 20
_HASH = re.compile(r"[0-9a-f]{64}\Z")
_UNFINISHED = re.compile(r"[0-9a-f]{32}\Z")
_HASH_START = re.compile(r"[0-9a-f]{2}\Z")
_PLAIN_TENANT = re.compile(r"[a-z0-9][a-z0-9-]{0,62}\Z")
_TENANT_FOLDER = re.compile(r"(t-[a-z0-9][a-z0-9-]{0,62}|h-[0-9a-f]{40})\Z")


class Originals:
    """The originals of one home. Every method works on files and blocks: call them off the loop."""

    def __init__(self, home: Path) -> None:
        self._root = home / FOLDER

    def put(self, tenant: str, data: bytes) -> str:
        """Keeps the bytes and returns their SHA-256 in hexadecimal; they survive a loss of power."""
        with self.arrival(tenant) as arrival:
            return arrival.put(data)

    def put_file(self, tenant: str, path: Path) -> str:
        """As `put`, for the bytes of a file, which need not fit in memory.

        Raises `UnreadableDocument` when the file cannot be read, and `OSError` when the home cannot be
        written.
        """
        with self.arrival(tenant) as arrival:
            return arrival.put_file(path)

    @contextmanager
    def arrival(self, tenant: str) -> Iterator[Arrival]:
        """Keeps what is put into it when it is left, all at once: to bring many files to disk together takes
        little longer than one. Left by an error, it keeps nothing."""
        arrival = Arrival(self._root / tenant_folder(tenant))
        try:
            yield arrival
            arrival.settle()
        finally:
            arrival.clear()

    def get(self, tenant: str, content_hash: str) -> bytes:
        """Raises `FileNotFoundError`."""
        return self.path(tenant, content_hash).read_bytes()

    def path(self, tenant: str, content_hash: str) -> Path:
        """Where the bytes are or would be, for a reader that wants a file; nothing may be written there.

        Raises `ValueError` when it is no SHA-256.
        """
        if not _HASH.match(content_hash):
            raise ValueError(f"not a SHA-256 in hexadecimal: {content_hash!r}")
        return self._root / tenant_folder(tenant) / content_hash[:2] / content_hash

    def delete(self, tenant: str, content_hashes: Iterable[str]) -> None:
        """Deletes what `Records.purge` found unused; what is missing is silently passed over."""
        for content_hash in content_hashes:
            self.path(tenant, content_hash).unlink(missing_ok=True)

    def sweep(self, referenced: Iterable[tuple[str, str]]) -> int:
        """Deletes the originals that no pair of tenant and hash refers to, half-written files too.

        Returns how many. What nobody here can have written stays as it is. Only for a moment when nothing
        is being added.
        """
        kept = {(tenant_folder(tenant), content_hash) for tenant, content_hash in referenced}
        orphans = [
            path
            for path in self._root.glob("*/*/*")
            if _is_ours(path) and (path.parent.parent.name, path.name) not in kept
        ]
        deleted = 0
        for path in orphans:
            # An orphan that cannot be deleted now costs room and nothing else: the next sweep tries again.
            with suppress(OSError):
                path.unlink()
                deleted += 1
        return deleted


class Arrival:
    """Originals of one tenant on their way in. Make it with `Originals.arrival`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._unfinished: dict[str, Path] = {}

    def put(self, data: bytes) -> str:
        """The SHA-256 of the bytes in hexadecimal."""
        return self._write((data,))

    def put_file(self, path: Path) -> str:
        """The same of the bytes of a file. Raises `UnreadableDocument` when it cannot be read."""
        return self._write(_blocks(path))

    def settle(self) -> None:
        for unfinished in self._unfinished.values():
            _sync(unfinished, os.O_RDWR)
        folders = set()
        for content_hash, unfinished in self._unfinished.items():
            target = self._folder / content_hash[:2] / content_hash
            target.parent.mkdir(exist_ok=True)
            unfinished.replace(target)
            folders.add(target.parent)
        if os.name == "posix":  # Windows does not open folders
            for folder in folders:
                _sync(folder, os.O_RDONLY)

    def clear(self) -> None:
        for unfinished in self._unfinished.values():
            unfinished.unlink(missing_ok=True)

    def _write(self, blocks: Iterable[bytes]) -> str:
        folder = self._folder / _ARRIVING
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = folder / uuid4().hex
        try:
            with unfinished.open("xb") as file:
                content_hash = _copy(blocks, file)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
        if content_hash in self._unfinished or (self._folder / content_hash[:2] / content_hash).exists():
            unfinished.unlink()
        else:
            self._unfinished[content_hash] = unfinished
        return content_hash


def _blocks(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as stream:
            while block := stream.read(_BLOCK):
                yield block
    except OSError as error:
        raise UnreadableDocument(reason="unreadable", detail=error.strerror or "") from error


def _copy(blocks: Iterable[bytes], target: BinaryIO) -> str:
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(block)
        target.write(block)
    return digest.hexdigest()


def _is_ours(path: Path) -> bool:
    """Whether a path three levels down has a name and place that an `Arrival` gives, and is a file."""
    folder = path.parent
    if not _TENANT_FOLDER.match(folder.parent.name):
        return False
    original = _HASH.match(path.name) and _HASH_START.match(folder.name) and path.name[:2] == folder.name
    unfinished = _UNFINISHED.match(path.name) and folder.name == _ARRIVING
    return bool(original or unfinished) and path.is_file() and not path.is_symlink()


def tenant_folder(tenant: str) -> str:
    """A folder's name for any tenant: safe on every file system, different for different tenants.

    The prefix keeps a tenant's name apart from a hash and from the names that Windows reserves.
    """
    if _PLAIN_TENANT.match(tenant):
        return f"t-{tenant}"
    return "h-" + hashlib.sha256(tenant.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
