import json
from pathlib import Path

import pytest

from atril.errors import PathNotFound
from atril.evaluation.datasets import BadQuestionSet, Question, Relevant, load_questions
from atril.types import ChunkMetadata, Hit


def write(folder: Path, *lines: str) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def hit(
    source_file: str = "ET.md",
    *,
    article: str | None = None,
    page: int | None = None,
    page_end: int | None = None,
) -> Hit:
    metadata = ChunkMetadata(
        chunk_type="content", index=1, section_title="", section_path=(), page=page, page_end=page_end or page,
        keywords=(), description="", has_tables=False, has_images=False, collection="default", language="es",
        start=0, end=5, article=article,
    )  # fmt: skip
    return Hit("ET_chunk_0001", 0.5, source_file, "texto", (), metadata)


class TestReadingAQuestionSet:
    def test_gives_the_questions_in_order_without_blank_lines_or_unknown_keys(self, tmp_path: Path) -> None:
        path = write(
            tmp_path,
            '{"id": "b", "query": "¿Cuántas vacaciones?", "relevant": [{"source_file": "ET.md", "article": "38"}], "kind": "legal"}',
            "",
            '{"id": 7, "query": "IRPF", "relevant": []}',
        )
        assert load_questions(path) == [
            Question("b", "¿Cuántas vacaciones?", (Relevant("ET.md", article="38"),)),
            Question("7", "IRPF", ()),
        ]

    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            ('{"id": "a", "query"', "not_json"),
            ('["a", "q"]', "not_json"),
            ('{"query": "q", "relevant": []}', "bad_id"),
            ('{"id": "a", "query": "  ", "relevant": []}', "bad_query"),
            ('{"id": "a", "query": "q"}', "bad_relevant"),
            ('{"id": "a", "query": "q", "relevant": [{"article": "38"}]}', "bad_relevant"),
            ('{"id": "a", "query": "q", "relevant": [{"source_file": "ET.md", "page": 0}]}', "bad_relevant"),
            ('{"id": "first", "query": "q", "relevant": []}', "repeated_id"),
        ],
    )
    def test_says_which_line_is_wrong_and_why(self, tmp_path: Path, line: str, problem: str) -> None:
        path = write(tmp_path, '{"id": "first", "query": "q", "relevant": []}', "", line)
        with pytest.raises(BadQuestionSet, match="line 3") as raised:
            load_questions(path)
        assert raised.value.problem == problem
        assert "línea 3" in raised.value.localized("es")

    def test_refuses_a_file_without_questions(self, tmp_path: Path) -> None:
        with pytest.raises(BadQuestionSet, match="no questions"):
            load_questions(write(tmp_path, ""))

    def test_refuses_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(PathNotFound):
            load_questions(tmp_path / "nothing.jsonl")

    def test_bytes_that_are_not_utf8_are_a_bad_line(self, tmp_path: Path) -> None:
        path = tmp_path / "latin.jsonl"
        path.write_bytes(
            json.dumps({"id": "a", "query": "año", "relevant": []}, ensure_ascii=False).encode("latin-1")
        )
        with pytest.raises(BadQuestionSet, match="line 1"):
            load_questions(path)


class TestARelevantPlace:
    def test_agrees_on_every_key_it_gives(self) -> None:
        assert Relevant("ET.md").matches(hit())
        assert Relevant("ET.md", article="38").matches(hit(article="38"))
        assert not Relevant("ET.md", article="38").matches(hit(article="39"))
        assert not Relevant("ET.md", article="38").matches(hit())
        assert Relevant(chunk_id="ET_chunk_0001").matches(hit())

    def test_compares_articles_without_case(self) -> None:
        place = Relevant("ET.md", article="disposición  Adicional primera")
        assert place.matches(hit(article="Disposición adicional primera"))

    def test_knows_a_file_by_its_bare_name(self) -> None:
        assert Relevant("ET.md").matches(hit("laws/ET.md"))
        assert not Relevant("other/ET.md").matches(hit("laws/ET.md"))
        assert not Relevant("T.md").matches(hit("ET.md"))

    def test_finds_its_page_anywhere_in_a_chunk(self) -> None:
        place = Relevant("report.pdf", page=4)
        assert place.matches(hit("report.pdf", page=3, page_end=5))
        assert not place.matches(hit("report.pdf", page=5, page_end=6))
        assert not place.matches(hit("report.pdf"))
