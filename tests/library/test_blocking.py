from pathlib import Path

import pytest

import atril
from atril.errors import DocumentNotFound
from atril.testing.embedders import HashEmbedder


def test_a_program_without_an_event_loop_does_the_same(home: Path, folder: Path) -> None:
    with atril.open_sync(home, embedder=HashEmbedder()) as library:
        assert library.add([folder]).added == 2
        assert library.search("vacaciones").results[0].source_file == "manual.md"
        assert library.ask("¿Cuántos días de vacaciones tengo?").found


def test_errors_come_through_as_they_are(home: Path) -> None:
    with atril.open_sync(home, embedder=HashEmbedder()) as library, pytest.raises(DocumentNotFound):
        library.read("nothing")


def test_watching_is_an_ordinary_iterator(home: Path, folder: Path) -> None:
    with atril.open_sync(home, embedder=HashEmbedder()) as library:
        reports = library.watch(folder)
        assert next(reports).added == 2
        reports.close()


def test_every_public_coroutine_is_there(home: Path) -> None:
    public = {name for name in vars(atril.Library) if not name.startswith("_")}
    with atril.open_sync(home, embedder=HashEmbedder()) as library:
        assert public <= set(dir(library))
        assert all(callable(getattr(library, name)) for name in public)
