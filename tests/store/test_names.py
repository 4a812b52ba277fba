"""Names are given once, and understood generously."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from drafting import draft
from hypothesis import given
from hypothesis import strategies as st

from atril.errors import AmbiguousName, DocumentNotFound
from atril.store.names import matching, stem_of
from atril.store.records import Records
from atril.types import Scope

SCOPE = Scope()


@pytest.fixture
async def records(tmp_path: Path) -> AsyncIterator[Records]:
    opened = await Records.open(tmp_path)
    yield opened
    await opened.close()


async def named(
    records: Records, name: str, source: str, *, folder: str = "docs", **more: str
) -> tuple[str, str]:
    pending = await records.begin(SCOPE, draft(name, source=source, folder=folder, **more))
    await records.commit(SCOPE, [pending.version])
    return pending.name, pending.stem


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("BOE-A-2015-11430.md", "BOE-A-2015-11430"),
        ("leyes/Ley 20.2007.md", "leyes_Ley_20_2007"),
        ("archive.tar.gz", "archive_tar"),
        ("versión v1.2", "versión_v1_2"),
        (".config", "_config"),
        ("docs/.env", "docs__env"),
        ("a\tb\\c.txt", "a_b_c"),
    ],
)
def test_a_stem_is_the_name_without_extension_dots_slashes_and_blanks(name: str, stem: str) -> None:
    assert stem_of(name) == stem


@given(st.text(min_size=1))
def test_no_stem_holds_what_would_break_an_id(name: str) -> None:
    assert not any(letter in "./\\" or letter.isspace() for letter in stem_of(name))


async def test_a_name_that_is_taken_gets_the_folder_before_it_and_then_digits(records: Records) -> None:
    assert await named(records, "a.md", "/x/docs/a.md") == ("a.md", "a")
    assert await named(records, "a.md", "/y/laws/a.md", folder="laws") == ("laws/a.md", "laws_a")
    name, _ = await named(records, "a.md", "/z/laws/a.md", folder="laws")
    assert name.startswith("laws/a_")
    assert name.endswith(".md")


async def test_the_name_stays_when_the_document_changes(records: Records) -> None:
    await named(records, "a.md", "/x/a.md")
    assert await named(records, "other.md", "/x/a.md", text="distinto") == ("a.md", "a")


async def test_the_same_source_in_two_collections_is_two_documents(records: Records) -> None:
    await named(records, "a.md", "/x/a.md")
    name, _ = await named(records, "a.md", "/x/a.md", folder="x", collection="otra")
    assert name == "x/a.md"


async def test_stems_clash_whatever_their_case_and_extension(records: Records) -> None:
    assert await named(records, "Contrato.pdf", "/x/1") == ("Contrato.pdf", "Contrato")
    for number, name in enumerate(("contrato.md", "CONTRATO.html"), start=2):
        stem = (await named(records, name, f"/x/{number}"))[1]
        head, _, digits = stem.rpartition("_")
        assert (head.lower(), len(digits)) == ("contrato", 6)
        int(digits, 16)


async def test_a_name_is_free_again_once_its_document_is_removed(records: Records) -> None:
    await named(records, "a.md", "/x/a.md")
    await records.remove(SCOPE, [(await records.find(SCOPE, "a.md")).id])
    assert await named(records, "a.md", "/y/a.md") == ("a.md", "a")


async def test_a_file_name_that_is_no_text_is_kept_legible(records: Records) -> None:
    name, _ = await named(records, "caf\udce9.md", "/x/caf\udce9.md")
    assert name == "caf\\udce9.md"
    assert await records.identify(SCOPE, "default", "/x/caf\udce9.md") is not None
    assert (await records.find(SCOPE, name)).title == "CAF\\udce9.MD"


NAMES = [
    "es/Estatuto.md",
    "es/Ley de Función.md",
    "ru/Договор.pdf",
    "guide.md",
    "guide.pdf",
    "old/guide.md",
    "v1.2/notes.txt",
]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("guide.md", ["guide.md"]),
        ("old/guide.md", ["old/guide.md"]),
        ("Estatuto.md", ["es/Estatuto.md"]),
        ("es/Estatuto", ["es/Estatuto.md"]),
        ("Estatuto", ["es/Estatuto.md"]),
        ("Estatuto.pdf", ["es/Estatuto.md"]),
        ("ESTATUTO", ["es/Estatuto.md"]),
        ("ley de funcion", ["es/Ley de Función.md"]),
        ("LEY DE FUNCION.docx", ["es/Ley de Función.md"]),
        ("договор", ["ru/Договор.pdf"]),
        ("  ./es\\Estatuto.md ", ["es/Estatuto.md"]),
        ("guide", ["guide.md", "guide.pdf"]),
        ("notes", ["v1.2/notes.txt"]),
        ("statuto.md", []),
        ("", []),
    ],
)
def test_a_written_name_means_what_is_most_like_it(written: str, meant: list[str]) -> None:
    assert matching(written, NAMES) == meant


async def test_the_error_lists_what_an_ambiguous_name_could_be(records: Records) -> None:
    await named(records, "guide.md", "/1")
    await named(records, "guide.pdf", "/2")
    with pytest.raises(AmbiguousName) as caught:
        await records.find(SCOPE, "Guide")
    assert caught.value.fields["matches"] == "guide.md, guide.pdf"


async def test_the_error_suggests_up_to_three_similar_names(records: Records) -> None:
    for number in range(1, 6):
        await named(records, f"laws/statute-{number}.md", f"/{number}")
    await named(records, "zzz.md", "/zzz")
    with pytest.raises(DocumentNotFound) as caught:
        await records.find(SCOPE, "statut.md")
    similar = str(caught.value.fields["similar"]).split(", ")
    assert len(similar) == 3
    assert all(name.startswith("laws/statute-") for name in similar)
    with pytest.raises(DocumentNotFound, match="nor one with a similar name"):
        await records.find(SCOPE, "0123456789")
