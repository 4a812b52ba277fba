"""What Alembic runs: the revisions on the connection it is given, as one transaction."""

from __future__ import annotations

from alembic import context

from atril.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
