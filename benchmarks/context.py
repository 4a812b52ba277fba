"""What an answer is made from: recall of the gold articles in `context`, and what it takes beside the models.

    python benchmarks/context.py HOME ../shared/data/law/dev.jsonl --profile labour-law-es

Lines hold `question`, `gold` and `acceptable` articles; those without gold only count for the time. The embedder's
time is taken off, as a model's is.
"""

import argparse
import asyncio
import json
import statistics
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import atril


async def main(arguments: argparse.Namespace) -> None:
    lines = arguments.questions.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    recalls, hits, own, missed = [], [], [], []
    async with atril.open(arguments.home, profile=arguments.profile) as library:
        articles = {
            chunk.id: (document.name, key(chunk.chunk.article or ""))
            for document in await library.documents()
            for start in range(1, document.chunks + 1, 1000)
            for chunk in await library.chunks(document.name, start, start + 999)
        }
        embedder, spent = library._home._embedder, [0.0]
        for name in ("embed_query", "embed_passages"):
            setattr(embedder, name, timed(getattr(embedder, name), spent))
        for row in rows:
            spent[0], start = 0.0, perf_counter()
            answer = await library.ask(row["question"])
            own.append((perf_counter() - start - spent[0]) * 1000)
            held = {articles[chunk] for chunk in answer.context}
            gold = [place(each) for each in row["gold"]]
            if gold:
                recalls.append(sum(each in held for each in gold) / len(gold))
                hits.append(any(each in held for each in (*gold, *map(place, row["acceptable"]))))
                missed += [row["id"]] if recalls[-1] < 1 else []
    print(
        f"recall of gold in context {statistics.mean(recalls):.3f}, gold or acceptable {statistics.mean(hits):.3f}"
    )
    print(
        f"ms beside the models: median {statistics.median(own):.1f}, p95 {sorted(own)[int(len(own) * 0.95)]:.1f}"
    )
    print(f"not complete: {', '.join(missed) or '–'}")


def timed(call: Callable[..., Awaitable[Any]], spent: list[float]) -> Callable[..., Awaitable[Any]]:
    async def run(*given: Any) -> Any:
        start = perf_counter()
        try:
            return await call(*given)
        finally:
            spent[0] += perf_counter() - start

    return run


def place(item: dict[str, str]) -> tuple[str, str]:
    return f"{item['identifier']}.md", key(item["article"])


def key(article: str) -> str:
    return " ".join(article.casefold().rstrip(".").split())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("home")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--profile")
    asyncio.run(main(parser.parse_args()))
