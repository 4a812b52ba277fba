"""Citations drawn at random, for a person to judge: does the quote open at words that support the sentence?

    python benchmarks/citations.py HOME ../shared/data/law/dev.jsonl --profile labour-law-es --answers 24 --seed 1
    python benchmarks/citations.py HOME ../shared/data/financebench/questions_dev.jsonl --answers 16 --seed 1 \
        --pipelines document-first,unified

The questions are shuffled with the seed and asked of the pipelines in turn until so many answers have been found.
Every quote is read again from the document at its offsets, and its page, section and article from the document's
pages and chunks; what does not agree is counted and said.
"""

import argparse
import asyncio
import json
import random
from itertools import cycle
from pathlib import Path

import atril
from atril.types import Citation


async def faults(library: atril.Library, citation: Citation) -> list[str]:
    """What the citation says that its document does not."""
    content = await library.content(citation.source_file)
    pages = await library._home.stores.records.pages(library._scope, content.document.id)
    before = [page.number for page in pages if page.start <= citation.start]
    chunk = next((each for each in content.chunks if each.id == citation.chunk_id), None)
    if chunk is None:
        return ["chunk"]
    held = chunk.chunk
    checks = {
        "quote": content.text[citation.start : citation.end] == citation.quote,
        "chunk": held.start <= citation.start < citation.end <= held.end,
        "page": citation.page == max(before, default=None),
        "section": citation.section_title == held.section_title,
        "article": citation.article == held.article,
    }
    return [name for name, agrees in checks.items() if not agrees]


async def main(arguments: argparse.Namespace) -> None:
    lines = arguments.questions.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    random.Random(arguments.seed).shuffle(rows)
    answers = citations = wrong = 0
    pipelines = cycle(arguments.pipelines.split(","))
    pipeline = next(pipelines)
    async with atril.open(arguments.home, profile=arguments.profile) as library:
        for row in rows:
            if answers == arguments.answers:
                break
            question = row.get("question") or row["query"]
            answer = await library.ask(question, pipeline=pipeline, check=True)
            if not answer.found:
                continue
            answers += 1
            print(f"\n{answers}. {row['id']} {question}\n   {pipeline}, {answer.pipeline}: {answer.text}")
            for citation in answer.citations:
                citations += 1
                found = await faults(library, citation)
                wrong += bool(found)
                place = citation.article or (f"page {citation.page}" if citation.page else "")
                said = f"WRONG {', '.join(found)} " if found else ""
                print(f"   [{citation.number}] {citation.source_file} {place}, {citation.section_title}")
                print(f"       {citation.start}–{citation.end} {said}«{citation.quote}»")
            pipeline = next(pipelines)
    print(f"\n{answers} answers, {citations} citations, {wrong} that their documents do not bear out")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("home")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--profile")
    parser.add_argument("--pipelines", default="unified", help="asked in turn, separated by commas")
    parser.add_argument("--answers", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    asyncio.run(main(parser.parse_args()))
