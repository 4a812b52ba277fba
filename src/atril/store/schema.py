"""The tables of the records.

Every table but `facts`, which describes the home itself, has the tenant first in its key, and foreign
keys carry it, so that no row can point into another tenant. A document's text lives in `text_blocks` of
`BLOCK` code points; chunks hold offsets into it. Which version of a document counts is said once, by
`versions.state`, and partial unique indexes keep at most one current and one pending version.

`names`, `aliases`, `mentions` and `places` hold what texts say of one another. A mention of its own document
has its target for good; one of another document has a name, the name has the document, if the library holds
it, and the target is the place in that document's current version. The transaction that changes which
version is current, or what a document is called, aims the mentions of it again.

`versions.terms` packs, for every term of the version, its id and the number of the version's chunks that
hold it: what was added to `term_frequencies` can be taken away exactly.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

BLOCK: Final = 4096
"""Code points in one text block: in Spanish a row of about one database page, and a passage of 900
characters touches 1.2 of them."""

PENDING: Final = "pending"
CURRENT: Final = "current"
RETIRED: Final = "retired"


class Identifier(TypeDecorator[UUID]):
    """A UUID: native on PostgreSQL, 16 bytes elsewhere (half of what text would take in every index)."""

    impl = sa.LargeBinary(16)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "postgresql":
            return dialect.type_descriptor(postgresql.UUID(as_uuid=True))
        return dialect.type_descriptor(sa.LargeBinary(16))

    def process_bind_param(self, value: UUID | None, dialect: Dialect) -> Any:
        return value if value is None or dialect.name == "postgresql" else value.bytes

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], UUID | None] | None:
        # A search reads a hundred of them and more, through three functions each if the base class decides.
        return super().result_processor(dialect, coltype) if dialect.name == "postgresql" else _uuid


@lru_cache(maxsize=1 << 14)
def _uuid(value: bytes | None) -> UUID | None:
    return None if value is None else UUID(bytes=value)


class Moment(TypeDecorator[datetime]):
    """An aware moment, kept in UTC without a zone because SQLite has none."""

    impl = sa.DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return value if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return value if value is None else value.replace(tzinfo=UTC)


class Strings(TypeDecorator[tuple[str, ...]]):
    """A tuple of strings as a JSON list; equal lists, as those of neighbours are, are decoded once."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Sequence[str] | None, dialect: Dialect) -> str | None:
        return None if value is None else json.dumps(list(value), ensure_ascii=False, separators=(",", ":"))

    def process_result_value(self, value: str | None, dialect: Dialect) -> tuple[str, ...] | None:
        return None if value is None else _strings(value)


