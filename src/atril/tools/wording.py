"""The texts that models read, one folder of files per language.

`templates/<language>/*.toml` hold tables of texts; `wording("table.key", …)` fills one in. A language
without a folder reads English.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Final

from atril.messages import supported

FILES: Final = ("replies", "errors", "definitions", "server")


@cache
def templates(language: str) -> dict[str, str]:
    """Every text of one language as `{"table.key": "text with {placeholders}"}`."""
    folder = files("atril.tools") / "templates" / language
    found: dict[str, str] = {}
    for file in FILES:
        tables = tomllib.loads((folder / f"{file}.toml").read_text(encoding="utf-8"))
        for table, entries in tables.items():
            found.update({f"{table}.{key}": text for key, text in entries.items()})
    return found


def wording(key: str, language: str | None, **fields: Any) -> str:
    """A text with its placeholders filled. Raises `KeyError` for a key that no template has."""
    return templates(supported(language))[key].format(**fields)
