"""What a filter may name, and what a point holds under each name.

Text compares with text and numbers with numbers: a text field asked for a number, or the reverse, does not
match, as a missing field does not.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from atril.errors import InvalidArgument
from atril.store.index.protocol import Point

FieldKind: TypeAlias = Literal["text", "number"]

METADATA: Final = "metadata."
TEXT_FIELDS: Final = (
    "collection",
    "labels",
    "document",
    "document_type",
    "chunk_type",
    "language",
    "article",
)
NUMBER_FIELDS: Final = ("page", "page_end")


def kind(field: str) -> FieldKind:
    """Which values the field holds. Raises `InvalidArgument` for a name that filters do not know."""
    if field in NUMBER_FIELDS:
        return "number"
    if field in TEXT_FIELDS or (field.startswith(METADATA) and field != METADATA):
        return "text"
    allowed = ", ".join((*TEXT_FIELDS, *NUMBER_FIELDS, f"{METADATA}<key>"))
    raise InvalidArgument(name="filter field", value=field, allowed=allowed)


def texts(point: Point) -> list[tuple[str, str]]:
    """Every text a filter can compare, as (field, value); a field of several values comes several times."""
    found = [
        ("collection", point.collection),
        ("document", str(point.document)),
        ("document_type", point.document_type),
        ("chunk_type", point.chunk_type),
        ("language", point.language),
    ]
    found += [("labels", label) for label in point.labels]
    found += [(METADATA + key, value) for key, value in point.metadata.items()]
    if point.article is not None:
        found.append(("article", point.article))
    return found


def numbers(point: Point) -> dict[str, int]:
    """Every number a filter can compare, by field."""
    found = {"page": point.page, "page_end": point.page_end}
    return {field: value for field, value in found.items() if value is not None}
