"""Documents for the tests of the store: a text, cut into passages of a fixed length."""

import hashlib
import zlib
from dataclasses import dataclass

import numpy as np

from atril.store.drafts import Draft
from atril.types import Chunk, Page


@dataclass(frozen=True)
class Counted:
    ids: np.ndarray
    length: int


def term(word: str) -> int:
    return zlib.crc32(word.encode())


def counted(text: str) -> Counted:
    words = text.split()
    return Counted(np.unique(np.array([term(word) for word in words], dtype=np.uint32)), len(words))


def draft(
    name: str = "a.md",
    text: str = "uno dos tres",
    *,
    source: str | None = None,
    folder: str = "docs",
    collection: str = "default",
    labels: tuple[str, ...] = (),
    size: int = 100,
    language: str = "es",
    pages: tuple[Page, ...] = (),
    metadata: dict[str, str] | None = None,
) -> Draft:
    cuts = [(start, min(start + size, len(text))) for start in range(0, len(text), size)]
    chunks = [
        Chunk(
            number=number,
            start=start,
            end=end,
            content=text[start:end],
            type="content",
            section_path=("Título", "Artículo 1"),
            context="Título > Artículo 1",
            page=1 if pages else None,
            page_end=1 if pages else None,
            article="1",
            keywords=("uno", "dos"),
            description="Una frase.",
            has_tables=number % 2 == 0,
            tokens=end - start,
        )
        for number, (start, end) in enumerate(cuts, start=1)
    ]
    content_hash = hashlib.sha256(text.encode()).hexdigest()
    return Draft(
        collection=collection,
        source=source or f"/{folder}/{name}",
        name=name,
        folder=folder,
        content_hash=content_hash,
        fingerprint=content_hash[:8],
        bytes=len(text.encode()),
        title=name.upper(),
        type="md",
        language=language,
        description="Un documento.",
        text=text,
        chunks=chunks,
        terms=[counted(chunk.content) for chunk in chunks],
        pages=pages,
        labels=labels,
        metadata=metadata or {},
    )
