from __future__ import annotations

import json
from pathlib import Path

import pytest

from atril.documents.parsing import parse

OFFICE = Path(__file__).parents[3] / "shared" / "data" / "office"
FORMATS = ("docx", "xlsx", "pptx", "odt", "rtf", "epub", "csv")


@pytest.mark.corpus
@pytest.mark.slow
@pytest.mark.skipif(not OFFICE.exists(), reason="the office corpus is not beside the checkout")
def test_real_office_files_give_nearly_all_that_a_good_reader_finds() -> None:
    wanted = found = 0
    for line in (OFFICE / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        path = OFFICE / row["file"]
        if row["format"] not in FORMATS or not row["expect"].startswith("ok") or not row["must_contain"]:
            continue
        text = " ".join(parse(path.name, path.read_bytes()).text.split())
        wanted += len(row["must_contain"])
        found += sum(" ".join(string.split()) in text for string in row["must_contain"])
    assert found >= 0.97 * wanted
