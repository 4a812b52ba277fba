"""Cuts a document into chunks: contiguous slices of its text that are searched, shown and cited.

- Every heading opens a section. A chunk lies in one section, one article and one page; only neighbours of a
  few words under the same parent are put together.
- A heading without text of its own goes down into the chunk of the heading after it, so that "Title I",
  "Chapter I" and "Article 1" begin one chunk. One that cannot, such as that of a repealed article or at the
  end of a page, is a chunk of type `section_header`.
- Tables, lists and code stay whole while they fit; beyond that they are cut between rows, items or lines,
  and a table's header row is repeated in the context. Long paragraphs are cut between sentences, sentences
  at a clause or a blank.
- The passage that is embedded never exceeds `max_tokens`, so that nothing is silently cut off.

Chunks are trimmed, in order, disjoint, and hold every character of the text that is not blank.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from atril.documents.blocks import Block
from atril.documents.chunking.context import Contexts
from atril.documents.chunking.pieces import Piece, Splitter, TokenSums
from atril.documents.chunking.sections import Section, sections
from atril.documents.chunking.tables import Tables
from atril.errors import InvalidArgument
from atril.models.embeddings import TokenCounter
from atril.types import Chunk, ChunkType

if TYPE_CHECKING:
    from atril.documents.parsing import ParsedDocument

CHUNKER_VERSION: Final = "1"
"""Changes whenever the same text could give other chunks."""

_LEAST_MAXIMUM: Final = 32
_SURE: Final = 0.75
_TYPES: Final[dict[str, ChunkType]] = {"table": "table", "list": "list", "code": "code"}


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """Sizes in tokens of the embedder.

    A section is cut into parts of about `target_tokens`; a table, list or code block may fill a chunk up to
    the maximum. `max_tokens` bounds the whole passage, its context included: at most what the embedder
    reads. Neighbouring sections below `merge_below` are put together; 0 keeps all apart. Raises
    `InvalidArgument` for a maximum below 32 or a target outside 1 to the maximum.
    """

    target_tokens: int = 256
    max_tokens: int = 500
    merge_below: int = 40

    def __post_init__(self) -> None:
        if self.max_tokens < _LEAST_MAXIMUM:
            raise InvalidArgument(name="max_tokens", value=self.max_tokens, allowed=f"≥ {_LEAST_MAXIMUM}")
        if not 1 <= self.target_tokens <= self.max_tokens:
            raise InvalidArgument(
                name="target_tokens", value=self.target_tokens, allowed=f"1-{self.max_tokens}"
            )


def passage(chunk: Chunk) -> str:
    """What is embedded and analysed for a chunk: its context, a line break, its content."""
    return f"{chunk.context}\n{chunk.content}" if chunk.context else chunk.content


def chunk(
    document: ParsedDocument, *, language: str, count_tokens: TokenCounter, options: ChunkOptions
) -> list[Chunk]:
    """The chunks of a document, numbered from 1, without keywords and descriptions."""
    return _Chunker(document, language, count_tokens, options).chunks()


class _Chunker:
    def __init__(
        self, document: ParsedDocument, language: str, count_tokens: TokenCounter, options: ChunkOptions
    ) -> None:
        self._document = document
        self._text = document.text
        self._options = options
        self._count = count_tokens
        self._tokens = TokenSums(count_tokens)
        self._splitter = Splitter(document.text, language, self._tokens)
        self._blocks: list[Block] = []
        self._contexts = Contexts(document.title, self._tokens, options.max_tokens // 4)

    def chunks(self) -> list[Chunk]:
        found = (
            fitting
            for group in self._groups()
            for pieces in self._pack(self._pieces(group))
            for fitting in self._fit(self._chunk(pieces))
        )
        chunks = list(found)
        tables = Tables(self._text, self._blocks)
        shapes = [tables.within(chunk.start, chunk.end) for chunk in chunks]
        return [
            replace(chunk, number=number, table=shape, has_tables=shape is not None)
            for number, (chunk, shape) in enumerate(zip(chunks, shapes, strict=True), start=1)
        ]

    def _groups(self) -> list[list[Section]]:
        """Sections that may share a chunk: bare headings with what they open, and tiny neighbours."""
        groups: list[list[Section]] = []
        for section in sections(self._text, self._document.pages):
            if groups and self._goes_down(groups[-1], section):
                groups[-1].append(section)
            else:
                self._merge_tiny(groups)
                groups.append([section])
        self._merge_tiny(groups)
        return groups

    def _goes_down(self, group: Sequence[Section], section: Section) -> bool:
        """Whether a group that ends in a bare heading continues in this section.

        A few words such as "DISPONGO:" do so even when the next heading is not below them; a bare heading
        of an article stays alone.
        """
        last = group[-1]
        if not last.is_bare or section.heading is None:
            return False
        few_words = last.article is None and last.page == section.page
        return last.opens(section) or (few_words and self._size(group) < self._options.merge_below)

    def _merge_tiny(self, groups: list[list[Section]]) -> None:
        """Puts the last group into the one before when both are tiny siblings outside any article."""
        if len(groups) < 2:
            return
        before, last = groups[-2][0], groups[-1][0]
        if (
            before.page == last.page
            and before.parent == last.parent
            and before.article is None
            and all(section.article is None for section in groups[-1])
            and self._size(groups[-2]) < self._options.merge_below
            and self._size(groups[-1]) < self._options.merge_below
        ):
            groups[-2].extend(groups.pop())

    def _size(self, group: Sequence[Section]) -> int:
        return sum(self._tokens.of(self._text[section.start : section.end]) for section in group)

    def _pieces(self, group: Sequence[Section]) -> list[Piece]:
        """The group as pieces that fit into a chunk, below their headings if those leave enough room."""
        pieces: list[Piece] = []
        headings = 0
        for section in group:
            room = self._room(section)
            if section.heading is not None:
                pieces += self._splitter.split(section.heading, section, room)
                headings += pieces[-1].tokens
            below = room - headings if headings * 2 <= room else room
            self._blocks += section.body
            for block in section.body:
                whole = block.kind in ("table", "list", "code")
                limit = below if whole else min(below, self._options.target_tokens)
                pieces += self._splitter.split(block, section, max(limit, 1))
                headings = 0
                below = room
        return pieces

    def _room(self, section: Section) -> int:
        """Tokens left beside the longest context a chunk of this section can have."""
        context = self._tokens.of(self._contexts.of(section.path))
        return max(self._options.max_tokens - self._tokens.overhead - context, 1)

    def _pack(self, pieces: list[Piece]) -> Iterator[list[Piece]]:
        """Parts of about equal size near the target; headings go with what follows them."""
        remaining = sum(piece.tokens for piece in pieces)
        at = 0
        while at < len(pieces):
            share = remaining / max(1, round(remaining / self._options.target_tokens))
            stop = self._fill(pieces, at, share)
            while stop < len(pieces) and stop - 1 > at and pieces[stop - 1].kind == "heading":
                stop -= 1
            remaining -= sum(piece.tokens for piece in pieces[at:stop])
            yield pieces[at:stop]
            at = stop

    def _fill(self, pieces: list[Piece], start: int, share: float) -> int:
        """Where a chunk that begins at `start` ends, to come nearest to its share."""
        room = self._room(pieces[start].section) - self._tokens.of(pieces[start].header)
        total = 0
        bare = True
        for at in range(start, len(pieces)):
            piece = pieces[at]
            room = min(room, self._room(piece.section))
            if at > start and (
                total + piece.tokens > room or (not bare and total + piece.tokens / 2 > share)
            ):
                return at
            total += piece.tokens
            bare = bare and piece.kind == "heading"
        return len(pieces)

    def _chunk(self, pieces: list[Piece]) -> Chunk:
        start, end = pieces[0].start, pieces[-1].end
        content = self._text[start:end]
        section = next((piece.section for piece in pieces if piece.kind != "heading"), pieces[-1].section)
        shown = {piece.section.path[-1] for piece in pieces if piece.kind == "heading"}
        context = self._contexts.of(section.path, shown, pieces[0].header)
        return Chunk(
            number=0,
            start=start,
            end=end,
            content=content,
            type=_type(pieces),
            section_path=section.path,
            context=context,
            page=section.page,
            page_end=section.page,
            article=section.article,
            has_images="![" in content,
            tokens=self._tokens.overhead + sum(piece.tokens for piece in pieces),
        )

    def _fit(self, chunk: Chunk) -> Iterator[Chunk]:
        """The chunk, or halves of it where the sum over words said too little about the whole passage."""
        limit = self._options.max_tokens
        estimate = chunk.tokens + self._tokens.of(chunk.context)
        sure = self._tokens.additive and estimate <= _SURE * limit
        if sure or self._count(passage(chunk)) <= limit:
            yield chunk
            return
        middle = len(chunk.content) // 2
        if middle == 0:
            yield replace(chunk, context="") if chunk.context else chunk
            return
        blank = chunk.content.rfind(" ", 1, middle)
        cut = blank if blank > 0 else middle
        for start, end in ((0, cut), (cut, len(chunk.content))):
            content = chunk.content[start:end].strip()
            if content:
                begin = chunk.start + chunk.content.index(content, start)
                yield from self._fit(self._part(chunk, begin, content))

    def _part(self, chunk: Chunk, start: int, content: str) -> Chunk:
        tokens = self._tokens.overhead + self._tokens.of(content)
        context = chunk.context if start == chunk.start else self._contexts.of(chunk.section_path)
        return replace(
            chunk, start=start, end=start + len(content), content=content, context=context, tokens=tokens
        )


def _type(pieces: Sequence[Piece]) -> ChunkType:
    """The kind of block that most of the chunk's characters belong to."""
    sizes: dict[ChunkType, int] = {}
    for piece in pieces:
        if piece.kind != "heading":
            kind = _TYPES.get(piece.kind, "content")
            sizes[kind] = sizes.get(kind, 0) + piece.end - piece.start
    return max(sizes, key=lambda kind: sizes[kind]) if sizes else "section_header"
