"""What passes between the library and its readers: frames of JSON behind their length.

JSON and not pickle: the other side has read hostile files, and unpickling runs code. Contents of chunks
are slices of the text and travel as offsets; term counts travel as two arrays.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import fields
from struct import Struct
from typing import Any, Final, get_args

import numpy as np

from atril.documents.analysis import TermCounts
from atril.documents.parsing import ParsedDocument, ParseWarning
from atril.documents.reading import ReadDocument
from atril.documents.references.places import Place
from atril.documents.references.targets import Reference
from atril.documents.unpacking import Contents, Member
from atril.errors import UnreadableDocument
from atril.messages import catalogue
from atril.types import Chunk, FailureReason, Page, TableShape

LENGTH: Final = Struct(">I")
"""A frame is its length in bytes, four of them, highest first, and then that many bytes of JSON."""

PAGE_MARK: Final = 1 << 31
"""Set in what would be a length, it says that so many pages have been read and no frame follows."""

OUT_OF_MEMORY: Final = 77
"""The exit status of a worker that ended itself because it held too much memory."""

_CHUNK_FIELDS: Final = tuple(field.name for field in fields(Chunk) if field.name != "content")
_MEMBER_FIELDS: Final = ("name", "key", "file", "content_hash", "bytes")
_MEMBER_FILE: Final = re.compile(r"\d{6,}|")
_REFERENCE_FIELDS: Final = tuple(field.name for field in fields(Reference))
_TUPLES: Final = ("section_path", "keywords", "flags")


def encode(message: dict[str, Any]) -> bytes:
    """A frame. Raises `OverflowError` for messages of 2 GiB and more."""
    # Names of files may hold bytes that are no UTF-8; Python carries them as lone surrogates.
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass")
    if len(body) >= PAGE_MARK:
        raise OverflowError("message too large")
    return LENGTH.pack(len(body)) + body


def decode(body: bytes) -> dict[str, Any]:
    """The message of a frame, its length taken off. Raises `ValueError` for anything but a JSON object."""
    message = json.loads(body)
    if not isinstance(message, dict):
        raise ValueError("not an object")
    return message


def document_to_json(document: ReadDocument) -> dict[str, Any]:
    parsed = document.parsed
    return {
        "text": parsed.text,
        "title": parsed.title,
        "type": parsed.type,
        "metadata": dict(parsed.metadata),
        "pages": [page.to_row() for page in parsed.pages],
        "warnings": [(warning.page, warning.kind) for warning in parsed.warnings],
        "language": document.language,
        "description": document.description,
        "chunks": [_chunk_to_json(chunk) for chunk in document.chunks],
        "terms": _terms_to_json(document.terms),
        "references": [[getattr(each, name) for name in _REFERENCE_FIELDS] for each in document.references],
        "places": [[each.key, each.copy, each.part, each.number] for each in document.places],
    }


def document_from_json(message: dict[str, Any]) -> ReadDocument:
    """The document of a message. Raises `KeyError`, `TypeError` or `ValueError` for one that is none."""
    text = message["text"]
    parsed = ParsedDocument(
        text,
        message["title"],
        message["type"],
        message["metadata"],
        tuple(Page(*page) for page in message["pages"]),
        tuple(_warning_from_json(*warning) for warning in message["warnings"]),
    )
    chunks = tuple(_chunk_from_json(values, text) for values in message["chunks"])
    terms = _terms_from_json(message["terms"])
    if len(terms) != len(chunks):
        raise ValueError("chunks and terms differ in number")
    references = tuple(Reference(*values) for values in message["references"])
    places = tuple(Place(*values) for values in message["places"])
    return ReadDocument(
        parsed, message["language"], message["description"], chunks, terms, references, places
    )


def _warning_from_json(page: int | None, kind: str) -> ParseWarning:
    if f"warning.{kind}" not in catalogue("en"):
        raise ValueError(f"unknown warning: {kind!r}")
    return ParseWarning(None if page is None else int(page), kind)


def problem_to_json(problem: UnreadableDocument) -> dict[str, str]:
    return {"reason": problem.reason, "detail": problem.detail, "hint": problem.hint}


def problem_from_json(message: dict[str, Any]) -> UnreadableDocument:
    """Raises `KeyError` or `ValueError` for a message that is no problem."""
    reason, hint = message["reason"], str(message.get("hint", ""))
    if reason not in get_args(FailureReason) or (hint and f"hint.{hint}" not in catalogue("en")):
        raise ValueError(f"unknown reason: {reason!r} {hint!r}")
    return UnreadableDocument(reason=reason, detail=str(message["detail"]), hint=hint)


def contents_to_json(contents: Contents) -> dict[str, Any]:
    return {
        "is_document": contents.is_document,
        "members": [
            [
                *(getattr(member, name) for name in _MEMBER_FIELDS),
                member.problem and problem_to_json(member.problem),
            ]
            for member in contents.members
        ],
    }


def contents_from_json(message: dict[str, Any]) -> Contents:
    """The contents of a message. Raises `KeyError`, `TypeError` or `ValueError` for one that is none."""
    members = (_member_from_json(*values) for values in message["members"])
    return Contents(bool(message["is_document"]), tuple(members))


def _member_from_json(
    name: str, key: str, file: str, content_hash: str, size: int, problem: dict[str, Any] | None
) -> Member:
    if not (isinstance(name, str) and isinstance(key, str) and _MEMBER_FILE.fullmatch(file)):
        raise ValueError("no name of a member")
    found = problem_from_json(problem) if problem is not None else None
    return Member(name, key, file, str(content_hash), int(size), found)


def _chunk_to_json(chunk: Chunk) -> list[Any]:
    table = chunk.table and [chunk.table.columns, chunk.table.rows]
    return [table if name == "table" else getattr(chunk, name) for name in _CHUNK_FIELDS]


def _chunk_from_json(values: Sequence[Any], text: str) -> Chunk:
    named = dict(zip(_CHUNK_FIELDS, values, strict=True))
    named |= {name: tuple(named[name]) for name in _TUPLES}
    if named["table"] is not None:
        columns, rows = named["table"]
        named["table"] = TableShape(tuple(columns), rows)
    return Chunk(content=text[named["start"] : named["end"]], **named)


def _terms_to_json(terms: Sequence[TermCounts]) -> dict[str, Any]:
    ids = [np.ascontiguousarray(counts.ids, "<u4").tobytes() for counts in terms]
    counts = [np.ascontiguousarray(counts.counts, "<u2").tobytes() for counts in terms]
    return {
        "sizes": [len(counts.ids) for counts in terms],
        "lengths": [counts.length for counts in terms],
        "ids": b64encode(b"".join(ids)).decode("ascii"),
        "counts": b64encode(b"".join(counts)).decode("ascii"),
    }


def _terms_from_json(message: dict[str, Any]) -> tuple[TermCounts, ...]:
    ids = np.frombuffer(b64decode(message["ids"]), "<u4").astype(np.uint32)
    counts = np.frombuffer(b64decode(message["counts"]), "<u2").astype(np.uint16)
    ends = np.cumsum([0, *message["sizes"]])
    if not len(ids) == len(counts) == ends[-1]:
        raise ValueError("terms of another size than announced")
    return tuple(
        TermCounts(ids[start:end], counts[start:end], int(length))
        for start, end, length in zip(ends[:-1], ends[1:], message["lengths"], strict=True)
    )
