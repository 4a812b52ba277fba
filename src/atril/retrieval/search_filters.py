"""What a caller may narrow a search by, and its translation into the filters of an engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, get_args

from atril.documents.parsing import document_types
from atril.errors import InvalidArgument
from atril.store.index.filters import AnyOf, Between, Every, Filter, equals
from atril.types import ChunkType, Document, Scope

CHUNK_TYPES: Final[tuple[str, ...]] = get_args(ChunkType)


class FindsDocuments(Protocol):
    async def find(self, scope: Scope, name: str) -> Document: ...


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """Every condition given must hold; an empty one asks nothing.

    `collections` and `labels` want one of theirs, `metadata` wants each key to have exactly that value,
    compared as text.
    `document` is a name as people write it. `type` is the type of a document (pdf, docx, md…, as
    `document_types` lists them) or of a
    chunk (content, table, list, code, section_header): the two vocabularies share no word. `page` is 1-based and
    matches every chunk that touches it.
    """

    collections: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    document: str | None = None
    type: str | None = None
    language: str | None = None
    page: int | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)


NO_FILTERS: Final = SearchFilters()


@dataclass(frozen=True, slots=True)
class ResolvedFilters:
    """The engine's filter, and what `search_params` reports as applied."""

    where: Filter | None
    applied: Mapping[str, Any]
    collections: tuple[str, ...] = ()


async def resolve(scope: Scope, filters: SearchFilters, documents: FindsDocuments) -> ResolvedFilters:
    """Looks up the document's name and checks every value.

    Raises `InvalidArgument` for an unknown type, a page below 1 or a blank key of metadata, `DocumentNotFound` or `AmbiguousName`
    for a document that cannot be told.
    """
    conditions: list[Filter] = []
    applied: dict[str, Any] = {}
    for key, values in (("collection", filters.collections), ("labels", filters.labels)):
        if values:
            conditions.append(AnyOf(key, tuple(values)))
            applied["collections" if key == "collection" else key] = list(values)
    if filters.document is not None:
        document = await documents.find(scope, filters.document)
        conditions.append(equals("document", str(document.id)))
        applied["document"] = document.name
    if filters.type is not None:
        conditions.append(equals(_type_field(filters.type), filters.type))
        applied["type"] = filters.type
    if filters.language is not None:
        conditions.append(equals("language", filters.language))
        applied["language"] = filters.language
    if filters.page is not None:
        conditions += _touches(filters.page)
        applied["page"] = filters.page
    if filters.metadata:
        wanted = _metadata(filters.metadata)
        conditions += [equals(f"metadata.{key}", value) for key, value in sorted(wanted.items())]
        applied["metadata"] = wanted
    where = Every(tuple(conditions)) if conditions else None
    return ResolvedFilters(where, applied, tuple(filters.collections))


def _metadata(wanted: Mapping[str, object]) -> dict[str, str]:
    """Keys and values as documents hold them, which is as text."""
    if any(not str(key).strip() for key in wanted):
        raise InvalidArgument(name="metadata", value=dict(wanted), allowed="keys that are not blank")
    return {str(key): str(value) for key, value in wanted.items()}


def _type_field(name: str) -> str:
    types = document_types()
    if name in types:
        return "document_type"
    if name in CHUNK_TYPES:
        return "chunk_type"
    raise InvalidArgument(name="type", value=name, allowed=", ".join((*types, *CHUNK_TYPES)))


def _touches(page: int) -> tuple[Filter, Filter]:
    if page < 1:
        raise InvalidArgument(name="page", value=page, allowed="allowed.at_least", least=1)
    return Between("page", at_most=page), Between("page_end", at_least=page)
