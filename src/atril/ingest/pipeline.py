"""Documents on their way into a home: parse → chunk → enrich → embed → commit.

What is committed is there to stay; what is not leaves nothing behind that a search could find. A group of
documents shares one embedding run and one transaction, so many small files cost no more than one large one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from atril.documents.analysis import ANALYZER_VERSION, TermCounts
from atril.documents.chunking import CHUNKER_VERSION, ChunkOptions, passage
from atril.documents.parsing import PARSER_VERSION, reader_version
from atril.documents.workers import PageListener, Readers
from atril.errors import UnreadableDocument
from atril.ingest.composure import composed
from atril.ingest.containers import Unpacking
from atril.ingest.embedding import Embedding
from atril.ingest.following import leads_to
from atril.ingest.known import Known
from atril.ingest.linking import aliases
from atril.ingest.lookahead import in_order
from atril.ingest.points import to_points
from atril.ingest.remarks import reading_warnings
from atril.ingest.sources import Source
from atril.ingest.stores import Stores, compact, forget
from atril.ingest.tally import ProgressListener, Tally
from atril.ingest.unbroken import to_the_end
from atril.models.embeddings import Vectors
from atril.profiles.profile import Profile
from atril.safety.grammar import patterns_version
from atril.store.drafts import Draft, KnownDocument, Pending, fingerprint
from atril.store.index.protocol import Point
from atril.store.originals import Originals
from atril.types import AddReport, Failure, ReadingWarning, Scope

_log = logging.getLogger(__name__)

READ_AHEAD: Final = 16
GROUP_CHUNKS: Final = 256
POINTS_AT_ONCE: Final = 32


@dataclass(frozen=True, slots=True)
class Ready:
    """A document that has been read, with what the reader noticed."""

    source: Source
    draft: Draft
    terms: Sequence[TermCounts]
    warnings: tuple[ReadingWarning, ...]

    @property
    def shown(self) -> str:
        return self.source.shown


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A document that is current as it is."""

    shown: str


@dataclass(frozen=True, slots=True)
class Gone:
    """A document that was to be updated and has been removed meanwhile."""

    shown: str


Outcome = Ready | Unchanged | Gone | Failure
Begun = tuple[Ready, Pending]


