"""Just enough of the protobuf wire format to write the two files the runtimes read.

onnxruntime and sentencepiece take their models as serialized messages. Writing those bytes needs four
kinds of field, so the `onnx` and `protobuf` packages are not needed. Source: "Encoding",
https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import TypeAlias

Value: TypeAlias = int | float | str | bytes

_VARINT, _LENGTH, _FIXED32 = 0, 2, 5


def varint(number: int) -> bytes:
    """A non-negative integer in groups of seven bits, the least significant first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number: int, value: Value) -> bytes:
    """One field. An integer becomes a varint, a float 32 bits, text and bytes a length and their bytes."""
    match value:
        case int():
            return varint(number << 3 | _VARINT) + varint(value)
        case float():
            return varint(number << 3 | _FIXED32) + struct.pack("<f", value)
        case _:
            data = value.encode() if isinstance(value, str) else value
            return varint(number << 3 | _LENGTH) + varint(len(data)) + data


def repeated(number: int, values: Iterable[Value]) -> bytes:
    """The same field once per value."""
    return b"".join(field(number, value) for value in values)
