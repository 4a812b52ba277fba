"""The embedded engine, as it comes and with every change of shard that a large library goes through."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from atril.store.index.protocol import Index
from atril.store.index.qdrant.edge import EdgeIndex
from atril.testing.index_suite import IndexSuite


class TestEdgeIndex(IndexSuite):
    @pytest.fixture
    async def index(self, folder: Path) -> AsyncIterator[Index]:
        index = await EdgeIndex.open(folder, dimensions=self.dimensions)
        yield index
        await index.close()
