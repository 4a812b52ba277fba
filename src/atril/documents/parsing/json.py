"""JSON as people would write it down: arrays of objects as tables, other objects as sections and lists.

Numbers stay as they are written. JSON Lines are read as one array.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from atril.documents.parsing.assembly import document, heading, paragraph, table
from atril.documents.parsing.canonical import one_line
from atril.documents.parsing.decoding import decode
from atril.documents.parsing.parsed import Noticed, ParsedDocument
from atril.documents.parsing.xmltree import reader_of_file
from atril.errors import UnreadableDocument

_DEEPEST: Final = 60
_DEEPEST_HEADING: Final = 5
_WIDEST_TABLE: Final = 40
_LONG: Final = 200
_TITLES: Final = ("title", "name", "titulo", "título", "nombre", "название", "заголовок")


@reader_of_file
def read_json(name: str, data: bytes) -> ParsedDocument:
    """A JSON or JSON Lines file. Raises `UnreadableDocument`: corrupt, empty, unsupported."""
    text, certain = decode(data)
    value = _loaded(text)
    stated = (
        next((str(value[key]) for key in _TITLES if isinstance(value.get(key), str)), "")
        if isinstance(value, dict)
        else ""
    )
    blocks = list(_blocks(value, 1, 0))
    noticed = Noticed()
    if not certain:
        noticed.add("encoding")
    return document(name, "json", blocks, stated=stated, noticed=noticed, file_titles=True)


def _loaded(text: str) -> Any:
    try:
        return _parsed(text)
    except json.JSONDecodeError as whole:
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            if len(lines) > 1:
                return [_parsed(line) for line in lines]
        except json.JSONDecodeError:
            pass
        raise UnreadableDocument(reason="corrupt", detail=f"not JSON: {whole}"[:200]) from whole


def _parsed(text: str) -> Any:
    return json.loads(text, parse_int=str, parse_float=str, parse_constant=str)


def _blocks(value: Any, level: int, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        yield paragraph(one_line(json.dumps(value, ensure_ascii=False)))
    elif isinstance(value, dict):
        yield from _object(value, level, depth)
    elif isinstance(value, list):
        yield from _array(value, level, depth)
    elif text := _scalar(value):
        yield paragraph(text)


def _object(value: dict[str, Any], level: int, depth: int) -> Iterator[str]:
    """Plain fields as a list first, then a section for each field that holds more."""
    lines: list[str] = []
    for key, entry in value.items():
        if not _is_plain(entry):
            continue
        text = _inline(entry)
        if text.strip():
            lines.append(f"- {one_line(key)}: {one_line(text)}" if len(text) <= _LONG else "")
    if any(lines):
        yield "\n".join(line for line in lines if line)
    for key, entry in value.items():
        if _is_plain(entry) and len(_inline(entry)) <= _LONG:
            continue
        blocks = list(_blocks(entry, level + 1, depth + 1))
        if not blocks:
            continue
        yield heading(level, key) if level <= _DEEPEST_HEADING else paragraph(f"{one_line(key)}:")
        yield from blocks


def _array(value: list[Any], level: int, depth: int) -> Iterator[str]:
    if all(_is_plain(entry) for entry in value):
        texts = [text for entry in value if (text := _inline(entry)).strip()]
        if not texts:
            return
        yield (
            "\n".join(f"- {one_line(text)}" for text in texts)
            if max(map(len, texts), default=0) <= _LONG
            else "\n\n".join(map(paragraph, texts))
        )
        return
    records = [_flat(entry) for entry in value if isinstance(entry, dict)]
    if len(records) == len(value) and all(record is not None for record in records):
        rows = [record for record in records if record is not None]
        if not any(text for row in rows for text in row.values()):
            return
        columns = list(dict.fromkeys(key for row in rows for key in row))
        if len(columns) <= _WIDEST_TABLE and len(rows) > 1:
            yield from table([columns, *([row.get(column, "") for column in columns] for row in rows)])
            return
    for count, entry in enumerate(value, 1):
        blocks = list(_blocks(entry, level + 1, depth + 1))
        if blocks and len(value) > 1 and isinstance(entry, dict):
            yield heading(level, _label(entry) or str(count)) if level <= _DEEPEST_HEADING else f"{count}."
        yield from blocks


def _flat(record: dict[str, Any]) -> dict[str, str] | None:
    """A record as one row, nested objects by `outer.inner`; nothing when it holds records of its own."""
    row: dict[str, str] = {}
    for key, entry in record.items():
        if _is_plain(entry):
            row[key] = _inline(entry)
        elif isinstance(entry, dict) and all(_is_plain(inner) for inner in entry.values()):
            row |= {f"{key}.{inner}": _inline(found) for inner, found in entry.items()}
        else:
            return None
    return row


def _label(record: dict[str, Any]) -> str:
    return next((record[key] for key in _TITLES if isinstance(record.get(key), str)), "")


def _is_plain(value: Any) -> bool:
    """A value that fits on a line: a scalar, or an array of scalars."""
    if isinstance(value, list):
        return all(not isinstance(entry, dict | list) for entry in value)
    return not isinstance(value, dict)


def _inline(value: Any) -> str:
    return ", ".join(map(_scalar, value)) if isinstance(value, list) else _scalar(value)


def _scalar(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
