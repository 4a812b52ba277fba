"""What the command line says, in the language of whoever runs it."""

from __future__ import annotations

import os
import tomllib
from functools import lru_cache
from pathlib import Path

from atril.messages import message, supported


def interface_language() -> str:
    """en, es or ru: ATRIL_LANG decides, then `lang` in atril.toml, then LC_ALL, LC_MESSAGES and LANG.

    The settings say the same, but loading them costs more than the whole of `--help`.
    """
    wanted = os.environ.get("ATRIL_LANG") or _configured()
    system = (os.environ.get(variable) for variable in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return supported(wanted or next(filter(None, system), None))


def said(key: str, **fields: object) -> str:
    """The text of `key` in the language of the interface."""
    return message(key, interface_language(), **fields)


def _configured() -> str | None:
    """The language in atril.toml. A file that cannot be read is for the settings to complain about."""
    path = Path("atril.toml").absolute()
    try:
        return _language_in(path, path.stat().st_mtime_ns)
    except (OSError, ValueError):
        return None


@lru_cache(maxsize=1)
def _language_in(path: Path, modified: int) -> str | None:
    # Every text asks; the time of modification is there to make the answer stale when the file is.
    language = tomllib.loads(path.read_text(encoding="utf-8")).get("lang")
    return language if isinstance(language, str) else None
