"""Phrases, exclusions and synonyms in a search by words."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.errors import InvalidSetting
from atril.profiles.profile import GlossaryEntry, Profile
from atril.retrieval.glossary import Glossary
from atril.retrieval.lexical import analyse_query
from atril.retrieval.operators import parse_operators
from atril.retrieval.searcher import SearchOptions
from atril.retrieval.synonyms import Rule, SynonymFile, SynonymsOf
from atril.types import SearchMode, SearchResult
from shelf import SCOPE, Shelf


def names(result: SearchResult) -> list[str]:
    return sorted(hit.source_file for hit in result.results)


@pytest.mark.parametrize(
    ("query", "text", "phrases", "excluded"),
    [
        ('contrato "obra o servicio"', "contrato obra o servicio", ("obra o servicio",), ()),
        ("contrato «a tiempo parcial» -prácticas", "contrato a tiempo parcial",
         ("a tiempo parcial",), ("prácticas",)),
        ('jornada -"horas extraordinarias"', "jornada", (), ("horas extraordinarias",)),
        ("AB-12 entre 2019-2021 - nota", "AB-12 entre 2019-2021 - nota", (), ()),
        ('una comilla " suelta', 'una comilla " suelta', (), ()),
        ("-nada", "-nada", (), ()),
    ],
)  # fmt: skip
def test_a_query_is_taken_apart(
    query: str, text: str, phrases: tuple[str, ...], excluded: tuple[str, ...]
) -> None:
    asked = parse_operators(query)
    assert (asked.text, asked.phrases, asked.excluded) == (text, phrases, excluded)


@given(st.text())
def test_no_query_fails(query: str) -> None:
    asked = parse_operators(query)
    assert asked.text.strip() or not query.strip()


@pytest.fixture
async def stocked(shelf: Shelf) -> Shelf:
    await shelf.add("parcial.md", ["El contrato a tiempo parcial y su jornada."])
    await shelf.add("obra.md", ["El contrato de obra. El tiempo de trabajo parcial."])
    await shelf.add("practicas.md", ["El contrato en prácticas a tiempo parcial."])
    return shelf


@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('contrato "tiempo parcial"', ["parcial.md", "practicas.md"]),
        ('contrato "Tiempos Parciales"', ["parcial.md", "practicas.md"]),
        ("contrato -practicas", ["obra.md", "parcial.md"]),
        ('contrato -"tiempo parcial"', ["obra.md"]),
        ('"contrato" "obra" -jornada', ["obra.md"]),
    ],
)
async def test_phrases_must_be_there_and_exclusions_must_not(
    stocked: Shelf, mode: SearchMode, query: str, expected: list[str]
) -> None:
    assert names(await stocked.searcher().search(SCOPE, query, mode=mode)) == expected


async def test_what_fits_is_found_below_much_that_does_not(shelf: Shelf) -> None:
    for number in range(40):
        await shelf.add(f"{number}.md", ["contrato contrato temporal"])
    await shelf.add("fijo.md", ["Un contrato de otra clase, que dura lo que dura la relación laboral."])
    result = await shelf.searcher().search(SCOPE, "contrato -temporal", mode="lexical", top_k=3)
    assert names(result) == ["fijo.md"]


async def test_chunks_with_all_words_come_before_chunks_with_some(shelf: Shelf) -> None:
    for number in range(5):
        await shelf.add(f"raro{number}.md", ["excedencia excedencia excedencia"])
    for number in range(2):
        await shelf.add(f"ambos{number}.md", [f"excedencia y, mucho más abajo, {'otra cosa ' * 30} jornada"])
    searcher = shelf.searcher()
    few = await searcher.search(SCOPE, "excedencia jornada", mode="lexical", top_k=2)
    assert names(few) == ["ambos0.md", "ambos1.md"]
    assert few.search_params["operator"] == "AND"
    more = await searcher.search(SCOPE, "excedencia jornada", mode="lexical", top_k=4)
    assert more.total_found == 4
    assert {"ambos0.md", "ambos1.md"} < set(names(more))
    assert more.search_params["operator"] == "OR"
    scores = [hit.score for hit in more.results]
    assert scores == sorted(scores, reverse=True)


class TestSynonyms:
    RULES = (Rule("MuleSoft", ("plataforma",)), Rule("APIKit", ("framework",)))

    async def test_the_expanded_query_and_the_synonyms_are_told(self, shelf: Shelf) -> None:
        await shelf.add("a.md", ["MuleSoft APIKit permite construir interfaces."])
        await shelf.add("b.md", ["La plataforma incluye un framework."])
        await shelf.add("c.md", ["Nada de eso."])
        searcher = shelf.searcher(SearchOptions(synonyms=SynonymFile(self.RULES)))
        result = await searcher.search(SCOPE, "MuleSoft APIKit", mode="lexical", top_k=5)
        assert result.expanded_query == "(MuleSoft OR plataforma) AND (APIKit OR framework)"
        assert result.search_params["synonyms_used"] == ["plataforma", "framework"]
        assert result.search_params["operator"] == "OR"
        assert [hit.source_file for hit in result.results] == ["a.md", "b.md"]

    async def test_without_synonyms_nothing_is_expanded(self, shelf: Shelf) -> None:
        await shelf.add("a.md", ["MuleSoft APIKit"])
        result = await shelf.searcher().search(SCOPE, "MuleSoft APIKit", mode="lexical")
        assert (result.expanded_query, result.search_params["synonyms_used"]) == (None, [])

    def test_a_file_has_groups_and_one_way_rules_in_any_language(self, tmp_path: Path) -> None:
        path = tmp_path / "synonyms.txt"
        path.write_text("# nota\nnómina, recibo de salarios\nsalario => sueldo # uno\nотпуск, vacation\n")
        source = SynonymFile.load(path)
        assert [each.words for each in source.synonyms("la nomina y el salario", ["es"])] == [
            ("recibo de salarios",),
            ("sueldo",),
        ]
        assert [each.words for each in source.synonyms("recibos de salario", ["es"])] == [("nómina",)]
        assert [each.words for each in source.synonyms("отпуска", ["ru"])] == [("vacation",)]
        assert source.synonyms("sueldo", ["es"]) == []

    async def test_the_glossary_of_a_profile_gives_synonyms_too(self, shelf: Shelf) -> None:
        await shelf.add("a.md", ["El despido disciplinario."])
        glossary = Glossary(Profile("x", glossary=(GlossaryEntry(("me han echado",), ("despido",)),)))
        both = SynonymsOf(SynonymFile([Rule("jefe", ("empresario",))]), glossary)
        assert [each.words for each in both.synonyms("mi jefe dice que me han echado", ["es"])] == [
            ("empresario",),
            ("despido",),
        ]
        lexical = await analyse_query(shelf.records, SCOPE, "me han echado", both)
        assert lexical.expanded == "(echado OR despido)"

    @pytest.mark.parametrize("content", ["solo\n", "a =>\n"])
    def test_a_line_that_says_nothing_is_named(self, tmp_path: Path, content: str) -> None:
        path = tmp_path / "synonyms.txt"
        path.write_text(f"a, b\n{content}")
        with pytest.raises(InvalidSetting, match=":2"):
            SynonymFile.load(path)

    def test_a_file_that_is_missing_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidSetting, match="nada"):
            SynonymFile.load(tmp_path / "nada.txt")
