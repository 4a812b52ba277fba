import inspect
from pathlib import Path

import pytest

import atril
from atril.errors import DocumentNotFound
from atril.testing.embedders import HashEmbedder
from atril.types import Scope


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


def test_every_public_method_is_there_and_none_has_to_be_awaited(home: Path) -> None:
    public = {name for name in vars(atril.Library) if not name.startswith("_")}
    with atril.open_sync(home, embedder=HashEmbedder()) as library:
        assert public <= set(dir(library))
        for name in public:
            method = getattr(library, name)
            assert callable(method)
            assert not (inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method))
        for name in _giving_libraries():
            assert isinstance(getattr(library, name)(Scope("other")), type(library))


def _giving_libraries() -> set[str]:
    methods = {name: value for name, value in vars(atril.Library).items() if not name.startswith("_")}
    found = {name for name, value in methods.items() if value.__annotations__.get("return") == "Library"}
    assert "within" in found
    return found


def test_another_tenant_is_seen_without_waiting_either(home: Path, folder: Path) -> None:
    with atril.open_sync(home, embedder=HashEmbedder()) as library:
        other = library.within(Scope("other"))
        assert other.add([folder]).added == 2
        assert (len(other.documents()), library.documents()) == (2, [])
