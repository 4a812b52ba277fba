"""Arguments as models write them, read as they were meant.

For tools that only read, a value that can be understood is used and the reply says how it was read: a
number in words of text, a value beyond its limits, a name slightly wrong. For tools that write nothing is
guessed beyond a type: `"3"` is the number 3, but 500 above a maximum of 10 is an error.
"""

from __future__ import annotations

import difflib
import math
import re
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Union, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from atril.tools import markup
from atril.tools.tool import TryAgain
from atril.tools.wording import wording

_NUMBER: Final = re.compile(r"[-+]?\d{1,15}(?:[.,]\d{1,15})?(?!\d)")
_THOUSANDS: Final = re.compile(r"[-+]?[1-9]\d{0,2}(?:[.,]\d{3})+")
_TRUE: Final = frozenset(("true", "yes", "y", "1", "on", "sí", "si", "verdadero", "да", "истина", "x"))
_FALSE: Final = frozenset(("false", "no", "n", "0", "off", "falso", "нет", "ложь", ""))
_NOTHING: Final = frozenset(("", "none", "null", "nil", "undefined", "ninguno", "нет"))
_CLOSE: Final = 0.75
_NAMED_IN_NOTES: Final = 5


@dataclass(frozen=True, slots=True)
class Understood:
    """Validated arguments, and a sentence for each value that was not taken as written."""

    arguments: BaseModel
    notes: tuple[str, ...]


def understand(
    model: type[BaseModel], given: Mapping[str, Any], *, language: str, lenient: bool
) -> Understood:
    """Reads what a model passed. Raises `TryAgain` naming each argument that is missing or unusable."""
    notes: list[str] = []
    values: dict[str, Any] = {}
    for name, value in _named(model, given, notes, language, lenient=lenient).items():
        field = model.model_fields[name]
        read = _coerced(value, field)
        if lenient:
            read = _usable(name, read, field, notes, language)
        if read is not None:
            values[name] = read
    try:
        return Understood(model.model_validate(values), tuple(notes))
    except ValidationError as error:
        raise TryAgain(_problems(error, model, language)) from error


def _named(
    model: type[BaseModel], given: Mapping[str, Any], notes: list[str], language: str, *, lenient: bool
) -> dict[str, Any]:
    """The given values under the arguments' own names; what fits none is left out and said."""
    known = {_plain(name): name for name in model.model_fields}
    found: dict[str, Any] = {}
    unknown: list[str] = []
    exact = {name for name in given if name in model.model_fields}
    for written, value in given.items():
        name = written if written in exact else _closest(written, known)
        if name is None or (name in exact and written not in exact):
            unknown.append(written)
        else:
            found[name] = value
    missing = [
        name for name, field in model.model_fields.items() if field.is_required() and name not in found
    ]
    if lenient and len(missing) == len(unknown) == 1:  # one thing was asked for and one was given
        found[missing[0]] = given[unknown[0]]
        notes.append(wording("note.tool_read_as", language, written=_short(unknown[0]), name=missing[0]))
    elif unknown:
        names = ", ".join(_short(name) for name in unknown[:_NAMED_IN_NOTES])
        notes.append(wording("note.unknown_argument", language, name=names, known=", ".join(known.values())))
    return found


def _closest(written: str, known: Mapping[str, str]) -> str | None:
    plain = _plain(written)
    if not plain:
        return None
    if plain in known:
        return known[plain]
    close = difflib.get_close_matches(plain, list(known), n=1, cutoff=_CLOSE)
    return known[close[0]] if close else None


def _plain(name: str) -> str:
    """What is left of a name without its dashes, underscores and capitals; too long, it is no name."""
    return "" if len(name) > markup.LONGEST_NAME else markup.plain(name)


def _kind(field: FieldInfo) -> Any:
    """The field's type without `None` beside it."""
    annotation = field.annotation
    if get_origin(annotation) in (Union, types.UnionType):
        kinds = [each for each in get_args(annotation) if each is not type(None)]
        return kinds[0] if len(kinds) == 1 else annotation
    return annotation


