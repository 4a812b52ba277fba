"""The one guard through which every format that is a zip archive is opened.

A few kilobytes can inflate to gigabytes, names can point outside of where they are unpacked, and what an
archive says of its own sizes may be a lie. So nothing is inflated but in blocks that are counted, and a name
is a label that is shown and compared, never a path.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from atril.errors import UnreadableDocument

_BLOCK: Final = 1 << 16
_ENCRYPTED: Final = 0x1
_NAME_IS_UTF8: Final = 0x800
_DRIVE: Final = re.compile(r"^[A-Za-z]:")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_CYRILLIC: Final = re.compile(r"[А-Яа-яЁё]")


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What one archive may hold; past any of these it is `too_large`.

    `entry_bytes` and `total_bytes` are inflated sizes. `ratio` is the inflated size over the packed one and
    looked at once `ratio_from` bytes have come out: office files reach 50, bombs begin at 1,000.
    """

    entries: int = 20_000
    entry_bytes: int = 200_000_000
    total_bytes: int = 600_000_000
    ratio: int = 200
    ratio_from: int = 10_000_000


DEFAULT_LIMITS: Final = ArchiveLimits()


class Archive:
    """An open zip archive whose entries are read within limits; a budget of inflated bytes for all of it."""

    def __init__(self, data: bytes, limits: ArchiveLimits = DEFAULT_LIMITS) -> None:
        """Raises `UnreadableDocument` when this is no whole archive or it holds too many entries."""
        self._limits = limits
        self._spent = 0
        with _damage_as_reason():
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        # Not `is_dir`, which fails for the empty names that damage leaves.
        infos = self._zip.infolist()
        self._infos = {info.filename: info for info in infos if not info.filename.endswith("/")}
        if len(self._infos) > limits.entries:
            raise UnreadableDocument(reason="too_large", detail=f"more than {limits.entries:,} entries")

    @property
    def names(self) -> tuple[str, ...]:
        """The entries' keys for `read`, folders left out, in the order of the archive."""
        return tuple(self._infos)

    def __contains__(self, name: str) -> bool:
        return name in self._infos

    def is_encrypted(self, name: str) -> bool:
        return bool(self._infos[name].flag_bits & _ENCRYPTED)

    def label(self, name: str) -> str:
        """What a person may see as the entry's name: with the folders inside the archive, without any
        step out of it. Empty when nothing is left."""
        written = _CONTROL.sub("", _as_written(self._infos[name])).replace("\\", "/")
        parts = _DRIVE.sub("", written).split("/")
        return "/".join(part for part in parts if part.strip() not in ("", ".", ".."))

    def read(self, name: str) -> bytes:
        """The inflated bytes of an entry.

        Raises `KeyError` when there is none of that name, and `UnreadableDocument` for one that is
        encrypted, damaged, or larger than the limits allow.
        """
        return b"".join(self.blocks(name))

    def blocks(self, name: str) -> Iterator[bytes]:
        """As `read`, block by block, for entries that need not fit in memory."""
        info = self._infos[name]
        if info.flag_bits & _ENCRYPTED:
            raise UnreadableDocument(reason="encrypted")
        self._refuse_large(info.file_size, info)
        inflated = 0
        with _damage_as_reason(), self._zip.open(info) as stream:
            while block := stream.read(_BLOCK):
                inflated += len(block)
                self._spent += len(block)
                self._refuse_large(inflated, info)
                yield block

    def _refuse_large(self, size: int, info: zipfile.ZipInfo) -> None:
        limits = self._limits
        if size > limits.entry_bytes:
            raise UnreadableDocument(reason="too_large", detail=f"more than {limits.entry_bytes / 1e6:g} MB")
        is_bomb = size > limits.ratio_from and size > limits.ratio * max(info.compress_size, 1)
        if is_bomb or self._spent > limits.total_bytes:
            raise UnreadableDocument(reason="too_large", hint="bomb")


def checked_archive(data: bytes, limits: ArchiveLimits = DEFAULT_LIMITS) -> io.BytesIO:
    """The archive as a file for a library that opens it by itself, after every entry has been inflated
    once, measured and thrown away. Raises `UnreadableDocument` as `Archive.read` does for each of them."""
    archive = Archive(data, limits)
    for name in archive.names:
        for _ in archive.blocks(name):
            pass
    return io.BytesIO(data)


def _as_written(info: zipfile.ZipInfo) -> str:
    """The name with its letters right: programs on Windows write it in the code page of their country."""
    if info.flag_bits & _NAME_IS_UTF8:
        return info.filename
    try:
        raw = info.orig_filename.encode("cp437")
    except UnicodeEncodeError:
        return info.filename
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        russian, western = raw.decode("cp866"), raw.decode("cp850")
        letters = sum(char.isalpha() and char > "\x7f" for char in russian)
        return russian if letters > 1 and len(_CYRILLIC.findall(russian)) > 0.9 * letters else western


@contextmanager
def _damage_as_reason() -> Iterator[None]:
    """Whatever zipfile and its codecs raise over damaged bytes as `corrupt`."""
    try:
        yield
    except (UnreadableDocument, MemoryError):
        raise
    except Exception as error:  # over damaged bytes they raise almost anything
        raise UnreadableDocument(reason="corrupt", detail=f"damaged archive: {error}"[:200]) from error
