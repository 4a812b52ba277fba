"""Citations that hold: every mark of a finished text is proved by words of the chunk it names, or goes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from atril.answering.evidence import QuestionWords
from atril.answering.marks import Cited, Mark, read_marks
from atril.answering.quotes import Span, find_quote, spans, whole_sentences
from atril.errors import DocumentNotFound
from atril.models.embeddings import Embedder
from atril.retrieval.lexical import analyse_query
from atril.store.records import Records
from atril.types import Citation, Issue, Scope, StoredChunk

UNPROVED: Final = "[?]"
"""Stands behind a sentence whose citation was dropped or that nothing supports."""

COMPARED: Final = 4
"""Spans of a chunk that are compared with the sentence by meaning when its words are not enough."""

ACROSS: Final = 16
"""As many where chunk and sentence are in two languages, so that no words tell which spans these are."""

NEAR: Final = 0.75
"""The calibrated similarity from which a span supports a sentence by its meaning alone, as for one in another
language."""

_ENOUGH_LETTERS: Final = 12
"""Letters of the shortest sentence that can be asked for support; a heading or "Yes." cannot."""


@dataclass(frozen=True, slots=True)
class Proved:
    """A text whose marks all have citations, in the order of the marks, and what did not hold."""

    text: str
    citations: tuple[Citation, ...]
    issues: tuple[Issue, ...]
    embedded: int = 0


@dataclass(slots=True)
class _Draft:
    """What goes into the bare text, and where. `language` is the text's."""

    language: str
    inserts: list[tuple[int, str]] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    embedded: int = 0

    def text(self, bare: str) -> str:
        parts, position = [], 0
        for at, insert in self.inserts:
            parts += [bare[position:at], insert]
            position = at
        return "".join([*parts, bare[position:]]).strip()


