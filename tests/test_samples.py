"""The sample library, as it ships."""

from __future__ import annotations

import runpy
from importlib.resources import files
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_samples_are_the_four_documents_that_the_demo_tells_of() -> None:
    names = {entry.name for entry in (files("atril") / "samples").iterdir()}
    assert names == {"estatutos.md", "manual-del-personal.md", "price-list.html", "warranty-and-returns.pdf"}


def test_the_pdf_is_what_its_script_makes() -> None:
    script = runpy.run_path(str(ROOT / "tools" / "make_sample_pdf.py"))
    shipped = (files("atril") / "samples" / "warranty-and-returns.pdf").read_bytes()
    assert script["document"]() == shipped
