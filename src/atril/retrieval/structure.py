"""Search by the structure of one document: kinds of part, positions, words that a part must hold.

A keyword is held by a chunk when each of its words is, by the analysis that built the index, in the chunk's
content, its keywords or the headings above it. Chunks with any of the keywords are found, those with more of
them first; so a list of keywords narrows the order and never empties the result by being long.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args

from atril.documents.analysis import distinct_terms, query_terms
from atril.errors import InvalidArgument, LimitExceeded
from atril.retrieval.live import ScoredChunk
from atril.store.names import without_extension
from atril.types import Chunk, ChunkType, Document, StoredChunk

MAX_TOP_K: Final = 1000
CHUNK_TYPES: Final[tuple[str, ...]] = get_args(ChunkType)

_POSITION: Final = re.compile(r"(first|last)_([1-9][0-9]{0,5})")
_JOINTS: Final = re.compile(r"[_/\\.-]+")
_HEADING: Final = re.compile(r"\s*#{1,6}[ \t]+\S")


@dataclass(frozen=True, slots=True)
class StructureQuery:
    """What is wanted of a document; make it with `structure_query`, which checks it.

    `position` is `all`, `first_N` or `last_N`: it chooses among the chunks of the type that hold a keyword,
    in the order of the document, before they are ranked.
    """

    document: str
    chunk_type: str | None
    keywords: tuple[str, ...]
    position: str
    top_k: int

    def params(self, document_name: str) -> dict[str, Any]:
        return {
            "document_name": document_name,
            "chunk_type": self.chunk_type,
            "keywords": list(self.keywords),
            "position": self.position,
            "top_k": self.top_k,
        }


def structure_query(
    document: str, chunk_type: str | None, keywords: Sequence[str] | str, position: str, top_k: int
) -> StructureQuery:
    """Raises `InvalidArgument` for a blank document, an unknown type or position, or a `top_k` below 1, and
    `LimitExceeded` for one above 1,000. Keywords in one text are separated by commas."""
    if not document.strip():
        raise InvalidArgument(name="document", value=document, allowed="allowed.text")
    if chunk_type is not None and chunk_type not in CHUNK_TYPES:
        raise InvalidArgument(name="chunk_type", value=chunk_type, allowed=", ".join(CHUNK_TYPES))
    if position != "all" and not _POSITION.fullmatch(position):
        raise InvalidArgument(name="position", value=position, allowed="allowed.position")
    if top_k < 1:
        raise InvalidArgument(name="top_k", value=top_k, allowed="allowed.range", least=1, most=MAX_TOP_K)
    if top_k > MAX_TOP_K:
        raise LimitExceeded(name="top_k", value=top_k, allowed=MAX_TOP_K)
    given = keywords.split(",") if isinstance(keywords, str) else keywords
    wanted = tuple(dict.fromkeys(word.strip() for word in given if word.strip()))
    return StructureQuery(document, chunk_type, wanted, position, top_k)


@dataclass(frozen=True, slots=True)
class Selection:
    """The chunks that fit, in their final order, and the terms that the keywords stand for."""

    chunks: tuple[ScoredChunk, ...]
    terms: Mapping[str, float]


def select(query: StructureQuery, document: Document, chunks: Sequence[StoredChunk]) -> Selection:
    """The document's chunks that fit, best first.

    The score is the share of the keywords that the chunk holds, in 0..1, and 1 when none were given;
    equal ones keep the order of the document.
    """
    wanted = _keyword_terms(query.keywords, document.language)
    fitting = [each for each in chunks if _is(each.chunk, query.chunk_type)]
    scored = [ScoredChunk(each, _share(each.chunk, document.language, wanted)) for each in fitting]
    placed = _at(query.position, [each for each in scored if each.score > 0])
    ranked = sorted(placed, key=lambda each: (-each.score, each.stored.chunk.number))
    terms = {term: 1.0 for words in wanted for word in words for term in word}
    return Selection(tuple(ranked[: query.top_k]), terms)


def fallback_words(query: StructureQuery, document: Document | None) -> str:
    """What a search by words looks for when the structure does not answer: the keywords, else what the
    document is called."""
    if query.keywords:
        return " ".join(query.keywords)
    name = f"{document.title} {document.name}" if document else query.document
    return _JOINTS.sub(" ", without_extension(name))


def _is(chunk: Chunk, kind: str | None) -> bool:
    match kind:
        case None:
            return True
        case "section_header":
            return chunk.type == kind or _HEADING.match(chunk.content) is not None
        case "table":
            return chunk.type == kind or chunk.has_tables
        case _:
            return chunk.type == kind


def _keyword_terms(keywords: Sequence[str], language: str) -> list[list[frozenset[str]]]:
    """For each keyword its words, and for each word the terms of which any will do."""
    read = [[frozenset(word.terms) for word in query_terms(each, (language,))] for each in keywords]
    return [words for words in read if words]


def _share(chunk: Chunk, language: str, wanted: Sequence[Sequence[frozenset[str]]]) -> float:
    if not wanted:
        return 1.0
    text = "\n".join((chunk.content, *chunk.keywords, *chunk.section_path))
    held = distinct_terms(text, language)
    return sum(all(held & word for word in words) for words in wanted) / len(wanted)


def _at(position: str, chunks: list[ScoredChunk]) -> list[ScoredChunk]:
    match = _POSITION.fullmatch(position)
    if not match:
        return chunks
    count = int(match[2])
    return chunks[:count] if match[1] == "first" else chunks[-count:]
