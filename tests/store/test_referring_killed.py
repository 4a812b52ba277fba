"""A process killed while documents that name each other come and go leaves every reference aimed."""

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from atril.store.records import FILE_NAME, Records
from atril.types import Scope

SCOPE = Scope()
WORK = """
import asyncio, sys
from pathlib import Path
from test_referring import SCOPE, add, law
from atril.store.records import Records

async def work(home):
    records = await Records.open(home)
    for turn in range(1000):
        names = ["uno", "dos", "tres"]
        said = [law(name, (1, "2", f"ley {names[turn % 3]}"), (2, "3", "ley tres")) for name in names]
        points = await add(records, *said)
        gone = await records.find(SCOPE, f"{names[turn % 2]}.md")
        await records.purge(SCOPE, await records.remove(SCOPE, [gone.id]))
        print(turn, flush=True)

asyncio.run(work(Path(sys.argv[1])))
"""
STORED = "SELECT version, number, ordinal, document, target_version, target FROM mentions ORDER BY 1, 2, 3"


@pytest.mark.parametrize("turns", [1, 4])
async def test_what_a_killed_process_leaves_is_what_working_it_out_again_gives(
    tmp_path: Path, turns: int
) -> None:
    work_until_killed(tmp_path, turns)
    left = stored(tmp_path)
    records = await Records.open(tmp_path)
    current = await records.documents(SCOPE)
    versions = {each.version.bytes for each in current}
    await records.rename(SCOPE, {each.version: {f"ley {each.name[:-3]}": None} for each in current})
    await records.close()
    left, again = ([row for row in rows if row[0] in versions] for rows in (left, stored(tmp_path)))
    assert left == again != []


def work_until_killed(home: Path, turns: int) -> None:
    command = [sys.executable, "-c", WORK, str(home)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parent)
    assert process.stdout is not None
    for _ in range(turns):
        assert process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.communicate()


def stored(home: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(home / FILE_NAME)) as connection:
        return connection.execute(STORED).fetchall()
