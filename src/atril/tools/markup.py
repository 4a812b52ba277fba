"""Tags in a text that only resembles XML, found in time that grows with its length alone.

Nothing is expanded but the five entities of XML and character references, once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from typing import Final

LONGEST_NAME: Final = 64
_BLANKS: Final = r"\s{0,9}+"
_NAME: Final = rf"[^\W\d][\w.:-]{{0,{LONGEST_NAME - 1}}}+(?![\w.:-])"
_TAG: Final = re.compile(
    rf"[<＜]{_BLANKS}(?P<close>[/／]?){_BLANKS}(?P<name>{_NAME})"
    r"(?P<rest>(?:\"[^\"<>]*+\"|'[^'<>]*+'|“[^”<>]*+”|[^<>＜＞\"'“])*+)(?P<end>[>＞]?)"
)
_HALF: Final = re.compile(rf"(?:^|>)[ \t]{{0,9}}+(?P<name>{_NAME})>", re.M)
"""A tag whose first bracket was forgotten."""
_ATTRIBUTE: Final = re.compile(
    r"(?<![\w-])(?P<name>[^\W\d][\w-]{0,63}+)\s{0,9}+=\s{0,9}+"
    r"(?:\"([^\"]*+)\"|'([^']*+)'|[“”„«]([^”“»]*+)[”“»]|([^\s\"'>/]++))"
)
_ASSIGNED: Final = re.compile(r"\s{0,9}+=\s{0,9}+[\"'“]?([\w.-]{1,64})")
"""`<function=name>`, which some models are trained to write."""
_ENTITY: Final = re.compile(r"&(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});")
_FENCE: Final = re.compile(r"```\w*+[ \t]*+\n")
_THOUGHTS: Final = re.compile(r"<(/?)(think|thinking|reasoning)\s{0,9}+>", re.I)
CDATA: Final = ("<![CDATA[", "]]>")
COMMENT: Final = ("<!--", "-->")


@dataclass(frozen=True)
class Tag:
    """A tag as it stands in the text from `start` to `end`; `rest` is what follows the name inside it."""

    start: int
    end: int
    written: str
    closing: bool
    rest: str

    @cached_property
    def attributes(self) -> Mapping[str, str]:
        assigned = _ASSIGNED.match(self.rest)
        found = {"name": assigned[1]} if assigned else {}
        for match in _ATTRIBUTE.finditer(self.rest):
            value = next(group for group in match.groups()[1:] if group is not None)
            found.setdefault(match["name"], plain_text(value))
        return found

    @property
    def empty(self) -> bool:
        """Closed in itself: `<name/>`."""
        return self.rest.rstrip().endswith(("/", "／"))

    @cached_property
    def plain(self) -> str:
        return plain(self.written)


def plain(name: str) -> str:
    """What is left of a name without its dashes, underscores and capitals."""
    return re.sub(r"[\W_]", "", name[: 2 * LONGEST_NAME]).casefold()


def tags(text: str, known: Iterable[str] = ()) -> list[Tag]:
    """The tags in their order, without those in comments and in sections of character data.

    A tag that never ends is its name alone, so that what follows it is still read. Names among `known`
    (plain) are tags even without their first bracket, where a line or another tag ends before them.
    """
    hidden = [*_spans(text, *COMMENT), *_spans(text, *CDATA)]
    hidden.sort()
    names = frozenset(known)
    found = [tag for tag in (_tag(match) for match in _TAG.finditer(text)) if tag is not None]
    halves = [
        Tag(match.start("name"), match.end(), match["name"], False, "")
        for match in _HALF.finditer(text)
        if plain(match["name"]) in names
    ]
    if halves:
        taken = {tag.end for tag in found}
        found += [half for half in halves if half.end not in taken]
        found.sort(key=lambda tag: tag.start)
    return list(_shown(found, hidden))


def _tag(match: re.Match[str]) -> Tag:
    rest, end = match["rest"], match.end()
    if not match["end"] and not _ASSIGNED.match(rest) and not _ATTRIBUTE.match(rest.lstrip()):
        rest, end = "", match.end("name")
    return Tag(match.start(), end, match["name"], bool(match["close"]), rest)


def _shown(found: Iterable[Tag], hidden: list[tuple[int, int]]) -> Iterator[Tag]:
    covers = iter(hidden)
    cover = next(covers, None)
    for tag in found:
        while cover is not None and cover[1] <= tag.start:
            cover = next(covers, None)
        if cover is None or tag.start < cover[0]:
            yield tag


def _spans(text: str, opening: str, ending: str) -> Iterator[tuple[int, int]]:
    """Where pairs of marks begin and end; one that is never ended is plain text."""
    start = text.find(opening)
    while start >= 0:
        end = text.find(ending, start + len(opening))
        if end < 0:
            return
        yield start, end + len(ending)
        start = text.find(opening, end + len(ending))


def without_comments(text: str) -> str:
    return "".join(_between(text, _spans(text, *COMMENT)))


def without_thoughts(text: str) -> str:
    """A model's text without what it thought aloud; a server may have taken the first of the tags away."""
    spans: list[tuple[int, int]] = []
    opened: re.Match[str] | None = None
    for mark in _THOUGHTS.finditer(text):
        if not mark[1]:
            opened = opened or mark
        elif opened is None:
            spans = [(0, mark.end())] if not spans and mark[2].casefold() == "think" else spans
        elif opened[2].casefold() == mark[2].casefold():
            spans.append((opened.start(), mark.end()))
            opened = None
    return " ".join(_between(text, spans))


def _between(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[str]:
    position = 0
    for start, end in spans:
        yield text[position:start]
        position = end
    yield text[position:]


def plain_text(value: str) -> str:
    """A value without its markup: sections of character data, entities once, the blanks around it."""
    parts: list[str] = []
    position = 0
    for start, end in _spans(value, *CDATA):
        parts += [_decoded(value[position:start]), value[start + len(CDATA[0]) : end - len(CDATA[1])]]
        position = end
    rest = value[position:].replace(CDATA[0], "")
    parts.append(_decoded(rest.removesuffix(CDATA[1])))
    text = "".join(parts).strip()
    fenced = _FENCE.match(text)
    return text[fenced.end() : -3].strip() if fenced and text.endswith("\n```") else text


def _decoded(text: str) -> str:
    return _ENTITY.sub(lambda entity: unescape(entity[0]), text)
