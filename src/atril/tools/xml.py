"""Calls that a model wrote as text, read as they were meant.

Models write XML by ear: prose around it, fences, capitals, attributes, `&` and `<` left as they are,
closing tags forgotten. A strict parser would refuse most of it, so this one knows which tools and
arguments exist, looks for their tags only, and takes everything between as plain text. Nothing is ever
expanded but the five entities of XML and character references, once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from html import unescape
from typing import Any, Final

from atril.tools.tool import Tool
from atril.tools.toolset import Call, Toolset
from atril.tools.wording import wording

MAX_TEXT: Final = 200_000
"""Characters of a model's text that are looked at; what comes after is no call a model meant."""
MAX_CALLS: Final = 20

_THINKING: Final = re.compile(r"<(think|thinking|reasoning)>.*?</\1\s*>", re.I | re.S)
_COMMENT: Final = re.compile(r"<!--.*?-->", re.S)
_CDATA: Final = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.S)
_CDATA_EDGE: Final = re.compile(r"<!\[CDATA\[|\]\]>")
_ENTITY: Final = re.compile(r"&(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});")
_TAG: Final = re.compile(r"<\s*(/?)\s*([^\W\d][\w.:-]*)((?:\"[^\"<>]*\"|'[^'<>]*'|[^<>\"'])*)>?")
_ATTRIBUTE: Final = re.compile(r"([^\W\d][\w-]*)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>/]+))")
_NAMED: Final = frozenset(("parameter", "param", "arg", "argument"))
_CALLING: Final = frozenset(("invoke", "tool", "function", "call"))
_ESCAPED_TAG: Final = re.compile(r"&lt;\s*/?\s*tool", re.I)
_FENCE: Final = re.compile(r"^\s*```\w*\s*\n(.*?)\n?\s*```\s*$", re.S)
_WRAPPERS: Final = frozenset(
    ("toolcall", "toolcalls", "tooluse", "tools", "toolcode", "toolresult", "toolresponse", "tooloutput")
)
"""Tags that models put around calls, and around what they imagine the answer to be."""
_ENDINGS: Final = re.compile(r"(?:\s*<\s*/\s*[\w.:-]+\s*>)+\s*\Z")
_CLOSE: Final = 0.82


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag that means something here: `kind` is `tool` or `argument`, `name` the tool's or argument's own
    name; `written` is how the model wrote it."""

    kind: str
    name: str
    written: str
    closing: bool
    empty: bool
    attributes: Mapping[str, str]
    start: int
    end: int


def read_calls(text: str, toolset: Toolset, *, language: str = "en") -> list[Call]:
    """Every call in a text, in order, at most 20. Never raises; a text without calls gives none."""
    text = _THINKING.sub(" ", text[:MAX_TEXT])
    calls = _tagged_calls(text, toolset, language)
    if not calls and _ESCAPED_TAG.search(text):
        calls = _tagged_calls(unescape(text), toolset, language)
    if not calls:
        calls = list(_json_calls(text, toolset))
    return calls[:MAX_CALLS]


def _tagged_calls(text: str, toolset: Toolset, language: str) -> list[Call]:
    vocabulary = _Vocabulary(toolset)
    calls: list[Call] = []
    position = 0
    while len(calls) < MAX_CALLS:
        opening = vocabulary.next_tool(text, position)
        if opening is None:
            return calls
        end, position = (opening.end, opening.end) if opening.empty else _body(text, opening, vocabulary)
        calls.append(_call(opening, text[opening.end : end], vocabulary, language))
    return calls


class _Vocabulary:
    """The tags that mean something: tools and their arguments, by what is left of a name without its
    dashes, capitals and `tool_`."""

    def __init__(self, toolset: Toolset) -> None:
        self._toolset = toolset
        self._tools = {_plain(name): name for name in toolset.names}
        for name in toolset.names:  # `tool_search` and `search` may both be somebody's
            self._tools.setdefault(_plain(name.removeprefix("tool_")), name)

    def tool(self, name: str) -> Tool[Any] | None:
        return self._toolset[name] if name in self._toolset.names else None

    def tool_name(self, written: str) -> str | None:
        """The tool a tag opens; a name that begins as tools do and is none stays as written."""
        plain = _plain(written)
        if plain in self._tools:
            return self._tools[plain]
        if plain in _WRAPPERS or not written.casefold().startswith("tool"):
            return None
        full = [_plain(name) for name in self._toolset.names]
        close = get_close_matches(plain, full, n=1, cutoff=_CLOSE)
        if close:
            return self._tools[close[0]]
        return written if re.fullmatch(r"tool[_-]\w+", written, re.I) else None

    def next_tool(self, text: str, position: int) -> _Tag | None:
        """The next opening tag of a tool that stands in no comment."""
        comments = [match.span() for match in _COMMENT.finditer(text, position)]
        for match in _TAG.finditer(text, position):
            if match[1] or any(start <= match.start() < end for start, end in comments):
                continue
            attributes = _attributes(match[3])
            written = match[2]
            if written.casefold() in _CALLING and "name" in attributes:
                written = attributes.pop("name")
            name = self.tool_name(written)
            if name is not None and (name in self._toolset.names or written.casefold().startswith("tool")):
                return _tag("tool", name, written, match, attributes)
        return None

    def arguments(self, tool: str) -> Mapping[str, str]:
        known = self.tool(tool)
        return {} if known is None else {_plain(name): name for name in known.arguments.model_fields}

    def is_tool_tag(self, written: str) -> bool:
        return written.casefold() in _CALLING or self.tool_name(written) is not None


def _tag(kind: str, name: str, written: str, match: re.Match[str], attributes: Mapping[str, str]) -> _Tag:
    empty = match[3].rstrip().endswith("/")
    return _Tag(kind, name, written, bool(match[1]), empty, attributes, match.start(), match.end())


def _attributes(text: str) -> dict[str, str]:
    return {
        match[1]: _plain_text(next(value for value in match.groups()[1:] if value is not None))
        for match in _ATTRIBUTE.finditer(text)
    }


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _body(text: str, opening: _Tag, vocabulary: _Vocabulary) -> tuple[int, int]:
    """Where the inside of a call ends and where reading goes on.

    At its closing tag; without one, where the next call opens, or at the end. A closing tag inside an
    argument's value counts only when the argument itself is never closed.
    """
    position = opening.end
    arguments = vocabulary.arguments(opening.name)
    while True:
        match = _TAG.search(text, position)
        if match is None:
            return len(text), len(text)
        written, closing = match[2], bool(match[1])
        plain = _plain(written)
        if closing and (plain == _plain(opening.written) or vocabulary.tool_name(written) == opening.name):
            return match.start(), match.end()
        if closing and written.casefold() in _CALLING:
            return match.start(), match.end()
        if not closing and plain not in arguments and vocabulary.is_tool_tag(written):
            return match.start(), match.start()
        position = match.end()
        if not closing and (plain in arguments or plain in _NAMED):
            position = _value_end(text, match, plain) or position


def _value_end(text: str, opening: re.Match[str], plain: str) -> int | None:
    """The end of a value that its own tag closes; `None` when it is left open."""
    if opening[3].rstrip().endswith("/"):
        return None
    closing = re.compile(rf"<\s*/\s*{re.escape(opening[2])}\s*>?", re.I).search(text, opening.end())
    return closing.start() if closing else None


def _call(opening: _Tag, body: str, vocabulary: _Vocabulary, language: str) -> Call:
    notes: list[str] = []
    if _plain(opening.written) != _plain(opening.name):
        notes.append(wording("note.tool_read_as", language, written=opening.written, name=opening.name))
    tool = vocabulary.tool(opening.name)
    if tool is None:
        return Call(opening.name, {}, tuple(notes))
    fields = {_plain(name): name for name in tool.arguments.model_fields}
    given = _json_object(_inner(body)) or {}
    given.update(_values(body, fields, notes, language))
    for name, value in opening.attributes.items():
        if _plain(name) in fields:
            given.setdefault(fields[_plain(name)], value)
    if not given and (text := _bare_text(body)):
        first = next(
            (name for name, field in tool.arguments.model_fields.items() if field.is_required()), None
        )
        if first is not None:
            given[first] = text
    return Call(opening.name, given, tuple(notes))


def _values(body: str, fields: Mapping[str, str], notes: list[str], language: str) -> dict[str, str]:
    """The arguments inside a call. An unknown tag is kept under its own name, to be reported or guessed."""
    found: dict[str, str] = {}
    position = 0
    while (match := _next_opening(body, position)) is not None:
        written, attributes = match[2], _attributes(match[3])
        if written.casefold() in _NAMED and "name" in attributes:
            written = attributes["name"]
        name = _field(written, fields)
        if match[3].rstrip().endswith("/"):
            position = match.end()
            continue
        end, position = _value_span(body, match, fields)
        if name is None and not _closes(body, match[2], match.end()):
            position = match.end()
            continue
        name = name or written
        value = _plain_text(body[match.end() : end])
        if name in found and found[name] != value:
            notes.append(wording("note.repeated", language, name=name))
        found[name] = value
    return found


def _next_opening(body: str, position: int) -> re.Match[str] | None:
    """The next opening tag outside comments."""
    while (match := _TAG.search(body, position)) is not None:
        comment = _COMMENT.search(body, position)
        if comment is not None and comment.start() < match.start():
            position = comment.end()
        elif match[1]:
            position = match.end()
        else:
            return match
    return None


def _field(written: str, fields: Mapping[str, str]) -> str | None:
    plain = _plain(written)
    if plain in fields:
        return fields[plain]
    close = get_close_matches(plain, list(fields), n=1, cutoff=_CLOSE)
    return fields[close[0]] if close else None


def _closes(body: str, written: str, position: int) -> bool:
    return re.compile(rf"<\s*/\s*{re.escape(written)}\b", re.I).search(body, position) is not None


def _value_span(body: str, opening: re.Match[str], fields: Mapping[str, str]) -> tuple[int, int]:
    """Where a value ends and where reading goes on: its own closing tag, else any other tag that ends it."""
    start = opening.end()
    own = re.compile(rf"<\s*/\s*{re.escape(opening[2])}\s*>?", re.I).search(body, start)
    if own is not None:
        between = body[start : own.start()]
        again = _reopened(between, opening[2])
        if again is None:
            return own.start(), own.end()
        return start + again, start + again
    for match in _TAG.finditer(body, start):
        if match[1] and (_field(match[2], fields) or _plain(match[2]) in map(_plain, _NAMED)):
            return match.start(), match.end()
        if not match[1] and (_plain(match[2]) in fields or match[2].casefold() in _NAMED):
            return match.start(), match.start()
    # Nothing closes it: what was meant to close something around it is no part of the value.
    return start + len(_ENDINGS.sub("", body[start:])), len(body)


def _reopened(between: str, written: str) -> int | None:
    """Where the same tag opens again before it closes: the first one's closing tag was forgotten."""
    match = re.compile(rf"<\s*{re.escape(written)}\b[^<>/]*>", re.I).search(between)
    return match.start() if match else None


