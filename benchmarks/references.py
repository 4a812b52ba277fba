"""References drawn at random from a home, to be checked by hand, and what the grammar passes over.

    python benchmarks/references.py HOME --seed 1 --count 100              # resolved references
    python benchmarks/references.py HOME --seed 1 --count 100 --missing    # found, inside, not resolved
    python benchmarks/references.py HOME --seed 1 --count 100 --recall     # words that no mention covers

Each is printed with the text around it and the beginning of the chunk it leads to; what leads to the chunk it
stands in is left out. The home is only read.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sqlite3
from bisect import bisect_right
from pathlib import Path

AROUND = 90
_TRIGGER = re.compile(
    r"\b(?:art[íi]culos?|art\.|disposici(?:ón|ones)\s+(?:adicional|transitoria|final))", re.I
)
_HEADING = re.compile(r"^#.*$", re.M)

_MENTIONS = """
    select s.title, m.version, m.start, m.end, m.place, m.part, m.kind, n.shown, t.title, c.section_path
    from mentions m
    join versions s on s.tenant = m.tenant and s.id = m.version and s.state = 'current'
    left join names n on n.tenant = m.tenant and n.id = m.name
    left join chunks c on c.tenant = m.tenant and c.version = m.target_version and c.number = m.target
    left join versions t on t.tenant = m.tenant
      and (t.id = m.target_version or (m.target is null and t.document = m.document and t.state = 'current'))
    where m.kind <> 'norm' and (m.name is null or m.document is not null) and (m.target is not null) = ?
      and (m.target is null or m.target_version <> m.version or m.target <> m.number)
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("home", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--recall", action="store_true")
    given = parser.parse_args()
    connection = sqlite3.connect(f"file:{given.home / 'records.db'}?mode=ro", uri=True)
    draw = random.Random(given.seed)
    if given.recall:
        _recall(connection, draw, given.count)
    else:
        _sample(connection, draw, given.count, resolved=not given.missing)


def _sample(connection: sqlite3.Connection, draw: random.Random, count: int, *, resolved: bool) -> None:
    rows = sorted(
        connection.execute(_MENTIONS, (resolved,)).fetchall(), key=lambda row: (row[1], row[2], row[4])
    )
    print(f"{len(rows)} references; {min(count, len(rows))} drawn")
    texts = _texts(connection)
    for number, row in enumerate(draw.sample(rows, min(count, len(rows))), start=1):
        title, version, start, end, place, part, kind, shown, target, path = row
        text = texts[version][0]
        print(f"\n[{number}] {kind} in: {title[:70]}")
        print("   " + _context(text, start, end))
        leads = f"{(target or '')[:60]} > {json.loads(path)[-1][:90]}" if path else "nowhere"
        print(f"   -> {place}{'/' + part if part else ''}{' of ' + shown if shown else ''}: {leads}")


def _recall(connection: sqlite3.Connection, draw: random.Random, count: int) -> None:
    words = []
    for version, (text, spans) in _texts(connection).items():
        starts = [start for start, _ in spans]
        headings = [match.span() for match in _HEADING.finditer(text)]
        heads = [start for start, _ in headings]
        for match in _TRIGGER.finditer(text):
            at = bisect_right(heads, match.start()) - 1
            if at >= 0 and headings[at][1] > match.start():
                continue
            at = bisect_right(starts, match.start()) - 1
            covered = any(spans[near][1] > match.start() for near in range(max(0, at - 3), at + 1))
            words.append((version, match.start(), match.end(), covered))
    drawn = draw.sample(words, min(count, len(words)))
    passed = [word for word in drawn if not word[3]]
    print(
        f"{len(words)} words, {sum(word[3] for word in words)} in a mention; {len(passed)} of {len(drawn)} not:"
    )
    for version, start, end, _ in passed:
        print("\n   " + _context(_texts(connection)[version][0], start, end))


_CACHE: dict[str, tuple[str, list[tuple[int, int]]]] = {}


def _texts(connection: sqlite3.Connection) -> dict[str, tuple[str, list[tuple[int, int]]]]:
    if not _CACHE:
        for (version,) in connection.execute(
            "select id from versions where state = 'current' order by title"
        ).fetchall():
            blocks = connection.execute(
                "select text from text_blocks where version = ? order by number", (version,)
            )
            text = "".join(block for (block,) in blocks)
            spans = connection.execute(
                "select start, end from mentions where version = ? order by start", (version,)
            ).fetchall()
            _CACHE[version] = text, spans
    return _CACHE


def _context(text: str, start: int, end: int) -> str:
    around = f"{text[max(0, start - AROUND) : start]}[[{text[start:end]}]]{text[end : end + AROUND]}"
    return " ".join(around.split())


if __name__ == "__main__":
    main()
