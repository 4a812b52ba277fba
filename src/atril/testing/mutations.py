"""Damaged files on demand, for tests of readers: what a bad disk, a cut download or an enemy makes of a file."""

from __future__ import annotations

import io
import random
import re
import zipfile
from collections.abc import Callable, Sequence
from typing import Final

_MOST_FLIPS: Final = 64
_NUMBER: Final = re.compile(rb"\d+")
_TAG: Final = re.compile(rb"<[^<>]{1,200}>")
_ODD_NUMBERS: Final = (b"0", b"-1", b"1", b"65536", b"2147483648", b"99999999999999999999", b"1e999", b"NaN")


def mutated(data: bytes, seed: int, others: Sequence[bytes] = ()) -> bytes:
    """A damaged copy of a file; the same seed damages it in the same way.

    Bits flip, ends are cut off, stretches are repeated, emptied or exchanged for some of `others`, numbers
    and tags of text formats change; inside a zip archive all of that may happen to one entry.
    """
    chance = random.Random(seed)  # noqa: S311  damage needs no secrets
    if data.startswith(b"PK") and chance.random() < 0.7:
        inside = _within_archive(data, chance, others)
        if inside is not None:
            return inside
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        data = chance.choice(_WAYS)(data, chance, others)
    return data


def _flipped(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, _MOST_FLIPS) if changed else 0):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _cut(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    return data[: chance.randint(0, len(data))]


def _repeated(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    start, end = _stretch(data, chance)
    return data[:start] + data[start:end] * chance.choice((2, 3, 50)) + data[end:]


def _emptied(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    start, end = _stretch(data, chance)
    return data[:start] + (bytes(end - start) if chance.random() < 0.5 else b"") + data[end:]


def _spliced(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    donor = chance.choice(others) if others else data
    start, end = _stretch(data, chance)
    first, last = _stretch(donor, chance)
    return data[:start] + donor[first:last] + data[end:]


def _other_number(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    return _replaced(data, chance, _NUMBER, lambda _: chance.choice(_ODD_NUMBERS))


def _other_tag(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    return _replaced(data, chance, _TAG, lambda tag: chance.choice((b"", tag * 2, tag * 500, tag[:-1])))


_WAYS: Final = (_flipped, _cut, _repeated, _emptied, _spliced, _other_number, _other_tag)


def _replaced(
    data: bytes, chance: random.Random, what: re.Pattern[bytes], by: Callable[[bytes], bytes]
) -> bytes:
    start = chance.randint(0, len(data))
    found = what.search(data, start) or what.search(data)
    return data if found is None else data[: found.start()] + by(found[0]) + data[found.end() :]


def _stretch(data: bytes, chance: random.Random) -> tuple[int, int]:
    start = chance.randint(0, len(data))
    return start, min(len(data), start + chance.choice((1, 4, 40, 400, 4_000)))


def _within_archive(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes | None:
    """The archive with one entry damaged, missing or there twice; `None` when it does not open."""
    packed = io.BytesIO()
    try:
        with (
            zipfile.ZipFile(io.BytesIO(data)) as archive,
            zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as copy,
        ):
            names = [info.filename for info in archive.infolist() if not info.is_dir()]
            chosen, missing = chance.choice(names), chance.random() < 0.1
            for name in names:
                entry = archive.read(name)
                if name != chosen:
                    copy.writestr(name, entry)
                elif not missing:
                    copy.writestr(name, chance.choice(_WAYS)(entry, chance, others))
    except (zipfile.BadZipFile, IndexError, OSError, RuntimeError, NotImplementedError):
        return None
    return packed.getvalue()
