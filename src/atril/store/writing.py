"""The writes to the records, each a function of a connection that runs as one transaction.

A version is born pending, becomes current when its points are in the index, and is retired when another
takes its place or its document is removed. Its rows go once its points are gone.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid4, uuid5

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from atril.errors import InvalidArgument
from atril.store import frequencies, linking, rows
from atril.store.drafts import AuditAction, Committed, Draft, Pending
from atril.store.frequencies import VersionTerms
from atril.store.index.protocol import point_id
from atril.store.names import storable
from atril.store.naming import Names, give_names
from atril.store.parts import in_parts
from atril.store.schema import (
    CURRENT,
    PENDING,
    RETIRED,
    audit,
    chunks,
    collections,
    documents,
    facts,
    is_current,
    is_unsettled,
    text_blocks,
    versions,
)
from atril.types import Scope

_WANTED: Final[sa.BindParameter[Any]] = sa.bindparam("wanted", expanding=True)
_OF_TENANT = versions.c.tenant == sa.bindparam("tenant")
_OF_SOURCES = sa.select(documents.c.id, documents.c.collection, documents.c.source).where(
    documents.c.tenant == sa.bindparam("tenant"),
    documents.c.collection.in_(sa.bindparam("collections", expanding=True)),
    documents.c.source.in_(sa.bindparam("sources", expanding=True)),
)
_TAKEN = sa.select(documents.c.id).where(
    documents.c.tenant == sa.bindparam("tenant"), documents.c.id.in_(_WANTED)
)
_STATES = sa.select(versions.c.id, versions.c.document, versions.c.state).where(
    _OF_TENANT, versions.c.document.in_(_WANTED)
)
_CONTRIBUTIONS = (
    sa.select(
        versions.c.id,
        versions.c.document,
        versions.c.chunks,
        versions.c.tokens,
        versions.c.terms,
        documents.c.name,
        documents.c.collection,
    )
    .join_from(versions, documents)
    .where(_OF_TENANT)
)
_PENDING = _CONTRIBUTIONS.where(versions.c.state == PENDING, versions.c.id.in_(_WANTED))
_REPLACED = _CONTRIBUTIONS.where(is_current, versions.c.document.in_(_WANTED))
_STALE = sa.select(versions.c.id).where(_OF_TENANT, versions.c.state == RETIRED, versions.c.id.in_(_WANTED))
_DISPENSABLE = sa.select(versions.c.id, versions.c.document, versions.c.content_hash).where(
    _OF_TENANT, is_unsettled, versions.c.id.in_(_WANTED)
)
_SET_STATE = versions.update().where(
    versions.c.tenant == sa.bindparam("of_tenant"), versions.c.id.in_(_WANTED)
)

_DOCUMENTS: Final = UUID("5f0d3c1e-7a52-4c0e-9d6b-3b1a8f2e6c47")


def document_id(tenant: str, collection: str, source: str) -> UUID:
    """The identity of a document when it is new: the same on every machine for the same three."""
    return uuid5(_DOCUMENTS, json.dumps([tenant, collection, storable(source)]))


def _identities(connection: Connection, tenant: str, drafts: Sequence[Draft]) -> list[UUID]:
    """The documents of these sources. One whose file was moved keeps the identity it had, so a new file at the
    old place may have to take another."""
    known: dict[tuple[str, str], UUID] = {}
    within = {"tenant": tenant, "collections": list({draft.collection for draft in drafts})}
    for part in in_parts({storable(draft.source) for draft in drafts}):
        for row in connection.execute(_OF_SOURCES, {**within, "sources": part}):
            known[row.collection, row.source] = row.id
    fresh = {
        place: document_id(tenant, *place)
        for draft in drafts
        if (place := (draft.collection, storable(draft.source))) not in known
    }
    taken = {row.id for row in _select(connection, _TAKEN, tenant, set(fresh.values()))}
    identities = {**known, **{place: uuid4() if each in taken else each for place, each in fresh.items()}}
    return [identities[draft.collection, storable(draft.source)] for draft in drafts]


def begin(
    connection: Connection, scope: Scope, drafts: Sequence[Draft], now: datetime, *, update: bool = False
) -> list[Pending | None]:
    """Writes pending versions; one that was pending for the same document is superseded. Of an `update`, what
    has no current version is left out and `None` stands for it."""
    for draft in drafts:
        _check(draft)
    written: list[Pending | None] = []
    for some in _each_source_once(drafts):
        written += _begin(connection, scope.tenant, some, now, update=update)
    return written


def _each_source_once(drafts: Sequence[Draft]) -> Iterator[list[Draft]]:
    """The drafts in order and in parts; one for the same document as an earlier one begins a part."""
    some: list[Draft] = []
    seen: set[tuple[str, str]] = set()
    for draft in drafts:
        place = draft.collection, storable(draft.source)
        if place in seen:
            yield some
            some, seen = [], set()
        some.append(draft)
        seen.add(place)
    if some:
        yield some


def _begin(
    connection: Connection, tenant: str, drafts: Sequence[Draft], now: datetime, *, update: bool
) -> list[Pending | None]:
    identities = _identities(connection, tenant, drafts)
    states: dict[UUID, dict[UUID, str]] = {document: {} for document in identities}
    for row in _select(connection, _STATES, tenant, identities):
        states[row.document][row.id] = row.state
    wanted = {
        document: draft
        for document, draft in zip(identities, drafts, strict=True)
        if not update or CURRENT in states[document].values()
    }
    named = give_names(connection, tenant, wanted)
    pending = {
        document: _pending(document, named[document], draft, states[document])
        for document, draft in wanted.items()
    }
    _set_state(connection, tenant, [each for some in pending.values() for each in some.superseded], RETIRED)
    _write(connection, tenant, [(pending[document], draft) for document, draft in wanted.items()], now)
    return [pending.get(document) for document in identities]


def _pending(document: UUID, named: Names, draft: Draft, states: Mapping[UUID, str]) -> Pending:
    version = uuid4()
    return Pending(
        document,
        version,
        named.name,
        named.stem,
        tuple(point_id(document, version, chunk.number) for chunk in draft.chunks),
        CURRENT in states.values(),
        tuple(each for each, state in states.items() if state == PENDING),
    )


def _write(
    connection: Connection, tenant: str, begun: Sequence[tuple[Pending, Draft]], now: datetime
) -> None:
    for table, values in (
        (
            versions,
            [rows.of_version(tenant, each.document, each.version, draft, now) for each, draft in begun],
        ),
        (
            text_blocks,
            [row for each, draft in begun for row in rows.of_text(tenant, each.version, draft.text)],
        ),
        (
            chunks,
            [
                row
                for each, draft in begun
                for row in rows.of_chunks(tenant, each.version, draft.chunks, each.points)
            ],
        ),
    ):
        if values:
            connection.execute(table.insert(), values)
    linking.write(connection, tenant, [(each.version, each.name, draft) for each, draft in begun])


def commit(
    connection: Connection, scope: Scope, wanted: Sequence[UUID], also: Mapping[str, str], now: datetime
) -> Committed:
    """Makes pending versions current and retires those they replace, with their statistics."""
    tenant = scope.tenant
    flipped = _select(connection, _PENDING, tenant, wanted)
    replaced = _select(connection, _REPLACED, tenant, [row.document for row in flipped])
    _set_state(connection, tenant, [row.id for row in replaced], RETIRED)
    _set_state(connection, tenant, [row.id for row in flipped], CURRENT)
    frequencies.shift(connection, tenant, add=_terms(flipped), subtract=_terms(replaced))
    linking.bind(connection, tenant, [row.id for row in flipped], [row.id for row in replaced])
    updated = {row.document for row in replaced}
    _record(connection, scope, now, "add", (row.name for row in flipped if row.document not in updated))
    _record(connection, scope, now, "update", (row.name for row in flipped if row.document in updated))
    _ensure_collections(connection, tenant, {row.collection for row in flipped})
    for key, value in also.items():
        set_fact(connection, key, value)
    stale = _select(connection, _STALE, tenant, wanted)
    return Committed(tuple(row.id for row in flipped), tuple(row.id for row in (*replaced, *stale)))


def remove(connection: Connection, scope: Scope, wanted: Sequence[UUID], now: datetime) -> list[UUID]:
    """Retires every version of the documents and gives up their names."""
    tenant = scope.tenant
    gone = _select(connection, _REPLACED, tenant, wanted)
    every = [row.id for row in _select(connection, _STATES, tenant, wanted)]
    _set_state(connection, tenant, every, RETIRED)
    frequencies.shift(connection, tenant, add=(), subtract=_terms(gone))
    linking.bind(connection, tenant, [], [row.id for row in gone])
    for part in in_parts(wanted):
        connection.execute(
            documents.update()
            .where(documents.c.tenant == tenant, documents.c.id.in_(part))
            .values(name=None, stem=None, stem_key=None)
        )
    _record(connection, scope, now, "remove", (row.name for row in gone))
    return every


def purge(connection: Connection, tenant: str, wanted: Sequence[UUID]) -> frozenset[str]:
    """Deletes versions that are not current, and documents left without any.

    Returns the content hashes that no version refers to any more.
    """
    gone = _select(connection, _DISPENSABLE, tenant, wanted)
    ids, owners = [row.id for row in gone], {row.document for row in gone}
    linking.purge(connection, tenant, ids)
    for part in in_parts(ids):
        for table in (text_blocks, chunks):
            connection.execute(table.delete().where(table.c.tenant == tenant, table.c.version.in_(part)))
        connection.execute(versions.delete().where(versions.c.tenant == tenant, versions.c.id.in_(part)))
    for part in in_parts(owners):
        kept = sa.select(versions.c.document).where(
            versions.c.tenant == tenant, versions.c.document.in_(part)
        )
        connection.execute(
            documents.delete().where(
                documents.c.tenant == tenant, documents.c.id.in_(part), documents.c.id.not_in(kept)
            )
        )
    hashes = {row.content_hash for row in gone}
    return frozenset(hashes - _referenced(connection, tenant, hashes))


def set_weight(connection: Connection, scope: Scope, name: str, weight: float | None, now: datetime) -> None:
    """Makes the collection when it is missing; `None` keeps the weight it has, or leaves it open."""
    _ensure_collections(connection, scope.tenant, {name})
    if weight is None:
        return
    changed = connection.execute(
        collections.update()
        .where(collections.c.tenant == scope.tenant, collections.c.name == name)
        .where(collections.c.weight.is_distinct_from(weight))
        .values(weight=weight)
    )
    if changed.rowcount:
        _record(connection, scope, now, "weight", [name])


def set_fact(connection: Connection, key: str, value: str) -> None:
    insert = frequencies.upsert(connection, facts)
    connection.execute(
        insert.on_conflict_do_update(index_elements=["key"], set_={"value": insert.excluded.value}),
        {"key": key, "value": value},
    )


def _check(draft: Draft) -> None:
    if not draft.name.strip():
        raise InvalidArgument(name="name", value=draft.name, allowed="a name that is not blank")
    if len(draft.terms) != len(draft.chunks):
        raise ValueError(f"{len(draft.chunks)} chunks with the terms of {len(draft.terms)}")
    for chunk in draft.chunks:
        if not chunk.content or chunk.content != draft.text[chunk.start : chunk.end]:
            raise ValueError(f"chunk {chunk.number} of {draft.name!r} is not a slice of its text")


def _select(
    connection: Connection, statement: sa.Select[*tuple[Any, ...]], tenant: str, wanted: Collection[UUID]
) -> list[sa.Row[*tuple[Any, ...]]]:
    return [
        row
        for part in in_parts(wanted)
        for row in connection.execute(statement, {"tenant": tenant, "wanted": part}).all()
    ]


def _set_state(connection: Connection, tenant: str, ids: Collection[UUID], state: str) -> None:
    for part in in_parts(ids):
        connection.execute(_SET_STATE, {"of_tenant": tenant, "wanted": part, "state": state})


def _terms(selected: Sequence[sa.Row[*tuple[Any, ...]]]) -> list[VersionTerms]:
    return [VersionTerms(row.chunks, row.tokens, row.terms) for row in selected]


def _referenced(connection: Connection, tenant: str, hashes: Collection[str]) -> set[str]:
    column = versions.c.content_hash
    return {
        found
        for part in in_parts(hashes)
        for found in connection.scalars(
            sa.select(column).where(versions.c.tenant == tenant, column.in_(part)).distinct()
        )
    }


def _ensure_collections(connection: Connection, tenant: str, names: Collection[str]) -> None:
    if names:
        connection.execute(
            frequencies.upsert(connection, collections).on_conflict_do_nothing(),
            [{"tenant": tenant, "name": name, "weight": None} for name in sorted(names)],
        )


def _record(
    connection: Connection, scope: Scope, now: datetime, action: AuditAction, subjects: Iterable[str]
) -> None:
    who = {"tenant": scope.tenant, "at": now, "actor": scope.actor, "action": action}
    entries = [who | {"subject": subject} for subject in subjects]
    if entries:
        connection.execute(audit.insert(), entries)
