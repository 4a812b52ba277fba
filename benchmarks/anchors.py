"""Measures the anchors of an embedder: what a cosine of unrelated and of right texts is.

    python benchmarks/anchors.py [fast exact reference]
    python benchmarks/anchors.py --embedder openai:text-embedding-3-small

The pairs are `benchmarks/data/calibration.jsonl`: 120 questions with a passage that answers each, forty in
Spanish, English and Russian, written for Atril on everyday subjects and in no evaluation set. `right` is
the median cosine of a question with its passage, `unrelated` that of a question with every other passage
of its language. The figures of the bundled embedder go into `atril.models.bundled.embedder`, those of
another into the settings `[embedding.anchors]`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import defaultdict
from pathlib import Path

import numpy as np

from atril.home import load_embedder
from atril.models.embeddings import Embedder
from atril.settings import Settings

PAIRS = Path(__file__).parent / "data/calibration.jsonl"


def read_pairs() -> dict[str, list[tuple[str, str]]]:
    """Question and passage by language."""
    pairs = defaultdict(list)
    for line in PAIRS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        pairs[row["language"]].append((row["question"], row["passage"]))
    return pairs


async def measure(embedder: Embedder) -> None:
    right, unrelated = [], []
    for language, pairs in read_pairs().items():
        passages = await embedder.embed_passages([passage for _, passage in pairs])
        questions = np.array([await embedder.embed_query(question) for question, _ in pairs])
        cosines = questions @ passages.T
        same = np.eye(len(pairs), dtype=bool)
        right.append(cosines[same])
        unrelated.append(cosines[~same])
        print(f"# {language}: unrelated {np.median(unrelated[-1]):.4f}  right {np.median(right[-1]):.4f}")
    print(f"# {embedder.id}")
    print(f"unrelated = {np.median(np.concatenate(unrelated)):.4f}")
    print(f"right = {np.median(np.concatenate(right)):.4f}")
    await embedder.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the anchors of an embedder.")
    parser.add_argument("precision", nargs="*", default=["fast", "exact", "reference"])
    parser.add_argument("--embedder", help="another than the bundled one, as in the setting `embedder`")
    arguments = parser.parse_args()
    names = (
        [arguments.embedder] if arguments.embedder else [f"bundled:{each}" for each in arguments.precision]
    )
    for name in names:
        options = Settings(embedder=name).embedding_options
        asyncio.run(measure(load_embedder(name, options)))


if __name__ == "__main__":
    main()
