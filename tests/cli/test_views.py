from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from rich.console import Console, RenderableType

from atril.cli import views
from atril.types import (
    AddReport,
    Answer,
    ChunkMetadata,
    Citation,
    Document,
    Failure,
    Hit,
    ReadingWarning,
    SearchResult,
)

HOSTILE = "[red]loud[/red] \x1b]0;title\x07\x1b[31m\u202etxt [/] :smile:"
HARMLESS = "[red]loud[/red] ]0;title[31mtxt [/] :smile:"


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATRIL_LANG", "en")


def printed(view: RenderableType, *, width: int = 80, colours: bool = False) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=colours,
        color_system="standard" if colours else None,
        markup=False,
        emoji=False,
        highlight=False,
    )
    console.print(view)
    return stream.getvalue()


def a_hit(**changes: Any) -> Hit:
    metadata = ChunkMetadata(
        chunk_type="content",
        index=3,
        section_title=changes.pop("section_title", "Article 38. Holidays"),
        section_path=("Article 38. Holidays",),
        page=changes.pop("page", 4),
        page_end=4,
        keywords=(),
        description="",
        has_tables=False,
        has_images=False,
        collection="default",
        language="en",
        start=0,
        end=10,
        article=changes.pop("article", "38"),
    )
    values = {
        "chunk_id": "law_chunk_0003",
        "score": 0.8312,
        "source_file": "law.pdf",
        "content": "Holidays last 30 days.",
        "highlights": ("<em>Holidays</em> last 30 days.",),
    }
    return Hit(**(values | changes), metadata=metadata)


def results(*hits: Hit) -> SearchResult:
    return SearchResult("holidays", "hybrid_search", hits, {"top_k": 10}, 4.1)


def an_answer(**changes: Any) -> Answer:
    citation = Citation(1, "law_chunk_0003", "law.pdf", 4, "Holidays", None, "Holidays last 30 days.", 0, 22)
    values = {
        "question": "How long is a holiday?",
        "text": "Holidays last 30 days. [1]",
        "requested": "unified",
        "pipeline": "extractive",
        "language": "en",
        "found": True,
        "citations": (citation,),
    }
    return Answer(**(values | changes))


def a_document(**changes: Any) -> Document:
    values: dict[str, Any] = {
        "id": UUID(int=1),
        "version": UUID(int=2),
        "name": "law.pdf",
        "stem": "law",
        "source": "/law.pdf",
        "collection": "default",
        "labels": ("hr",),
        "title": "The law of leave",
        "type": "pdf",
        "language": "en",
        "description": "Holidays last 30 days.",
        "metadata": {},
        "pages": 12,
        "chunks": 40,
        "bytes": 1000,
        "content_hash": "0",
        "added_at": datetime(2025, 1, 1, tzinfo=UTC),
    }
    return Document(**(values | changes))


def test_a_hit_shows_rank_score_place_and_what_matched() -> None:
    text = printed(views.hits(results(a_hit()), marks=True))
    assert " 1  0.831  law.pdf · p. 4 · Article 38. Holidays" in text
    assert "**Holidays** last 30 days." in text


def test_colours_take_the_place_of_marks_on_a_terminal() -> None:
    text = printed(views.hits(results(a_hit()), marks=False), colours=True)
    assert "**" not in text
    assert "\x1b[1;33mHolidays" in text


def test_an_article_is_named_where_the_section_does_not_name_it() -> None:
    text = printed(views.hits(results(a_hit(section_title="Rights")), marks=True))
    assert "law.pdf · p. 4 · art. 38 · Rights" in text


def test_a_hit_by_meaning_alone_shows_how_its_passage_begins() -> None:
    text = printed(views.hits(results(a_hit(highlights=(), content="word " * 200)), marks=True))
    assert text.count("word") == 60
    assert "…" in text


def test_no_hits_say_what_to_try() -> None:
    assert "--mode semantic" in printed(views.hits(results(), marks=True))


def test_an_answer_is_followed_by_its_numbered_quotes() -> None:
    text = printed(views.answer(an_answer(), marks=True))
    assert text.startswith("Holidays last 30 days. [1]")
    assert "[1] law.pdf · p. 4 · Holidays" in text


def test_a_report_names_each_failure_with_its_remedy_and_each_warning() -> None:
    report = AddReport(
        added=2,
        failed=(Failure("scan.pdf", "needs_ocr", "Run a text recognition on it."),),
        warnings=(ReadingWarning("law.pdf", 3, "empty_page", "The page holds no text."),),
        chunks=1234,
        seconds=2.5,
    )
    text = printed(views.added(report))
    for part in (
        "1,234",
        "scan.pdf",
        "needs OCR",
        "Run a text recognition on it.",
        "The page holds no text.",
    ):
        assert part in text


def test_documents_show_title_labels_and_description() -> None:
    text = printed(views.documents([a_document()]))
    for part in ("law.pdf", "The law of leave", "Labels: hr", "Holidays last 30 days.", "pdf", "12", "40"):
        assert part in text


@pytest.mark.parametrize(
    "view",
    [
        views.hits(results(a_hit(source_file=HOSTILE, content=HOSTILE, highlights=())), marks=True),
        views.hits(results(a_hit(highlights=(HOSTILE,))), marks=True),
        views.answer(an_answer(text=HOSTILE), marks=True),
        views.documents([a_document(name=HOSTILE, title=HOSTILE)]),
        views.added(AddReport(failed=(Failure(HOSTILE, "corrupt", HOSTILE),))),
        views.added(AddReport(warnings=(ReadingWarning(HOSTILE, None, "k", HOSTILE),))),
    ],
)
def test_text_of_documents_is_neither_markup_nor_terminal_control(view: RenderableType) -> None:
    text = printed(view, width=400)
    assert HARMLESS in text
    assert not {"\x1b", "\x07", "\u202e"} & set(text)


@pytest.mark.parametrize(
    "view",
    [
        views.documents([a_document(name="a-very-long-name-" * 8 + ".pdf", description="word " * 60)]),
        views.added(
            AddReport(10**6, 10**6, 10**6, 10**6, (Failure("f" * 90, "too_large", "e" * 90),), (), 10**7)
        ),
        views.hits(results(a_hit(source_file="f" * 120)), marks=True),
    ],
)
def test_everything_fits_eighty_columns(view: RenderableType) -> None:
    assert max(map(len, printed(view).splitlines())) <= 80


def test_a_reason_is_said_once_with_its_files_below_the_folder_they_share() -> None:
    failed = tuple(
        Failure(f"/office/{name}", "empty", "It holds no text.") for name in ("a/1.txt", "b/2.txt")
    )
    warnings = tuple(ReadingWarning("law.pdf", page, "ocr", "Read by machine.") for page in (2, 5, 6, 7))
    text = printed(views.added(AddReport(failed=failed, warnings=warnings)))
    assert text.count("It holds no text.") == text.count("Read by machine.") == 1
    assert "/office/\n" in text
    assert "    a/1.txt\n    b/2.txt\n" in text
    assert "    law.pdf · Page 2, 5-7\n" in text