def _plain_text(value: str) -> str:
    """A value without its markup: sections of character data, entities once, the blanks around it."""
    parts: list[str] = []
    position = 0
    for match in _CDATA.finditer(value):
        parts += [_decoded(value[position : match.start()]), match[1]]
        position = match.end()
    parts.append(_decoded(_CDATA_EDGE.sub("", value[position:])))
    text = "".join(parts).strip()
    fenced = _FENCE.match(text)
    return fenced[1].strip() if fenced else text


def _decoded(text: str) -> str:
    return _ENTITY.sub(lambda entity: unescape(entity[0]), text)


def _inner(body: str) -> str:
    return _plain_text(_COMMENT.sub("", body))


def _bare_text(body: str) -> str:
    text = _inner(body)
    return "" if _TAG.search(text) else text


def _json_object(text: str) -> dict[str, Any] | None:
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _json_calls(text: str, toolset: Toolset) -> Iterator[Call]:
    """Calls as objects with a name and arguments, which models trained on functions write in text."""
    decoder = json.JSONDecoder()
    position = 0
    while (start := text.find("{", position)) >= 0:
        try:
            value, position = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            position = start + 1
            continue
        yield from _from_json(value, _Vocabulary(toolset))


def _from_json(value: Any, vocabulary: _Vocabulary) -> Iterator[Call]:
    if not isinstance(value, dict):
        return
    nested = value.get("function")
    if isinstance(nested, dict):
        value = nested
    name = next((value[key] for key in ("name", "tool", "function") if isinstance(value.get(key), str)), None)
    arguments: Any = next(
        (value[key] for key in ("arguments", "parameters", "args", "input") if key in value), {}
    )
    if isinstance(arguments, str):
        arguments = _json_object(arguments.strip())
    tool = vocabulary.tool_name(name) if name else None
    if tool is not None and isinstance(arguments, dict):
        yield Call(tool, arguments)
