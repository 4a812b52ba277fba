"""Reads a profile from its folder.

    profile.toml     name, version, language, grounding; the tables [weights] and [ranks]
    norms.toml       a [[norm]] for each: identifier, titles, abbreviations, rank, numbered_since,
                     concerns, outdated
    glossary.toml    an [[entry]] for each: phrases, terms; the table [forms], word to its irregular forms
    answering/       one text of rules for each language: es.md, en.md

Only `profile.toml` and its name must be there. A key that nobody knows is an error: it is a slip more often
than not, and nothing else would tell.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from math import inf
from pathlib import Path
from typing import Any, Final, TypeVar, cast, get_args

from atril.errors import InvalidProfile, ProfileNotFound
from atril.profiles.profile import (
    HIGHEST_RANK,
    LOWEST_RANK,
    GlossaryEntry,
    Grounding,
    Norm,
    Profile,
    folded,
)

PROFILE: Final = "profile.toml"
NORMS: Final = "norms.toml"
GLOSSARY: Final = "glossary.toml"
ANSWERING: Final = "answering"
TEMPLATE: Final = "template"
FIRST_YEAR: Final = 1000
LAST_YEAR: Final = 9999

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]*")
_RULES: Final = re.compile(r"([a-z]{2,3})\.(?:md|txt)")
_REQUIRED: Final = object()

_T = TypeVar("_T")
_Read = Callable[[str, Any], _T]
"""Turns the value of a key into what it means, or raises `_Wrong`."""


class _Wrong(Exception):
    """Why a value cannot be used: a key of the messages' table `profile`, and what fills it."""

    def __init__(self, problem: str, **fields: object) -> None:
        self.problem = problem
        self.fields = fields
        super().__init__(problem)


def shipped() -> list[str]:
    """The names of the profiles that come with the package, in order."""
    folders = files(__package__).iterdir()
    return sorted(each.name for each in folders if each.name != TEMPLATE and (each / PROFILE).is_file())


def load_profile(name_or_path: str | None) -> Profile | None:
    """The profile of this name that ships with Atril, else the one in this folder; `None` for none.

    The path may also be that of the `profile.toml` itself. Raises `ProfileNotFound`, and `InvalidProfile`
    naming the file and the key. Reads files: not for the event loop.
    """
    if name_or_path is None:
        return None
    if _NAME.fullmatch(name_or_path):
        bundled = files(__package__) / name_or_path
        if (bundled / PROFILE).is_file():
            return read_profile(bundled)
    path = Path(name_or_path).expanduser()
    folder = path.parent if path.name == PROFILE else path
    if not (folder / PROFILE).is_file():
        raise ProfileNotFound(name=name_or_path, available=", ".join(shipped()))
    return read_profile(folder)


def read_profile(folder: Traversable) -> Profile:
    """The profile in a folder. Raises `InvalidProfile`."""
    head = _Table(folder / PROFILE, _toml(folder / PROFILE))
    glossary, forms = _glossary(folder / GLOSSARY)
    profile = Profile(
        name=head.take("name", _text),
        version=head.take("version", _version, "1"),
        language=head.take("language", _text, "es"),
        grounding=head.take("grounding", _grounding, "strict"),
        weights=head.take("weights", _mapping(_weight), {}),
        ranks=head.take("ranks", _mapping(_rank), {}),
        norms=_norms(folder / NORMS),
        glossary=glossary,
        forms=forms,
        answering=_answering(folder / ANSWERING),
    )
    head.finish()
    return profile


class _Table:
    """One table of a file, taken key by key, so that an error can say which one and none is left over."""

    def __init__(self, file: Traversable, values: Mapping[str, Any], prefix: str = "") -> None:
        self._file = file
        self._values = dict(values)
        self._prefix = prefix

    def take(self, key: str, read: _Read[_T], default: Any = _REQUIRED) -> _T:
        if key not in self._values:
            if default is _REQUIRED:
                raise self.error(key, "missing")
            return cast(_T, default)
        try:
            return read(key, self._values.pop(key))
        except _Wrong as wrong:
            raise self.error(str(wrong.fields.pop("key", key)), wrong.problem, **wrong.fields) from None

    def finish(self) -> None:
        for key in self._values:
            raise self.error(key, "unknown")

    def error(self, key: str, problem: str, **fields: object) -> InvalidProfile:
        return InvalidProfile(file=str(self._file), name=self._prefix + key, problem=problem, **fields)


