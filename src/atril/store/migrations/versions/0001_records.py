"""The tables of the first release.

Revision: 0001, the first.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
from sqlalchemy.types import TypeEngine

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

IDENTIFIER = sa.LargeBinary(16).with_variant(postgresql.UUID(as_uuid=True), "postgresql")


def _column(
    name: str, kind: TypeEngine[Any] | type[TypeEngine[Any]], *, null: bool = False
) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=null)


def _key(table: str, *columns: str) -> sa.PrimaryKeyConstraint:
    return sa.PrimaryKeyConstraint(*columns, name=op.f(f"pk_{table}"))


def _version_key(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["tenant", "version"], ["versions.tenant", "versions.id"], name=op.f(f"fk_{table}_versions")
    )


def upgrade() -> None:
    _create_settings()
    _create_documents()
    _create_versions()
    _create_texts()
    _create_references()
    _create_statistics()
    _create_conversations()


def downgrade() -> None:
    for table in (
        "audit",
        "messages",
        "conversations",
        "totals",
        "term_frequencies",
        "mentions",
        "names",
        "places",
        "aliases",
        "chunks",
        "text_blocks",
        "versions",
        "documents",
        "collections",
        "facts",
    ):
        op.drop_table(table)


def _create_settings() -> None:
    op.create_table("facts", _column("key", sa.Text), _column("value", sa.Text), _key("facts", "key"))
    op.create_table(
        "collections",
        _column("tenant", sa.Text),
        _column("name", sa.Text),
        _column("weight", sa.Float, null=True),
        _key("collections", "tenant", "name"),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer, nullable=False),
        _column("tenant", sa.Text),
        _column("at", sa.DateTime),
        _column("actor", sa.Text, null=True),
        _column("action", sa.Text),
        _column("subject", sa.Text),
        _key("audit", "id"),
    )
    op.create_index("ix_audit_tenant_id", "audit", ["tenant", "id"])


def _create_documents() -> None:
    op.create_table(
        "documents",
        _column("tenant", sa.Text),
        _column("id", IDENTIFIER),
        _column("collection", sa.Text),
        _column("source", sa.Text),
        _column("path", sa.Text, null=True),
        _column("name", sa.Text, null=True),
        _column("stem", sa.Text, null=True),
        _column("stem_key", sa.Text, null=True),
        _key("documents", "tenant", "id"),
        sa.UniqueConstraint(
            "tenant", "collection", "source", name=op.f("uq_documents_tenant_collection_source")
        ),
        sa.UniqueConstraint("tenant", "name", name=op.f("uq_documents_tenant_name")),
        sa.UniqueConstraint("tenant", "stem_key", name=op.f("uq_documents_tenant_stem_key")),
    )


def _create_versions() -> None:
    op.create_table(
        "versions",
        _column("tenant", sa.Text),
        _column("id", IDENTIFIER),
        _column("document", IDENTIFIER),
        _column("state", sa.Text),
        _column("content_hash", sa.Text),
        _column("fingerprint", sa.Text),
        _column("bytes", sa.BigInteger),
        _column("title", sa.Text),
        _column("type", sa.Text),
        _column("language", sa.Text),
        _column("description", sa.Text),
        _column("labels", sa.Text),
        _column("metadata", sa.JSON),
        _column("page_count", sa.Integer, null=True),
        _column("length", sa.Integer),
        _column("chunks", sa.Integer),
        _column("tokens", sa.Integer),
        _column("added_at", sa.DateTime),
        _column("given", sa.Text),
        _column("pages", sa.JSON),
        _column("terms", sa.LargeBinary),
        _key("versions", "tenant", "id"),
        sa.ForeignKeyConstraint(
            ["tenant", "document"],
            ["documents.tenant", "documents.id"],
            name=op.f("fk_versions_documents"),
        ),
        sa.CheckConstraint("state IN ('pending', 'current', 'retired')", name=op.f("ck_versions_state")),
    )
    op.create_index("ix_versions_content_hash", "versions", ["tenant", "content_hash"])
    op.create_index("ix_versions_document", "versions", ["tenant", "document"])
    for name, columns, condition in (
        ("ix_versions_unsettled", ["tenant"], "state != 'current'"),
        ("uq_versions_current", ["tenant", "document"], "state = 'current'"),
        ("uq_versions_pending", ["tenant", "document"], "state = 'pending'"),
    ):
        op.create_index(
            name,
            "versions",
            columns,
            unique=name.startswith("uq"),
            sqlite_where=sa.text(condition),
            postgresql_where=sa.text(condition),
        )


def _create_texts() -> None:
    op.create_table(
        "text_blocks",
        _column("tenant", sa.Text),
        _column("version", IDENTIFIER),
        _column("number", sa.Integer),
        _column("text", sa.Text),
        _key("text_blocks", "tenant", "version", "number"),
        _version_key("text_blocks"),
    )
    op.create_table(
        "chunks",
        _column("tenant", sa.Text),
        _column("version", IDENTIFIER),
        _column("number", sa.Integer),
        _column("point", IDENTIFIER),
        _column("start", sa.Integer),
        _column("end", sa.Integer),
        _column("type", sa.Text),
        _column("section_path", sa.Text),
        _column("context", sa.Text),
        _column("page", sa.Integer, null=True),
        _column("page_end", sa.Integer, null=True),
        _column("article", sa.Text, null=True),
        _column("keywords", sa.Text),
        _column("description", sa.Text),
        _column("has_tables", sa.Boolean),
        _column("has_images", sa.Boolean),
        _column("tokens", sa.Integer),
        _column("flags", sa.Text),
        _column("table_columns", sa.Text, null=True),
        _column("table_rows", sa.Integer, null=True),
        _key("chunks", "tenant", "version", "number"),
        sa.UniqueConstraint("tenant", "point", name=op.f("uq_chunks_tenant_point")),
        _version_key("chunks"),
    )


def _create_references() -> None:
    op.create_table(
        "aliases",
        _column("tenant", sa.Text),
        _column("version", IDENTIFIER),
        _column("name", sa.Text),
        _column("since", sa.Integer, null=True),
        _key("aliases", "tenant", "version", "name"),
        _version_key("aliases"),
    )
    op.create_index("ix_aliases_name", "aliases", ["tenant", "name"])
    op.create_table(
        "places",
        _column("tenant", sa.Text),
        _column("version", IDENTIFIER),
        _column("key", sa.Text),
        _column("copy", sa.Integer),
        _column("part", sa.Text),
        _column("number", sa.Integer),
        _key("places", "tenant", "version", "key", "copy", "part"),
        _version_key("places"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_places_number", "places", ["tenant", "version", "number"])
    op.create_table(
        "names",
        _column("tenant", sa.Text),
        _column("id", sa.BigInteger),
        _column("text", sa.Text),
        _column("year", sa.Integer, null=True),
        _column("shown", sa.Text),
        _column("document", IDENTIFIER, null=True),
        _key("names", "tenant", "id"),
    )
    op.create_index("ix_names_text", "names", ["tenant", "text"])
    op.create_index("ix_names_document", "names", ["tenant", "document"])
    op.create_table(
        "mentions",
        _column("tenant", sa.Text),
        _column("version", IDENTIFIER),
        _column("number", sa.Integer),
        _column("ordinal", sa.Integer),
        _column("start", sa.Integer),
        _column("end", sa.Integer),
        _column("kind", sa.Text),
        _column("place", sa.Text),
        _column("part", sa.Text),
        _column("last", sa.Boolean),
        _column("name", sa.BigInteger, null=True),
        _column("document", IDENTIFIER, null=True),
        _column("target_version", IDENTIFIER, null=True),
        _column("target", sa.Integer, null=True),
        _column("problem", sa.Text, null=True),
        _key("mentions", "tenant", "version", "number", "ordinal"),
        _version_key("mentions"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_mentions_name", "mentions", ["tenant", "name"])
    op.create_index("ix_mentions_document", "mentions", ["tenant", "document", "place"])
    op.create_index("ix_mentions_target", "mentions", ["tenant", "target_version", "target"])


def _create_statistics() -> None:
    op.create_table(
        "term_frequencies",
        _column("tenant", sa.Text),
        _column("term", sa.BigInteger),
        _column("chunks", sa.BigInteger),
        _key("term_frequencies", "tenant", "term"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "totals",
        _column("tenant", sa.Text),
        _column("chunks", sa.BigInteger),
        _column("tokens", sa.BigInteger),
        _key("totals", "tenant"),
    )


def _create_conversations() -> None:
    op.create_table(
        "conversations",
        _column("tenant", sa.Text),
        _column("id", sa.Text),
        _column("created_at", sa.DateTime),
        _column("channel", sa.Text, null=True),
        _column("contact", sa.Text, null=True),
        _column("assignee", sa.Text, null=True),
        _key("conversations", "tenant", "id"),
    )
    op.create_table(
        "messages",
        _column("tenant", sa.Text),
        _column("conversation", sa.Text),
        _column("sequence", sa.Integer),
        _column("role", sa.Text),
        _column("text", sa.Text),
        _column("answer", sa.Text, null=True),
        _column("context_chunk_ids", sa.Text),
        _column("created_at", sa.DateTime),
        _key("messages", "tenant", "conversation", "sequence"),
        sa.ForeignKeyConstraint(
            ["tenant", "conversation"],
            ["conversations.tenant", "conversations.id"],
            name=op.f("fk_messages_conversations"),
        ),
    )
