"""Profiles: what a folder may hold, how it is found, and what is said when something in it is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from atril.errors import InvalidProfile, ProfileNotFound
from atril.profiles.loading import load_profile, shipped
from atril.profiles.profile import GlossaryEntry, Norm, Profile, rank_of
from atril.types import Document

Folder = Callable[..., Path]

NORMS = """
[[norm]]
identifier = "BOE-1"
titles = ["Ley de Bicicletas", "Ley 1/2020"]
abbreviations = ["LB"]
rank = 2

[[norm]]
identifier = "BOE-2"
"""
GLOSSARY = """
[forms]
morir = ["murió"]

[[entry]]
phrases = ["paro", "en la calle"]
terms = ["prestación por desempleo"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    def write(**texts: str) -> Path:
        profile = tmp_path / "mine"
        (profile / "answering").mkdir(parents=True, exist_ok=True)
        for name, text in ({"profile": 'name = "mine"'} | texts).items():
            (profile / f"{name}.toml").write_text(text, encoding="utf-8")
        return profile

    return write


def document(name: str = "a.md", title: str = "", **metadata: str) -> Document:
    return Document(
        id=uuid4(),
        version=uuid4(),
        name=name,
        stem="a",
        source=f"/{name}",
        collection="default",
        labels=(),
        title=title,
        type="md",
        language="es",
        description="",
        metadata=metadata,
        pages=None,
        chunks=0,
        bytes=0,
        content_hash="",
        added_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def test_a_folder_gives_a_profile(folder: Folder) -> None:
    head = 'name = "mine"\nversion = 3\nlanguage = "es"\ngrounding = "reasoned"\n'
    path = folder(
        profile=head + "[weights]\nleyes = 1\ncartas = 0.5\n[ranks]\nley = 2", norms=NORMS, glossary=GLOSSARY
    )
    (path / "answering" / "es.md").write_text("Cita siempre.\n", encoding="utf-8")
    (path / "answering" / "notes about this.md").write_text("for authors", encoding="utf-8")
    profile = load_profile(str(path))
    assert profile == Profile(
        name="mine",
        version="3",
        language="es",
        grounding="reasoned",
        weights={"leyes": 1.0, "cartas": 0.5},
        ranks={"ley": 2},
        norms=(Norm("BOE-1", ("Ley de Bicicletas", "Ley 1/2020"), ("LB",), 2), Norm("BOE-2")),
        glossary=(GlossaryEntry(("paro", "en la calle"), ("prestación por desempleo",)),),
        forms={"morir": ("murió",)},
        answering={"es": "Cita siempre."},
    )


def test_only_a_name_is_required(folder: Folder) -> None:
    assert load_profile(str(folder())) == Profile(name="mine")


def test_the_file_itself_may_be_named(folder: Folder) -> None:
    assert load_profile(str(folder() / "profile.toml")) == Profile(name="mine")


def test_no_profile_is_none() -> None:
    assert load_profile(None) is None


@pytest.mark.parametrize("name", ["no-such", "../labour-law-es", "", "Labour-law-es", "loading.py"])
def test_an_unknown_name_is_told_what_there_is(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ProfileNotFound, match="labour-law-es"):
        load_profile(name)


@pytest.mark.parametrize(
    ("file", "text", "key", "problem"),
    [
        ("profile", "version = 1", "name", "missing"),
        ("profile", 'name = " "', "name", "text"),
        ("profile", 'name = "x"\nnorm = 1', "norm", "unknown"),
        ("profile", 'name = "x"\nversion = 1.5', "version", "text"),
        ("profile", 'name = "x"\ngrounding = "loose"', "grounding", "choice"),
        ("profile", 'name = "x"\nweights = 1', "weights", "table"),
        ("profile", 'name = "x"\n[weights]\nleyes = 0', "weights.leyes", "weight"),
        ("profile", 'name = "x"\n[weights]\nleyes = nan', "weights.leyes", "weight"),
        ("profile", 'name = "x"\n[ranks]\nley = 6', "ranks.ley", "rank"),
        ("profile", 'name = "x"\n[ranks]\nley = true', "ranks.ley", "rank"),
        ("profile", "name = x", "-", "not_toml"),
        ("norms", 'norm = "x"', "norm", "tables"),
        ("norms", "norm = [1]", "norm", "tables"),
        ("norms", "[[law]]", "law", "unknown"),
        ("norms", NORMS + 'colour = "red"', "norm 2: colour", "unknown"),
        ("norms", NORMS + "rank = 0", "norm 2: rank", "rank"),
        ("norms", NORMS + 'outdated = "yes"', "norm 2: outdated", "yes"),
        ("norms", NORMS + 'concerns = "us"', "norm 2: concerns", "texts"),
        ("norms", NORMS + '[[norm]]\nidentifier = "boe-1"', "norm 3: identifier", "repeated"),
        ("glossary", GLOSSARY + '[[entry]]\nphrases = ["a"]', "entry 2: terms", "missing"),
        ("glossary", GLOSSARY + '[[entry]]\nphrases = []\nterms = ["b"]', "entry 2: phrases", "texts"),
        ("glossary", GLOSSARY + '[[entry]]\nphrases = ["a", ""]\nterms = ["b"]', "entry 2: phrases", "texts"),
        (
            "glossary",
            GLOSSARY + '[[entry]]\nphrases = ["Paro"]\nterms = ["b"]',
            "entry 2: phrases",
            "repeated",
        ),
        ("glossary", 'forms = ["a"]', "forms", "table"),
    ],
)
def test_what_is_wrong_is_told_with_its_file_and_key(
    folder: Folder, file: str, text: str, key: str, problem: str
) -> None:
    path = folder(**{file: text})
    with pytest.raises(InvalidProfile) as caught:
        load_profile(str(path))
    fields = caught.value.fields
    assert (Path(str(fields["file"])).name, fields["name"], fields["problem"]) == (
        f"{file}.toml",
        key,
        problem,
    )
    for language in ("en", "es", "ru"):
        assert f"{file}.toml, {key}: " in caught.value.localized(language)


def test_a_file_in_another_encoding_is_told(folder: Folder) -> None:
    path = folder()
    (path / "norms.toml").write_bytes("titles = ['Constitución']".encode("cp1252"))
    with pytest.raises(InvalidProfile, match=r"norms\.toml.*UTF-8"):
        load_profile(str(path))


def test_the_fingerprint_follows_what_decides_about_the_index_and_nothing_else() -> None:
    profile = Profile("mine", norms=(Norm("BOE-1", ("Ley",), ("L",), 2),), ranks={"ley": 2, "orden": 5})
    same = [
        replace(profile, version="2", name="other", weights={"a": 0.5}, grounding="reasoned"),
        replace(profile, glossary=(GlossaryEntry(("a",), ("b",)),), forms={"a": ("b",)}),
        replace(profile, answering={"es": "x"}, ranks={"orden": 5, "ley": 2}),
    ]
    others = [
        replace(profile, norms=(Norm("BOE-1", ("Ley",), ("L",), 3),)),
        replace(profile, norms=(Norm("BOE-1", ("Ley",), ("L", "LL"), 2),)),
        replace(profile, ranks={"ley": 2}),
        replace(profile, language="en"),
    ]
    assert {each.index_fingerprint for each in same} == {profile.index_fingerprint}
    assert len({each.index_fingerprint for each in (profile, *others)}) == 5


@pytest.mark.parametrize(
    "held",
    [
        document("laws/BOE-1.md"),
        document("x.md", identifier="BOE-1"),
        document("lb.pdf"),
        document("x.md", title="LEY DE  BICICLETAS"),
    ],
)
def test_a_document_is_known_by_identifier_file_name_or_title(held: Document) -> None:
    law = Norm("BOE-1", ("Ley de Bicicletas",), ("LB",), 2)
    assert Profile("mine", norms=(law,)).norm_of(held) is law


def test_rank_comes_from_the_norm_then_from_the_kind_and_is_lowest_otherwise() -> None:
    profile = Profile("mine", norms=(Norm("BOE-1", rank=3), Norm("BOE-2")), ranks={"ley": 2})
    assert rank_of(profile, document("BOE-1.md", rank="ley")) == 3
    assert rank_of(profile, document("BOE-2.md", rank="ley")) == 2
    assert rank_of(profile, document("other.md", rank="poem")) == 5
    assert rank_of(None, document("BOE-1.md", rank="ley")) == 5


def test_the_template_is_a_profile_that_shows_every_key() -> None:
    template = load_profile("template")
    assert template is not None
    assert template.weights
    assert template.ranks
    assert template.answering
    assert template.forms
    assert template.glossary
    assert any(norm.rank and norm.abbreviations and norm.concerns for norm in template.norms)


def test_labour_law_ships() -> None:
    assert shipped() == ["labour-law-es"]
    profile = load_profile("labour-law-es")
    assert profile is not None
    assert (profile.name, profile.language, profile.grounding) == ("labour-law-es", "es", "reasoned")
    assert (profile.weights["normativa"], profile.weights["sentencias"], profile.weights["criterios"]) == (
        1.0,
        0.8,
        0.9,
    )
    assert set(profile.answering) == {"es", "en", "ru"}
    assert len(profile.norms) == 64
    assert len(profile.glossary) > 220
    law = profile.norm_of(document("x.md", title="Estatuto de los Trabajadores"))
    assert law is not None
    assert (law.identifier, law.rank) == ("BOE-A-2015-11430", 2)


def test_no_name_belongs_to_two_norms_of_labour_law() -> None:
    profile = load_profile("labour-law-es")
    assert profile is not None
    names = [
        name.casefold()
        for norm in profile.norms
        for name in (norm.identifier, *norm.titles, *norm.abbreviations)
    ]
    assert len(names) == len(set(names))
