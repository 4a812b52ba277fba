"""Markdown and plain text: front matter aside, the text is already what we want."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any, Final

import yaml

from atril.documents.parsing.canonical import canonical, one_line
from atril.documents.parsing.parsed import ParsedDocument, ParseWarning

_FRONT_MATTER: Final = re.compile(
    r"\s*---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_FRONT_MATTER_WITHIN: Final = 64_000
_VALUES: Final = 2_000
_HEADING: Final = re.compile(r" {0,3}#[ \t]+(.+?)[ \t#]*$")
_UNDERLINE: Final = re.compile(r"=+$")
_FENCE: Final = re.compile(r" {0,3}(```|~~~)")
_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKUP: Final = re.compile(r"[*`]+|^#+\s*|^[>|\-+]\s+", re.MULTILINE)
TITLE_LENGTH: Final = 200
_FIRST_LINE_LENGTH: Final = 100


def read_markdown(name: str, text: str, *, certain: bool) -> ParsedDocument:
    """A Markdown document; `certain` says whether its encoding was."""
    metadata, body = split_front_matter(text)
    body = canonical(body)
    title = one_line(metadata.get("title", "")) or first_heading(body) or title_from(name, body)
    return ParsedDocument(body, title[:TITLE_LENGTH], "md", metadata, (), encoding_warning(certain))


def read_plain(name: str, text: str, *, certain: bool) -> ParsedDocument:
    """A plain text document; front matter is honoured there too."""
    metadata, body = split_front_matter(text)
    body = canonical(body)
    title = one_line(metadata.get("title", "")) or title_from(name, body)
    return ParsedDocument(body, title[:TITLE_LENGTH], "txt", metadata, (), encoding_warning(certain))


def encoding_warning(certain: bool) -> tuple[ParseWarning, ...]:
    return () if certain else (ParseWarning.of("encoding"),)


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """Metadata and the text below it. What only looks like front matter stays in the text.

    Values are the text as written (no YAML types: `0123`, `yes` and dates stay what they are); lists join
    with `, ` and the keys of nested mappings with a dot.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not text.lstrip().startswith("---"):
        return {}, text
    found = _FRONT_MATTER.match(text[:_FRONT_MATTER_WITHIN])
    if not found:
        return {}, text
    try:
        # BaseLoader builds text, lists and mappings only: nothing in the file can name a Python object.
        values = yaml.load(found[1], Loader=yaml.BaseLoader)  # noqa: S506
        flat = _flatten(values) if isinstance(values, dict) else None
    except (yaml.YAMLError, ValueError, RecursionError, TypeError):
        flat = None
    return (flat, text[found.end() :]) if flat is not None else ({}, text)


def _flatten(values: dict[Any, Any]) -> dict[str, str]:
    """One level of text. Raises `ValueError` when aliases make it grow out of hand."""
    flat: dict[str, str] = {}
    budget = _VALUES

    def spend() -> None:
        nonlocal budget
        budget -= 1
        if budget < 0:
            raise ValueError("front matter holds too many values")

    def as_text(value: Any) -> str:
        spend()
        if isinstance(value, list):
            return ", ".join(as_text(item) for item in value)
        if isinstance(value, dict):
            return ", ".join(f"{key}: {as_text(item)}" for key, item in value.items())
        return one_line(canonical(str(value)))

    def walk(prefix: str, mapping: dict[Any, Any]) -> None:
        for key, value in mapping.items():
            spend()
            name = one_line(canonical(f"{prefix}{key}"))
            if isinstance(value, dict):
                walk(f"{name}.", value)
            else:
                flat[name] = as_text(value)

    walk("", values)
    return flat


def first_heading(text: str) -> str:
    """The text of the first level-one heading outside code, or nothing."""
    fence, previous = "", ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        elif not fence:
            found = _HEADING.match(line)
            if found:
                return _without_markup(found[1])
            if _UNDERLINE.match(line) and previous[:1].isalnum():
                return _without_markup(previous)
        previous = line
    return ""


def title_from(name: str, text: str) -> str:
    """The first line when it reads like a title, else the file's name without its extension."""
    first = _without_markup(next((line for line in text.split("\n") if line.strip()), ""))
    if 2 < len(first) <= _FIRST_LINE_LENGTH and any(char.isalpha() for char in first):
        return first.rstrip(":")
    return one_line(canonical(PurePath(name).stem or name))


def _without_markup(line: str) -> str:
    return one_line(_MARKUP.sub("", _LINK.sub(r"\1", line)).replace("|", " "))
