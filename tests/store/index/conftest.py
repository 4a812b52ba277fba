"""What the tests of engines share."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

pytest.register_assert_rewrite("atril.testing.index_suite")

_MEMORY = Path("/dev/shm")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder for an index, in memory where there is such a place: these tests make a thousand fsyncs."""
    if not _MEMORY.is_dir():
        yield tmp_path / "index"
        return
    with TemporaryDirectory(dir=_MEMORY) as made:
        yield Path(made) / "index"
