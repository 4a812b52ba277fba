"""Question sets: JSON Lines of questions with the places that answer them.

Each line is `{"id", "query", "relevant": [{"source_file", "article"?, "page"?, "chunk_id"?}]}`. An item is
found by a hit that agrees with every key it gives, and needs `source_file` or `chunk_id`. A question with an
empty `relevant` is one the library should not answer; ranking measures leave it out. `answer_phrases`, texts of
which a right answer is likely to hold one, count when answers are scored. Other keys are ignored.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from atril.errors import InvalidArgument, PathNotFound
from atril.messages import message
from atril.types import Hit

Problem = Literal["not_json", "bad_id", "bad_query", "bad_relevant", "repeated_id", "no_questions"]


class BadQuestionSet(InvalidArgument):
    """A line of a question set cannot be used. Fields: `path`, `line` (1-based), `problem`."""

    key = "evaluation.bad_line"

    def __init__(self, *, path: str, line: int, problem: Problem) -> None:
        self.problem = problem
        super().__init__(path=path, line=line, problem=problem)

    def localized(self, language: str | None) -> str:
        problem = message(f"evaluation.{self.problem}", language)
        return message(self.key, language, **{**self.fields, "problem": problem})


@dataclass(frozen=True, slots=True)
class Relevant:
    """A place that answers a question. `page` is 1-based; what is `None` is not compared."""

    source_file: str | None = None
    article: str | None = None
    page: int | None = None
    chunk_id: str | None = None

    def matches(self, hit: Hit) -> bool:
        """Whether the hit is that place. A bare file name agrees with the same file in any folder."""
        return same_place(
            self,
            chunk_id=hit.chunk_id,
            source_file=hit.source_file,
            article=hit.metadata.article,
            first=hit.metadata.page,
            last=hit.metadata.page_end,
        )


def same_place(
    wanted: Relevant,
    *,
    chunk_id: str,
    source_file: str,
    article: str | None,
    first: int | None,
    last: int | None,
) -> bool:
    """Whether a chunk on the pages `first` to `last` is what is wanted; see `Relevant.matches`."""
    return (
        (wanted.chunk_id is None or wanted.chunk_id == chunk_id)
        and (wanted.source_file is None or _same_file(wanted.source_file, source_file))
        and (wanted.article is None or _folded(wanted.article) == _folded(article or ""))
        and (wanted.page is None or (first is not None and first <= wanted.page <= (last or first)))
    )


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the places that answer it, and phrases one of which a right answer is likely to hold."""

    id: str
    query: str
    relevant: tuple[Relevant, ...]
    phrases: tuple[str, ...] = ()


def load_questions(path: Path) -> list[Question]:
    """The questions of a file, in its order; blank lines are skipped.

    Raises `PathNotFound`, and `BadQuestionSet` with the number of the first line that cannot be used.
    """
    try:
        data = path.read_bytes()
    except OSError:
        raise PathNotFound(path=str(path)) from None
    questions: dict[str, Question] = {}
    for number, line in _lines(data):
        parsed = _question(line)
        if isinstance(parsed, str):
            raise BadQuestionSet(path=str(path), line=number, problem=parsed)
        if parsed.id in questions:
            raise BadQuestionSet(path=str(path), line=number, problem="repeated_id")
        questions[parsed.id] = parsed
    if not questions:
        raise BadQuestionSet(path=str(path), line=1, problem="no_questions")
    return list(questions.values())


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line.strip():
            yield number, line


def _question(line: bytes) -> Question | Problem:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return "not_json"
    if not isinstance(row, dict):
        return "not_json"
    identity, query, items = row.get("id"), row.get("query"), row.get("relevant")
    if not isinstance(identity, str | int) or isinstance(identity, bool):
        return "bad_id"
    if not isinstance(query, str) or not query.strip():
        return "bad_query"
    relevant = [_relevant(item) for item in items] if isinstance(items, list) else [None]
    if None in relevant:
        return "bad_relevant"
    phrases = row.get("answer_phrases")
    expected = [each for each in phrases if isinstance(each, str)] if isinstance(phrases, list) else []
    places = tuple(dict.fromkeys(item for item in relevant if item))
    return Question(str(identity), query, places, tuple(expected))


def _relevant(item: Any) -> Relevant | None:
    if not isinstance(item, dict):
        return None
    file, article, page, chunk = (item.get(key) for key in ("source_file", "article", "page", "chunk_id"))
    texts_are_texts = all(value is None or isinstance(value, str) for value in (file, article, chunk))
    page_is_page = page is None or (isinstance(page, int) and not isinstance(page, bool) and page >= 1)
    if not texts_are_texts or not page_is_page or not (file or chunk):
        return None
    return Relevant(file, article, page, chunk)


def _same_file(wanted: str, name: str) -> bool:
    wanted, name = unicodedata.normalize("NFC", wanted), unicodedata.normalize("NFC", name)
    return wanted == name or ("/" not in wanted and name.endswith(f"/{wanted}"))


def _folded(key: str) -> str:
    return " ".join(unicodedata.normalize("NFC", key).casefold().split())
