"""How many references were found, how many lead somewhere, and what the others name."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from atril.store import linking
from atril.store.passages import Passages
from atril.store.rows import chunk_id
from atril.store.schema import is_current, mentions, names, versions
from atril.types import Document, ReferenceReport, Scope, UnresolvedName

SHOWN: Final = 20
"""Names listed of each sort."""

_COUNTS = (
    sa.select(
        mentions.c.version,
        mentions.c.kind,
        mentions.c.document,
        names.c.text,
        names.c.year,
        names.c.shown,
        mentions.c.place,
        mentions.c.name.is_not(None).label("elsewhere"),
        sa.or_(
            mentions.c.target.is_not(None),
            sa.and_(mentions.c.kind == "norm", mentions.c.document.is_not(None)),
        ).label("resolved"),
        sa.func.count().label("count"),
        sa.func.min(mentions.c.number).label("number"),
    )
    .select_from(
        mentions.join(
            versions, sa.and_(versions.c.tenant == mentions.c.tenant, versions.c.id == mentions.c.version)
        ).outerjoin(names, sa.and_(names.c.tenant == mentions.c.tenant, names.c.id == mentions.c.name))
    )
    .where(mentions.c.tenant == sa.bindparam("tenant"), is_current)
    .group_by(
        mentions.c.version,
        mentions.c.kind,
        mentions.c.document,
        names.c.text,
        names.c.year,
        names.c.shown,
        mentions.c.place,
        sa.literal_column("elsewhere"),
        sa.literal_column("resolved"),
    )
)
_OF_DOCUMENTS = sa.select(versions.c.document, versions.c.id).where(
    versions.c.tenant == sa.bindparam("tenant"), is_current
)


def report(connection: Connection, passages: Passages, scope: Scope) -> ReferenceReport:
    """The references in the documents that the caller may see."""
    rows = connection.execute(_COUNTS, {"tenant": scope.tenant}).all()
    current = {row.document: row.id for row in connection.execute(_OF_DOCUMENTS, {"tenant": scope.tenant})}
    seen = passages.visible(connection, scope, current.values())
    rows = [row for row in rows if row.version in seen]
    undated = {row.text for row in rows if row.year is not None and row.document is None}
    earlier = linking.meanings(connection, scope.tenant, {(text, None) for text in undated})
    held = {text: document for (text, _), (document, _) in earlier.items()}
    return _Tally(seen, current, held).of(rows)


class _Tally:
    """Counts; `earlier` has what a name means that meant an earlier text when it was written."""

    def __init__(
        self, seen: dict[UUID, Document], current: dict[UUID, UUID], earlier: dict[str, UUID]
    ) -> None:
        self._seen = seen
        self._current = current
        self._earlier = earlier
        self._outdated: Counter[tuple[str, str | None]] = Counter()
        self._missing: Counter[tuple[str, str | None]] = Counter()
        self._unknown: Counter[tuple[str, str | None]] = Counter()
        self._examples: dict[tuple[str, str | None], str] = {}

    def of(self, rows: list[Any]) -> ReferenceReport:
        kinds: dict[str, tuple[int, int]] = {}
        outside = 0
        for row in rows:
            target = self._seen_of(row.document) if row.elsewhere else self._seen[row.version]
            later = self._seen_of(self._earlier.get(row.text)) if target is None and row.year else None
            if later is not None:
                self._note(self._outdated, (row.shown, later.name), row)
                continue
            if target is None and row.elsewhere:
                outside += row.count
                self._note(self._unknown, (row.shown, None), row)
                continue
            found, resolved = kinds.get(row.kind, (0, 0))
            kinds[row.kind] = found + row.count, resolved + (row.count if row.resolved else 0)
            if not row.resolved:
                self._note(self._missing, (row.place, target.name if target else None), row)
        return ReferenceReport(
            found=sum(found for found, _ in kinds.values()),
            resolved=sum(resolved for _, resolved in kinds.values()),
            outside=outside,
            outdated=self._outdated.total(),
            by_kind=dict(sorted(kinds.items())),
            missing=self._most(self._missing),
            unknown=self._most(self._unknown),
            earlier=self._most(self._outdated),
        )

    def _seen_of(self, document: UUID | None) -> Document | None:
        """The document, if the caller may know of it."""
        version = self._current.get(document) if document else None
        return self._seen.get(version) if version else None

    def _note(self, counter: Counter[tuple[str, str | None]], key: tuple[str, str | None], row: Any) -> None:
        counter[key] += row.count
        self._examples.setdefault(key, chunk_id(self._seen[row.version].stem, row.number))

    def _most(self, counter: Counter[tuple[str, str | None]]) -> tuple[UnresolvedName, ...]:
        ranked = sorted(counter.items(), key=lambda each: (-each[1], str(each[0])))
        return tuple(
            UnresolvedName(key[0], key[1], count, self._examples[key]) for key, count in ranked[:SHOWN]
        )