class Ingest:
    """Writes documents into one home."""

    def __init__(
        self,
        *,
        stores: Stores,
        embedding: Embedding,
        readers: Readers,
        chunking: ChunkOptions,
        language: str,
        workspace: Path,
        profile: Profile | None = None,
    ) -> None:
        """`workspace` is a folder for what is unpacked while it is read; it need not exist."""
        self._stores = stores
        self._embedding = embedding
        self._readers = readers
        self._chunking = chunking
        self._language = language
        self._workspace = workspace
        self._profile = profile

    async def add(
        self,
        scope: Scope,
        sources: Sequence[Source],
        *,
        collection: str,
        labels: tuple[str, ...] | None = None,
        update: bool = False,
        progress: ProgressListener | None = None,
    ) -> AddReport:
        """Reads and commits the sources and what is inside them. One that cannot be read is reported and
        the rest goes on; the version it had before, if any, stays. What a container held and holds no more
        is removed. Without `labels` each keeps those it has. An `update` passes over what is not in the
        library.

        Interrupted, it keeps what is committed and takes back the rest.
        """
        tally = Tally(len(sources), progress)
        with composed():
            try:
                await self._add(scope, sources, collection, labels, update, tally)
            except BaseException:
                if tally.chunks:
                    await _tidy(self._stores.index.flush())
                raise
            if tally.chunks:
                # Until here a kill loses nothing; from here on a loss of power doesn't either. Should one come
                # earlier, the next opening finds the points missing and writes them again.
                await self._stores.index.flush()
                await compact(self._stores)
        return tally.report()

    async def _add(
        self,
        scope: Scope,
        sources: Sequence[Source],
        collection: str,
        labels: tuple[str, ...] | None,
        update: bool,
        tally: Tally,
    ) -> None:
        def found(more: int) -> None:
            tally.total_files += more

        async def read(source: Source) -> Outcome:
            def page(number: int) -> None:
                tally.tell("reading", source.shown, number)

            outcome = await self._read(scope, source, collection, labels, update, known, page)
            if isinstance(outcome, Failure):
                unpacking.failed(source)
            if not isinstance(outcome, Ready):
                await source.release()
            return outcome

        group: list[Ready] = []
        chunks = 0
        known = Known(self._stores.records, scope, collection, [each.identity for each in sources])
        async with (
            Unpacking(self._readers, self._workspace, found) as unpacking,
            aclosing(unpacking.every(sources)) as every,
            aclosing(in_order(every, read, ahead=READ_AHEAD)) as outcomes,
        ):
            async for outcome in outcomes:
                _count(tally, outcome)
                if isinstance(outcome, Ready):
                    group.append(outcome)
                    chunks += len(outcome.draft.chunks)
                if chunks >= GROUP_CHUNKS:
                    await self._save(scope, group, update, tally)
                    group, chunks = [], 0
            await self._save(scope, group, update, tally)
            await to_the_end(self._remove_vanished(scope, collection, unpacking, tally))

    async def _remove_vanished(
        self, scope: Scope, collection: str, unpacking: Unpacking, tally: Tally
    ) -> None:
        """Removes what containers held before and hold no more."""
        records = self._stores.records
        gone = unpacking.vanished(await records.documents(Scope(scope.tenant, (collection,))))
        if gone:
            await forget(self._stores, scope, await records.remove(scope, [each.id for each in gone]))
            tally.removed += len(gone)

    async def _read(
        self,
        scope: Scope,
        source: Source,
        collection: str,
        wanted: tuple[str, ...] | None,
        update: bool,
        looked_up: Known,
        page: PageListener,
    ) -> Outcome:
        try:
            digest = await source.digest()
            known = await looked_up.of(source.identity)
            labels = wanted if wanted is not None else known.labels if known else ()
            mark = self._fingerprint(digest.content_hash, source, labels)
            if known is not None:
                await self._reach(scope, source, known)
            if known is not None and known.fingerprint == mark:
                return Unchanged(source.shown)
            if known is None and update:
                return Gone(source.shown)
            read = await source.read(self._readers, page)
        except UnreadableDocument as error:
            if update and await looked_up.now(source.identity) is None:
                return Gone(source.shown)  # removed with its original, under the reader's hands
            return self._failure(source, error)
        parsed = read.parsed
        draft = Draft(
            collection=collection,
            source=source.identity,
            name=source.name,
            folder=source.folder,
            content_hash=digest.content_hash,
            fingerprint=mark,
            bytes=digest.bytes,
            title=parsed.title,
            type=parsed.type,
            language=read.language,
            description=read.description,
            text=parsed.text,
            chunks=read.chunks,
            terms=read.terms,
            pages=parsed.pages,
            labels=labels,
            metadata=parsed.metadata,
            given=source.given,
            references=read.references,
            places=read.places,
            path=source.reached,
            aliases=aliases(self._profile, parsed.title, source.name, parsed.metadata),
        )
        return Ready(source, draft, read.terms, reading_warnings(source.shown, read, self._language))

    async def _reach(self, scope: Scope, source: Source, known: KnownDocument) -> None:
        """Remembers the path a file was found by, unless the one remembered still leads there: of several ways
        to a file its own path counts, then the first."""
        path = source.reached
        if path is None or path == known.path:
            return
        if path == source.identity or not await asyncio.to_thread(leads_to, known.path, source.identity):
            await self._stores.records.reach(scope, known.document, path)

    async def _begin(
        self, scope: Scope, read: Sequence[Ready], update: bool, tally: Tally, begun: list[Begun]
    ) -> None:
        """Keeps the originals and writes the pending versions that refer to them. What is not any more what was
        read has failed; what was removed since it was read is left out."""
        stores = self._stores
        async with stores.keeping:
            same = []
            for ready, problem in await asyncio.to_thread(_keep, stores.originals, scope.tenant, read):
                if problem is None:
                    same.append(ready)
                else:
                    tally.failed(self._failure(ready.source, problem))
            pending = await stores.records.begin_all(scope, [each.draft for each in same], update=update)
            begun += [(ready, each) for ready, each in zip(same, pending, strict=True) if each is not None]

    def _failure(self, source: Source, error: UnreadableDocument) -> Failure:
        return Failure(source.shown, error.reason, error.localized(self._language))

    def _fingerprint(self, content_hash: str, source: Source, labels: tuple[str, ...]) -> str:
        return fingerprint(
            content_hash,
            parser=PARSER_VERSION + reader_version(source.name),
            chunker=CHUNKER_VERSION,
            chunking=repr(self._chunking),
            analyzer=ANALYZER_VERSION,
            scanner=patterns_version(),
            tokenizer=self._embedding.tokenizer,
            labels=sorted(labels),
            given=dict(source.given),
        )

    async def _save(self, scope: Scope, read: Sequence[Ready], update: bool, tally: Tally) -> None:
        begun: list[Begun] = []
        try:
            if read:
                await to_the_end(self._begin(scope, read, update, tally, begun))
            if begun:
                await self._embed(scope, begun, tally)
                await to_the_end(self._commit(scope, begun, tally))
        except BaseException:
            await _tidy(self._take_back(scope, begun))
            raise
        finally:
            for ready in read:
                await ready.source.release()

    async def _embed(self, scope: Scope, begun: Sequence[Begun], tally: Tally) -> None:
        passages = [passage(chunk) for ready, _ in begun for chunk in ready.draft.chunks]
        last = begun[-1][0].shown

        def embedded(count: int) -> None:
            tally.embedded += count
            tally.tell("embedding", last)

        await self._upsert(scope, begun, await self._embedding.embed(passages, embedded))

    async def _commit(self, scope: Scope, begun: Sequence[Begun], tally: Tally) -> None:
        committed = await self._stores.records.commit(scope, [pending.version for _, pending in begun])
        current = [each for each in begun if each[1].version in committed.current]
        updated = sum(pending.updates for _, pending in current)
        tally.committed(
            added=len(current) - updated,
            updated=updated,
            chunks=sum(len(ready.draft.chunks) for ready, _ in current),
        )
        tally.tell("saving", begun[-1][0].shown)
        superseded = {version for _, pending in begun for version in pending.superseded}
        # A document removed meanwhile took its rows with it, and the points written since are still there.
        lost = {pending.version for _, pending in begun} - set(committed.current)
        await forget(self._stores, scope, sorted({*committed.retired, *superseded, *lost}))

    async def _take_back(self, scope: Scope, begun: Sequence[Begun]) -> None:
        """Forgets what was begun, except what is current all the same."""
        versions = {pending.version for _, pending in begun}
        superseded = {version for _, pending in begun for version in pending.superseded}
        current = {each.version for each in await self._stores.records.documents(Scope(scope.tenant))}
        await forget(self._stores, scope, sorted((versions | superseded) - current))

    async def _upsert(self, scope: Scope, begun: Sequence[Begun], vectors: Vectors) -> None:
        """Writes the points, a few at a time: until they are made the loop answers nothing else."""
        points: list[Point] = []
        start = 0
        for ready, each in begun:
            draft = ready.draft
            for first in range(0, len(each.points), POINTS_AT_ONCE):
                some = slice(first, first + POINTS_AT_ONCE)
                ids = each.points[some]
                points += to_points(
                    draft,
                    each.document,
                    each.version,
                    ids,
                    draft.chunks[some],
                    ready.terms[some],
                    vectors[start : start + len(ids)],
                )
                start += len(ids)
                if len(points) >= POINTS_AT_ONCE:
                    await self._stores.index.upsert(scope, points)
                    points = []
        if points:
            await self._stores.index.upsert(scope, points)


