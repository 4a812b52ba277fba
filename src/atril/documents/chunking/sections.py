"""What headings make of a document: sections with their path, article and page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from atril.documents.blocks import Block, scan
from atril.documents.chunking.articles import ArticleKeys, is_division
from atril.types import Page


@dataclass(slots=True, eq=False)
class Section:
    """A heading and the blocks below it up to the next heading or page.

    Text before the first heading, and what a page continues from the one before, have no `heading`; the
    latter keeps `path` and `article`. `path` ends with the section's own title.
    """

    heading: Block | None
    path: tuple[str, ...]
    article: str | None
    page: int | None
    body: list[Block] = field(default_factory=list)

    @property
    def parent(self) -> tuple[str, ...]:
        return self.path[:-1]

    @property
    def start(self) -> int:
        return self.heading.start if self.heading else self.body[0].start

    @property
    def end(self) -> int:
        return self.body[-1].end if self.body or self.heading is None else self.heading.end

    @property
    def is_bare(self) -> bool:
        """Whether this is a heading without text of its own."""
        return not self.body

    def opens(self, other: Section) -> bool:
        """Whether `other` is the next heading down, within this section's article and page."""
        return (
            self.heading is not None
            and other.heading is not None
            and other.heading.level > self.heading.level
            and self.page == other.page
            and self.article in (None, other.article)
        )


def sections(text: str, pages: Sequence[Page]) -> list[Section]:
    """The sections of a text in order; each has a heading or a body or both."""
    found: list[Section] = []
    outline = _Outline()
    for page, start, end in _regions(text, pages):
        current: Section | None = None
        for block in scan(text, start, end):
            if block.kind == "heading":
                outline.enter(block)
                current = Section(block, outline.path, outline.article, page)
                found.append(current)
                continue
            if current is None:
                current = Section(None, outline.path, outline.article, page)
                found.append(current)
            current.body.append(block)
    return found


def _regions(text: str, pages: Sequence[Page]) -> Iterator[tuple[int | None, int, int]]:
    """The text cut where pages begin; what stands between two pages belongs to the first of them."""
    if not pages:
        yield None, 0, len(text)
        return
    starts = [0, *(page.start for page in pages[1:]), len(text)]
    for page, (start, end) in zip(pages, pairwise(starts), strict=True):
        yield page.number, start, end


class _Outline:
    """The headings that are open at a place in the text, and the article."""

    def __init__(self) -> None:
        self._open: list[Block] = []
        self._keys = ArticleKeys()
        self._article_level = 0
        self.article: str | None = None

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(heading.title for heading in self._open)

    def enter(self, heading: Block) -> None:
        while self._open and self._open[-1].level >= heading.level:
            self._open.pop()
        self._open.append(heading)
        if key := self._keys.next(heading.title):
            self.article, self._article_level = key, heading.level
        elif heading.level <= self._article_level or is_division(heading.title):
            self.article = None
