"""The reference engine."""

from collections.abc import AsyncIterator

import pytest

from atril.store.index.memory import MemoryIndex
from atril.testing.index_suite import IndexSuite


class TestMemoryIndex(IndexSuite):
    @pytest.fixture
    async def index(self) -> AsyncIterator[MemoryIndex]:
        index = MemoryIndex(dimensions=self.dimensions)
        yield index
        await index.close()