def _keep(
    originals: Originals, tenant: str, read: Sequence[Ready]
) -> list[tuple[Ready, UnreadableDocument | None]]:
    """What was read, and why it is not what was kept."""
    kept: list[tuple[Ready, UnreadableDocument | None]] = []
    with originals.arrival(tenant) as arrival:
        for ready in read:
            problem = None
            try:
                if ready.source.keep(arrival) != ready.draft.content_hash:
                    problem = UnreadableDocument(
                        reason="unreadable", detail="it changed while it was being read"
                    )
            except UnreadableDocument as error:
                problem = error
            kept.append((ready, problem))
    return kept


async def _tidy(work: Coroutine[Any, Any, None]) -> None:
    """Cleans up behind an error, which is what the caller must hear of, whatever becomes of this."""
    try:
        await to_the_end(work)
    except Exception:  # noqa: BLE001  nothing here may hide the error that led to it
        _log.warning("What an interrupted add left is cleared at the next opening.", exc_info=True)


def _count(tally: Tally, outcome: Outcome) -> None:
    match outcome:
        case Ready(draft=draft, shown=shown, warnings=warnings):
            tally.was_read(shown, chunks=len(draft.chunks), warnings=warnings)
        case Unchanged(shown=shown):
            tally.unchanged += 1
            tally.was_read(shown)
        case Gone(shown=shown):
            tally.gone += 1
            tally.was_read(shown)
        case Failure(file=shown):
            tally.failed(outcome)
            tally.was_read(shown)
