"""Where the places of one document are, and which of several with the same key is meant."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from atril.documents.ordinals import copy_of, place_key
from atril.documents.references.mentions import Relative
from atril.documents.references.places import Place, divisions
from atril.types import Chunk


class Layout:
    """The chunks of a document, one at least, and its places, each key, copy and part once.

    Answers are numbers of chunks.
    """

    def __init__(self, chunks: Sequence[Chunk], places: Sequence[Place]) -> None:
        self._chunks = chunks
        self._starts = [chunk.start for chunk in chunks]
        self._places: dict[tuple[str, str], list[Place]] = {}
        for place in places:
            self._places.setdefault((place.key, place.part), []).append(place)
        self._articles = _first_chunks(chunks)
        self._in_order = list(self._articles)
        self._position = {article: index for index, article in enumerate(self._in_order)}
        self._second_text = _second_text(self._articles, beyond=len(chunks) + 1)

    def chunk_at(self, start: int) -> Chunk:
        return self._chunks[max(0, bisect_right(self._starts, start) - 1)]

    def nearest(self, key: str, chunk: Chunk) -> int | None:
        """Of several places with one key the one that shares most of the headings above the chunk."""
        found = self._places.get((key, ""))
        if not found:
            return None
        return max(found, key=lambda place: self._headings_shared(place.number, chunk)).number

    def article(self, key: str, part: str, chunk: Chunk, approved: bool | None) -> int | None:
        """The article with this key, or its part if it has that.

        Of a decree's article and one of the text it approves, the one of the approved text or of the decree;
        `None` for the one on the side of the chunk.
        """
        found = self._places.get((key, ""))
        if not found:
            return None
        second = chunk.number >= self._second_text if approved is None else approved
        sides = [place for place in found if (place.number >= self._second_text) == second]
        whole = (sides or found)[0]
        number = self._part(key, whole.copy, part)
        return whole.number if number is None else number

    def own_article(self, article: str, part: str) -> int:
        """A part of the article that some chunk is of, else its beginning."""
        number = self._part(place_key(article), copy_of(article), part)
        return self._articles[article] if number is None else number

    def article_beside(self, article: str | None, relative: Relative | None) -> str | None:
        """The article or provision before or after one, as chunks have it."""
        at = self._position.get(article or "", -1)
        other = at - 1 if relative == "previous" else at + 1
        return self._in_order[other] if at >= 0 and 0 <= other < len(self._in_order) else None

    def division_beside(self, kind: str, relative: Relative, chunk: Chunk) -> tuple[str, int | None]:
        """The key of the division of a kind before or after the one the chunk is in, and where it begins."""
        own = divisions(chunk.section_path)
        for depth, key in enumerate(own):
            word, _, number = key.partition(" ")
            if word == kind and number.isdigit():
                step = -1 if relative == "previous" else 1
                place = "/".join((*own[:depth], f"{kind} {int(number) + step}"))
                return place, self.nearest(place, chunk)
        return f"{relative} {kind}", None

    def _part(self, key: str, copy: int, part: str) -> int | None:
        found = self._places.get((key, part), ())
        return next((place.number for place in found if place.copy == copy), None)

    def _headings_shared(self, number: int, chunk: Chunk) -> int:
        path = self._chunks[number - self._chunks[0].number].section_path
        count = 0
        for one, other in zip(path, chunk.section_path, strict=False):
            if one != other:
                break
            count += 1
        return count


def _first_chunks(chunks: Sequence[Chunk]) -> dict[str, int]:
    """The articles in order with the number of their first chunk."""
    first: dict[str, int] = {}
    for chunk in chunks:
        if chunk.article is not None:
            first.setdefault(chunk.article, chunk.number)
    return first


def _second_text(articles: dict[str, int], beyond: int) -> int:
    """Where the text begins that a decree approves: with an article that comes after provisions."""
    if all(copy_of(article) == 1 for article in articles):
        return beyond
    provisions = False
    for article, number in articles.items():
        if article.startswith("Disposici"):
            provisions = True
        elif provisions:
            return number
    return min(number for article, number in articles.items() if copy_of(article) > 1)
