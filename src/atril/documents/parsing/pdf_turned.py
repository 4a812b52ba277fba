"""Text that stands sideways or upside down on a page, as wide tables on upright pages do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from liteparse.types import ParsedPage, TextItem

_QUARTER: Final = 90
_TURNED: Final = (90, 180, 270)


def set_upright(page: ParsedPage, items: Sequence[TextItem]) -> list[list[TextItem]]:
    """The runs of a page whose text is mostly turned, by their direction and as they lie once that is up.

    Those that were upright come first. Empty for a page that is upright already.
    """
    if sum(_direction(item) in _TURNED for item in items) * 2 <= len(items):
        return []
    by_direction: dict[int, list[TextItem]] = {}
    for item in items:
        by_direction.setdefault(_direction(item), []).append(item)
    return [
        [_upright(item, direction, page) for item in by_direction[direction]]
        for direction in sorted(by_direction)
    ]


def _direction(item: TextItem) -> int:
    """Clockwise, in degrees, to the nearest quarter."""
    return round(item.rotation / _QUARTER) % 4 * _QUARTER


def _upright(item: TextItem, direction: int, page: ParsedPage) -> TextItem:
    right, bottom = page.width - item.x - item.width, page.height - item.y - item.height
    if direction == 90:
        return replace(item, x=item.y, y=right, width=item.height, height=item.width)
    if direction == 180:
        return replace(item, x=right, y=bottom)
    if direction == 270:
        return replace(item, x=bottom, y=item.x, width=item.height, height=item.width)
    return item
