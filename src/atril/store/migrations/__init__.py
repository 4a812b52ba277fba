"""The history of the schema, and how a home is brought to its last revision.

Alembic is slow to import, so it is only imported when there is something to upgrade: a new home is made
from the tables as they are, which the tests hold equal to what the revisions give.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DatabaseError

from atril.errors import HomeDamaged, HomeTooNew
from atril.store.schema import metadata

BACKUPS = "backups"
_VERSION = sa.Table(
    "alembic_version",
    sa.MetaData(),
    sa.Column("version_num", sa.String(32), nullable=False),
    sa.PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


@dataclass(frozen=True, slots=True)
class Migrations:
    """The revisions in `location`, whose files are named `<revision>_<what it does>.py` in their order."""

    location: Path = Path(__file__).parent

    @property
    def revisions(self) -> tuple[str, ...]:
        files = sorted((self.location / "versions").glob("[0-9]*.py"))
        return tuple(file.name.partition("_")[0] for file in files)

    def prepare(self, path: Path, clock: Callable[[], datetime]) -> None:
        """Makes or upgrades the records at `path`; does nothing when they are up to date.

        Raises `HomeTooNew` and `HomeDamaged`.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        engine = _engine(path)
        try:
            with engine.connect() as connection:
                found = _revision(connection)
            self._settle(engine, path, found, clock)
        except DatabaseError as error:
            raise HomeDamaged(home=str(path.parent), detail=str(error.orig)) from error
        finally:
            engine.dispose()

    def _settle(self, engine: Engine, path: Path, found: str | None, clock: Callable[[], datetime]) -> None:
        head = self.revisions[-1]
        if found == head:
            return
        if found is None:
            _create(engine, path, head)
        elif found in self.revisions:
            back_up(path, path.parent / BACKUPS / f"{path.stem}-{found}-{clock():%Y%m%dT%H%M%S%f}.db")
            self.upgrade(engine)
        else:
            raise HomeTooNew(home=str(path.parent), found=found, known=head)

    def upgrade(self, engine: Engine) -> None:
        """Runs, as one transaction, the revisions that a database has not seen."""
        from alembic import command
        from alembic.config import Config

        config = Config()
        config.set_main_option("script_location", str(self.location).replace("%", "%%"))
        with engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, self.revisions[-1])


def back_up(source: Path, target: Path) -> None:
    """Copies a database that may be in use; the copy is whole and on disk when this returns."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_suffix(".part")
    origin, copy = sqlite3.connect(source), sqlite3.connect(unfinished)
    try:
        origin.backup(copy)
    finally:
        origin.close()
        copy.close()
    with unfinished.open("rb+") as file:
        os.fsync(file.fileno())
    unfinished.replace(target)


def _revision(connection: Connection) -> str | None:
    """The revision of a database, `None` for a new one."""
    if not sa.inspect(connection).has_table(_VERSION.name):
        return None
    return connection.scalar(sa.select(_VERSION.c.version_num))


def _create(engine: Engine, path: Path, head: str) -> None:
    with engine.begin() as connection:
        if sa.inspect(connection).get_table_names():
            raise HomeDamaged(home=str(path.parent), detail=f"{path.name} holds other tables")
        metadata.create_all(connection)
        _VERSION.create(connection)
        connection.execute(_VERSION.insert(), {"version_num": head})


def _engine(path: Path) -> Engine:
    """An engine whose changes of schema are part of the transaction, without foreign keys: changing a
    table in SQLite means replacing it."""
    engine = sa.create_engine(sa.URL.create("sqlite", database=str(path)))

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")

    @event.listens_for(engine, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine
