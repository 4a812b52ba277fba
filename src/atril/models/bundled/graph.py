"""ONNX models written by hand: nodes and tensors as protobuf messages.

Source: onnx.proto (field numbers) and onnxruntime's ContribOperators.md (the domain `com.microsoft`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from atril.models.bundled.protobuf import field, repeated

CONTRIB = "com.microsoft"

_IR_VERSION = 8
_OPSET = 17
_ELEMENT = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}
_FLOAT, _INT, _INTS = 1, 2, 7

Attribute = int | float | Sequence[int]


class Graph:
    """Nodes in the order they are added, which is the order they run in. Values are named by strings."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._tensors: list[bytes] = []
        self._count = 0

    def tensor(self, values: npt.NDArray[Any]) -> str:
        """A constant; returns its name."""
        name = self._name()
        kind = _ELEMENT[values.dtype.name]
        message = repeated(1, values.shape) + field(2, kind) + field(8, name) + field(9, values.tobytes())
        self._tensors.append(field(5, message))
        return name

    def node(self, kind: str, inputs: Sequence[str], *, domain: str = "", **attributes: Attribute) -> str:
        """An operator with one output; returns the output's name."""
        return self.nodes(kind, inputs, 1, domain=domain, **attributes)[0]

    def nodes(
        self, kind: str, inputs: Sequence[str], outputs: int, *, domain: str = "", **attributes: Attribute
    ) -> list[str]:
        """An operator with several outputs; returns their names."""
        names = [self._name() for _ in range(outputs)]
        message = repeated(1, inputs) + repeated(2, names) + field(4, kind)
        message += repeated(5, (_attribute(name, value) for name, value in attributes.items()))
        self._nodes.append(field(1, message + field(7, domain)))
        return names

    def model(self, source: str, width: int, result: str) -> bytes:
        """The serialized model: `source` is float32 (1, any, `width`), `result` float32 (1, `width`)."""
        graph = b"".join(self._nodes) + field(2, "encoder") + b"".join(self._tensors)
        graph += field(11, _float_value(source, (1, "tokens", width)))
        graph += field(12, _float_value(result, (1, width)))
        operators = repeated(8, (field(1, "") + field(2, _OPSET), field(1, CONTRIB) + field(2, 1)))
        return field(1, _IR_VERSION) + operators + field(7, graph)

    def _name(self) -> str:
        self._count += 1
        return f"v{self._count}"


def _attribute(name: str, value: Attribute) -> bytes:
    match value:
        case int():
            return field(1, name) + field(3, value) + field(20, _INT)
        case float():
            return field(1, name) + field(2, value) + field(20, _FLOAT)
        case _:
            return field(1, name) + repeated(8, value) + field(20, _INTS)


def _float_value(name: str, shape: Sequence[int | str]) -> bytes:
    sizes = (field(1, size) if isinstance(size, int) else field(2, size) for size in shape)
    tensor = field(1, _ELEMENT["float32"]) + field(2, repeated(1, sizes))
    return field(1, name) + field(2, field(1, tensor))
