"""Search over real records: what is found, in which order, under which filters, and what is reported."""

from dataclasses import replace
from typing import Any

import pytest

from atril.errors import AmbiguousName, DocumentNotFound, InvalidArgument, LimitExceeded
from atril.models.embeddings import Vectors
from atril.retrieval.search_filters import SearchFilters
from atril.retrieval.searcher import SearchOptions
from atril.types import Scope, SearchMode, SearchResult
from shelf import SCOPE, Shelf

MODES: list[SearchMode] = ["lexical", "semantic", "hybrid"]

HOLIDAYS = "Las vacaciones anuales son de treinta días naturales."
REFUNDS = "Las devoluciones se pagan en catorce días."
SHIFTS = "Entre dos turnos median doce horas de descanso."


@pytest.fixture
async def library(shelf: Shelf) -> Shelf:
    await shelf.add("normas/ET.md", [HOLIDAYS, SHIFTS], collection="normativa", labels=("rrhh",))
    await shelf.add(
        "tienda.md", [REFUNDS, "El envío es gratis."], collection="tienda", metadata={"año": "2026"}
    )
    await shelf.add("staff.txt", ["Annual leave is thirty days.", "Refunds take two weeks."], language="en")
    return shelf


def contents(result: SearchResult) -> list[str]:
    return [hit.content for hit in result.results]


class TestModes:
    @pytest.mark.parametrize("mode", MODES)
    async def test_each_finds_the_passage(self, library: Shelf, mode: SearchMode) -> None:
        result = await library.searcher().search(SCOPE, "vacaciones anuales", mode=mode)
        assert contents(result)[0] == HOLIDAYS
        assert result.search_type == f"{mode}_search"
        assert result.total_found == len(result.results)
        assert result.execution_time_ms > 0

    async def test_lexical_finds_only_what_shares_a_word(self, library: Shelf) -> None:
        result = await library.searcher().search(SCOPE, "devolucion", mode="lexical")
        assert contents(result) == [REFUNDS]

    async def test_a_query_is_read_in_every_language_of_the_library(self, library: Shelf) -> None:
        result = await library.searcher().search(SCOPE, "refund devolución", mode="lexical")
        assert set(contents(result)) == {"Refunds take two weeks.", REFUNDS}

    @pytest.mark.parametrize("query", ["xyzzy", "¿?", "de la"])
    async def test_lexical_gives_nothing_for_words_nobody_wrote(self, library: Shelf, query: str) -> None:
        assert contents(await library.searcher().search(SCOPE, query, mode="lexical")) == []

    async def test_an_empty_library_gives_nothing(self, shelf: Shelf) -> None:
        for mode in MODES:
            assert (await shelf.searcher().search(SCOPE, "vacaciones", mode=mode)).results == ()

    async def test_the_same_search_gives_the_same_hits(self, library: Shelf) -> None:
        searches = [await library.searcher().search(SCOPE, "días de descanso") for _ in range(3)]
        assert searches[0].results == searches[1].results == searches[2].results


