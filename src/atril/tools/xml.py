"""Calls that a model wrote as text, read as they were meant.

Models write XML by ear: prose around it, fences, capitals, attributes, `&` and `<` left as they are,
closing tags forgotten. A strict parser would refuse most of it, so this one knows which tools and
arguments exist, looks for their tags only, and takes everything between as plain text. The time it takes
grows with the length of the text alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import replace
from html import unescape
from typing import Any, Final

from atril.tools.json_calls import json_calls, json_object
from atril.tools.markup import Tag, plain, plain_text, tags, without_comments, without_thoughts
from atril.tools.toolset import Call, Toolset
from atril.tools.vocabulary import CALLING, NAMED, Vocabulary
from atril.tools.wording import wording

MAX_TEXT: Final = 200_000
"""Characters of a model's text that are looked at; what comes after is no call a model meant."""
MAX_CALLS: Final = 20


def read_calls(text: str, toolset: Toolset, *, language: str = "en") -> list[Call]:
    """Every call in a text, in order, at most 20; the last one's notes say when there were more.

    Never raises; a text without calls gives none.
    """
    text = without_thoughts(text[:MAX_TEXT])
    vocabulary = Vocabulary(toolset)
    calls = _tagged_calls(text, vocabulary, language)
    if not calls and "&lt;" in text:
        calls = _tagged_calls(unescape(text), vocabulary, language)
    if not calls:
        calls = list(json_calls(text, vocabulary, most=MAX_CALLS + 1))
    if len(calls) > MAX_CALLS:
        last = calls[MAX_CALLS - 1]
        note = wording("note.more_calls", language, count=MAX_CALLS)
        calls[MAX_CALLS - 1 :] = [replace(last, notes=(*last.notes, note))]
    return calls


def _tagged_calls(text: str, vocabulary: Vocabulary, language: str) -> list[Call]:
    page = _Page(text, vocabulary)
    calls: list[Call] = []
    position = 0
    while len(calls) <= MAX_CALLS:
        while position < len(page.tags) and page.opens(position) is None:
            position += 1
        if position >= len(page.tags):
            break
        reading = _Reading(page, position, vocabulary, language)
        calls.append(reading.read())
        position = reading.position
    # `<tool>…<tool>`: the slash of the closing tag was forgotten.
    closed_badly = len(calls) > 1 and not calls[-1].arguments and calls[-1].tool == calls[-2].tool
    return calls[:-1] if closed_badly else calls


class _Page:
    """The tags of a text, and where each name is opened and closed."""

    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self.text = text
        self.tags = tags(text, vocabulary.known)
        self._vocabulary = vocabulary
        self._places: dict[tuple[bool, str], list[int]] = {}
        for place, tag in enumerate(self.tags):
            self._places.setdefault((tag.closing, tag.plain), []).append(place)

    def opens(self, place: int) -> str | None:
        """The tool that a tag opens."""
        tag = self.tags[place]
        return None if tag.closing else self._vocabulary.opened(tag)

    def following(self, place: int, *, closing: bool, name: str) -> int | None:
        """The next tag of a plain name after a place."""
        places = self._places.get((closing, name), [])
        found = bisect_left(places, place + 1)
        return places[found] if found < len(places) else None