def _coerced(value: Any, field: FieldInfo) -> Any:
    """The value as the field's type when that loses nothing; else as it came."""
    kind = _kind(field)
    if isinstance(value, str):
        text = value.strip()
        if text.casefold() in _NOTHING and kind is not str and not field.is_required():
            return None
        if kind is bool and text.casefold() in _TRUE | _FALSE:
            return text.casefold() in _TRUE
        if kind is int and _THOUSANDS.fullmatch(text):
            return int(re.sub("[.,]", "", text))
        if kind in (int, float) and _NUMBER.fullmatch(text):
            return _number(text, kind)
        return text if kind is not str else value
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind is str and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if kind is str and isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ",".join(value)
    return value


def _number(text: str, kind: type) -> int | float:
    value = float(text.replace(",", "."))
    return int(value) if kind is int and value.is_integer() else value


def _usable(name: str, value: Any, field: FieldInfo, notes: list[str], language: str) -> Any:
    """A near value for one that cannot be used, with a note; `None` for the default."""
    kind = _kind(field)
    if get_origin(kind) is Literal and isinstance(value, str):
        return _choice(value, get_args(kind))
    if kind not in (int, float, bool) or value is None:
        return value
    read = value
    if isinstance(value, str):
        read = _truth(value) if kind is bool else _first_number(value, kind)
    if not isinstance(read, int | float) or isinstance(read, bool) != (kind is bool):
        if field.is_required():
            return value
        text = wording("note.default_used", language, name=name, value=_short(value), default=field.default)
        notes.append(text)
        return None
    if kind is int and isinstance(read, float):
        read = round(read)
    clamped = _clamped(read, field)
    if clamped != value:
        notes.append(_changed(name, value, read, clamped, language))
    return clamped


def _truth(text: str) -> bool | None:
    """What the first word says, where more was written than a truth value."""
    first = next(iter(re.findall(r"\w+", text.casefold())), "")
    return True if first in _TRUE else False if first in _FALSE else None


def _first_number(text: str, kind: type) -> int | float | None:
    number = _NUMBER.search(text)
    return _number(number[0], kind) if number else None


def _clamped(value: Any, field: FieldInfo) -> Any:
    for limit in field.metadata:
        if isinstance(limit, Le):
            value = min(value, limit.le)
        elif isinstance(limit, Ge):
            value = max(value, limit.ge)
    return value


def _changed(name: str, value: Any, read: Any, clamped: Any, language: str) -> str:
    if clamped < read:
        return wording("note.above_maximum", language, name=name, value=_short(value), used=clamped)
    if clamped > read:
        return wording("note.below_minimum", language, name=name, value=_short(value), used=clamped)
    return wording("note.read_as", language, name=name, value=_short(value), used=clamped)


def _choice(value: str, choices: tuple[Any, ...]) -> Any:
    by_plain = {_plain(str(choice)): choice for choice in choices}
    close = difflib.get_close_matches(_plain(value), list(by_plain), n=1, cutoff=_CLOSE)
    return by_plain[close[0]] if close else value


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 40 else text[:39] + "…"


def _wanted(field: FieldInfo, language: str) -> str | None:
    """What a simple argument takes, in words."""
    kind = {int: "int", float: "float", bool: "bool", str: "str"}.get(_kind(field))
    if kind is None:
        return None
    least = next((limit.ge for limit in field.metadata if isinstance(limit, Ge)), None)
    most = next((limit.le for limit in field.metadata if isinstance(limit, Le)), None)
    limits = f"{'' if least is None else least}–{'' if most is None else most}"
    return wording(f"expected.{kind}", language) + (f", {limits}" if most is not None else "")


def _problems(error: ValidationError, model: type[BaseModel], language: str) -> str:
    """One sentence for each argument that is missing or wrong, with what it takes."""
    sentences = []
    for problem in error.errors(include_url=False):
        name = str(problem["loc"][0]) if problem["loc"] else ""
        absent = problem["type"] in ("missing", "string_too_short")
        context = problem.get("ctx", {})
        wanted = _wanted(model.model_fields[name], language) if name in model.model_fields else None
        detail = context.get("expected") or context.get("error") or wanted or problem["msg"]
        key = "error.missing_argument" if absent else "error.wrong_argument"
        value = _short(problem.get("input"))
        sentences.append(wording(key, language, name=name, value=value, detail=detail))
    return " ".join(dict.fromkeys(sentences))
