"""What documents are called, and which document a written name means.

A document's identity never shows; its *name* is for people and tools, its *stem* begins the ids of its
chunks. Both are given once. All functions here are pure.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final
from uuid import UUID

from atril.accents import without_accents

SIMILAR: Final = 3
_CLASH_DIGITS: Final = (6, 12, 32)
# "v1.2" and "1. Introduction" are names, not names with an extension.
_EXTENSION = re.compile(r"(?<=[^/])\.(?=\w*[^\W\d])\w{1,10}\Z")
_NOT_IN_STEM = re.compile(r"[./\\\s]")
_SIMILARITY: Final = 0.5
_TELLING: Final = 3
"""Characters from which a part of a name tells something of it."""


def storable(text: str) -> str:
    """The text with what UTF-8 cannot hold spelled out: the odd bytes of some file names."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def without_extension(name: str) -> str:
    return _EXTENSION.sub("", name)


def stem_of(name: str) -> str:
    """The name without its last extension; other dots, slashes and blanks become `_`."""
    return _NOT_IN_STEM.sub("_", without_extension(name))


def stem_key(stem: str) -> str:
    """Two stems with the same key would be confused by a reader or a file system."""
    return unicodedata.normalize("NFC", stem.casefold())


def name_choices(name: str, folder: str, identity: UUID) -> Iterator[str]:
    """Names for a document, best first: its own, with its folder, with digits of its identity."""
    yield name
    fuller = f"{folder}/{name}" if folder else name
    if folder:
        yield fuller
    plain = without_extension(fuller)
    for digits in _CLASH_DIGITS:
        yield f"{plain}_{identity.hex[:digits]}{fuller[len(plain) :]}"


def stem_choices(name: str, identity: UUID) -> Iterator[str]:
    """Stems for a document, best first: from its name, then with digits of its identity."""
    stem = stem_of(name)
    yield stem
    for digits in _CLASH_DIGITS:
        yield f"{stem}_{identity.hex[:digits]}"


def first_free(choices: Iterable[str], taken: Collection[str], key: Callable[[str], str] = str) -> str:
    """The first choice whose key nobody has; the last ones hold the whole identity, so there is one."""
    return next(choice for choice in choices if key(choice) not in taken)


def matching(written: str, names: Sequence[str]) -> list[str]:
    """The names that `written` means: all of the first kind of likeness that finds any.

    The kinds are: the same; without extension; with another extension; then these three with accents and
    case folded. In each, a name that ends in `/written` counts when no whole name does.
    """
    wanted = written.strip().replace("\\", "/").removeprefix("./")
    if not wanted:
        return []
    for fold in (str, folded):
        query = fold(wanted)
        for cut_query, cut_name in ((False, False), (False, True), (True, True)):
            key = without_extension(query) if cut_query else query
            keyed = [(name, without_extension(fold(name)) if cut_name else fold(name)) for name in names]
            found = [name for name, value in keyed if value == key]
            found = found or [name for name, value in keyed if value.endswith(f"/{key}")]
            if found:
                return found
    return []


def similar(written: str, names: Sequence[str]) -> list[str]:
    """Up to three names that look like `written`: those that hold it whole, then the most alike."""
    forms: dict[str, str] = {}
    for name in names:
        whole = folded(without_extension(name))
        forms.setdefault(whole, name)
        forms.setdefault(whole.rpartition("/")[2], name)
    query = folded(without_extension(written.strip()))
    holding = [form for form in forms if len(query) >= _TELLING and query in form]
    close = difflib.get_close_matches(query, list(forms), n=2 * SIMILAR, cutoff=_SIMILARITY)
    return list(dict.fromkeys(forms[form] for form in (*holding, *close)))[:SIMILAR]


def folded(text: str) -> str:
    """The text without accents and case."""
    return without_accents(text.casefold(), compatible=True)
