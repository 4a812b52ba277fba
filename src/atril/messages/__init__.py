"""The sentences people read, one file per language, and the one function that fills them in.

Every text that reaches a person lives in `en.toml`, `es.toml` and `ru.toml` under the same key with the
same placeholders; code names the key. A language without a file falls back to English.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Final

LANGUAGES: Final = ("en", "es", "ru")


@cache
def catalogue(language: str) -> dict[str, str]:
    """All messages of one language as `{"table.key": "text with {placeholders}"}`."""
    source = (files(__package__) / f"{language}.toml").read_text(encoding="utf-8")
    return {
        f"{table}.{key}": text
        for table, entries in tomllib.loads(source).items()
        for key, text in entries.items()
    }


def supported(language: str | None) -> str:
    """The catalogue's language for a tag such as `es-ES` or `ru_RU.UTF-8`; English when there is none."""
    prefix = (language or "").replace("-", "_").split("_")[0].lower()
    return prefix if prefix in LANGUAGES else "en"


def message(key: str, language: str | None = "en", **fields: object) -> str:
    """The text of `key` in `language` with its placeholders filled; `KeyError` for an unknown key."""
    return catalogue(supported(language))[key].format(**fields)
