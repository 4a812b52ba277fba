"""Which shards an index is made of: one small file, replaced by rename.

A folder that the manifest does not name is left over from something that did not finish and is swept.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from atril.errors import HomeDamaged

_NAME: Final = "manifest.json"
_PREFIX: Final = "shard-"
SETTLED: Final = "settled"
_FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Manifest:
    """Names of folders: `active` takes new points, `waiting` are full, `built` map a graph to its size then.

    `next` numbers the next folder; a number is never used twice.
    """

    dimensions: int
    active: str
    waiting: tuple[str, ...]
    built: dict[str, int]
    next: int

    @property
    def names(self) -> set[str]:
        return {self.active, *self.waiting, *self.built}


def shard_name(number: int) -> str:
    return f"{_PREFIX}{number:06d}"


def read(folder: Path) -> Manifest | None:
    """The manifest, `None` in a new folder. Raises `HomeDamaged` when it cannot be understood."""
    path = folder / _NAME
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data.pop("format") != _FORMAT:
            raise ValueError("it was written by a newer Atril")
        return Manifest(**{**data, "waiting": tuple(data["waiting"])})
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise HomeDamaged(home=folder, detail=f"{path.name}: {error}") from error


def write(folder: Path, manifest: Manifest) -> None:
    """Replaces the manifest at once; it is on the disk when this returns."""
    draft = folder / f"{_NAME}.new"
    draft.write_text(json.dumps({"format": _FORMAT, **asdict(manifest)}), encoding="utf-8")
    sync([draft])
    draft.replace(folder / _NAME)
    sync([folder])


def sweep(folder: Path, keep: Iterable[str]) -> None:
    """Removes every shard folder that is not to be kept."""
    kept = set(keep)
    for path in folder.glob(f"{_PREFIX}*"):
        if path.name not in kept:
            shutil.rmtree(path, ignore_errors=True)


def settle(folder: Path) -> None:
    """Brings a shard's folder and all within it to the disk, and then marks it as settled."""
    sync([*folder.rglob("*"), folder, folder.parent])
    (folder / SETTLED).touch()
    sync([folder])


def settled(folder: Path) -> bool:
    """Whether `settle` has finished: if not, a loss of power may have left the folder unusable."""
    return (folder / SETTLED).exists()


def sync(paths: Iterable[Path]) -> None:
    for path in paths:
        if path.is_dir() and os.name == "nt":
            continue  # Windows does not open folders
        handle = os.open(path, os.O_RDONLY if path.is_dir() or os.name != "nt" else os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