def _norms(file: Traversable) -> tuple[Norm, ...]:
    norms: dict[str, Norm] = {}
    content = _toml(file) if file.is_file() else {}
    head = _Table(file, {key: value for key, value in content.items() if key != "norm"})
    head.finish()
    for table in _rows(file, "norm", content):
        norm = Norm(
            identifier=table.take("identifier", _text),
            titles=table.take("titles", _texts, ()),
            abbreviations=table.take("abbreviations", _texts, ()),
            rank=table.take("rank", _rank, None),
            numbered_since=table.take("numbered_since", _year, None),
            concerns=table.take("concerns", _texts, ()),
            outdated=table.take("outdated", _yes, False),
        )
        table.finish()
        if folded(norm.identifier) in norms:
            raise table.error("identifier", "repeated", value=norm.identifier)
        norms[folded(norm.identifier)] = norm
    return tuple(norms.values())


def _glossary(file: Traversable) -> tuple[tuple[GlossaryEntry, ...], dict[str, tuple[str, ...]]]:
    content = _toml(file) if file.is_file() else {}
    head = _Table(file, {key: value for key, value in content.items() if key != "entry"})
    forms = head.take("forms", _mapping(_texts), {})
    head.finish()
    entries = []
    seen: set[str] = set()
    for table in _rows(file, "entry", content):
        entry = GlossaryEntry(phrases=table.take("phrases", _texts), terms=table.take("terms", _texts))
        table.finish()
        for phrase in entry.phrases:
            if folded(phrase) in seen:
                raise table.error("phrases", "repeated", value=phrase)
            seen.add(folded(phrase))
        entries.append(entry)
    return tuple(entries), forms


def _answering(folder: Traversable) -> dict[str, str]:
    if not folder.is_dir():
        return {}
    rules: dict[str, str] = {}
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        if matched := _RULES.fullmatch(file.name):
            rules[matched[1]] = _words(file).strip()
    return rules


def _rows(file: Traversable, name: str, content: Mapping[str, Any]) -> Iterable[_Table]:
    """The tables of one array of a file."""
    rows = content.get(name, [])
    if not isinstance(rows, list):
        raise InvalidProfile(file=str(file), name=name, problem="tables")
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise InvalidProfile(file=str(file), name=name, problem="tables")
        yield _Table(file, row, prefix=f"{name} {number}: ")


def _toml(file: Traversable) -> dict[str, Any]:
    try:
        return tomllib.loads(_words(file))
    except tomllib.TOMLDecodeError as error:
        raise InvalidProfile(file=str(file), name="-", problem="not_toml", value=str(error)) from error


def _words(file: Traversable) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidProfile(file=str(file), name="-", problem="unreadable", value=str(error)) from error


def _text(_key: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _Wrong("text")
    return value.strip()


def _texts(key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise _Wrong("texts")
    try:
        return tuple(dict.fromkeys(_text(key, each) for each in value))
    except _Wrong:
        raise _Wrong("texts") from None


def _version(key: str, value: Any) -> str:
    return str(value) if type(value) is int else _text(key, value)


def _grounding(_key: str, value: Any) -> Grounding:
    if value not in get_args(Grounding):
        raise _Wrong("choice", allowed=", ".join(get_args(Grounding)))
    return cast(Grounding, value)


def _weight(_key: str, value: Any) -> float:
    if type(value) not in (int, float) or not 0 < value < inf:
        raise _Wrong("weight")
    return float(value)


def _rank(_key: str, value: Any) -> int:
    if type(value) is not int or not HIGHEST_RANK <= value <= LOWEST_RANK:
        raise _Wrong("rank", highest=HIGHEST_RANK, lowest=LOWEST_RANK)
    return value


def _yes(_key: str, value: Any) -> bool:
    if type(value) is not bool:
        raise _Wrong("yes")
    return value


def _year(_key: str, value: Any) -> int:
    if type(value) is not int or not FIRST_YEAR <= value <= LAST_YEAR:
        raise _Wrong("year", first=FIRST_YEAR, last=LAST_YEAR)
    return value


def _mapping(read: _Read[_T]) -> _Read[dict[str, _T]]:
    def mapping(key: str, value: Any) -> dict[str, _T]:
        if not isinstance(value, dict):
            raise _Wrong("table")
        found = {}
        for name, each in value.items():
            try:
                found[name] = read(name, each)
            except _Wrong as wrong:
                raise _Wrong(wrong.problem, **wrong.fields, key=f"{key}.{name}") from None
        return found

    return mapping
