"""Which shards the next build puts together.

Full shards always go in; a built one joins while it is at most so many times what has been gathered. Sizes
then grow geometrically: the shards stay few and a point is rewritten log n times. While points arrive the
ratio is 2: at most seven shards at three million points. A compaction that was asked for goes on to 8, because
each shard more costs a search of 100,000 points 0.8 ms, and leaves one of 100,000.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

_RATIO: Final = 2
_THOROUGH_RATIO: Final = 8
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


def choose(
    waiting: Mapping[str, int], built: Mapping[str, Size], *, largest: int, thorough: bool = False
) -> Sequence[str]:
    """The names to merge into one shard, none when there is nothing to do.

    `waiting` maps full shards to their points. Built shards join only up to `largest` points together, because
    loading what is made holds searches up.
    """
    smallest_first = sorted(built, key=lambda name: (built[name].live, name))
    wasteful = [name for name in smallest_first if built[name].wasteful][:1]
    chosen = list(waiting) or wasteful or (smallest_first[:1] if thorough else [])
    total = sum(waiting[name] if name in waiting else built[name].live for name in chosen)
    ratio = _THOROUGH_RATIO if thorough else _RATIO
    for name in smallest_first:
        live = built[name].live
        if name not in chosen and live <= total * ratio and total + live <= largest:
            chosen.append(name)
            total += live
    if len(chosen) == 1 and chosen[0] in built and not built[chosen[0]].wasteful:
        return ()
    return chosen
