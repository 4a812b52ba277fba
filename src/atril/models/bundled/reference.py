"""The network in numpy, in float32: slow, needs nothing but numpy, and what the fast ones are held against.

Source: Devlin et al. 2019 (the encoder), Wang et al. 2024, "Multilingual E5 Text Embeddings" (prefixes and
mean pooling).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from atril.models.bundled.weights import Floats, WeightsFile

Observer: TypeAlias = Callable[[str, int, Floats], None]
"""Receives the name of a matrix product (`qkv`, `ao`, `fi`, `fo`), its layer, and its input."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One encoder layer; matrices are (inputs, outputs), so that a product is `x @ w + b`."""

    qkv: Floats
    qkv_bias: Floats
    ao: Floats
    ao_bias: Floats
    ao_scale: Floats
    ao_shift: Floats
    fi: Floats
    fi_bias: Floats
    fo: Floats
    fo_bias: Floats
    fo_scale: Floats
    fo_shift: Floats


def read_layer(weights: WeightsFile, number: int) -> Layer:
    """The weights of one layer as float32."""
    shape = weights.shape

    def matrix(name: str, columns: int = shape.hidden) -> Floats:
        return np.ascontiguousarray(weights.matrix(f"l{number}.{name}.w", columns).dense().T)

    def vector(name: str) -> Floats:
        return weights.vector(f"l{number}.{name}")

    return Layer(
        qkv=np.concatenate([matrix(name) for name in "qkv"], axis=1),
        qkv_bias=np.concatenate([vector(f"{name}.b") for name in "qkv"]),
        ao=matrix("ao"),
        ao_bias=vector("ao.b"),
        ao_scale=vector("aln.w"),
        ao_shift=vector("aln.b"),
        fi=matrix("fi"),
        fi_bias=vector("fi.b"),
        fo=matrix("fo", shape.inner),
        fo_bias=vector("fo.b"),
        fo_scale=vector("oln.w"),
        fo_shift=vector("oln.b"),
    )


class Embeddings:
    """Token numbers to the network's input. Only the rows in use are read from the mapped file."""

    def __init__(self, weights: WeightsFile) -> None:
        hidden = weights.shape.hidden
        self._words = weights.matrix("emb.word", hidden)
        self._places = weights.vector("emb.pos").reshape(-1, hidden) + weights.vector("emb.type")[:hidden]

    def __call__(self, tokens: list[int]) -> Floats:
        """Shape (tokens, hidden), before the first normalisation."""
        return self._words.rows(np.array(tokens, dtype=np.int64)) + self._places[: len(tokens)]


class ReferenceNetwork:
    """Runs one window of tokens at a time; numpy's own threads share the work."""

    def __init__(self, weights: WeightsFile) -> None:
        self._shape = weights.shape
        self._embeddings = Embeddings(weights)
        self._scale, self._shift = weights.vector("emb.ln.w"), weights.vector("emb.ln.b")
        self._layers = [read_layer(weights, number) for number in range(weights.shape.layers)]

    def run(self, tokens: list[int], observe: Observer | None = None) -> Floats:
        """The mean of the last layer over the tokens, shape (hidden,), not normalised."""
        x = self._normalized(self._embeddings(tokens), self._scale, self._shift)
        for number, layer in enumerate(self._layers):
            x = self._layer(x, layer, partial(_note, observe, number))
        mean: Floats = x.mean(axis=0, dtype=np.float32)
        return mean

    def _layer(self, x: Floats, layer: Layer, note: Callable[[str, Floats], None]) -> Floats:
        note("qkv", x)
        context = self._attention(x @ layer.qkv + layer.qkv_bias)
        note("ao", context)
        x = self._normalized(x + context @ layer.ao + layer.ao_bias, layer.ao_scale, layer.ao_shift)
        note("fi", x)
        inner = gelu(x @ layer.fi + layer.fi_bias)
        note("fo", inner)
        return self._normalized(x + inner @ layer.fo + layer.fo_bias, layer.fo_scale, layer.fo_shift)

    def _attention(self, qkv: Floats) -> Floats:
        count, heads = len(qkv), self._shape.heads
        size = self._shape.hidden // heads
        query, key, value = qkv.reshape(count, 3, heads, size).transpose(1, 2, 0, 3)
        scores: Floats = query @ key.transpose(0, 2, 1) / np.float32(size**0.5)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        context: Floats = (scores @ value).transpose(1, 0, 2).reshape(count, -1)
        return context

    def _normalized(self, x: Floats, scale: Floats, shift: Floats) -> Floats:
        centred: Floats = x - x.mean(axis=-1, keepdims=True)
        variance = np.square(centred).mean(axis=-1, keepdims=True)
        normal: Floats = centred / np.sqrt(variance + np.float32(self._shape.epsilon))
        return normal * scale + shift


def gelu(x: Floats) -> Floats:
    """x times the normal distribution function at x, to 1.5e-7 (Abramowitz and Stegun, 7.1.26)."""
    z = np.abs(x) * np.float32(0.5**0.5)
    t: Floats = np.reciprocal(1 + np.float32(0.3275911) * z)
    tail: Floats = np.full(x.shape, 1.061405429, dtype=np.float32)
    for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail *= t
        tail += np.float32(coefficient)
    half: Floats = np.float32(0.5) * tail * t * np.exp(-z * z)
    share: Floats = np.where(x >= 0, 1 - half, half)
    return x * share


def _note(observe: Observer | None, layer: int, name: str, value: Floats) -> None:
    if observe is not None:
        observe(name, layer, value)
