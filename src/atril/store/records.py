"""The records of a home: the one truth about its documents, from which every index is derived."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeVar, cast
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from atril.documents.references.names import NormNames, possible_names
from atril.errors import DocumentNotFound, InvalidArgument
from atril.store import (
    frequencies,
    linking,
    moving,
    passages,
    reading,
    reference_report,
    referring,
    schema,
    siblings,
    tables,
    writing,
)
from atril.store.conversations import Conversations
from atril.store.database import Database
from atril.store.drafts import (
    AuditEntry,
    Collection,
    Committed,
    Draft,
    KnownDocument,
    Pending,
    Unsettled,
)
from atril.store.migrations import Migrations
from atril.store.passages import Passages
from atril.store.referring import Link
from atril.store.terms import TermStatistics
from atril.types import Document, ListedTable, Page, ReferenceReport, Scope, StoredChunk

FILE_NAME: Final = "records.db"
REMEMBERED: Final = 1024
"""Answers kept in memory between writes."""

MOST_NAMES: Final = 1000
"""Names that a text may hold to be looked up one by one, which takes 10 ms; for more, all are read and kept."""

T = TypeVar("T")
Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


class Records:
    """The records of one home. Open them with `open`, in the process that owns the home.

    Reads honour the scope's tenant, collections and labels; writes honour its tenant and remember its
    actor. Every coroutine is one transaction.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._remembered: dict[tuple[str, Scope], object] = {}
        self._remembered_at = 0
        self._passages = Passages()
        self.conversations = Conversations(database, clock)

    @classmethod
    async def open(
        cls, home: Path, *, clock: Clock = utc_now, migrations: Migrations | None = None
    ) -> Records:
        """Opens the records in a home, makes them when there are none, upgrades them when they are older.

        A copy goes to the home's `backups` before an upgrade. Raises `HomeTooNew` and `HomeDamaged`.
        """
        path = home / FILE_NAME
        await asyncio.to_thread((migrations or Migrations()).prepare, path, clock)
        return cls(Database(path), clock)

    async def close(self) -> None:
        """Finishes the work under way; a second call does nothing."""
        await self._database.close()

    # The home itself

    async def fact(self, key: str) -> str | None:
        """What the home remembers under `key`: its embedder, its analyzer, the generation of its index."""
        statement = sa.select(schema.facts.c.value).where(schema.facts.c.key == key)
        return await self._database.read(lambda connection: connection.scalar(statement))

    async def set_facts(self, facts: Mapping[str, str]) -> None:
        """Remembers all of them or none."""

        def work(connection: Connection) -> None:
            for key, value in facts.items():
                writing.set_fact(connection, key, value)

        await self._database.write(work)

    async def tenants(self) -> list[str]:
        """Every tenant that has any version of any document."""
        return await self._database.read(reading.tenants)

    async def unsettled(self) -> list[Unsettled]:
        """Pending and retired versions of every tenant: what an interrupted process left to be cleared."""
        return await self._database.read(reading.unsettled)

    async def content_hashes(self) -> set[tuple[str, str]]:
        """Tenant and SHA-256 of every original that is still referred to."""
        return await self._database.read(reading.content_hashes)

    # Collections

    async def set_collection(self, scope: Scope, name: str, *, weight: float | None = None) -> None:
        """Makes a collection when it is missing; `None` keeps its weight, which is open at first."""
        if weight is not None and not 0 <= weight < float("inf"):
            raise InvalidArgument(name="weight", value=weight, allowed="a number from 0 up")
        await self._database.write(
            lambda connection: writing.set_weight(connection, scope, name, weight, self._clock())
        )

    async def collections(self, scope: Scope) -> dict[str, Collection]:
        table = schema.collections

        def work(connection: Connection) -> dict[str, Collection]:
            statement = sa.select(table.c.name, table.c.weight).where(table.c.tenant == scope.tenant)
            if scope.collections is not None:
                statement = statement.where(table.c.name.in_(scope.collections))
            rows = connection.execute(statement.order_by(table.c.name))
            return {name: Collection(name, weight) for name, weight in rows}

        return await self._remember("collections", scope, work)

    # Writing documents

    async def identify(
        self, scope: Scope, collection: str, sources: Sequence[str]
    ) -> dict[str, KnownDocument]:
        """The documents from these sources as they stand, by source; without one, no key."""
        return await self._database.read(
            lambda connection: reading.known(connection, scope, collection, sources)
        )

    async def begin(self, scope: Scope, draft: Draft, *, update: bool = False) -> Pending:
        """As `begin_all`, for one; for an `update`, raises `DocumentNotFound` when the document has no current
        version."""
        pending = (await self.begin_all(scope, [draft], update=update))[0]
        if pending is None:
            raise DocumentNotFound(name=draft.name, similar="")
        return pending

    async def begin_all(
        self, scope: Scope, drafts: Sequence[Draft], *, update: bool = False
    ) -> list[Pending | None]:
        """Writes versions that nobody sees yet, all or none; their points may go to the index now.

        For an `update`, `None` stands for a document that has no current version. Raises `InvalidArgument` for
        a blank name and `ValueError` when a chunk is not a slice of the text. The rows survive a loss of power
        only once `commit` has returned.
        """
        return await self._database.write(
            lambda connection: writing.begin(connection, scope, drafts, self._clock(), update=update),
            durable=False,
        )

    async def commit(
        self, scope: Scope, versions: Sequence[UUID], *, facts: Mapping[str, str] | None = None
    ) -> Committed:
        """Makes pending versions current, all of them or none, and sets facts of the home with them.

        A version that is current already is left alone, so that a repeated call does nothing; one that
        was superseded or removed in the meantime comes back among the retired.
        """
        return await self._database.write(
            lambda connection: writing.commit(connection, scope, versions, facts or {}, self._clock())
        )

    async def move(
        self,
        scope: Scope,
        document: UUID,
        *,
        source: str,
        path: str,
        name: str,
        folder: str,
        aliases: Mapping[str, int | None],
    ) -> str | None:
        """Gives a document another source and, as near to `name` as others allow, another name, which is
        returned; its version, chunks and points stay, the ids of its chunks follow its name, and references
        reach it by the `aliases`. `None` and nothing done when the collection knows a document of that
        source."""
        moved = await self._database.write(
            lambda connection: moving.move(
                connection, scope, document, moving.Place(source, path, name, folder, aliases), self._clock()
            )
        )
        self._passages.forget()
        return moved

    async def reach(self, scope: Scope, document: UUID, path: str) -> None:
        """Remembers by which path a document's file was reached."""
        await self._database.write(
            lambda connection: moving.reach(connection, scope.tenant, document, path), durable=False
        )
        self._passages.forget()

    async def remove(self, scope: Scope, documents: Sequence[UUID]) -> list[UUID]:
        """Takes documents out of every reading; returns the versions whose points must be deleted."""
        return await self._database.write(
            lambda connection: writing.remove(connection, scope, documents, self._clock())
        )

    async def purge(self, scope: Scope, versions: Sequence[UUID]) -> frozenset[str]:
        """Deletes versions whose points are gone, never current ones; repeating it does nothing.

        Returns the content hashes of originals that no version of the tenant refers to any more.
        """
        return await self._database.write(
            lambda connection: writing.purge(connection, scope.tenant, versions), durable=False
        )

    async def history(self, scope: Scope, *, limit: int = 100) -> list[AuditEntry]:
        """The tenant's last writes, the newest first."""
        return await self._database.read(lambda connection: reading.history(connection, scope, limit))

    # Reading documents

    async def documents(self, scope: Scope) -> list[Document]:
        """The documents that the caller may see, by name."""
        return await self._database.read(lambda connection: reading.listing(connection, scope))

    async def document(self, scope: Scope, document: UUID) -> Document:
        """Raises `DocumentNotFound`."""
        return await self._database.read(lambda connection: reading.document(connection, scope, document))

    async def find(self, scope: Scope, name: str) -> Document:
        """The document that a written name means: exactly, without its extension, with another one, then
        with accents and case folded; a bare file name means a document in any folder.

        Raises `AmbiguousName` and `DocumentNotFound`.
        """
        return await self._database.read(lambda connection: reading.find(connection, scope, name))

    async def hydrate(self, scope: Scope, points: Sequence[UUID]) -> dict[UUID, StoredChunk]:
        """The chunks of points; a point of a version that is not current is left out."""
        return await self._database.read(
            lambda connection: self._passages.at_points(connection, scope, points)
        )

    def remembered(self, point: UUID) -> Document | None:
        """The document of a point if it is in memory, whether or not the point still counts."""
        return self._passages.remembered(point)

    async def tables(self, scope: Scope, document: Document | None = None) -> list[ListedTable]:
        """The tables that the caller may see, by document and chunk; of one document if it is given."""
        return await self._database.read(lambda connection: tables.listing(connection, scope, document))

    async def text(self, scope: Scope, document: UUID) -> str:
        """The canonical text. Raises `DocumentNotFound`."""
        return await self.slice(scope, document, 0, None)

    async def slice(self, scope: Scope, document: UUID, start: int, end: int | None) -> str:
        """What `text[start:end]` would be, reading only what it touches. Raises `DocumentNotFound`."""
        return await self._database.read(
            lambda connection: passages.excerpt(connection, scope, document, start, end)
        )

    async def starts(self, scope: Scope, document: UUID) -> list[tuple[int, UUID]]:
        """Where each chunk begins in the text and its point, in order. Raises `DocumentNotFound`."""
        return await self._database.read(lambda connection: passages.starts(connection, scope, document))

    async def pages(self, scope: Scope, document: UUID) -> list[Page]:
        """The pages, none for a format without them. Raises `DocumentNotFound`."""
        return await self._database.read(lambda connection: passages.pages(connection, scope, document))

    async def chunks(self, scope: Scope, document: UUID, start: int = 1, end: int = 100) -> list[StoredChunk]:
        """Chunks number `start` to `end`, both included. Raises `DocumentNotFound`."""
        return await self._database.read(
            lambda connection: self._passages.numbered(connection, scope, document, start, end)
        )

    async def chunk(self, scope: Scope, chunk_id: str) -> StoredChunk:
        """The chunk with this readable id. Raises `DocumentNotFound`."""
        return await self._database.read(
            lambda connection: self._passages.called(connection, scope, chunk_id)
        )

    # References

    async def references(self, scope: Scope, points: Sequence[UUID]) -> dict[UUID, tuple[UUID, ...]]:
        """The chunks that each of those chunks refers to, in the order of its text; without any, no key."""
        found = await self.links(scope, points)
        return {point: tuple(link.point for link in links) for point, links in found.items()}

    async def links(self, scope: Scope, points: Sequence[UUID]) -> dict[UUID, tuple[Link, ...]]:
        """As `references`, with the readable ids of the chunks."""
        return await self._database.read(
            lambda connection: referring.outgoing(connection, self._passages, scope, points)
        )

    async def referrers(self, scope: Scope, points: Sequence[UUID]) -> dict[UUID, tuple[UUID, ...]]:
        """The chunks that refer to each of those chunks; without any, no key."""
        return await self._database.read(
            lambda connection: referring.incoming(connection, self._passages, scope, points)
        )

    async def siblings(self, scope: Scope, points: Sequence[UUID]) -> dict[UUID, tuple[UUID, ...]]:
        """The other parts of the article that each of those chunks is a part of, nearest first; without any,
        no key. Hydrating them tells which the caller may see."""
        return await self._database.read(
            lambda connection: siblings.siblings(connection, scope.tenant, points)
        )

    async def articles(
        self, scope: Scope, documents: UUID | Sequence[str], keys: Sequence[str]
    ) -> list[UUID]:
        """The points of the chunks of articles, in the order of `keys` and of the text.

        `documents` is one document's id, or names of documents as people write them: an identifier, a file
        name without its extension, "Ley 20/2007". Keys are those of `Chunk.article` in any spelling, "11" for
        "once". Of a decree and the text it approves, the text's article comes first.
        """

        def work(connection: Connection) -> list[UUID]:
            if isinstance(documents, UUID):
                wanted = [reading.document(connection, scope, documents).id]
            else:
                meant = referring.named(connection, self._passages, scope, documents)
                wanted = list(dict.fromkeys(document.id for document in meant.values()))
            return referring.articles(connection, scope, wanted, keys)

        return await self._database.read(work)

    async def named(self, scope: Scope, texts: Sequence[str]) -> dict[str, Document]:
        """The documents that texts beginning with their names mean: "Estatuto de los Trabajadores en …"."""
        return await self._database.read(
            lambda connection: referring.named(connection, self._passages, scope, texts)
        )

    async def names_in(self, scope: Scope, text: str) -> NormNames:
        """The names by which documents that the caller may see are called, at least those in a text, for
        `find_mentions`; the identifier of each is the document's name."""
        keys = possible_names(text)
        if len(keys) > MOST_NAMES:
            return await self._remember(
                "names", scope, lambda connection: referring.names(connection, self._passages, scope, None)
            )
        return await self._database.read(
            lambda connection: referring.names(connection, self._passages, scope, keys)
        )

    async def rename(self, scope: Scope, called: Mapping[UUID, Mapping[str, int | None]]) -> None:
        """Gives current versions other names, each with the year since when it means them, and binds every reference of the tenant again."""
        await self._database.write(lambda connection: linking.rename(connection, scope.tenant, called))

    async def reference_report(self, scope: Scope) -> ReferenceReport:
        """How many references were found and where they lead."""
        return await self._database.read(
            lambda connection: reference_report.report(connection, self._passages, scope)
        )

    # Words

    async def statistics(self, scope: Scope, term_ids: Sequence[int]) -> TermStatistics:
        """Of the whole tenant, whatever the scope's collections: scores compare between collections."""
        return await self._database.read(
            lambda connection: frequencies.statistics(connection, scope.tenant, term_ids)
        )

    async def statistics_within(
        self, scope: Scope, documents: Sequence[Document], term_ids: Sequence[int]
    ) -> dict[UUID, TermStatistics]:
        """As `statistics`, of each document as if it were the whole library; by the document's id."""
        versions = [document.version for document in documents]
        found = await self._database.read(
            lambda connection: frequencies.of_versions(connection, scope.tenant, versions, term_ids)
        )
        return {each.id: found[each.version] for each in documents if each.version in found}

    async def words(self, scope: Scope) -> int:
        """Analysed words in the tenant's current chunks; with `TermStatistics.chunks`, their mean length."""
        return await self._database.read(lambda connection: frequencies.size(connection, scope.tenant)[1])

    async def languages(self, scope: Scope) -> list[str]:
        """The languages of the tenant's documents, in order."""
        return sorted(await self.language_shares(scope))

    async def language_shares(self, scope: Scope) -> dict[str, float]:
        """The share of the tenant's documents in each of `languages`."""
        return await self._remember(
            "language_shares", scope, lambda connection: reading.language_shares(connection, scope)
        )

    async def _remember(self, what: str, scope: Scope, work: Callable[[Connection], T]) -> T:
        # Every search asks these; this process alone writes, so they hold until its next write.
        before = self._database.writes
        if before != self._remembered_at or len(self._remembered) >= REMEMBERED:
            self._remembered.clear()
            self._remembered_at = before
        if (what, scope) in self._remembered:
            return cast(T, self._remembered[what, scope])
        found = await self._database.read(work)
        if before == self._database.writes:
            self._remembered[what, scope] = found
        return found
