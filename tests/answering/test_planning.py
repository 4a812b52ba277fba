"""Queries in whatever a reader writes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.answering.planning import MAX_FIRST, MAX_FOLLOW_UP, read_queries

QUESTION = "¿Cuántos días de vacaciones tengo?"


@pytest.mark.parametrize(
    ("reply", "queries"),
    [
        ('["a b", "c d"]', ("a b", "c d")),
        ('```json\n["a b"]\n```', ("a b",)),
        ('Claro, aquí tienes: ["a b", "a b", ""] Suerte.', ("a b",)),
        ('{"queries": ["a b", "c d"]}', ("a b", "c d")),
        ('[{"query": "a b"}, {"query": "c d"}]', ("a b", "c d")),
        ('<think>["no"]</think>["a b"]', ("a b",)),
        ("1. a b\n2. c d", ("a b", "c d")),
        ("- «a b»\n- c d", ("a b", "c d")),
        ("vacaciones anuales días", ("vacaciones anuales días",)),
        ('["1","2","3","4","5","6"]', ("1", "2", "3", "4")),
        ("Lo siento, no puedo. Pregunta otra cosa.", (QUESTION,)),
        ("[", (QUESTION,)),
        ("[[[[" * 5000, (QUESTION,)),
        ("[]", (QUESTION,)),
        ("", (QUESTION,)),
    ],
)
def test_queries_are_found_wherever_they_stand(reply: str, queries: tuple[str, ...]) -> None:
    assert read_queries(reply, QUESTION, follow_up=False)[0] == queries


@pytest.mark.parametrize(
    ("reply", "queries"), [("[]", ()), ('{"queries": []}', ()), ('["a","b","c","d"]', ("a", "b", "c"))]
)
def test_a_follow_up_may_have_none_and_at_most_three(reply: str, queries: tuple[str, ...]) -> None:
    assert read_queries(reply, QUESTION, follow_up=True) == (queries, True)


@given(st.text(), st.booleans())
def test_anything_else_is_read_without_an_exception(reply: str, follow_up: bool) -> None:
    queries, _ = read_queries(reply, QUESTION, follow_up=follow_up)
    assert len(queries) <= (MAX_FOLLOW_UP if follow_up else MAX_FIRST)
    assert all(query.strip() for query in queries)
    assert queries or follow_up
