"""A real library in miniature: records on disk, the engine in memory, words hashed for vectors."""

from collections.abc import Sequence

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
    """Adds documents given as lists of passages; each passage is one chunk, and one page when `paged`."""

    def __init__(self, records: Records) -> None:
        self.records = records
        self.embedder = HashEmbedder()
        self.index = MemoryIndex(dimensions=self.embedder.dimensions)

    def searcher(self, options: SearchOptions | None = None) -> Searcher:
        return Searcher(records=self.records, index=self.index, embedder=self.embedder, options=options)

    async def add(
        self,
        name: str,
        passages: Sequence[str],
        *,
        collection: str = "default",
        language: str = "es",
        labels: tuple[str, ...] = (),
        metadata: dict[str, str] | None = None,
        paged: bool = False,
        types: Sequence[ChunkType] = (),
        scope: Scope = SCOPE,
        commit: bool = True,
    ) -> Pending:
        text, chunks, pages = "", [], []
        for number, passage in enumerate(passages, start=1):
            start, end = len(text), len(text) + len(passage)
            kind = types[number - 1] if types else "content"
            page = number if paged else None
            chunks.append(
                Chunk(number, start, end, passage, kind, page=page, page_end=page, section_path=("Título",))
            )
            pages.append(Page(number, start, end))
            text += passage + "\n\n"
        counts = [term_counts(chunk.content, language) for chunk in chunks]
        kind_of_file = name.rpartition(".")[2]
        pending = await self.records.begin(
            scope,
            Draft(
                collection=collection, source=f"/files/{name}", name=name, folder="files", content_hash=name,
                fingerprint=name, bytes=len(text), title=name, type=kind_of_file, language=language,
                description="", text=text, chunks=chunks, terms=counts, pages=pages if paged else (),
                labels=labels, metadata=metadata or {},
            ),
        )  # fmt: skip
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
                document_type=kind_of_file,
                chunk_type=chunk.type,
                language=language,
                labels=labels,
                page=chunk.page,
                page_end=chunk.page_end,
                metadata=metadata or {},
            )
            for point, chunk, vector, count in zip(pending.points, chunks, vectors, counts, strict=True)
        ]
        await self.index.upsert(scope, points)
        if commit:
            await self.records.commit(scope, [pending.version])
        return pending
