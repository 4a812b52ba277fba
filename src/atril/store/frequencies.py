"""Document frequencies of terms, kept exact by adding and taking away whole versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import UUID

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from atril.store.drafts import CountedTerms
from atril.store.parts import in_parts
from atril.store.schema import term_frequencies, totals, versions
from atril.store.terms import TermStatistics

_PAIR = np.dtype([("term", "<u4"), ("chunks", "<u4")])
_Insert: TypeAlias = sqlite.Insert | postgresql.Insert
_Many: TypeAlias = _Insert | sa.Delete

_FREQUENCIES = sa.select(term_frequencies.c.term, term_frequencies.c.chunks).where(
    term_frequencies.c.tenant == sa.bindparam("tenant"),
    term_frequencies.c.term.in_(sa.bindparam("terms", expanding=True)),
)
_TOTALS = sa.select(totals.c.chunks, totals.c.tokens).where(totals.c.tenant == sa.bindparam("tenant"))
_PACKED = sa.select(versions.c.id, versions.c.chunks, versions.c.terms).where(
    versions.c.tenant == sa.bindparam("tenant"),
    versions.c.id.in_(sa.bindparam("versions", expanding=True)),
)
_DELETE_UNUSED = term_frequencies.delete().where(
    term_frequencies.c.tenant == sa.bindparam("tenant"),
    term_frequencies.c.term == sa.bindparam("term"),
    term_frequencies.c.chunks == sa.literal_column("0"),
)


@dataclass(frozen=True, slots=True)
class VersionTerms:
    """What one version adds to the statistics of its tenant; `terms` is packed."""

    chunks: int
    tokens: int
    terms: bytes


def pack(passages: Sequence[CountedTerms]) -> bytes:
    """Each term of the passages with the number of passages that hold it."""
    if not passages:
        return b""
    ids, counts = np.unique(np.concatenate([passage.ids for passage in passages]), return_counts=True)
    packed = np.empty(len(ids), dtype=_PAIR)
    packed["term"], packed["chunks"] = ids, counts
    return packed.tobytes()


def shift(
    connection: Connection, tenant: str, *, add: Sequence[VersionTerms], subtract: Sequence[VersionTerms]
) -> None:
    """Moves the tenant's statistics by whole versions; a term that no chunk holds any more has no row."""
    terms, deltas = _deltas(add, subtract)
    if len(terms):
        changes = zip(terms.tolist(), deltas.tolist(), strict=True)
        _many(
            connection, adding(connection, term_frequencies, "chunks"), [(tenant, *each) for each in changes]
        )
        lowered = terms[deltas < 0].tolist()
        if lowered:
            _many(connection, _DELETE_UNUSED, [(tenant, term) for term in lowered])
    change = {
        "tenant": tenant,
        "chunks": sum(part.chunks for part in add) - sum(part.chunks for part in subtract),
        "tokens": sum(part.tokens for part in add) - sum(part.tokens for part in subtract),
    }
    connection.execute(adding(connection, totals, "chunks", "tokens"), change)


def statistics(connection: Connection, tenant: str, terms: Sequence[int]) -> TermStatistics:
    """How many chunks the tenant has, and in how many of them each of the terms occurs."""
    frequencies: dict[int, int] = {}
    for some in in_parts(terms):
        found = connection.execute(_FREQUENCIES, {"tenant": tenant, "terms": some})
        frequencies.update((term, chunks) for term, chunks in found)
    return TermStatistics(chunks=size(connection, tenant)[0], frequencies=frequencies)


def of_versions(
    connection: Connection, tenant: str, wanted: Sequence[UUID], terms: Sequence[int]
) -> dict[UUID, TermStatistics]:
    """The same of single versions, each as if it were the whole library."""
    looked_up = np.array(sorted(set(terms)), dtype=np.uint32)
    found: dict[UUID, TermStatistics] = {}
    for some in in_parts(wanted):
        rows = connection.execute(_PACKED, {"tenant": tenant, "versions": some})
        found.update((version, _unpacked(chunks, packed, looked_up)) for version, chunks, packed in rows)
    return found


def _unpacked(chunks: int, packed: bytes, terms: npt.NDArray[np.uint32]) -> TermStatistics:
    pairs: npt.NDArray[Any] = np.frombuffer(packed, dtype=_PAIR)  # in order of their terms: see `pack`
    where = np.searchsorted(pairs["term"], terms)
    held = where < len(pairs)
    held[held] = pairs["term"][where[held]] == terms[held]
    counts = pairs["chunks"][where[held]]
    return TermStatistics(chunks, dict(zip(terms[held].tolist(), counts.tolist(), strict=True)))


def size(connection: Connection, tenant: str) -> tuple[int, int]:
    """Chunks and analysed words of the tenant's current versions."""
    row = connection.execute(_TOTALS, {"tenant": tenant}).first()
    return (row[0], row[1]) if row else (0, 0)


def upsert(connection: Connection, table: sa.Table) -> _Insert:
    """An insert that may say what to do about a conflict, in the connection's dialect."""
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)


def adding(connection: Connection, table: sa.Table, *columns: str) -> _Insert:
    """An insert that adds to the columns of a row that is already there."""
    insert = upsert(connection, table)
    return insert.on_conflict_do_update(
        index_elements=[column.name for column in table.primary_key],
        set_={name: table.c[name] + insert.excluded[name] for name in columns},
    )


def _many(connection: Connection, statement: _Many, rows: Sequence[tuple[Any, ...]]) -> None:
    """Runs a statement for rows of plain values, in the order in which its parameters stand.

    A document brings thousands of terms, and most of the time would go into preparing each row as
    SQLAlchemy does it.
    """
    compiled = statement.compile(dialect=connection.dialect)
    if compiled.positional:
        connection.exec_driver_sql(str(compiled), list(rows))
    else:
        names = list(compiled.params)
        connection.exec_driver_sql(str(compiled), [dict(zip(names, row, strict=True)) for row in rows])


def _deltas(
    add: Sequence[VersionTerms], subtract: Sequence[VersionTerms]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    parts: list[tuple[int, Any]] = [(1, np.frombuffer(part.terms, dtype=_PAIR)) for part in add]
    parts += [(-1, np.frombuffer(part.terms, dtype=_PAIR)) for part in subtract]
    if not parts:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    ids = np.concatenate([packed["term"] for _, packed in parts])
    signed = np.concatenate([packed["chunks"].astype(np.int64) * sign for sign, packed in parts])
    terms, where = np.unique(ids, return_inverse=True)
    deltas = np.zeros(len(terms), dtype=np.int64)
    np.add.at(deltas, where, signed)
    changed = deltas != 0
    return terms[changed].astype(np.int64), deltas[changed]
