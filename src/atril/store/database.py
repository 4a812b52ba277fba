"""How coroutines reach SQL: one thread that writes, a few that read, one hop for each piece of work.

A piece of work is a plain function of a SQLAlchemy connection and runs as one transaction. Compared with
an asynchronous driver, which crosses threads several times for every statement, this takes less than half
the time and the same functions serve any synchronous driver.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DatabaseError

from atril.errors import HomeDamaged

T = TypeVar("T")

READERS: Final = 2
BUSY_MILLISECONDS: Final = 10_000
CACHE_KIB: Final = 16_384
_UNREADABLE: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class Database:
    """A SQLite file in write-ahead mode, used by one process. Make it inside a running event loop."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reading = _engine(path, pool_size=READERS)
        self._writing = _engine(path, pool_size=1)
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="records-read")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="records-write")
        self._closed = False
        self.writes = 0
        """Writes finished so far: while it stands still, what has been read stays true."""

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Runs `work` on one snapshot of the records. Raises `HomeDamaged` when they cannot be read."""

        def run() -> T:
            with self._reading.connect() as connection:
                # A listener for each beginning took SQLAlchemy a third of a short reading.
                connection.connection.cursor().execute("BEGIN")
                return work(connection)

        return await self._submit(self._readers, run)

    async def write(self, work: Callable[[Connection], T], *, durable: bool = True) -> T:
        """Runs `work` as one transaction, after those before it; an exception leaves nothing behind.

        A durable one survives a loss of power when this returns, and takes every earlier one with it;
        one that is not survives the death of the process only.
        """

        def run() -> T:
            try:
                with self._writing.connect() as connection, connection.begin():
                    connection.exec_driver_sql(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
                    return work(connection)
            finally:
                # Here and not where it is awaited: a cancelled caller leaves before the transaction ends.
                self.writes += 1

        return await self._submit(self._writer, run)

    async def close(self) -> None:
        """Finishes the work under way; a second call does nothing."""
        if not self._closed:
            self._closed = True
            await asyncio.to_thread(self._dispose)

    def _dispose(self) -> None:
        self._readers.shutdown()
        self._writer.shutdown()
        self._reading.dispose()
        self._writing.dispose()

    async def _submit(self, threads: ThreadPoolExecutor, run: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(threads, run)
        except DatabaseError as error:
            code = getattr(error.orig, "sqlite_errorcode", None)
            if isinstance(code, int) and code & 0xFF in _UNREADABLE:
                raise HomeDamaged(home=str(self.path.parent), detail=str(error.orig)) from error
            raise


def _engine(path: Path, *, pool_size: int) -> Engine:
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=str(path)),
        pool_size=pool_size,
        max_overflow=0,
        json_serializer=_to_json,
        connect_args={"check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: object) -> None:
        # The driver's own idea of when a transaction begins is switched off: `read` and `write` decide.
        connection.isolation_level = None
        for pragma in (
            f"busy_timeout={BUSY_MILLISECONDS}",
            "journal_mode=WAL",
            "foreign_keys=ON",
            f"cache_size=-{CACHE_KIB}",
        ):
            connection.execute(f"PRAGMA {pragma}")

    return engine


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
