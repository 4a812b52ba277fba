"""From what a text says to what is stored: which place of this or another document each mention means.

What is of the same document is resolved here, once for all, since a version never changes. What is of
another keeps that document's name and the key of the place, and is resolved where the library is known.
"""

from __future__ import annotations

import posixpath
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from atril.documents.ordinals import copy_of, place_key
from atril.documents.references.mentions import Mention
from atril.documents.references.names import name_key, says_when
from atril.documents.references.places import WHOLE, Place, divisions, slug
from atril.types import Chunk

Problem = Literal["missing", "unclear"]

_LONGEST_SHOWN: Final = 120


@dataclass(frozen=True, slots=True)
class Reference:
    """One thing that one mention names, `[start, end)` in the document's text, in chunk `number`.

    Within the document `target` is the number of the chunk it means, or `problem` says why there is none:
    the place is `missing`, or `unclear`. Another document has its `name` key and `shown`, what was written.
    `text` asks for the text that a decree approves. `year` tells when a name that holds no year was written.
    """

    number: int
    start: int
    end: int
    kind: str
    place: str
    part: str
    name: str | None = None
    shown: str = ""
    year: int | None = None
    text: bool = False
    target: int | None = None
    problem: Problem | None = None


def link_name(path: str) -> str:
    """The name of a document for links: its path from the last part to the first, without extension."""
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    if not parts:
        return ""
    stem = posixpath.splitext(parts[-1])[0] or parts[-1]
    return "@" + " ".join(part.replace(" ", "_").casefold() for part in (stem, *reversed(parts[:-1])))


def resolve(
    mentions: Sequence[Mention],
    text: str,
    chunks: Sequence[Chunk],
    places: Sequence[Place],
    name: str,
    year: int | None = None,
) -> list[Reference]:
    """The references of a document in order. `name` is what the document would like to be called, and `year`
    when it was written, if that is known."""
    if not chunks:
        return []
    resolver = _Resolver(text, chunks, places, name)
    resolver.date(mentions, year)
    return [reference for mention in mentions for reference in resolver.references(mention)]


