"""How well the scanner tells instructions aimed at an assistant from honest text.

    python benchmarks/injection.py [--data ../shared/data]

Prints recall by kind and language of attack (of sentences put into documents: whether the sentence itself is
flagged) and the share of honest texts flagged by kind, then the share of flagged chunks in the law corpus.
Rows marked `contextual` are attacks only against a certain task and are reported apart.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from atril.documents.chunking import ChunkOptions
from atril.documents.reading import read
from atril.safety.scanner import scan

Tally = dict[tuple[str, ...], list[int]]


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def is_flagged(row: dict[str, Any]) -> bool:
    """Whether anything was found in the inserted sentence, or in the whole text where none was inserted."""
    text, inserted = row["text"], row.get("injected") or ""
    start = text.find(inserted) if inserted else -1
    findings = scan(text)
    if start < 0:
        return bool(findings)
    return any(each.start < start + len(inserted) and each.end > start for each in findings)


def show(tally: Tally) -> None:
    for key, (flagged, total) in sorted(tally.items()):
        print(f"  {' '.join(key):<48}{flagged:>5} of {total:>5}  {flagged / total:7.1%}")


def injections(path: Path) -> None:
    attacks: Tally = defaultdict(lambda: [0, 0])
    honest: Tally = defaultdict(lambda: [0, 0])
    characters, start = 0, time.perf_counter()
    for row in rows(path):
        language = row["lang"] if row["lang"] in ("en", "es", "ru") else "other"
        flagged = is_flagged(row)
        characters += len(row["text"])
        if row["label"]:
            kind = "contextual" if row["contextual"] else "plain"
            keys = [(kind, row["kind"], language), (kind, row["kind"], "all")]
        else:
            keys = [(row["kind"], language), (row["kind"], "all")]
        for key in keys:
            count = (attacks if row["label"] else honest)[key]
            count[0] += flagged
            count[1] += 1
    seconds = time.perf_counter() - start
    print("Attacks flagged")
    show(attacks)
    print("Honest texts flagged")
    show(honest)
    print(f"{characters / seconds / 1e6:.2f} million characters a second")


def corpus(folder: Path) -> None:
    flagged = total = 0
    for path in sorted(folder.glob("*.md")):
        document = read(
            path.name,
            path.read_bytes(),
            tokenizer="atril.testing.embedders:count_words",
            options=ChunkOptions(),
        )
        total += len(document.chunks)
        for chunk in document.chunks:
            if chunk.flags:
                flagged += 1
                print(f"    {path.name} chunk {chunk.number}: {', '.join(chunk.flags)}")
    print(f"Chunks of {folder}: {flagged} of {total} flagged, {flagged / max(total, 1):.2%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    data = parser.parse_args().data
    injections(data / "injection" / "dev.jsonl")
    corpus(data / "law" / "corpus")


if __name__ == "__main__":
    main()
