"""What a question cites goes first, what is known beside words takes part, and a search says why."""

import pytest

import atril

LAW = """# Ley 20/2007, de 11 de julio, del Estatuto del trabajo autónomo

## Artículo 1. Ámbito

Esta ley se aplica a quienes trabajan por cuenta propia.

## Artículo 2. Descanso

El descanso anual es de dieciocho días, conforme al artículo 4 de esta ley.

## Artículo 3. Horario

El horario lo fija el acuerdo entre las partes.

## Artículo 4. Cómputo

Se cuentan fechas hábiles.
"""
ORDER = """# Orden de calendario

## Artículo 1. Objeto

El descanso anual se anota en el calendario.
"""


@pytest.fixture
async def laws(library: atril.Library) -> atril.Library:
    texts = [{"name": "LETA.md", "text": LAW}, {"name": "orden.md", "text": ORDER}]
    await library.add_texts(texts, collection="normativa")
    return library


async def places(library: atril.Library, query: str, **options: object) -> list[tuple[str, str | None]]:
    result = await library.search(query, **options)  # type: ignore[arg-type]
    return [(hit.source_file, hit.metadata.article) for hit in result.results]


@pytest.mark.parametrize("query", ["art. 3 de la Ley 20/2007", "¿Qué dice el artículo 3 de la Ley 20/2007?"])
async def test_a_cited_article_goes_first(laws: atril.Library, query: str) -> None:
    result = await laws.search(query)
    assert (result.results[0].source_file, result.results[0].metadata.article) == ("LETA.md", "3")
    assert result.results[0].score == 1.0
    assert all(hit.score < 1.0 for hit in result.results[1:])


async def test_a_citation_does_not_pass_a_filter(laws: atril.Library) -> None:
    found = await places(laws, "artículo 3 de la Ley 20/2007", document="orden.md")
    assert {name for name, _ in found} == {"orden.md"}


async def test_an_article_that_is_not_there_is_no_error(laws: atril.Library) -> None:
    result = await laws.search("artículo 99 de la Ley 20/2007", explain=True)
    assert result.results
    assert result.explanation is not None
    assert result.explanation.lookups


async def test_scores_stay_in_order_and_in_bounds(laws: atril.Library) -> None:
    scores = [hit.score for hit in (await laws.search("¿descanso anual y horario?")).results]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)


async def test_an_explanation_is_there_when_asked_for(laws: atril.Library) -> None:
    plain = await laws.search("descanso anual")
    explained = await laws.search("descanso anual", explain=True)
    assert "explanation" not in plain.to_dict()
    assert explained.results == plain.results
    told = explained.to_dict()["explanation"]
    assert [hit["chunk_id"] for hit in told["hits"]] == [hit.chunk_id for hit in explained.results]
    assert all(hit["found"] or hit["moved"] for hit in told["hits"])


@pytest.mark.parametrize("mode", ["lexical", "semantic"])
async def test_every_mode_explains(laws: atril.Library, mode: atril.types.SearchMode) -> None:
    result = await laws.search("descanso anual", mode=mode, explain=True)
    assert result.explanation is not None
    assert len(result.explanation.hits) == len(result.results)


async def test_an_explanation_says_what_was_cut_and_looked_up(laws: atril.Library) -> None:
    result = await laws.search("Hola, ¿qué dice el artículo 3 de la Ley 20/2007?", explain=True)
    assert result.explanation is not None
    assert any("LETA.md" in sentence for sentence in result.explanation.lookups)
    assert any("Hola" in sentence for sentence in result.explanation.queries[0].cut)
    assert result.explanation.hits[0].moved


async def test_a_comparison_is_searched_for_in_parts(laws: atril.Library) -> None:
    result = await laws.search("¿Qué diferencia hay entre el descanso y el horario?", explain=True)
    assert result.explanation is not None
    assert [query.query for query in result.explanation.queries[1:]] == ["descanso", "horario"]


async def test_what_the_best_hit_refers_to_comes_along(laws: atril.Library) -> None:
    found = await places(laws, "descanso anual", top_k=4)
    assert ("LETA.md", "4") in found


async def test_a_cited_article_is_read_out(laws: atril.Library) -> None:
    answer = await laws.ask("¿Qué dice el artículo 3 de la Ley 20/2007?")
    assert answer.found
    assert answer.citations[0].quote == "El horario lo fija el acuerdo entre las partes."


async def test_an_explanation_names_words_that_no_document_has(laws: atril.Library) -> None:
    result = await laws.search("el descanso del currante", explain=True)
    assert result.explanation is not None
    common, unknown = result.explanation.queries[0].cut
    assert "el, del" in common
    assert "currante" in unknown
    assert "descanso" not in unknown


async def test_what_is_cut_is_told_of_the_parts_that_go_without_it(laws: atril.Library) -> None:
    result = await laws.search("Hola, ¿qué diferencia hay entre el descanso y el horario?", explain=True)
    assert result.explanation is not None
    _, first, *_ = result.explanation.queries
    assert any("Hola" in sentence for sentence in first.cut)


async def test_similarities_are_those_of_a_search_by_meaning(laws: atril.Library) -> None:
    nearest = (await laws.search("descanso anual", mode="semantic")).results[0]
    result = await laws.search("descanso anual", explain=True)
    assert result.explanation is not None
    told = next(hit for hit in result.explanation.hits if hit.chunk_id == nearest.chunk_id)
    assert any(f"{nearest.score:.2f}" in sentence for sentence in told.found)


async def test_a_phrase_that_nothing_holds_is_left_out_and_told(laws: atril.Library) -> None:
    result = await laws.search('"descanso del guerrero"', explain=True)
    assert result.results
    assert result.search_params["phrases_left_out"] == ["descanso del guerrero"]
    assert result.explanation is not None
    assert any("descanso del guerrero" in note for note in result.explanation.notes)


async def test_quotes_in_a_pasted_passage_ask_for_nothing(laws: atril.Library) -> None:
    passage = 'El "descanso del guerrero" -no el de otros- ' + "se anota en el calendario. " * 20
    for mode in ("lexical", "hybrid"):
        result = await laws.search(passage, mode=mode)  # type: ignore[arg-type]
        assert result.results[0].source_file == "orden.md"
        assert "phrases_left_out" not in result.search_params