class _Reading:
    """One call from the tag that opens it to where it ends: at its closing tag; without one, where the next
    call opens, or at the end of the text. `position` is the tag at which reading goes on."""

    def __init__(self, page: _Page, place: int, vocabulary: Vocabulary, language: str) -> None:
        self._page = page
        self._vocabulary = vocabulary
        self._language = language
        self._opening = page.tags[place]
        self._tool = page.opens(place) or ""
        self._fields = vocabulary.fields(self._tool)
        self._notes: list[str] = []
        self._next_field = 0
        self.position = place + 1

    def read(self) -> Call:
        opening, written = self._opening, self._vocabulary.written(self._opening)
        if plain(written) != plain(self._tool):
            text = wording("note.tool_read_as", self._language, written=written, name=self._tool)
            self._notes.append(text)
        values = {} if opening.empty else self._values()
        end = self._body_end()
        if not self._fields:
            return Call(self._tool, {}, tuple(self._notes))
        body = plain_text(without_comments(self._page.text[opening.end : end]))
        given = {**(json_object(body) or {}), **self._unwrapped(values)}
        for name, value in opening.attributes.items():
            if plain(name) in self._fields:
                given.setdefault(self._fields[plain(name)], value)
        if body and not values and not opening.empty:
            given = self._bare(body) | given
        return Call(self._tool, given, tuple(self._notes))

    def _unwrapped(self, values: dict[str, str]) -> Mapping[str, Any]:
        """The arguments, which may stand as JSON inside a tag that is none of them."""
        if len(values) == 1 and not values.keys() & set(self._fields.values()):
            return json_object(*values.values()) or values
        return values

    def _body_end(self) -> int:
        """Where the inside of the call ends in the text; reading stopped behind its end or before the next."""
        places, last = self._page.tags, self.position - 1
        if self._opening.empty:
            return self._opening.end
        if last < len(places) and places[last] is not self._opening and self._ends(places[last]):
            return places[last].start
        return places[self.position].start if self.position < len(places) else len(self._page.text)

    def _bare(self, body: str) -> dict[str, Any]:
        """A text without tags is the first argument; tags that were escaped are read as tags."""
        inside = _Page(body, self._vocabulary)
        if any(self._field(tag) for tag in inside.tags if not tag.closing):
            again = _Reading(
                _Page(f"<{self._tool}>{body}", self._vocabulary), 0, self._vocabulary, self._language
            )
            return again._values()
        required = self._vocabulary.first_required(self._tool)
        return {required: body} if required and not inside.tags else {}

    def _values(self) -> dict[str, str]:
        """The arguments inside a call. An unknown tag is kept under its own name, to be reported or guessed."""
        found: dict[str, str] = {}
        while self.position < len(self._page.tags):
            tag = self._page.tags[self.position]
            if tag.closing:
                self.position += 1
                if self._ends(tag):
                    break
                continue
            name = self._field(tag)
            if name is None and self._page.opens(self.position) is not None:
                break
            if tag.empty:
                self.position += 1
            else:
                self._value(tag, name, found)
        return found

    def _value(self, tag: Tag, name: str | None, found: dict[str, str]) -> None:
        end = self._unknown_end(tag) if name is None else self._end(tag)
        if end is None:  # a tag that means nothing, or stands around arguments
            self.position += 1
            return
        stop, self.position = end
        name = name or tag.attributes.get("name", tag.written)
        value = plain_text(self._page.text[tag.end : stop])
        if name in found and found[name] != value:
            self._notes.append(wording("note.repeated", self._language, name=name))
        found[name] = value

    def _unknown_end(self, tag: Tag) -> tuple[int, int] | None:
        own = self._page.following(self.position, closing=True, name=tag.plain)
        if own is None:
            return None
        self._next_field = max(self._next_field, self.position + 1)
        places = self._page.tags
        while self._next_field < own and not self._stops(places[self._next_field]):
            self._next_field += 1
        return (places[own].start, own + 1) if self._next_field >= own else None

    def _stops(self, tag: Tag) -> bool:
        """An argument, or the end of the call: nothing that an unknown tag could hold."""
        return self._ends(tag) if tag.closing else self._field(tag) is not None

    def _end(self, tag: Tag) -> tuple[int, int]:
        """Where a value ends and which tag comes next: its own closing tag, unless it was forgotten; else
        any other tag that ends it."""
        places, here = self._page.tags, self.position
        own = self._page.following(here, closing=True, name=tag.plain)
        again = self._page.following(here, closing=False, name=tag.plain)
        if own is not None and (again is None or own < again):
            return places[own].start, own + 1
        for place in range(here + 1, len(places)):
            other = places[place]
            if other.closing and self._field(other) is not None:
                return other.start, place + 1
            if other.closing and self._ends(other):
                return other.start, place
            if not other.closing and (self._argument(other) or self._vocabulary.opened(other) is not None):
                return other.start, place
        return self._last_end(tag), len(places)

    def _last_end(self, tag: Tag) -> int:
        """The end of a value that nothing closes, without the closing tags of what stands around it."""
        end = len(self._page.text)
        inside = {each.plain for each in self._page.tags[self.position + 1 :] if not each.closing}
        for other in reversed(self._page.tags[self.position + 1 :]):
            if not other.closing or other.plain in inside or self._page.text[other.end : end].strip():
                break
            end = other.start
        return end

    def _ends(self, tag: Tag) -> bool:
        """Whether a closing tag closes this call."""
        if not tag.closing:
            return False
        own = plain(self._vocabulary.written(self._opening))
        return (
            tag.plain in (own, self._opening.plain)
            or tag.written.casefold() in CALLING
            or (self._vocabulary.tool_name(tag.written) == self._tool)
        )

    def _argument(self, tag: Tag) -> bool:
        return tag.plain in self._fields or tag.written.casefold() in NAMED

    def _field(self, tag: Tag) -> str | None:
        """The argument that a tag names; for closing tags of the kind `</parameter>` a name that is none."""
        if tag.written.casefold() in NAMED:
            if tag.closing:
                return tag.written
            if "name" in tag.attributes:
                return self._vocabulary.field(self._tool, tag.attributes["name"])
        return self._vocabulary.field(self._tool, tag.written)