class TestScores:
    async def test_semantic_scores_are_calibrated(self, library: Shelf) -> None:
        result = await library.searcher().search(SCOPE, HOLIDAYS, mode="semantic")
        assert result.results[0].score == 1.0
        assert all(0.0 <= hit.score <= 1.0 for hit in result.results)

    async def test_the_best_of_both_sides_scores_highest(self, library: Shelf) -> None:
        for fusion in ("dbsf", "rrf"):
            searcher = library.searcher(SearchOptions(fusion=fusion))
            scores = [hit.score for hit in (await searcher.search(SCOPE, HOLIDAYS)).results]
            assert scores == sorted(scores, reverse=True)
            assert all(0.0 <= score <= 1.0 for score in scores)

    async def test_lexical_scores_do_not_know_weights(self, library: Shelf) -> None:
        before = await library.searcher().search(SCOPE, "días", mode="lexical")
        await library.records.set_collection(SCOPE, "normativa", weight=0.1)
        assert (await library.searcher().search(SCOPE, "días", mode="lexical")).results == before.results

    async def test_hybrid_scores_are_multiplied_by_the_weight(self, library: Shelf) -> None:
        before = (await library.searcher().search(SCOPE, "vacaciones anuales")).results[0]
        await library.records.set_collection(SCOPE, "normativa", weight=0.5)
        after = (await library.searcher().search(SCOPE, "vacaciones anuales")).results
        halved = next(hit for hit in after if hit.chunk_id == before.chunk_id)
        assert halved.score == pytest.approx(before.score / 2, abs=1e-6)

    @pytest.mark.parametrize("mode", MODES)
    async def test_min_score_cuts_on_the_scale_of_the_mode(self, library: Shelf, mode: SearchMode) -> None:
        searcher = library.searcher()
        scores = [hit.score for hit in (await searcher.search(SCOPE, "vacaciones días", mode=mode)).results]
        floor = (scores[0] + scores[1]) / 2
        assert floor < scores[0]
        kept = await searcher.search(SCOPE, "vacaciones días", mode=mode, min_score=floor)
        assert [hit.score for hit in kept.results] == scores[:1]

    @pytest.mark.parametrize("mode", MODES)
    async def test_equal_scores_are_ordered_by_document_and_chunk(
        self, shelf: Shelf, mode: SearchMode
    ) -> None:
        added = [await shelf.add(f"{name}.md", [HOLIDAYS, HOLIDAYS]) for name in "abc"]
        result = await shelf.searcher().search(SCOPE, "vacaciones", mode=mode)
        expected = [
            (each.stem, number) for each in sorted(added, key=lambda p: p.document) for number in (1, 2)
        ]
        found = [(hit.source_file.removesuffix(".md"), hit.metadata.index) for hit in result.results]
        assert found == expected
        cut = await shelf.searcher().search(SCOPE, "vacaciones", mode=mode, top_k=3)
        assert cut.results == result.results[:3]


class TestVersions:
    @pytest.mark.parametrize("mode", MODES)
    async def test_points_without_a_current_version_never_surface(
        self, library: Shelf, mode: SearchMode
    ) -> None:
        for number in range(12):
            await library.add(f"borrador{number}.md", [HOLIDAYS], commit=False)
        result = await library.searcher().search(SCOPE, HOLIDAYS, mode=mode, top_k=2)
        assert result.results[0].source_file == "normas/ET.md"
        assert result.total_found == (2 if mode != "lexical" else len(result.results))

    async def test_another_tenant_sees_nothing(self, library: Shelf) -> None:
        for mode in MODES:
            assert not (await library.searcher().search(Scope("other"), "vacaciones", mode=mode)).results


FILTERS: list[tuple[SearchFilters, dict[str, Any], set[str]]] = [
    (SearchFilters(collections=("tienda",)), {"collections": ["tienda"]}, {"tienda.md"}),
    (SearchFilters(labels=("rrhh", "otro")), {"labels": ["rrhh", "otro"]}, {"normas/ET.md"}),
    (SearchFilters(document="et"), {"document": "normas/ET.md"}, {"normas/ET.md"}),
    (SearchFilters(type="txt"), {"type": "txt"}, {"staff.txt"}),
    (SearchFilters(type="content"), {"type": "content"}, {"normas/ET.md", "tienda.md", "staff.txt"}),
    (SearchFilters(type="table"), {"type": "table"}, set()),
    (SearchFilters(language="en"), {"language": "en"}, {"staff.txt"}),
    (SearchFilters(metadata={"año": "2026"}), {"metadata": {"año": "2026"}}, {"tienda.md"}),
    (
        SearchFilters(collections=("tienda",), language="en"),
        {"collections": ["tienda"], "language": "en"},
        set(),
    ),
]


class TestFilters:
    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.parametrize(("filters", "applied", "files"), FILTERS)
    async def test_narrow_what_is_found(
        self,
        library: Shelf,
        mode: SearchMode,
        filters: SearchFilters,
        applied: dict[str, Any],
        files: set[str],
    ) -> None:
        result = await library.searcher().search(SCOPE, "días days", mode=mode, filters=filters)
        assert {hit.source_file for hit in result.results} == files
        assert result.search_params["filters_applied"] == applied

    async def test_a_page_finds_every_chunk_that_touches_it(self, shelf: Shelf) -> None:
        await shelf.add("informe.pdf", [HOLIDAYS, REFUNDS, SHIFTS], paged=True)
        result = await shelf.searcher().search(SCOPE, "días", filters=SearchFilters(page=2))
        assert contents(result) == [REFUNDS]
        assert result.results[0].metadata.page == 2

    async def test_the_scope_narrows_too(self, library: Shelf) -> None:
        for scope in (replace(SCOPE, collections=("normativa",)), replace(SCOPE, labels=("rrhh",))):
            result = await library.searcher().search(scope, "días")
            assert {hit.source_file for hit in result.results} == {"normas/ET.md"}

    @pytest.mark.parametrize(
        ("filters", "error"),
        [
            (SearchFilters(type="exe"), InvalidArgument),
            (SearchFilters(page=0), InvalidArgument),
            (SearchFilters(document="nadie.md"), DocumentNotFound),
        ],
    )
    async def test_what_cannot_be_is_refused(
        self, library: Shelf, filters: SearchFilters, error: type[Exception]
    ) -> None:
        with pytest.raises(error):
            await library.searcher().search(SCOPE, "días", filters=filters)

    async def test_an_ambiguous_document_is_refused(self, library: Shelf) -> None:
        await library.add("otras/ET.md", [SHIFTS])
        with pytest.raises(AmbiguousName, match="normas/ET"):
            await library.searcher().search(SCOPE, "días", filters=SearchFilters(document="ET.md"))


