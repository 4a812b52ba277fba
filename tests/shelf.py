"""A real library in miniature: records on disk, the engine in memory, words hashed for vectors."""

from collections.abc import Sequence
from typing import Any

from atril.documents.analysis import term_counts
from atril.retrieval.searcher import Searcher, SearchOptions
from atril.store.drafts import Draft, Pending
from atril.store.index.memory import MemoryIndex
from atril.store.index.protocol import Point
from atril.store.records import Records
from atril.store.terms import document_weights
from atril.testing.embedders import HashEmbedder
from atril.types import Chunk, ChunkType, Page, Scope

SCOPE = Scope()


class Shelf:
    def __init__(self, records: Records) -> None:
        self.records = records
        self.embedder = HashEmbedder(256)  # fewer words share a dimension
        self.index = MemoryIndex(dimensions=self.embedder.dimensions)

    def searcher(self, options: SearchOptions | None = None) -> Searcher:
        return Searcher(records=self.records, index=self.index, embedder=self.embedder, options=options)

    async def add(
        self,
        name: str,
        passages: Sequence[str],
        *,
        kind: ChunkType = "content",
        paged: bool = False,
        **properties: Any,
    ) -> Pending:
        """Adds a document whose passages are its chunks, and its pages too when it is `paged`."""
        text, chunks, pages = "", [], []
        for number, passage in enumerate(passages, start=1):
            start, end, page = len(text), len(text) + len(passage), number if paged else None
            chunks.append(
                Chunk(number, start, end, passage, kind, page=page, page_end=page, section_path=("Título",))
            )
            pages.append(Page(number, start, end))
            text += passage + "\n\n"
        return await self.put(name, text, chunks, pages=pages if paged else (), **properties)

    async def put(
        self,
        name: str,
        text: str,
        chunks: Sequence[Chunk],
        *,
        collection: str = "default",
        language: str = "es",
        labels: tuple[str, ...] = (),
        metadata: dict[str, str] | None = None,
        pages: Sequence[Page] = (),
        commit: bool = True,
    ) -> Pending:
        """Writes records and points as adding does; without `commit` the version stays pending."""
        counts = [term_counts(chunk.content, language) for chunk in chunks]
        file_type = name.rpartition(".")[2]
        draft = Draft(
            collection=collection,
            source=f"/files/{name}",
            name=name,
            folder="files",
            content_hash=name,
            fingerprint=name,
            bytes=len(text),
            title=name,
            type=file_type,
            language=language,
            description="",
            text=text,
            chunks=chunks,
            terms=counts,
            pages=pages,
            labels=labels,
            metadata=metadata or {},
        )
        pending = await self.records.begin(SCOPE, draft)
        vectors = await self.embedder.embed_passages([chunk.content for chunk in chunks])
        points = [
            Point(
                id=point,
                document=pending.document,
                version=pending.version,
                number=chunk.number,
                collection=collection,
                dense=vector,
                sparse=document_weights(count),
                document_type=file_type,
                chunk_type=chunk.type,
                language=language,
                labels=labels,
                page=chunk.page,
                page_end=chunk.page_end,
                metadata=metadata or {},
            )
            for point, chunk, vector, count in zip(pending.points, chunks, vectors, counts, strict=True)
        ]
        await self.index.upsert(SCOPE, points)
        if commit:
            await self.records.commit(SCOPE, [pending.version])
        return pending