@dataclass(frozen=True, slots=True)
class Citations:
    """Proves the texts of one home. `floor` is the share of a sentence's information that a quote must hold."""

    records: Records
    embedder: Embedder
    floor: float

    async def prove(
        self,
        scope: Scope,
        text: str,
        blocks: Sequence[StoredChunk],
        *,
        language: str,
        used: Sequence[int] = (),
        check: bool = False,
    ) -> Proved:
        """The text with the marks that hold; mark n is of `blocks[n - 1]`.

        A text without any marks gets them, from the blocks reported as `used`, where these support it. With
        `check` every sentence is asked for support, by any block when it cites none.
        """
        marked = read_marks(text, language)
        draft = _Draft(language)
        everywhere = {number: blocks[number - 1] for number in range(1, len(blocks) + 1)}
        for sentence in marked.sentences:
            said = marked.bare[sentence.start : sentence.end]
            if sentence.marks:
                await self._judge(scope, draft, said, sentence, everywhere)
            elif sum(map(str.isalpha, said)) < _ENOUGH_LETTERS:
                continue
            elif not marked.marked and used:
                reported = {number: everywhere[number] for number in used}
                await self._give(scope, draft, said, sentence.end, reported)
            elif check and not await self._supported(scope, draft, said, everywhere):
                draft.inserts.append((sentence.end, f" {UNPROVED}"))
                draft.issues.append(Issue("unsupported", said))
        return Proved(draft.text(marked.bare), tuple(draft.citations), tuple(draft.issues), draft.embedded)

    async def _judge(
        self, scope: Scope, draft: _Draft, said: str, sentence: Cited, blocks: Mapping[int, StoredChunk]
    ) -> None:
        held, dropped = False, None
        for mark in sentence.marks:
            kept = ""
            for number in mark.numbers:
                if number not in blocks:
                    draft.issues.append(Issue("invented_citation", f"[{number}] {said}"))
                    continue
                span = await self._proof(scope, draft, said, mark, blocks[number])
                if span is None:
                    dropped = dropped or mark
                    draft.issues.append(Issue("dropped_citation", f"[{number}] {said}"))
                else:
                    kept += f"[{number}]"
                    await self._cite(scope, draft, number, blocks[number], span)
            if kept:
                held = True
                draft.inserts.append((mark.at, mark.blank + kept))
        if dropped and not held:
            draft.inserts.append((dropped.at, f" {UNPROVED}"))

    async def _give(
        self, scope: Scope, draft: _Draft, said: str, at: int, blocks: Mapping[int, StoredChunk]
    ) -> None:
        """Marks the sentence with the block that supports it best, if one does."""
        words = await self._words(scope, said)
        found = {number: await asyncio.to_thread(spans, stored, words) for number, stored in blocks.items()}
        best = max(
            ((number, each[0]) for number, each in found.items() if each),
            key=lambda pair: pair[1].score,
            default=None,
        )
        if best is not None and best[1].support >= self.floor:
            number, span = best
            draft.inserts.append((at, f" [{number}]"))
            await self._cite(scope, draft, number, blocks[number], span)

    async def _supported(
        self, scope: Scope, draft: _Draft, said: str, blocks: Mapping[int, StoredChunk]
    ) -> bool:
        words = await self._words(scope, said)
        best: list[tuple[StoredChunk, Span]] = []
        for stored in blocks.values():
            found = await asyncio.to_thread(spans, stored, words)
            if found and found[0].support >= self.floor:
                return True
            best += [(stored, span) for span in found[:1]]
        best.sort(key=lambda pair: -pair[1].score)
        return await self._nearest(draft, said, best[:COMPARED]) is not None

    async def _proof(
        self, scope: Scope, draft: _Draft, said: str, mark: Mark, stored: StoredChunk
    ) -> Span | None:
        """The words of the chunk that support the sentence; a quote of the model's own must be there."""
        if mark.quote is not None:
            place = find_quote(mark.quote, stored.chunk.content)
            return Span(*place, 1.0) if place else None
        words = await self._words(scope, said)
        found = await asyncio.to_thread(spans, stored, words)
        if found and found[0].support >= self.floor:
            return found[0]
        near = found[:COMPARED]
        if stored.document.language != draft.language:
            near = (await asyncio.to_thread(whole_sentences, stored, words))[:ACROSS]
        return await self._nearest(draft, said, [(stored, span) for span in near])

    async def _nearest(
        self, draft: _Draft, said: str, candidates: Sequence[tuple[StoredChunk, Span]]
    ) -> Span | None:
        """The span nearest in meaning, if it is near enough.

        The prose of one field all sounds alike: of a span in the same language with less than half of the
        words that prove by themselves, nearness proves nothing.
        """
        candidates = [
            (stored, span)
            for stored, span in candidates
            if span.support >= self.floor / 2 or stored.document.language != draft.language
        ]
        if not candidates:
            return None
        draft.embedded += 1
        vector = await self.embedder.embed_query(said)
        texts = [stored.chunk.content[span.start : span.end] for stored, span in candidates]
        vectors = await self.embedder.embed_passages(texts)
        similarities = [self.embedder.anchors.calibrate(float(cosine)) for cosine in vectors @ vector]
        best = max(range(len(candidates)), key=similarities.__getitem__)
        return candidates[best][1] if similarities[best] >= NEAR else None

    async def _words(self, scope: Scope, said: str) -> QuestionWords:
        return QuestionWords.of(await analyse_query(self.records, scope, said))

    async def _cite(self, scope: Scope, draft: _Draft, number: int, stored: StoredChunk, span: Span) -> None:
        draft.citations.append(await cite(self.records, scope, number, stored, span.start, span.end))


async def cite(
    records: Records, scope: Scope, number: int, stored: StoredChunk, start: int, end: int
) -> Citation:
    """The citation of the slice `start`–`end` of a chunk's content."""
    chunk = stored.chunk
    return Citation(
        number=number,
        chunk_id=stored.id,
        source_file=stored.document.name,
        page=await page_of(records, scope, stored, chunk.start + start),
        section_title=chunk.section_title,
        article=chunk.article,
        quote=chunk.content[start:end],
        start=chunk.start + start,
        end=chunk.start + end,
    )


async def page_of(records: Records, scope: Scope, stored: StoredChunk, start: int) -> int | None:
    """The page on which a quote begins; the document's pages are read only for a chunk of several."""
    if stored.chunk.page == stored.chunk.page_end:
        return stored.chunk.page
    try:
        pages = await records.pages(scope, stored.document.id)
    except DocumentNotFound:  # removed since it was found
        return stored.chunk.page
    return max((page.number for page in pages if page.start <= start), default=stored.chunk.page)
