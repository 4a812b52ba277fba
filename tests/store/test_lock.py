"""One process owns a home."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from atril.errors import HomeLocked
from atril.store.lock import HomeLock

HOLD = "import sys, pathlib; from atril.store.lock import HomeLock; lock = HomeLock(pathlib.Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"


@pytest.fixture
def holder(tmp_path: Path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_second_process_is_told_who_owns_the_home(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    with pytest.raises(HomeLocked) as caught:
        HomeLock(tmp_path)
    assert caught.value.fields == {"home": str(tmp_path), "pid": str(holder.pid)}


def test_the_lock_ends_with_its_process(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    holder.kill()
    holder.wait()
    with HomeLock(tmp_path):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"


def test_the_same_process_cannot_own_a_home_twice(tmp_path: Path) -> None:
    with HomeLock(tmp_path), pytest.raises(HomeLocked, match=str(os.getpid())):
        HomeLock(tmp_path)


def test_a_released_home_can_be_owned_again(tmp_path: Path) -> None:
    lock = HomeLock(tmp_path / "new" / "home")
    lock.release()
    lock.release()
    HomeLock(tmp_path / "new" / "home").release()
