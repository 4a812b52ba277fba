"""Weights as small integers, and the smoothing that lets activations be small integers too.

An 8-bit activation has one scale for a whole text, so one loud channel drowns the others: after GELU the
loudest is about a hundred times the median one. Dividing each channel by a factor before it is rounded,
and multiplying the row of weights it meets by the same factor, changes nothing in exact arithmetic and
moves the loudness to the weights, which have a scale per column. Source: Xiao et al. 2023, "SmoothQuant".
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from io import BytesIO

import numpy as np
import numpy.typing as npt

from atril.models.bundled.weights import Floats

WEIGHT_BITS = 7
"""One less than a byte: older processors add two products in 16 bits, which 8-bit weights overflow."""


@dataclass(frozen=True, slots=True)
class Smoothing:
    """Factors of the inputs of the four matrix products, each of shape (layers, channels)."""

    qkv: Floats
    ao: Floats
    fi: Floats
    fo: Floats
    version: str
    """Eight digits that change with any factor."""


@lru_cache(maxsize=1)
def load_smoothing() -> Smoothing:
    """The table that ships with Atril; `benchmarks/smoothing.py` recomputes it."""
    data = files("atril.models.bundled").joinpath("smoothing.npz").read_bytes()
    with np.load(BytesIO(data)) as table:
        factors = {name: table[name].astype(np.float32) for name in ("qkv", "ao", "fi", "fo")}
    content = b"".join(factor.tobytes() for factor in factors.values())
    return Smoothing(**factors, version=f"{zlib.crc32(content):08x}")


def quantize(matrix: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """A matrix (inputs, outputs) as integers and one scale per output: `integers * scales` is near it."""
    top = 2 ** (WEIGHT_BITS - 1) - 1
    scales = np.maximum(np.abs(matrix).max(axis=0), 1e-9) / np.float32(top)
    return np.rint(matrix / scales).astype(np.int8), scales.astype(np.float32)
