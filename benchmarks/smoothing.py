"""Recomputes the table of smoothing factors that ships with the bundled embedder.

    python benchmarks/smoothing.py            # rewrites src/atril/models/bundled/smoothing.npz

For every matrix product several ways of choosing its factors are tried; the one kept makes the smallest
error, per token and relative to the exact product, over the calibration texts. Those texts were written
for this purpose and are in no evaluation set. The result is the same on every run of one machine.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from atril.models.bundled.quantization import quantize
from atril.models.bundled.reference import ReferenceNetwork, read_layer
from atril.models.bundled.tokenizer import PASSAGE_PREFIX, QUERY_PREFIX, load_tokenizer
from atril.models.bundled.weights import Floats, open_weights

HERE = Path(__file__).parent
TABLE = HERE.parent / "src/atril/models/bundled/smoothing.npz"
SITES = ("qkv", "ao", "fi", "fo")
SHARES = (0.4, 0.5, 0.6, 0.7, 0.8)
QUANTILES = (0.5, 0.95, 0.99)
POWERS = (0.5, 0.7, 1.0)


def texts() -> Iterator[str]:
    """Long passages (seven joined), single passages and questions, in equal parts of each language."""
    lines = (HERE / "data/calibration.jsonl").read_text(encoding="utf-8").splitlines()
    by_language = defaultdict(list)
    for line in lines:
        row = json.loads(line)
        by_language[row["language"]].append(row)
    for rows in by_language.values():
        for start in range(0, len(rows), 8):
            yield PASSAGE_PREFIX + "\n".join(row["passage"] for row in rows[start : start + 7])
        yield from (PASSAGE_PREFIX + row["passage"] for row in rows[::8])
        yield from (QUERY_PREFIX + row["question"] for row in rows[::8])


def activations() -> dict[tuple[str, int], list[Floats]]:
    """The inputs of every product, one array (tokens, channels) per text."""
    weights, tokenizer = open_weights(), load_tokenizer()
    network = ReferenceNetwork(weights)
    seen: dict[tuple[str, int], list[Floats]] = defaultdict(list)
    for text in texts():
        tokens = tokenizer.encode(text)[: weights.shape.positions - 2]
        tokens = [weights.pieces.begin, *tokens, weights.pieces.end]
        network.run(tokens, lambda site, layer, x: seen[site, layer].append(x))
    return seen


def candidates(loudness: Floats, weight: Floats) -> Iterator[Floats]:
    """No smoothing; the loudness shared with the weights; only what is louder than most, softened."""
    yield np.ones_like(loudness)
    for share in SHARES:
        yield loudness**share / weight ** (1 - share)
    for quantile in QUANTILES:
        for power in POWERS:
            yield np.maximum(loudness / np.quantile(loudness, quantile), 1) ** power


def rounded(x: Floats) -> Floats:
    """What is left of activations after the 8-bit rounding that onnxruntime does per text."""
    low, high = min(float(x.min()), 0.0), max(float(x.max()), 0.0)
    scale = np.float32((high - low) / 255)
    zero = np.rint(-low / scale)
    kept: Floats = (np.clip(np.rint(x / scale) + zero, 0, 255) - zero) * scale
    return kept


def error(inputs: list[Floats], outputs: list[Floats], matrix: Floats, factors: Floats) -> float:
    integers, scales = quantize(matrix * factors[:, None])
    approximate = integers * scales
    ratios = []
    for x, exact in zip(inputs, outputs, strict=True):
        difference = np.square(rounded(x / factors) @ approximate - exact).sum(axis=1)
        ratios.append(float((difference / np.square(exact).sum(axis=1)).mean()))
    return float(np.mean(ratios))


def best_factors(inputs: list[Floats], matrix: Floats) -> tuple[Floats, float, float]:
    """The factors, their error, and the error without smoothing."""
    loudness = np.maximum(np.max([np.abs(x).max(axis=0) for x in inputs], axis=0), 1e-4)
    weight = np.maximum(np.abs(matrix).max(axis=1), 1e-4)
    outputs = [x @ matrix for x in inputs]
    tried = []
    for raw in candidates(loudness, weight):
        centred = raw / np.exp(np.log(raw).mean())
        factors = centred.astype(np.float16).astype(np.float32)
        tried.append((error(inputs, outputs, matrix, factors), factors))
    least, factors = min(tried, key=lambda pair: pair[0])
    return factors, least, tried[0][0]


def main() -> None:
    parser = argparse.ArgumentParser(description="Recompute the smoothing table of the bundled embedder.")
    parser.add_argument("--out", type=Path, default=TABLE)
    out: Path = parser.parse_args().out
    weights, seen = open_weights(), activations()
    table: dict[str, list[Floats]] = defaultdict(list)
    for number in range(weights.shape.layers):
        layer = read_layer(weights, number)
        for site in SITES:
            factors, least, plain = best_factors(seen.pop((site, number)), getattr(layer, site))
            table[site].append(factors)
            print(f"layer {number:2} {site:3}  error {plain:.5f} -> {least:.5f}")
    qkv, ao, fi, fo = (np.array(table[site], dtype=np.float16) for site in SITES)
    np.savez_compressed(out, qkv=qkv, ao=ao, fi=fi, fo=fo)
    print(f"{out}: {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
