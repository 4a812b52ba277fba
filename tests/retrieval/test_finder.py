"""Looking by structure, by pattern, by number and whole."""

from collections.abc import Sequence

import pytest

from atril.errors import AmbiguousName, DocumentNotFound, InvalidArgument, LimitExceeded
from atril.retrieval.finder import Finder
from atril.retrieval.regex import PatternOrName
from atril.retrieval.texts import Texts
from atril.types import Chunk, ChunkType, Hit, Scope
from shelf import SCOPE, Shelf

PARTS: tuple[tuple[ChunkType, str], ...] = (
    ("content", "# Manual\n\nIntroducción al servicio."),
    ("section_header", "## Instalación"),
    ("table", "| Módulo | Tecnología |\n|---|---|\n| Pasarela | MuleSoft APIKit |"),
    ("content", "La autenticación usa un token OAuth. Escriba a soporte@empresa.es"),
    ("list", "- uno\n- dos"),
    ("content", "## Seguridad\n\nEl token caduca. Escriba a ana@empresa.es o a soporte@empresa.es"),
)


async def stock(
    shelf: Shelf, name: str = "manual.md", parts: Sequence[tuple[ChunkType, str]] = PARTS
) -> None:
    text, chunks = "", []
    for number, (kind, content) in enumerate(parts, start=1):
        chunks.append(
            Chunk(
                number, len(text), len(text) + len(content), content, kind,
                section_path=("Manual", "Acceso") if number > 3 else ("Manual",),
                has_tables=kind == "table",
            )
        )  # fmt: skip
        text += content + "\n\n"
    await shelf.put(name, text, chunks)


@pytest.fixture
async def finder(shelf: Shelf) -> Finder:
    await stock(shelf)
    return Finder(records=shelf.records, searcher=shelf.searcher(), texts=Texts())


def numbers(results: Sequence[Hit]) -> list[int]:
    return [hit.metadata.index for hit in results]


class TestStructure:
    @pytest.mark.parametrize(
        ("wanted", "expected"),
        [
            ({}, [1, 2, 3, 4, 5, 6]),
            ({"chunk_type": "table"}, [3]),
            ({"chunk_type": "list"}, [5]),
            ({"chunk_type": "content"}, [1, 4, 6]),
            ({"chunk_type": "section_header"}, [1, 2, 6]),
            ({"chunk_type": "section_header", "position": "first_2"}, [1, 2]),
            ({"chunk_type": "content", "position": "last_1"}, [6]),
            ({"position": "last_3"}, [4, 5, 6]),
            ({"keywords": "token"}, [4, 6]),
            ({"keywords": ["seguridad", "TOKEN"]}, [6, 4]),
            ({"keywords": "acceso"}, [4, 5, 6]),
            ({"keywords": " autenticacion , "}, [4]),
            ({"top_k": 2}, [1, 2]),
        ],
    )
    async def test_parts_are_found_by_kind_place_and_words(
        self, finder: Finder, wanted: dict[str, object], expected: list[int]
    ) -> None:
        result = await finder.structure(SCOPE, "manual.md", **wanted)  # type: ignore[arg-type]
        assert result.search_type == "structure_search"
        assert "fallback_from" not in result.search_params
        assert numbers(result.results) == expected

    async def test_the_score_is_the_share_of_the_keywords(self, finder: Finder) -> None:
        result = await finder.structure(SCOPE, "manual", keywords=["seguridad", "token"])
        assert [hit.score for hit in result.results] == [1.0, 0.5]

    async def test_parameters_that_ran_are_told(self, finder: Finder) -> None:
        result = await finder.structure(SCOPE, "MANUAL", chunk_type="table", keywords="pasarela,módulo")
        assert result.search_params == {
            "document_name": "manual.md",
            "chunk_type": "table",
            "keywords": ["pasarela", "módulo"],
            "position": "all",
            "top_k": 10,
        }

    async def test_without_such_a_part_a_search_by_words_in_the_document_answers(
        self, finder: Finder, shelf: Shelf
    ) -> None:
        await shelf.add("otro.md", ["Un token de otra clase."])
        result = await finder.structure(SCOPE, "manual.md", chunk_type="code", keywords="token")
        assert result.search_params["fallback_from"] == "structure_search"
        assert {hit.source_file for hit in result.results} == {"manual.md"}

    async def test_without_such_a_document_a_search_by_words_in_all_answers(self, finder: Finder) -> None:
        result = await finder.structure(SCOPE, "desconocido.pdf", keywords="token")
        assert result.search_params["fallback_from"] == "structure_search"
        assert set(numbers(result.results)) == {4, 6}

    async def test_a_name_that_several_documents_have_is_an_error(self, finder: Finder, shelf: Shelf) -> None:
        await stock(shelf, "a/guia.md")
        await stock(shelf, "b/guia.md")
        with pytest.raises(AmbiguousName):
            await finder.structure(SCOPE, "guia.md")

    @pytest.mark.parametrize(
        "wrong",
        [{"chunk_type": "figure"}, {"position": "middle"}, {"position": "first_0"}, {"top_k": 0}],
    )
    async def test_what_cannot_be_asked_is_an_error(self, finder: Finder, wrong: dict[str, object]) -> None:
        with pytest.raises(InvalidArgument):
            await finder.structure(SCOPE, "manual.md", **wrong)  # type: ignore[arg-type]
        with pytest.raises(LimitExceeded):
            await finder.structure(SCOPE, "manual.md", top_k=1001)