class Given(TypeDecorator[dict[str, Any]]):
    """JSON in ASCII: what a caller gives may hold code points that no encoding has."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Mapping[str, Any] | None, dialect: Dialect) -> str | None:
        return None if value is None else json.dumps(dict(value), separators=(",", ":"))

    def process_result_value(self, value: str | None, dialect: Dialect) -> dict[str, Any] | None:
        return None if value is None else dict(json.loads(value))


@lru_cache(maxsize=8192)
def _strings(value: str) -> tuple[str, ...]:
    return tuple(json.loads(value))


metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _column(
    name: str, kind: TypeEngine[Any] | type[TypeEngine[Any]], *, null: bool = False
) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=null)


def _of_version() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["tenant", "version"], ["versions.tenant", "versions.id"])


facts = sa.Table(
    "facts",
    metadata,
    _column("key", sa.Text),
    _column("value", sa.Text),
    sa.PrimaryKeyConstraint("key"),
)

collections = sa.Table(
    "collections",
    metadata,
    _column("tenant", sa.Text),
    _column("name", sa.Text),
    _column("weight", sa.Float, null=True),
    sa.PrimaryKeyConstraint("tenant", "name"),
)

documents = sa.Table(
    "documents",
    metadata,
    _column("tenant", sa.Text),
    _column("id", Identifier),
    _column("collection", sa.Text),
    _column("source", sa.Text),
    _column("path", sa.Text, null=True),  # how the file was reached; null for what is no file
    # Both names are given up when the document is removed, before its rows are gone.
    _column("name", sa.Text, null=True),
    _column("stem", sa.Text, null=True),
    _column("stem_key", sa.Text, null=True),  # the stem with case folded
    sa.PrimaryKeyConstraint("tenant", "id"),
    sa.UniqueConstraint("tenant", "collection", "source"),
    sa.UniqueConstraint("tenant", "name"),
    sa.UniqueConstraint("tenant", "stem_key"),
)

versions = sa.Table(
    "versions",
    metadata,
    _column("tenant", sa.Text),
    _column("id", Identifier),
    _column("document", Identifier),
    _column("state", sa.Text),
    _column("content_hash", sa.Text),
    _column("fingerprint", sa.Text),
    _column("bytes", sa.BigInteger),
    _column("title", sa.Text),
    _column("type", sa.Text),
    _column("language", sa.Text),
    _column("description", sa.Text),
    _column("labels", Strings),
    _column("metadata", sa.JSON),
    _column("page_count", sa.Integer, null=True),  # of formats with pages
    _column("length", sa.Integer),  # code points
    _column("chunks", sa.Integer),
    _column("tokens", sa.Integer),  # analysed words of all chunks
    _column("added_at", Moment),
    _column("given", Given),
    # The long ones come last: SQLite walks through all that stands before a column to read it.
    _column("pages", sa.JSON),  # Page.to_row() each
    _column("terms", sa.LargeBinary),
    sa.PrimaryKeyConstraint("tenant", "id"),
    sa.ForeignKeyConstraint(["tenant", "document"], ["documents.tenant", "documents.id"]),
    sa.CheckConstraint("state IN ('pending', 'current', 'retired')", name="state"),
    sa.Index("ix_versions_document", "tenant", "document"),
    sa.Index("ix_versions_content_hash", "tenant", "content_hash"),
)

# Written into the statement and not bound: a partial index only serves a condition it can see.
is_current = versions.c.state == sa.literal_column(f"'{CURRENT}'")
is_unsettled = versions.c.state != sa.literal_column(f"'{CURRENT}'")
_is_pending = versions.c.state == sa.literal_column(f"'{PENDING}'")

for _name, _columns, _condition in (
    ("uq_versions_current", ("tenant", "document"), is_current),
    ("uq_versions_pending", ("tenant", "document"), _is_pending),
    ("ix_versions_unsettled", ("tenant",), is_unsettled),
):
    sa.Index(
        _name,
        *(versions.c[_column_name] for _column_name in _columns),
        unique=_name.startswith("uq"),
        sqlite_where=_condition,
        postgresql_where=_condition,
    )

text_blocks = sa.Table(
    "text_blocks",
    metadata,
    _column("tenant", sa.Text),
    _column("version", Identifier),
    _column("number", sa.Integer),  # from 0: the block holds text[number * BLOCK : (number + 1) * BLOCK]
    _column("text", sa.Text),
    sa.PrimaryKeyConstraint("tenant", "version", "number"),
    _of_version(),
)

chunks = sa.Table(
    "chunks",
    metadata,
    _column("tenant", sa.Text),
    _column("version", Identifier),
    _column("number", sa.Integer),
    _column("point", Identifier),
    _column("start", sa.Integer),
    _column("end", sa.Integer),
    _column("type", sa.Text),
    _column("section_path", Strings),
    _column("context", sa.Text),
    _column("page", sa.Integer, null=True),
    _column("page_end", sa.Integer, null=True),
    _column("article", sa.Text, null=True),
    _column("keywords", Strings),
    _column("description", sa.Text),
    _column("has_tables", sa.Boolean),
    _column("has_images", sa.Boolean),
    _column("tokens", sa.Integer),
    _column("flags", Strings),
    _column("table_columns", Strings, null=True),  # null where there is no table
    _column("table_rows", sa.Integer, null=True),
    sa.PrimaryKeyConstraint("tenant", "version", "number"),
    sa.UniqueConstraint("tenant", "point"),
    _of_version(),
)

aliases = sa.Table(
    "aliases",
    metadata,
    _column("tenant", sa.Text),
    _column("version", Identifier),
    _column("name", sa.Text),  # a name key of the document
    _column("since", sa.Integer, null=True),  # year from which the name means the numbers of this document
    sa.PrimaryKeyConstraint("tenant", "version", "name"),
    _of_version(),
    sa.Index("ix_aliases_name", "tenant", "name"),
)

places = sa.Table(
    "places",
    metadata,
    _column("tenant", sa.Text),
    _column("version", Identifier),
    _column("key", sa.Text),
    _column("copy", sa.Integer),
    _column("part", sa.Text),
    _column("number", sa.Integer),  # of the chunk
    sa.PrimaryKeyConstraint("tenant", "version", "key", "copy", "part"),
    _of_version(),
    sa.Index("ix_places_number", "tenant", "version", "number"),
    sqlite_with_rowid=False,
)

names = sa.Table(
    "names",
    metadata,
    _column("tenant", sa.Text),
    _column("id", sa.BigInteger),  # hash of `text` and `year`
    _column("text", sa.Text),  # the words that count of what was written, which may go on after the name
    _column("year", sa.Integer, null=True),  # when it was written, where the name may mean another text then
    _column("shown", sa.Text),
    _column("document", Identifier, null=True),
    sa.PrimaryKeyConstraint("tenant", "id"),
    sa.Index("ix_names_text", "tenant", "text"),
    sa.Index("ix_names_document", "tenant", "document"),
)

mentions = sa.Table(
    "mentions",
    metadata,
    _column("tenant", sa.Text),
    _column("version", Identifier),
    _column("number", sa.Integer),  # of the chunk
    _column("ordinal", sa.Integer),  # within the version
    _column("start", sa.Integer),
    _column("end", sa.Integer),
    _column("kind", sa.Text),
    _column("place", sa.Text),
    _column("part", sa.Text),
    _column("last", sa.Boolean),  # of several copies of the place the last is meant
    _column("name", sa.BigInteger, null=True),
    _column("document", Identifier, null=True),  # what the name means
    _column("target_version", Identifier, null=True),
    _column("target", sa.Integer, null=True),  # number of the chunk; none for a norm that is only named
    _column("problem", sa.Text, null=True),
    sa.PrimaryKeyConstraint("tenant", "version", "number", "ordinal"),
    _of_version(),
    sa.Index("ix_mentions_name", "tenant", "name"),
    sa.Index("ix_mentions_document", "tenant", "document", "place"),
    sa.Index("ix_mentions_target", "tenant", "target_version", "target"),
    sqlite_with_rowid=False,
)

term_frequencies = sa.Table(
    "term_frequencies",
    metadata,
    _column("tenant", sa.Text),
    _column("term", sa.BigInteger),
    _column("chunks", sa.BigInteger),  # chunks of current versions that hold the term, never 0
    sa.PrimaryKeyConstraint("tenant", "term"),
    sqlite_with_rowid=False,
)

totals = sa.Table(
    "totals",
    metadata,
    _column("tenant", sa.Text),
    _column("chunks", sa.BigInteger),
    _column("tokens", sa.BigInteger),
    sa.PrimaryKeyConstraint("tenant"),
)

conversations = sa.Table(
    "conversations",
    metadata,
    _column("tenant", sa.Text),
    _column("id", sa.Text),
    _column("created_at", Moment),
    _column("channel", sa.Text, null=True),
    _column("contact", sa.Text, null=True),
    _column("assignee", sa.Text, null=True),
    sa.PrimaryKeyConstraint("tenant", "id"),
)

messages = sa.Table(
    "messages",
    metadata,
    _column("tenant", sa.Text),
    _column("conversation", sa.Text),
    _column("sequence", sa.Integer),  # from 1, in the order in which they were written
    _column("role", sa.Text),
    _column("text", sa.Text),
    _column("answer", Given, null=True),  # the whole answer, of those that answer
    _column("context_chunk_ids", Strings),
    _column("created_at", Moment),
    sa.PrimaryKeyConstraint("tenant", "conversation", "sequence"),
    sa.ForeignKeyConstraint(["tenant", "conversation"], ["conversations.tenant", "conversations.id"]),
)

audit = sa.Table(
    "audit",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    _column("tenant", sa.Text),
    _column("at", Moment),
    _column("actor", sa.Text, null=True),
    _column("action", sa.Text),
    _column("subject", sa.Text),  # the name of the document or collection, the id of the conversation
    sa.Index("ix_audit_tenant_id", "tenant", "id"),
)
