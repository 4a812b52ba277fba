"""The places of a document that a reference can mean, and the references of a document on their way to them.

A place has a key, unique within its document but for its copy: "38" or "adicional 23" for an article or
provision, "titulo 3/capitulo 2" for a division, "§3.2" for a numbered section, "p12" for a page, "#install"
for a heading that a link leads to, "" for the whole. A decree and the text it approves may both have an
article 1: the second is copy 2. The parts of an article are its numbered paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from atril.documents.ordinals import UNIQUE, copy_of, fold, place_key, value_of
from atril.types import Chunk

WHOLE: Final = ""
_PARAGRAPH: Final = re.compile(
    r"^\W{0,4}(\d{1,2})[.)]\s|^(uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez)\.\s", re.I | re.M
)
_DIVISION: Final = re.compile(
    r"\W*(libro|titulo|capitulo|seccion|subseccion|anexo|chapter|part|title|annex|section)\s+([^\W_]+)"
)
_SECTION: Final = re.compile(
    r"\W*(?:(?:secci[oó]n|section|раздел|глава|chapter|cap[ií]tulo)\s+)?(\d{1,3}(?:\.\d{1,3}){0,5})(?![\w/]|\.?[ºª])",
    re.I,
)
_LINE: Final = re.compile(
    r"^[^\w#\n]{0,4}(?:ANEXO|Anexo|LIBRO|T[IÍ]TULO|CAP[IÍ]TULO|SECCI[OÓ]N|Secci[oó]n|SUBSECCI[OÓ]N|Subsecci[oó]n)\s+[^\n]{1,160}$",
    re.M,
)
_NOT_IN_SLUG: Final = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True)
class Place:
    """Where something that can be referred to begins: the number of its first chunk."""

    key: str
    copy: int
    part: str
    number: int


def find_places(chunks: Sequence[Chunk]) -> list[Place]:
    """The places of a document in order, each key, copy and part once."""
    found: dict[tuple[str, int, str], Place] = {}
    for place in (*_whole(chunks), *_articles(chunks), *_headings(chunks), *_lines(chunks), *_pages(chunks)):
        found.setdefault((place.key, place.copy, place.part), place)
    return list(found.values())


def slug(title: str) -> str:
    """The anchor that Markdown viewers give a heading."""
    return _NOT_IN_SLUG.sub("", title.strip().lower()).replace(" ", "-")


def divisions(path: Sequence[str]) -> list[str]:
    """The divisions above a place, from the outermost in: "titulo 3", "capitulo 2"."""
    return [key for title in path if (key := division_key(title))]


def division_key(title: str) -> str | None:
    """The kind and number of a division that a heading opens."""
    found = _DIVISION.match(fold(title))
    if found is None:
        return None
    number = value_of(found[2])
    return f"{found[1]} {number if number is not None else found[2]}"


def paragraphs(content: str) -> Iterator[str]:
    """The numbers of the paragraphs that begin in a piece of an article."""
    for match in _PARAGRAPH.finditer(content):
        yield match[1] or str(value_of(match[2].lower()))


def _whole(chunks: Sequence[Chunk]) -> Iterator[Place]:
    if chunks:
        yield Place(WHOLE, 1, "", chunks[0].number)


def _articles(chunks: Sequence[Chunk]) -> Iterator[Place]:
    for chunk in chunks:
        if chunk.article is None:
            continue
        key, copy = place_key(chunk.article), copy_of(chunk.article)
        for form in (key, *_other_forms(key)):
            yield Place(form, copy, "", chunk.number)
        for part in paragraphs(chunk.content):
            yield Place(key, copy, part, chunk.number)
        article, dot, part = key.partition(".")
        if dot and part.isdigit():
            yield Place(article, copy, "", chunk.number)
            yield Place(article, copy, part, chunk.number)


def _other_forms(key: str) -> Iterator[str]:
    """What else the only provision of its kind may be called."""
    kind, _, number = key.partition(" ")
    if number == UNIQUE and kind.isalpha():
        yield from (kind, f"{kind} 1")
    elif key.isalpha() and key != UNIQUE:
        yield from (f"{kind} {UNIQUE}", f"{kind} 1")


def _headings(chunks: Sequence[Chunk]) -> Iterator[Place]:
    seen: set[tuple[str, ...]] = set()
    copies: dict[str, int] = {}
    book: list[str] = []
    for chunk in chunks:
        for depth in range(1, len(chunk.section_path) + 1):
            path = chunk.section_path[:depth]
            if path in seen:
                continue
            seen.add(path)
            own = division_key(path[-1]) or ""
            if own.startswith("libro "):
                book = [own]
            for key in _keys(path, book if own.startswith("titulo ") and not divisions(path[:-1]) else []):
                copies[key] = copies.get(key, 0) + 1
                if key.startswith("#") and copies[key] > 1:
                    yield Place(f"{key}-{copies[key] - 1}", 1, "", chunk.number)
                yield Place(key, copies[key], "", chunk.number)


def _lines(chunks: Sequence[Chunk]) -> Iterator[Place]:
    """Divisions that open with a plain line instead of a heading, as annexes often do."""
    copies: dict[str, int] = {}
    for chunk in chunks:
        for line in _LINE.finditer(chunk.content):
            if division_key(line.group()) is None:
                continue
            # The line over an article is the last one of the article before.
            over = _LINE.sub("", chunk.content[line.end() :]).isspace() or line.end() == len(chunk.content)
            number = chunk.number + 1 if over and chunk is not chunks[-1] else chunk.number
            for key in _keys((*chunk.section_path, line.group())):
                if not key.startswith(("#", "§")):
                    copies[key] = copies.get(key, 0) + 1
                    yield Place(key, copies[key], "", number)


def _keys(path: tuple[str, ...], over: Sequence[str] = ()) -> Iterator[str]:
    """The keys of what a heading opens; `over` are the divisions above it that its path does not show."""
    title = path[-1]
    if anchor := slug(title):
        yield f"#{anchor}"
    if numbered := _SECTION.match(title):
        yield f"§{numbered[1]}"
    if own := division_key(title):
        above = [*over, *divisions(path[:-1])]
        for size in range(len(above) + 1):
            for some in combinations(above, size):
                yield "/".join((*some, own))


def _pages(chunks: Sequence[Chunk]) -> Iterator[Place]:
    for chunk in chunks:
        if chunk.page is not None:
            for page in range(chunk.page, (chunk.page_end or chunk.page) + 1):
                yield Place(f"p{page}", 1, "", chunk.number)
