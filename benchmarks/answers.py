"""How often the extractive answer holds what was asked, and how often it keeps quiet when it should.

    python benchmarks/answers.py --homes FOLDER [--data ../shared/data] [--limit 150]

Reads XQuAD (Spanish, Russian, English) and the Spanish labour laws into homes below --homes unless they are
there, which takes some minutes, and asks:

- each XQuAD set its own development questions, and the laws theirs: an answer holds what was asked when one of
  its quotes contains one of the given answers, letter case and blanks aside;
- the English set the Spanish questions: whether something is found across languages;
- each XQuAD set and the laws questions of the other: nothing should be found. The laws' own negatives (near
  misses such as income tax) are counted apart.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from time import perf_counter
from typing import Any

import atril
from atril.types import Answer

_LAW = "law"


@dataclass(frozen=True)
class Asked:
    question: str
    answers: tuple[str, ...]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def questions(data: Path, name: str, limit: int, *, negative: bool = False) -> list[Asked]:
    if name == _LAW:
        kept = [row for row in rows(data / "law/dev.jsonl") if bool(row["gold"]) != negative]
        return [Asked(row["question"], tuple(row["answer_phrases"])) for row in kept][:limit]
    kept = rows(data / "retrieval" / name / "queries.jsonl")
    random.Random(3).shuffle(kept)
    return [Asked(row["text"], tuple(row["answers"])) for row in kept[:limit]]


async def read(library: atril.Library, data: Path, name: str) -> None:
    if await library.documents():
        return
    if name == _LAW:
        await library.add([str(data / "law/corpus")])
        return
    corpus = rows(data / "retrieval" / name / "corpus.jsonl")
    await library.add_texts(
        [{"name": row["_id"], "title": row["title"], "text": row["text"], "metadata": {}} for row in corpus]
    )


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).casefold()


def holds(quotes: Sequence[str], answers: Sequence[str]) -> bool:
    return any(plain(answer) in plain(quote) for answer in answers for quote in quotes)


async def measure(library: atril.Library, name: str, asked: Sequence[Asked]) -> None:
    answers: list[Answer] = []
    milliseconds = []
    for each in asked:
        start = perf_counter()
        answers.append(await library.ask(each.question))
        milliseconds.append((perf_counter() - start) * 1000)
    found = fmean(answer.found for answer in answers)
    line = f"{name:34} n={len(asked):4}  found {found:.3f}"
    if any(each.answers for each in asked):
        quotes = [[citation.quote for citation in answer.citations] for answer in answers]
        pairs = [(given, each.answers) for given, each in zip(quotes, asked, strict=True) if each.answers]
        line += f"  holds it {fmean(holds(given, wanted) for given, wanted in pairs):.3f}"
        line += f"  first quote {fmean(holds(given[:1], wanted) for given, wanted in pairs):.3f}"
        line += f"  quotes {fmean(len(given) for given in quotes):.2f}"
    print(f"{line}  median {median(milliseconds):.0f} ms", flush=True)


async def main(options: argparse.Namespace) -> None:
    data, limit = options.data, options.limit
    for home in ("xquad_es", "xquad_ru", "xquad_en", _LAW):
        if options.only and home not in options.only.split(","):
            continue
        profile = options.profile if home == _LAW else None
        async with atril.open(options.homes / home, profile=profile) as library:
            await read(library, data, home)
            await measure(library, home, questions(data, home, limit))
            if home == "xquad_en":
                across = [Asked(each.question, ()) for each in questions(data, "xquad_es", limit)]
                await measure(library, "xquad_en, asked in Spanish", across)
            other = "xquad_es" if home == _LAW else _LAW
            foreign = [Asked(each.question, ()) for each in questions(data, other, limit)]
            await measure(library, f"{home}, questions of {other}", foreign)
            if home == _LAW:
                await measure(library, "law, near misses", questions(data, _LAW, limit, negative=True))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--homes", required=True, type=Path)
    parser.add_argument("--data", default=Path("../shared/data"), type=Path)
    parser.add_argument("--limit", default=150, type=int)
    parser.add_argument("--profile", help="of the home of the laws")
    parser.add_argument("--only", help="homes to measure, separated by commas")
    asyncio.run(main(parser.parse_args()))
