from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from atril.store.records import Records
from shelf import Shelf


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    records = await Records.open(tmp_path)
    try:
        yield Shelf(records)
    finally:
        await records.close()
