"""From what a text says to what is stored: which place of this or another document each mention means.

What is of the same document is resolved here, once for all, since a version never changes. What is of
another keeps that document's name and the key of the place, and is resolved where the library is known.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from atril.documents.ordinals import place_key
from atril.documents.references.layout import Layout
from atril.documents.references.mentions import Mention
from atril.documents.references.names import name_key, says_when
from atril.documents.references.places import WHOLE, Place, slug
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
    layout = Layout(chunks, places)
    resolver = _Resolver(text, layout, posixpath.dirname(name), _Dates(mentions, layout, year))
    return [reference for mention in mentions for reference in resolver.references(mention)]


class _Dates:
    """When the articles of a document were written, if that is known.

    An article that cites a norm of a later year than its own document was written that late.
    """

    def __init__(self, mentions: Sequence[Mention], layout: Layout, year: int | None) -> None:
        self._year = year
        self._later: dict[str | None, int] = {}
        if year is None:
            return
        for mention in mentions:
            said = says_when(name_key(mention.norm)) if mention.norm else None
            if said is not None and said > year:
                article = layout.chunk_at(mention.start).article
                self._later[article] = max(said, self._later.get(article, year))

    def of(self, chunk: Chunk) -> int | None:
        return self._later.get(chunk.article, self._year)


class _Resolver:
    def __init__(self, text: str, layout: Layout, folder: str, dates: _Dates) -> None:
        self._text = text
        self._layout = layout
        self._folder = folder
        self._dates = dates

    def references(self, mention: Mention) -> Iterator[Reference]:
        chunk = self._layout.chunk_at(mention.start)
        if mention.kind == "link":
            yield self._link(mention, chunk)
        elif mention.norm is not None:
            yield from self._elsewhere(mention, mention.norm, chunk)
        elif mention.kind != "article":
            yield self._section(mention, chunk)
        elif mention.articles:
            for article in mention.articles:
                yield self._article(mention, article, chunk)
        elif mention.relative != "this":
            yield self._beside(mention, chunk)
        elif chunk.article is not None:
            yield self._own(mention, chunk, chunk.article)
        elif mention.apartado or mention.value:
            place = f"§{mention.value or mention.apartado}"
            yield _within(mention, chunk, place, "", self._layout.nearest(place, chunk), "unclear")

    def _link(self, mention: Mention, chunk: Chunk) -> Reference:
        path, _, anchor = (mention.value or "").partition("#")
        place = f"#{slug(anchor)}" if anchor else WHOLE
        path = path.partition("?")[0]
        if path:
            name = link_name(posixpath.normpath(posixpath.join(self._folder, path)))
            if name:
                return self._outgoing(mention, chunk, place, name, path)
        return _within(mention, chunk, place, "", self._layout.nearest(place, chunk))

    def _elsewhere(self, mention: Mention, norm: str, chunk: Chunk) -> Iterator[Reference]:
        begin = self._text.find(norm, mention.start)
        shown = self._text[begin : mention.end] if mention.start <= begin < mention.end else norm
        for place in [place_key(article) for article in mention.articles] or [_place_of(mention)]:
            yield self._outgoing(mention, chunk, place, name_key(norm), shown)

    def _outgoing(self, mention: Mention, chunk: Chunk, place: str, name: str, shown: str) -> Reference:
        dated = name.startswith("@") or says_when(name)
        return Reference(
            chunk.number,
            mention.start,
            mention.end,
            mention.kind,
            place,
            mention.apartado or "",
            name=name,
            shown=" ".join(shown.split())[:_LONGEST_SHOWN],
            year=None if dated else self._dates.of(chunk),
            text=mention.approved,
            problem=None if name else "unclear",
        )

    def _article(self, mention: Mention, article: str, chunk: Chunk) -> Reference:
        place, part = place_key(article), mention.apartado or ""
        approved = mention.approved if mention.relative == "this" else None
        number = self._layout.article(place, part, chunk, approved)
        if number is None and mention.hint:
            return self._outgoing(mention, chunk, place, name_key(mention.hint), mention.hint)
        return _within(mention, chunk, place, part, number)

    def _own(self, mention: Mention, chunk: Chunk, article: str) -> Reference:
        """A paragraph of the article it stands in."""
        part = mention.apartado or ""
        return _within(mention, chunk, place_key(article), part, self._layout.own_article(article, part))

    def _beside(self, mention: Mention, chunk: Chunk) -> Reference:
        """The article or provision before or after the one it stands in."""
        part = mention.apartado or ""
        article = self._layout.article_beside(chunk.article, mention.relative)
        if article is None:
            return _within(mention, chunk, mention.relative or "", part, None, "unclear")
        return _within(mention, chunk, place_key(article), part, self._layout.own_article(article, part))

    def _section(self, mention: Mention, chunk: Chunk) -> Reference:
        if mention.relative in ("previous", "next"):
            place, number = self._layout.division_beside(mention.value or "", mention.relative, chunk)
            return _within(mention, chunk, place, "", number, "unclear")
        place = _place_of(mention)
        number = self._layout.nearest(place, chunk)
        if number is None and place.startswith("seccion "):
            place = f"§{place.removeprefix('seccion ')}"
            number = self._layout.nearest(place, chunk)
        return _within(mention, chunk, place, "", number)


def _within(
    mention: Mention, chunk: Chunk, place: str, part: str, number: int | None, problem: Problem = "missing"
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


def _place_of(mention: Mention) -> str:
    match mention.kind:
        case "page":
            return f"p{int(mention.value or 0)}"
        case "section":
            value = mention.value or ""
            return value if value[:1].isalpha() else f"§{value}"
    return WHOLE