class TestRegex:
    async def test_each_match_is_a_result_with_its_line_context_and_chunk(self, finder: Finder) -> None:
        result = await finder.regex(SCOPE, predefined="email", context_lines=0)
        assert (result.search_type, result.total_files) == ("regex_search", 1)
        assert [(hit.metadata.match, hit.metadata.line, hit.chunk_id) for hit in result.results] == [
            ("soporte@empresa.es", 11, "manual_chunk_0004"),
            ("ana@empresa.es", 18, "manual_chunk_0006"),
            ("soporte@empresa.es", 18, "manual_chunk_0006"),
        ]
        assert result.results[0].metadata.context == PARTS[3][1]
        assert result.results[0].content == PARTS[3][1]

    async def test_json_has_the_keys_of_a_pattern_search(self, finder: Finder) -> None:
        result = (await finder.regex(SCOPE, pattern="OAuth", case_sensitive=True, context_lines=1)).to_dict()
        assert result["total_files"] == 1
        assert result["search_params"] == {
            "pattern": "OAuth",
            "case_sensitive": True,
            "context_lines": 1,
            "max_matches_per_file": 50,
        }
        assert {"match", "line", "context"} <= result["results"][0]["metadata"].keys()

    async def test_matches_are_limited_per_file(self, finder: Finder, shelf: Shelf) -> None:
        await shelf.add("b.md", ["uno token", "dos token"])
        result = await finder.regex(SCOPE, pattern="token", max_matches_per_file=1)
        assert [hit.source_file for hit in result.results] == ["b.md", "manual.md"]

    async def test_only_documents_in_scope_are_read(self, finder: Finder, shelf: Shelf) -> None:
        await shelf.add("b.md", ["otro token"], collection="leyes", labels=("x",))
        names = [
            {hit.source_file for hit in result.results}
            for result in (
                await finder.regex(SCOPE, pattern="token", document="b"),
                await finder.regex(SCOPE, pattern="token", collections=["leyes"]),
                await finder.regex(SCOPE, pattern="token", labels=["x"]),
                await finder.regex(Scope(collections=("leyes",)), pattern="token"),
                await finder.regex(Scope(tenant="otra"), pattern="token"),
            )
        ]
        assert names == [{"b.md"}] * 4 + [set()]

    async def test_a_changed_document_is_read_again(self, finder: Finder, shelf: Shelf) -> None:
        await finder.regex(SCOPE, pattern="token")
        await shelf.add("manual.md", ["nuevo texto sin nada"])
        assert (await finder.regex(SCOPE, pattern="token")).results == ()

    @pytest.mark.parametrize("asked", [{}, {"pattern": "a", "predefined": "email"}])
    async def test_exactly_one_of_pattern_and_name_is_needed(
        self, finder: Finder, asked: dict[str, str]
    ) -> None:
        with pytest.raises(PatternOrName, match="email"):
            await finder.regex(SCOPE, **asked)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        "wrong",
        [{"predefined": "color"}, {"pattern": "a", "context_lines": -1}, {"pattern": "a", "context_lines": 1001},
         {"pattern": "a", "max_matches_per_file": 0}],
    )  # fmt: skip
    async def test_wrong_parameters_are_errors(self, finder: Finder, wrong: dict[str, object]) -> None:
        with pytest.raises(InvalidArgument):
            await finder.regex(SCOPE, **wrong)  # type: ignore[arg-type]


class TestDirectAccess:
    async def test_a_section_is_chunks_by_number_with_both_ends(self, finder: Finder) -> None:
        section = await finder.section(SCOPE, "manual", 2, 4)
        assert [stored.chunk.content for stored in section.chunks] == [content for _, content in PARTS[1:4]]
        assert section.to_dict()["total_chunks"] == 6

    async def test_a_section_ends_with_the_document(self, finder: Finder) -> None:
        assert [each.chunk.number for each in (await finder.section(SCOPE, "manual", 5, 90)).chunks] == [5, 6]
        assert (await finder.section(SCOPE, "manual", 7, 9)).chunks == ()

    @pytest.mark.parametrize(("start", "end"), [(0, 3), (3, 2), (1, 1001)])
    async def test_a_section_has_bounds(self, finder: Finder, start: int, end: int) -> None:
        with pytest.raises(InvalidArgument):
            await finder.section(SCOPE, "manual", start, end)

    async def test_the_content_is_the_exact_text_and_its_chunks(self, finder: Finder) -> None:
        content = await finder.content(SCOPE, "manual")
        assert content.text == "".join(part + "\n\n" for _, part in PARTS)
        assert [content.text[each.chunk.start : each.chunk.end] for each in content.chunks] == [
            part for _, part in PARTS
        ]
        assert content.to_dict()["structure"][2]["chunk_type"] == "table"

    async def test_an_unknown_document_is_an_error(self, finder: Finder) -> None:
        with pytest.raises(DocumentNotFound):
            await finder.section(SCOPE, "nada", 1, 2)
        with pytest.raises(DocumentNotFound):
            await finder.content(SCOPE, "nada")
