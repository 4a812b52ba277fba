"""Follow-up questions without a model: are they searched for when they must be, and is the answer at hand?

    python benchmarks/followups.py HOME ../shared/data/law/followups.jsonl --profile labour-law-es

Each line holds two `turns` with their `gold` articles, and `new_concept`: whether the second turn needs another
article than the first. The second turn is asked three times: after the first with the chunks of its gold articles
carried over, as after a right answer; after the first as it was really answered; and with these chunks alone,
without the question before.
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import atril
from atril.types import Answer, Turn


async def main(arguments: argparse.Namespace) -> None:
    lines = arguments.conversations.read_text(encoding="utf-8").splitlines()
    conversations = [json.loads(line) for line in lines if line.strip()]
    right: dict[str, list[bool]] = {}
    held: dict[str, list[bool]] = {}
    async with atril.open(arguments.home, profile=arguments.profile) as library:
        for conversation in conversations:
            first, second = conversation["turns"]
            answer = await library.ask(first["question"])
            gold = await ids(library, first["gold"])
            wanted = set(await ids(library, second["gold"]))
            turn = Turn(first["question"], answer.text, answer.context_chunk_ids)
            ways: dict[str, tuple[Sequence[str], list[Turn]]] = {
                "gold carried": (gold[:3], [turn]),
                "as answered": (answer.context_chunk_ids, [turn]),
                "without history": (answer.context_chunk_ids, []),
            }
            for name, (carried, history) in ways.items():
                given: Answer = await library.ask(
                    second["question"], context_chunk_ids=carried, history=history
                )
                searched = bool(given.queries)
                right.setdefault(name, []).append(searched == conversation["new_concept"])
                held.setdefault(name, []).append(bool(wanted & set(given.context)))
                if arguments.show and not (right[name][-1] and held[name][-1]):
                    print(f"{conversation['id']} {name}: searched {searched}, held {held[name][-1]}")
    for name in right:
        print(
            f"{name:16} right decision {mean(right[name]):.2f}   gold of the second turn in context "
            f"{mean(held[name]):.2f}"
        )


async def ids(library: atril.Library, places: Sequence[dict[str, str]]) -> list[str]:
    """The chunks of articles, in the order of their text."""
    found = []
    for place in places:
        name = f"{place['identifier']}.md"
        count = next(each.chunks for each in await library.documents() if each.name == name)
        chunks = await library.chunks(name, 1, min(count, 1000)) + (
            await library.chunks(name, 1001, count) if count > 1000 else []
        )
        found += [each.id for each in chunks if same(each.chunk.article or "", place["article"])]
    return found


def same(one: str, other: str) -> bool:
    return " ".join(one.casefold().split()) == " ".join(other.casefold().split())


def mean(values: Sequence[bool]) -> float:
    return sum(values) / len(values)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("home")
    parser.add_argument("conversations", type=Path)
    parser.add_argument("--profile")
    parser.add_argument("--show", action="store_true", help="print what went wrong")
    asyncio.run(main(parser.parse_args()))
