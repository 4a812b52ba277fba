"""Kills a process at random moments of `add`, `sync`, `remove` and `reindex`, and looks at what is left.

    python benchmarks/kills.py [--rounds 100]

Each round starts a process that works on one home and says what it has been told is done; kills it (SIGKILL)
after a random time; opens the home and checks, against what was said: nothing acknowledged is lost, nothing
removed is back, nothing is there twice, no document is there by half, and running the work again completes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import atril
from atril.testing.embedders import HashEmbedder
from atril.types import Scope

DOCUMENTS = 40
PARAGRAPHS = 30


def body(number: int, revision: int) -> str:
    rows = (
        f"## Part {part}\n\nDocument {number} of revision {revision} says in part {part} that item"
        f" {number}-{part} is kept in room {(number * 7 + part) % 90}.\n"
        for part in range(PARAGRAPHS)
    )
    return f"# Document {number}\n\n" + "\n".join(rows)


async def worker(home: Path, files: Path, seed: int) -> None:
    """Adds, changes and removes documents for ever, one line for each acknowledgement."""
    chance = random.Random(seed)
    async with atril.open(home, embedder=HashEmbedder()) as library:
        say("open")
        while True:
            action = chance.choices(("add", "sync", "remove", "reindex"), (6, 3, 3, 1))[0]
            if action == "sync":
                present = {path.name for path in files.iterdir()}
                revision = chance.randrange(1_000_000)
                gone = chance.sample(sorted(present), min(len(present), 2))
                numbers = chance.sample(range(DOCUMENTS), 4)
                for name in gone:
                    (files / name).unlink()
                for number in numbers:
                    (files / f"{number}.md").write_text(body(number, revision), encoding="utf-8")
                say("syncing", files=texts(files))
                report = await library.sync(files)
                assert not report.failed, report.failed
                say("synced", files=texts(files))
            elif action == "add":
                numbers = chance.sample(range(DOCUMENTS), chance.randint(1, 8))
                revision = chance.randrange(1_000_000)
                for number in numbers:
                    (files / f"{number}.md").write_text(body(number, revision), encoding="utf-8")
                say("adding", numbers=numbers, revision=revision)
                report = await library.add([files / f"{number}.md" for number in numbers])
                assert not report.failed, report.failed
                say("added", numbers=numbers, revision=revision)
            elif action == "remove":
                present = [document.name for document in await library.documents()]
                names = chance.sample(present, min(len(present), 3))
                say("removing", names=names)
                await library.remove(*names)
                say("removed", names=names)
            else:
                say("reindexing")
                await library.reindex()
                say("reindexed")


def texts(files: Path) -> dict[str, int]:
    """The revision that each file has now."""
    return {path.name: revision_of(path.read_text(encoding="utf-8")) for path in files.iterdir()}


def revision_of(text: str) -> int:
    return int(text.split("revision ")[1].split(" ")[0])


def say(event: str, **facts: object) -> None:
    sys.stdout.write(json.dumps({"event": event, **facts}) + "\n")
    sys.stdout.flush()


class Expected:
    """What each document may be: `None` for absent, else its revision; two values while a call was open."""

    def __init__(self) -> None:
        self.may: dict[str, set[int | None]] = {f"{number}.md": {None} for number in range(DOCUMENTS)}

    def hear(self, line: dict[str, object]) -> None:
        if line["event"] in ("syncing", "synced"):
            files: dict[str, int] = line["files"]  # type: ignore[assignment]
            for name in self.may:
                wanted = files.get(name)
                self.may[name] = {wanted} if line["event"] == "synced" else {*self.may[name], wanted}
            return
        names = [f"{number}.md" for number in line.get("numbers", [])] or line.get("names", [])  # type: ignore[attr-defined]
        revision = line.get("revision")
        for name in names:  # type: ignore[union-attr]
            if line["event"] in ("adding", "removing"):
                self.may[name].add(revision)  # type: ignore[arg-type]
            elif line["event"] in ("added", "removed"):
                self.may[name] = {revision}  # type: ignore[arg-type]


async def inspect(home: Path, expected: Expected) -> list[str]:
    faults = []
    async with atril.open(home, embedder=HashEmbedder()) as library:
        documents = await library.documents()
        names = Counter(document.name for document in documents)
        faults += [f"{name} is there {count} times" for name, count in names.items() if count > 1]
        for name, allowed in expected.may.items():
            found: int | None = None
            if name in names:
                text = await library.read(name)
                found = revision_of(text)
                if text.strip() != body(int(name[:-3]), found).strip():
                    faults.append(f"{name} is not what was added")
                stored = await library.chunks(name, 1, 1000)
                document = next(each for each in documents if each.name == name)
                if len(stored) != document.chunks:
                    faults.append(f"{name} has {len(stored)} of {document.chunks} chunks")
                hits = await library.search("room item document", document=name, top_k=1000, mode="semantic")
                ids = [hit.chunk_id for hit in hits.results]
                if sorted(ids) != sorted(each.id for each in stored):
                    faults.append(
                        f"{name}: {len(ids)} chunks found, {len(set(ids))} different, {len(stored)} stored"
                    )
            if found not in allowed:
                faults.append(f"{name} is {found}, expected one of {sorted(map(str, allowed))}")
            expected.may[name] = {found}
        points = await library._home.stores.index.count(Scope())
        chunks = sum(document.chunks for document in documents)
        if points != chunks:
            faults.append(f"{points} points for {chunks} chunks")
    return faults


def one_round(home: Path, files: Path, seed: int, expected: Expected, chance: random.Random) -> str:
    command = [sys.executable, __file__, "--worker", str(home), str(files), str(seed)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()  # "open": killing earlier would test the interpreter
    time.sleep(chance.uniform(0.0, 1.5))
    process.kill()
    last = "open"
    for line in process.stdout:
        if line.endswith("\n"):
            heard = json.loads(line)
            expected.hear(heard)
            last = heard["event"]
    process.wait()
    return last


async def main(arguments: argparse.Namespace) -> None:
    chance, expected, faults, moments = random.Random(arguments.seed), Expected(), [], Counter()
    with tempfile.TemporaryDirectory() as folder:
        home, files = Path(folder) / "home", Path(folder) / "files"
        files.mkdir()
        for number in range(arguments.rounds):
            last = await asyncio.to_thread(one_round, home, files, arguments.seed + number, expected, chance)
            moments[last] += 1
            found = await inspect(home, expected)
            faults += [f"round {number}, during {last}: {fault}" for fault in found]
        async with atril.open(home, embedder=HashEmbedder()) as library:
            for number in range(DOCUMENTS):
                (files / f"{number}.md").write_text(body(number, 0), encoding="utf-8")
            await library.add([files])
            complete = len(await library.documents()) == DOCUMENTS
    for fault in faults:
        print(fault)
    print(
        f"{arguments.rounds} kills, killed during: {dict(moments)}; faults: {len(faults)}; re-run complete: {complete}"
    )
    raise SystemExit(1 if faults or not complete else 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        asyncio.run(worker(Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", default=100, type=int)
    parser.add_argument("--seed", default=1, type=int)
    asyncio.run(main(parser.parse_args()))
