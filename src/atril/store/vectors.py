"""Vectors of passages, remembered by model and content, so that reading a document again is cheap.

The file is a cache: losing it costs time and nothing else, so it is neither backed up nor brought to disk
with care, and one that cannot be read is started anew.
"""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

import numpy as np

from atril.models.embeddings import Vectors

T = TypeVar("T")

FILE_NAME: Final = "vectors.db"
_IN_LIST: Final = 500
_HALF: Final = np.dtype("<f2")
_UNREADABLE: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_SCHEMA = """
CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS vectors (model INTEGER NOT NULL, hash BLOB NOT NULL, vector BLOB NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS vectors_hash ON vectors (hash, model);
"""


def passage_key(passage: str) -> bytes:
    """The 16 bytes under which a passage's vector is remembered."""
    return hashlib.blake2b(passage.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def rounded(vectors: Vectors) -> Vectors:
    """The vectors as the cache would give them back: rounded to float16.

    Everything on its way to an index passes here, so that a fresh vector equals a remembered one.
    """
    return vectors.astype(np.float16).astype(np.float32)


class VectorCache:
    """The vectors of one home. Make it with `open`."""

    def __init__(self, path: Path, thread: ThreadPoolExecutor, connection: sqlite3.Connection) -> None:
        self._path = path
        self._thread = thread
        self._connection = connection
        self._closed = False

    @classmethod
    async def open(cls, home: Path) -> VectorCache:
        """The home folder is made when it is missing."""
        thread = ThreadPoolExecutor(1, thread_name_prefix="vectors")
        path = home / FILE_NAME
        connection = await asyncio.get_running_loop().run_in_executor(thread, _open, path)
        return cls(path, thread, connection)

    async def get(self, model: str, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The vectors that are there, by key; each float32 of shape `(dimensions,)`."""
        return await self._run(lambda connection: _get(connection, model, keys))

    async def put(self, model: str, vectors: Mapping[bytes, Vectors]) -> None:
        """Remembers vectors by the keys of their passages, at half precision."""
        await self._run(lambda connection: _put(connection, model, vectors))

    async def forget(self, model: str) -> None:
        """Drops every vector of a model and gives the space back."""
        await self._run(lambda connection: _forget(connection, model))

    async def close(self) -> None:
        """A second call does nothing."""
        if not self._closed:
            self._closed = True
            await self._run(lambda connection: connection.close())
            self._thread.shutdown()

    async def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def attempt() -> T:
            try:
                return work(self._connection)
            except sqlite3.DatabaseError as error:
                if error.sqlite_errorcode & 0xFF not in _UNREADABLE:
                    raise
                self._connection.close()
                self._connection = _anew(self._path)
                return work(self._connection)

        return await asyncio.get_running_loop().run_in_executor(self._thread, attempt)


def _open(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.executescript(_SCHEMA)
    except sqlite3.DatabaseError as error:
        connection.close()
        if error.sqlite_errorcode & 0xFF not in _UNREADABLE:
            raise
        return _anew(path)
    return connection


def _anew(path: Path) -> sqlite3.Connection:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return _open(path)


def _get(connection: sqlite3.Connection, model: str, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
    found: dict[bytes, Vectors] = {}
    number = _model(connection, model)
    for start in range(0, len(keys), _IN_LIST) if number is not None else ():
        part = keys[start : start + _IN_LIST]
        marks = ",".join("?" * len(part))
        rows = connection.execute(
            f"SELECT hash, vector FROM vectors WHERE model = ? AND hash IN ({marks})",  # noqa: S608 - only "?"
            (number, *part),
        )
        found.update((key, np.frombuffer(row, dtype=_HALF).astype(np.float32)) for key, row in rows)
    return found


def _put(connection: sqlite3.Connection, model: str, vectors: Mapping[bytes, Vectors]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        connection.execute("INSERT OR IGNORE INTO models (name) VALUES (?)", (model,))
        number = _model(connection, model)
        connection.executemany(
            "INSERT OR REPLACE INTO vectors (model, hash, vector) VALUES (?, ?, ?)",
            ((number, key, vector.astype(_HALF).tobytes()) for key, vector in vectors.items()),
        )


def _forget(connection: sqlite3.Connection, model: str) -> None:
    number = _model(connection, model)
    if number is not None:
        connection.execute("BEGIN IMMEDIATE")
        with connection:
            connection.execute("DELETE FROM vectors WHERE model = ?", (number,))
            connection.execute("DELETE FROM models WHERE id = ?", (number,))
        connection.execute("VACUUM")


def _model(connection: sqlite3.Connection, name: str) -> int | None:
    row = connection.execute("SELECT id FROM models WHERE name = ?", (name,)).fetchone()
    return row[0] if row else None