class TestWhatIsReported:
    async def test_the_parameters_that_ran(self, library: Shelf) -> None:
        searcher = library.searcher()
        lexical, semantic, hybrid = [
            (await searcher.search(SCOPE, "días", mode=mode, top_k=3)).search_params for mode in MODES
        ]
        assert lexical == {"operator": "OR", "top_k": 3, "filters_applied": {}, "synonyms_used": []}
        assert semantic == {
            "top_k": 3, "min_score": 0.0, "embedding_model": "hash-256", "filters_applied": {},
        }  # fmt: skip
        assert hybrid == {
            "top_k": 3, "min_score": 0.0, "fusion": "dbsf", "embedding_model": "hash-256", "filters_applied": {},
            "synonyms_used": [],
        }  # fmt: skip

    async def test_a_hit_says_where_it_stands(self, library: Shelf) -> None:
        hit = (await library.searcher().search(SCOPE, "turnos")).results[0]
        assert (hit.chunk_id, hit.source_file, hit.content) == (
            "normas_ET_chunk_0002",
            "normas/ET.md",
            SHIFTS,
        )
        text = await library.records.text(SCOPE, (await library.records.find(SCOPE, "ET.md")).id)
        assert text[hit.metadata.start : hit.metadata.end] == hit.content
        assert hit.metadata.collection == "normativa"
        assert hit.metadata.section_title == "Título"
        assert hit.highlights == ("Entre dos <em>turnos</em> median doce horas de descanso.",)

    async def test_a_semantic_hit_without_a_word_of_the_query_has_no_highlights(self, library: Shelf) -> None:
        result = await library.searcher().search(SCOPE, "envío", mode="semantic")
        assert [bool(hit.highlights) for hit in result.results] == [
            hit.content == "El envío es gratis." for hit in result.results
        ]


class TestArguments:
    @pytest.mark.parametrize("query", ["", "  \n"])
    async def test_an_empty_query_is_refused(self, library: Shelf, query: str) -> None:
        with pytest.raises(InvalidArgument):
            await library.searcher().search(SCOPE, query)

    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            ({"top_k": 0}, InvalidArgument),
            ({"top_k": 1001}, LimitExceeded),
            ({"min_score": -0.1}, InvalidArgument),
            ({"min_score": 1.1}, InvalidArgument),
            ({"min_score": float("nan")}, InvalidArgument),
            ({"mode": "fuzzy"}, InvalidArgument),
            ({"query": "a" * 10_001}, LimitExceeded),
        ],
    )
    async def test_what_is_out_of_range_is_refused(
        self, library: Shelf, arguments: dict[str, Any], error: type[Exception]
    ) -> None:
        with pytest.raises(error):
            await library.searcher().search(SCOPE, **({"query": "días"} | arguments))

    async def test_a_thousand_hits_may_be_asked_for(self, library: Shelf) -> None:
        assert (await library.searcher().search(SCOPE, "días", top_k=1000)).total_found == 6


async def test_an_embedder_that_fails_is_not_hidden(library: Shelf) -> None:
    class Broken(type(library.embedder)):  # type: ignore[misc]
        async def embed_query(self, text: str) -> Vectors:
            raise OSError("no model")

    library.embedder = Broken()
    with pytest.raises(OSError, match="no model"):
        await library.searcher().search(SCOPE, "días")
    assert (await library.searcher().search(SCOPE, "días", mode="lexical")).results