class _Resolver:
    def __init__(self, text: str, chunks: Sequence[Chunk], places: Sequence[Place], name: str) -> None:
        self._text = text
        self._chunks = chunks
        self._folder = posixpath.dirname(name)
        self._starts = [chunk.start for chunk in chunks]
        self._places: dict[tuple[str, str], list[Place]] = {}
        for place in places:
            self._places.setdefault((place.key, place.part), []).append(place)
        self._articles = _in_order(chunks)
        self._position = {article: index for index, (article, _) in enumerate(self._articles)}
        self._second = _second_text(self._articles, len(chunks) + 1)
        self._year: int | None = None
        self._years: dict[str | None, int] = {}

    def date(self, mentions: Sequence[Mention], year: int | None) -> None:
        """An article that cites a norm of a later year than its own document was written that late."""
        self._year = year
        if year is None:
            return
        for mention in mentions:
            said = says_when(name_key(mention.norm)) if mention.norm else None
            if said is not None and said > year:
                article = self._chunk_at(mention.start).article
                self._years[article] = max(said, self._years.get(article, year))

    def _chunk_at(self, start: int) -> Chunk:
        return self._chunks[max(0, bisect_right(self._starts, start) - 1)]

    def references(self, mention: Mention) -> Iterator[Reference]:
        chunk = self._chunk_at(mention.start)
        if mention.kind == "link":
            yield self._link(mention, chunk)
        elif mention.norm is not None:
            yield from self._elsewhere(mention, chunk)
        elif mention.kind == "article":
            yield from self._here(mention, chunk)
        else:
            yield self._section(mention, chunk)

    def _link(self, mention: Mention, chunk: Chunk) -> Reference:
        path, _, anchor = (mention.value or "").partition("#")
        place = f"#{slug(anchor)}" if anchor else WHOLE
        path = path.partition("?")[0]
        if path:
            name = link_name(posixpath.normpath(posixpath.join(self._folder, path)))
            if name:
                return self._outgoing(mention, chunk, place, name, path)
        return self._within(mention, chunk, place, "", self._first(place, chunk))

    def _elsewhere(self, mention: Mention, chunk: Chunk) -> Iterator[Reference]:
        norm = mention.norm or ""
        key = name_key(norm)
        begin = self._text.find(norm, mention.start)
        shown = self._text[begin : mention.end] if mention.start <= begin < mention.end else norm
        keys = [place_key(article) for article in mention.articles] or [_place_of(mention)]
        for place in keys:
            yield self._outgoing(mention, chunk, place, key, shown)

    def _outgoing(self, mention: Mention, chunk: Chunk, place: str, name: str, shown: str) -> Reference:
        return Reference(
            chunk.number,
            mention.start,
            mention.end,
            mention.kind,
            place,
            mention.apartado or "",
            name=name,
            year=None
            if name.startswith("@") or says_when(name)
            else self._years.get(chunk.article, self._year),
            shown=" ".join(shown.split())[:_LONGEST_SHOWN],
            text=mention.approved,
            problem=None if name else "unclear",
        )

    def _here(self, mention: Mention, chunk: Chunk) -> Iterator[Reference]:
        part = mention.apartado or ""
        if mention.articles:
            for article in mention.articles:
                place = place_key(article)
                number = self._article(place, part, chunk, mention)
                if number is None and mention.hint:
                    yield self._outgoing(mention, chunk, place, name_key(mention.hint), mention.hint)
                else:
                    yield self._within(mention, chunk, place, part, number)
        elif mention.relative == "this":
            if chunk.article is not None or part or mention.value:
                yield self._own(mention, chunk, part)
        else:
            yield self._neighbour(mention, chunk, part)

    def _own(self, mention: Mention, chunk: Chunk, part: str) -> Reference:
        """A paragraph of the article it stands in; without one, a numbered section."""
        if chunk.article is None:
            place = f"§{mention.value or part}"
            return self._within(mention, chunk, place, "", self._first(place, chunk), "unclear")
        key, copy = place_key(chunk.article), copy_of(chunk.article)
        found = [place for place in self._places.get((key, part), ()) if place.copy == copy]
        number = found[0].number if found else dict(self._articles)[chunk.article]
        return self._within(mention, chunk, key, part, number)

    def _neighbour(self, mention: Mention, chunk: Chunk, part: str) -> Reference:
        """The article or provision before or after the one it stands in."""
        step = -1 if mention.relative == "previous" else 1
        at = self._position.get(chunk.article or "", -1)
        if at < 0 or not 0 <= at + step < len(self._articles):
            return self._within(mention, chunk, mention.relative or "", part, None, "unclear")
        article, number = self._articles[at + step]
        place = place_key(article)
        for candidate in self._places.get((place, part), ()):
            if candidate.copy == copy_of(article):
                number = candidate.number
        return self._within(mention, chunk, place, part, number)

    def _section(self, mention: Mention, chunk: Chunk) -> Reference:
        if mention.relative in ("previous", "next"):
            place, number = self._neighbour_division(mention, chunk)
            return self._within(mention, chunk, place, "", number, "unclear")
        place = _place_of(mention)
        number = self._first(place, chunk)
        if number is None and place.startswith("seccion "):
            place = f"§{place.removeprefix('seccion ')}"
            number = self._first(place, chunk)
        return self._within(mention, chunk, place, "", number)

    def _neighbour_division(self, mention: Mention, chunk: Chunk) -> tuple[str, int | None]:
        kind = mention.value or ""
        own = divisions(chunk.section_path)
        for depth, key in enumerate(own):
            word, _, number = key.partition(" ")
            if word == kind and number.isdigit():
                step = -1 if mention.relative == "previous" else 1
                place = "/".join((*own[:depth], f"{kind} {int(number) + step}"))
                return place, self._first(place, chunk)
        return f"{mention.relative} {kind}", None

    def _article(self, key: str, part: str, chunk: Chunk, mention: Mention) -> int | None:
        whole = self._places.get((key, ""))
        if not whole:
            return None
        copy = self._zone(whole, chunk, mention).copy
        parts = [place for place in self._places.get((key, part), ()) if place.copy == copy]
        return (parts or [place for place in whole if place.copy == copy])[0].number

    def _zone(self, found: Sequence[Place], chunk: Chunk, mention: Mention) -> Place:
        """Of a decree's article and one of the text it approves, the one on the side that is meant."""
        after = chunk.number >= self._second
        if mention.relative == "this":
            after = mention.approved
        sides = [place for place in found if (place.number >= self._second) == after]
        return (sides or list(found))[0]

    def _first(self, place: str, chunk: Chunk) -> int | None:
        """The chunk of a place; of several with one key, the one that shares most of the headings above."""
        found = self._places.get((place, ""))
        if not found:
            return None
        return max(found, key=lambda each: self._shared(each.number, chunk)).number

    def _shared(self, number: int, chunk: Chunk) -> int:
        path = self._chunks[number - self._chunks[0].number].section_path
        count = 0
        for one, other in zip(path, chunk.section_path, strict=False):
            if one != other:
                break
            count += 1
        return count

    def _within(
        self,
        mention: Mention,
        chunk: Chunk,
        place: str,
        part: str,
        number: int | None,
        problem: Problem = "missing",
    ) -> Reference:
        return Reference(
            chunk.number,
            mention.start,
            mention.end,
            mention.kind,
            place,
            part,
            target=number,
            problem=problem if number is None else None,
        )


def _in_order(chunks: Sequence[Chunk]) -> list[tuple[str, int]]:
    """The articles in order with the number of their first chunk."""
    first: dict[str, int] = {}
    for chunk in chunks:
        if chunk.article is not None:
            first.setdefault(chunk.article, chunk.number)
    return list(first.items())


def _second_text(articles: Sequence[tuple[str, int]], beyond: int) -> int:
    """Where the text begins that a decree approves: with an article that comes after provisions."""
    if all(copy_of(article) == 1 for article, _ in articles):
        return beyond
    provisions = False
    for article, number in articles:
        if article.startswith("Disposici"):
            provisions = True
        elif provisions:
            return number
    return min(number for article, number in articles if copy_of(article) > 1)


def _place_of(mention: Mention) -> str:
    match mention.kind:
        case "page":
            return f"p{int(mention.value or 0)}"
        case "section":
            value = mention.value or ""
            return value if value[:1].isalpha() else f"§{value}"
    return WHOLE
