"""Measures the anchors of the bundled embedder: what a cosine of unrelated and of right texts is.

    python benchmarks/anchors.py [fast exact reference]

The pairs are `benchmarks/data/calibration.jsonl`: 120 questions with a passage that answers each, forty in
Spanish, English and Russian, written for Atril on everyday subjects and in no evaluation set. `right` is
the median cosine of a question with its passage, `unrelated` that of a question with every other passage
of its language. The figures go into `atril.models.bundled.embedder`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import defaultdict
from pathlib import Path

import numpy as np

from atril.models.bundled import BundledEmbedder, Precision

PAIRS = Path(__file__).parent / "data/calibration.jsonl"


def read_pairs() -> dict[str, list[tuple[str, str]]]:
    """Question and passage by language."""
    pairs = defaultdict(list)
    for line in PAIRS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        pairs[row["language"]].append((row["question"], row["passage"]))
    return pairs


async def measure(precision: Precision) -> None:
    embedder = BundledEmbedder(precision)
    right, unrelated = [], []
    for language, pairs in read_pairs().items():
        passages = await embedder.embed_passages([passage for _, passage in pairs])
        questions = np.array([await embedder.embed_query(question) for question, _ in pairs])
        cosines = questions @ passages.T
        same = np.eye(len(pairs), dtype=bool)
        right.append(cosines[same])
        unrelated.append(cosines[~same])
        print(f"  {language}: unrelated {np.median(unrelated[-1]):.4f}  right {np.median(right[-1]):.4f}")
    print(
        f"{embedder.id}: unrelated {np.median(np.concatenate(unrelated)):.4f}"
        f"  right {np.median(np.concatenate(right)):.4f}"
    )
    await embedder.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the anchors of the bundled embedder.")
    parser.add_argument("precision", nargs="*", default=["fast", "exact", "reference"])
    for precision in parser.parse_args().precision:
        asyncio.run(measure(precision))


if __name__ == "__main__":
    main()
