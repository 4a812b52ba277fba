"""Which phrases of a glossary also stand in development questions.

A glossary must come from knowledge of the field, never from the questions it is measured on. This prints every
phrase of two words or more that a development question has too, so that each can be accounted for
(`docs/profiles.md` does). What it prints is no reason to change the glossary.

    python benchmarks/glossary.py ../shared/data/law/dev.jsonl ../shared/data/law/followups.jsonl
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from atril.profiles.loading import load_profile
from atril.profiles.profile import GlossaryEntry, Profile
from atril.retrieval.glossary import Glossary


def questions(path: Path) -> Iterator[tuple[str, str]]:
    """The id and text of each question of a file, one for each turn of a conversation."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        turns = row.get("turns", [row])
        for number, turn in enumerate(turns, start=1):
            yield (f"{row['id']}.{number}" if len(turns) > 1 else row["id"]), turn["question"]


def main() -> None:
    parser = argparse.ArgumentParser(description="Glossary phrases that development questions have too.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--profile", default="labour-law-es")
    arguments = parser.parse_args()
    profile = load_profile(arguments.profile)
    assert profile is not None
    asked = [question for file in arguments.files for question in questions(file)]
    phrases = [phrase for entry in profile.glossary for phrase in entry.phrases]
    coinciding, touched = 0, set()
    for phrase in phrases:
        alone = Glossary(
            Profile(
                profile.name,
                language=profile.language,
                forms=profile.forms,
                glossary=(GlossaryEntry((phrase,), ("-",)),),
            )
        )
        if len(phrase.split()) < 2:
            continue
        found = [
            (name, text[each.start : each.end])
            for name, text in asked
            for each in alone.expand(text, [profile.language])
        ]
        touched |= {name for name, _ in found}
        if found:
            coinciding += 1
            print(f"{phrase}: " + "; ".join(f"{name} «{text}»" for name, text in found))
    several = sum(len(phrase.split()) > 1 for phrase in phrases)
    print(
        f"{coinciding} of {several} phrases of two words or more stand in {len(touched)} of {len(asked)} questions"
    )


if __name__ == "__main__":
    main()
