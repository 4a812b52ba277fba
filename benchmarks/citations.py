"""Citations drawn at random, for a person to judge: does the quote open at words that support the sentence?

    python benchmarks/citations.py HOME ../shared/data/law/dev.jsonl --profile labour-law-es --answers 40

Every quote is read again from the document at its offsets; one that is not there is counted.
"""

import argparse
import asyncio
import json
import random
from pathlib import Path

import atril


async def main(arguments: argparse.Namespace) -> None:
    lines = arguments.questions.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    random.Random(arguments.seed).shuffle(rows)
    answers = citations = elsewhere = 0
    async with atril.open(arguments.home, profile=arguments.profile) as library:
        for row in rows:
            if answers == arguments.answers:
                break
            question = row.get("question") or row["query"]
            answer = await library.ask(question, check=True)
            if not answer.found:
                continue
            answers += 1
            print(f"\n{answers}. {question}\n   {answer.pipeline}: {answer.text}")
            for citation in answer.citations:
                citations += 1
                text = await library.read(citation.source_file)
                held = text[citation.start : citation.end] == citation.quote
                elsewhere += not held
                place = f"{citation.source_file} {citation.article or citation.page or ''}"
                print(f"   [{citation.number}] {place} {'' if held else 'NOT THERE '}«{citation.quote}»")
    print(f"\n{answers} answers, {citations} citations, {elsewhere} not at their offsets")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("home")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--profile")
    parser.add_argument("--answers", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    asyncio.run(main(parser.parse_args()))
