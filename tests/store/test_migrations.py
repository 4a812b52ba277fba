"""A home is made as it is now, upgraded with a backup, and refused when it cannot be."""

import shutil
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from drafting import draft

from atril.errors import HomeDamaged, HomeTooNew
from atril.store.migrations import Migrations
from atril.store.records import FILE_NAME, Records
from atril.store.schema import metadata
from atril.types import Scope

SCOPE = Scope()
SECOND_REVISION = """
import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "0002", "0001", None, None

def upgrade():
    with op.batch_alter_table("documents") as table:
        table.add_column(sa.Column("rank", sa.Integer, nullable=False, server_default="5"))
        table.alter_column("stem", new_column_name="stem")
"""


def now() -> datetime:
    return datetime(2026, 3, 1, tzinfo=UTC)


def later(tmp_path: Path, revision: str = SECOND_REVISION) -> Migrations:
    """The migrations of a release that does not exist yet."""
    location = tmp_path / "later"
    shutil.copytree(Migrations().location, location, ignore=shutil.ignore_patterns("__pycache__"))
    (location / "versions" / "0002_rank.py").write_text(revision)
    return Migrations(location)


def statements(path: Path) -> set[str]:
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    connection.close()
    return {" ".join(sql.split()) for (sql,) in rows}


async def test_the_revisions_lead_to_the_tables_as_they_are(tmp_path: Path) -> None:
    migrations = Migrations()
    made, upgraded = tmp_path / "made.db", tmp_path / "upgraded.db"
    migrations.prepare(made, now)
    engine = sa.create_engine(f"sqlite:///{upgraded}")
    migrations.upgrade(engine)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()
    assert statements(made) == statements(upgraded)


async def test_an_upgrade_keeps_what_is_there_and_a_copy_of_what_was(tmp_path: Path) -> None:
    home = tmp_path / "home"
    records = await Records.open(home)
    pending = await records.begin(SCOPE, draft())
    await records.commit(SCOPE, [pending.version])
    await records.close()
    before = statements(home / FILE_NAME)

    records = await Records.open(home, clock=now, migrations=later(tmp_path))

    assert await records.text(SCOPE, pending.document) == "uno dos tres"
    assert len(await records.hydrate(SCOPE, pending.points)) == 1
    await records.close()
    assert any("rank INTEGER" in sql for sql in statements(home / FILE_NAME))
    [backup] = (home / "backups").iterdir()
    assert backup.name == "records-0001-20260301T000000000000.db"
    assert statements(backup) == before

    shutil.rmtree(home / "backups")
    await (await Records.open(home, migrations=later(tmp_path / "again"))).close()
    assert not (home / "backups").exists()


async def test_an_upgrade_that_fails_changes_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    await (await Records.open(home)).close()
    before = statements(home / FILE_NAME)
    broken = SECOND_REVISION + '    op.execute("INSERT INTO nowhere VALUES (1)")\n'
    with pytest.raises(HomeDamaged, match="nowhere"):
        await Records.open(home, migrations=later(tmp_path, broken))
    assert statements(home / FILE_NAME) == before
    await (await Records.open(home)).close()


async def test_a_home_of_a_later_release_is_refused(tmp_path: Path) -> None:
    await (await Records.open(tmp_path / "home", migrations=later(tmp_path))).close()
    with pytest.raises(HomeTooNew) as caught:
        await Records.open(tmp_path / "home")
    assert caught.value.fields == {"home": str(tmp_path / "home"), "found": "0002", "known": "0001"}


@pytest.mark.parametrize("content", [b"no database at all, only words, again and again. " * 100])
async def test_a_file_that_is_no_database_is_reported_and_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(HomeDamaged):
        await Records.open(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == content


async def test_somebody_elses_database_is_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    with pytest.raises(HomeDamaged, match="other tables"):
        await Records.open(tmp_path)


async def test_damage_met_while_reading_is_named(tmp_path: Path) -> None:
    records = await Records.open(tmp_path)
    pending = await records.begin(SCOPE, draft(text="palabra " * 20_000, size=500))
    await records.commit(SCOPE, [pending.version])
    await records.close()
    path = tmp_path / FILE_NAME
    data = bytearray(path.read_bytes())
    middle = len(data) // 8192 * 4096
    data[middle:] = b"\xa5" * (len(data) - middle)
    path.write_bytes(data)
    records = await Records.open(tmp_path)
    with pytest.raises(HomeDamaged):
        await records.hydrate(SCOPE, pending.points)
    await records.close()


def test_a_home_that_is_up_to_date_opens_without_alembic(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys, pathlib\n"
        "from atril.store.records import Records\n"
        "async def main():\n"
        "    for _ in range(2): await (await Records.open(pathlib.Path(sys.argv[1]))).close()\n"
        "asyncio.run(main())\n"
        "sys.exit('alembic' in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True)
