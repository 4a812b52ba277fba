"""Which shards the next build puts together.

Full shards always go in; a built one joins while it is at most twice what has been gathered. Sizes then grow
geometrically: the shards stay few (at most six at 300,000 points of 10,000 each) and a point is rewritten
log n times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

_RATIO: Final = 2
_MOST_DEAD: Final = 0.3


@dataclass(frozen=True, slots=True)
class Size:
    """A built shard: points in it now, and when it was built."""

    live: int
    built: int

    @property
    def wasteful(self) -> bool:
        """So many points were deleted that the graph mostly leads through dead ones."""
        return self.built - self.live > self.built * _MOST_DEAD


def choose(waiting: Mapping[str, int], built: Mapping[str, Size], *, largest: int) -> Sequence[str]:
    """The names to merge into one shard, none when there is nothing to do.

    `waiting` maps full shards to their points. No build joins shards beyond `largest` points, because loading
    what it makes would hold searches up.
    """
    wasteful = [name for name, size in built.items() if size.wasteful]
    chosen = [*waiting, *wasteful] if waiting else wasteful[:1]
    if not chosen:
        return ()
    total = sum(waiting.values()) + sum(built[name].live for name in chosen if name in built)
    rest = sorted((size.live, name) for name, size in built.items() if name not in chosen)
    for live, name in rest:
        if live > total * _RATIO or total + live > largest:
            break
        chosen.append(name)
        total += live
    return chosen
