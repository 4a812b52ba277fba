"""Where the language data of Tesseract lies on this machine, if it is installed. Nothing is ever fetched."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_LANGUAGES: Final = ("spa", "eng", "rus")
_FOLDERS: Final = (
    "/usr/share/tesseract-ocr/*/tessdata",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
    "/opt/local/share/tessdata",
    "C:/Program Files/Tesseract-OCR/tessdata",
)


@dataclass(frozen=True, slots=True)
class LanguageData:
    """A folder with Tesseract's `.traineddata` files, and those of its languages that documents are read in."""

    folder: Path
    languages: tuple[str, ...]

    @property
    def option(self) -> str:
        """The languages as Tesseract takes them: `spa+eng`."""
        return "+".join(self.languages)


def installed() -> LanguageData | None:
    """The language data installed here, `None` without any for the languages Atril reads.

    `TESSDATA_PREFIX` goes before the usual places; it may name the folder or the one above it. Set to a folder
    without language data it switches text recognition off.
    """
    for folder in _folders():
        present = tuple(code for code in _LANGUAGES if _has(folder, code))
        if present:
            return LanguageData(folder, present)
    return None


def _folders() -> Iterator[Path]:
    if prefix := os.environ.get("TESSDATA_PREFIX"):
        yield Path(prefix)
        yield Path(prefix) / "tessdata"
        return
    for pattern in _FOLDERS:
        root = Path(Path(pattern).anchor)
        if root.exists():
            yield from sorted(root.glob(str(Path(pattern).relative_to(root))), reverse=True)


def _has(folder: Path, code: str) -> bool:
    try:
        return (folder / f"{code}.traineddata").stat().st_size > 0
    except OSError:
        return False
