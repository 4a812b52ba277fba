"""Readers that other packages bring are found through their entry points, here and in the workers."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copy

import pytest

import atril
from atril.documents.parsing import document_types, formats, parse, reader_version
from atril.errors import UnreadableDocument
from atril.testing.embedders import HashEmbedder

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_format"
CARDS = b"BEGIN:VCARD\nFN:Ana Ruiz\nTEL;TYPE=work:600 100 200\nORG:Taller\nEND:VCARD\n"
READERS = """
from atril.documents.parsing import ParsedDocument
from atril.types import Page

def upper(name, data):
    return ParsedDocument(data.decode().upper(), "", "anything", {"n": 1})

def fails(name, data):
    raise KeyError("no such part")

def nothing(name, data):
    return None

def pages(name, data):
    return ParsedDocument("a  \\nb", "t", "x", {}, (Page(1, 0, 9),))
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Makes a distribution that is on the path and nowhere else, as if it had been installed."""

    def make(version: str, **readers: str) -> None:
        info = tmp_path / "site" / "others-1.0.dist-info"
        info.mkdir(parents=True, exist_ok=True)
        points = "".join(f"{suffix} = {reader}\n" for suffix, reader in readers.items())
        (info / "entry_points.txt").write_text(f"[{formats.GROUP}]\n{points}")
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: others\nVersion: {version}\n")
        (tmp_path / "site" / "other_readers.py").write_text(READERS)
        copy(EXAMPLE / "atril_vcards.py", tmp_path / "site")
        formats.foreign_parsers.cache_clear()

    monkeypatch.syspath_prepend(tmp_path / "site")
    yield make
    formats.foreign_parsers.cache_clear()


def example() -> dict[str, str]:
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())
    found: dict[str, str] = project["project"]["entry-points"][formats.GROUP]
    return found


async def test_the_example_reads_its_format_in_a_library(install: Install, tmp_path: Path) -> None:
    install("1.0", **example())
    (tmp_path / "team.vcf").write_bytes(CARDS)
    async with atril.open(tmp_path / "home", embedder=HashEmbedder()) as library:
        report = await library.add(tmp_path / "team.vcf")
        assert (report.added, report.failed) == (1, ())
        assert (await library.read("team.vcf")).startswith("## Ana Ruiz\n\n- Phone: 600 100 200")
        result = await library.search("Ana phone", type="vcf", mode="lexical")
        assert result.results[0].metadata.section_title == "Ana Ruiz"


def test_what_a_reader_gives_is_made_canonical(install: Install) -> None:
    install("1.0", loud="other_readers:upper")
    document = parse("note.LOUD", "cafe\u0301  \r\nmore".encode())
    assert (document.text, document.title, document.type) == ("CAFÉ\nMORE", "CAFÉ", "loud")
    assert document.metadata == {"n": "1"}
    assert document_types()[-1] == "loud"


def test_a_reader_takes_its_suffix_over_whatever_is_inside(install: Install) -> None:
    install("1.0", html="other_readers:upper")
    assert parse("a.html", b"<html><p>x").text == "<HTML><P>X"


@pytest.mark.parametrize("reader", ["fails", "nothing", "pages", "missing"])
def test_a_reader_that_fails_is_a_damaged_file(install: Install, reader: str) -> None:
    install("1.0", odd=f"other_readers:{reader}")
    with pytest.raises(UnreadableDocument) as caught:
        parse("a.odd", b"data")
    assert caught.value.reason == "corrupt"


def test_another_release_of_a_reader_reads_files_again(install: Install) -> None:
    install("1.0", loud="other_readers:upper")
    before = reader_version("a.loud")
    install("1.1", loud="other_readers:upper")
    assert (before, reader_version("a.loud"), reader_version("a.pdf")) == ("others 1.0", "others 1.1", "")
