from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import atril
from atril.testing.embedders import HashEmbedder

HANDBOOK = """# Manual de la plantilla

## Vacaciones

Cada persona tiene veintitrés días laborables de vacaciones al año. Se piden con un mes de antelación.

## Teletrabajo

Se puede trabajar desde casa dos días por semana, salvo en el taller.
"""

PRICES = """# Price list

| Item | Price |
| --- | --- |
| City bicycle | 420 EUR |
| Child seat | 55 EUR |
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "manual.md").write_text(HANDBOOK, encoding="utf-8")
    (documents / "prices.md").write_text(PRICES, encoding="utf-8")
    return documents


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
async def library(home: Path) -> AsyncIterator[atril.Library]:
    async with atril.open(home, embedder=HashEmbedder()) as opened:
        yield opened
