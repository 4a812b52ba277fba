"""A process killed at any moment of an add, a remove or a reindex loses nothing that it has acknowledged.

`benchmarks/kills.py` does the same a hundred times.
"""

import asyncio
import json
import random
import subprocess
import sys
from pathlib import Path

import atril
from atril.testing.embedders import HashEmbedder
from atril.types import Scope

DOCUMENTS = 8
ROUNDS = 3

WORKER = """
import asyncio, json, random, sys
from pathlib import Path
import atril
from atril.testing.embedders import HashEmbedder

def say(event, names, revision=None):
    print(json.dumps([event, names, revision]), flush=True)

async def main(home, files, seed):
    chance, revision = random.Random(seed), seed * 1000
    async with atril.open(home, embedder=HashEmbedder()) as library:
        while True:
            names = chance.sample(sorted(path.name for path in files.iterdir()), 3)
            revision += 1
            for name in names:
                rooms = "\\n\\n".join(f"## Room {n}\\n\\nRevision {revision} of room {n}." for n in range(40))
                (files / name).write_text(f"# {name}\\n\\n{rooms}\\n")
            say("begun", names, revision)
            await library.add([files / name for name in names])
            say("done", names, revision)
            if revision % 2:
                say("begun", names[:1])
                await library.remove(names[0])
                say("done", names[:1])
            elif revision % 4 == 0:
                say("begun", [])
                await library.reindex()

asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
"""

Allowed = dict[str, set[int | None]]
"""What each document may be: a revision or `None` for absent; two of them while a call was under way."""


def work_and_be_killed(home: Path, files: Path, seed: int, allowed: Allowed) -> None:
    chance = random.Random(seed)
    command = [sys.executable, "-c", WORKER, str(home), str(files), str(seed)]
    acknowledged, last = 0, chance.randint(2, 8)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            event, names, revision = json.loads(line)
            for name in names:
                allowed[name] = {revision} if event == "done" else allowed[name] | {revision}
            acknowledged += 1
            if acknowledged == last:
                try:
                    process.wait(chance.uniform(0.0, 0.08))  # into the middle of what comes next
                except subprocess.TimeoutExpired:
                    process.kill()
    assert process.returncode < 0, "it ended by itself"


async def inspect(home: Path, allowed: Allowed) -> None:
    async with atril.open(home, embedder=HashEmbedder()) as library:
        documents = {each.name: each for each in await library.documents()}
        assert len(documents) == len(await library.documents()), "a document is there twice"
        for name, may in allowed.items():
            text = await library.read(name) if name in documents else None
            found = int(text.split("Revision ")[1].split(" ")[0]) if text else None
            assert found in may, f"{name} is {found}, and {may} was said"
            allowed[name] = {found}
            if text is None:
                continue
            assert text.count(f"Revision {found} ") == 40, f"{name} is not whole"
            stored = {each.id for each in await library.chunks(name, 1, 1000)}
            hits = await library.search("room", mode="semantic", document=name, top_k=200)
            assert sorted(hit.chunk_id for hit in hits.results) == sorted(stored)
        points = await library._home.stores.index.count(Scope())
        assert points == sum(each.chunks for each in documents.values())


async def test_what_was_acknowledged_outlives_a_kill(home: Path, tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    allowed: Allowed = {f"{number}.md": {None} for number in range(DOCUMENTS)}
    for name in allowed:
        (files / name).write_text("# Nothing yet\n\nRevision 0.\n")
    for seed in range(1, ROUNDS + 1):
        await asyncio.to_thread(work_and_be_killed, home, files, seed, allowed)
        await inspect(home, allowed)
    for name in allowed:  # the kill may have come while a file was written
        (files / name).write_text("# The last word\n\nRevision 9.\n")
    async with atril.open(home, embedder=HashEmbedder()) as library:
        report = await library.add([files])
        assert report.failed == ()
        assert len(await library.documents()) == DOCUMENTS
