"""Patterns as people write them: what they match, and what is said of those that cannot be run."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.retrieval.expressions import UnusablePattern, spell
from atril.retrieval.matching import compile_expression, find_matches
from atril.retrieval.predefined import predefined_patterns
from atril.retrieval.texts import DocumentText


def found(pattern: str, text: str, *, case_sensitive: bool = False, most: int = 50) -> list[str]:
    expression = compile_expression(pattern, case_sensitive=case_sensitive)
    matches = find_matches(expression, DocumentText(text.encode()), most=most, context_lines=0)
    return [match.text for match in matches]


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        (r"\bárbol\b", "árbol, ÁRBOL y arboleda; subárbol", ["árbol", "ÁRBOL"]),
        (r"\bзакон\b", "закон законы Закон", ["закон", "Закон"]),
        (r"\w+", "año 2º, naïve_x", ["año", "2º", "naïve_x"]),
        (r"\d+", "día ٣ y 4", ["٣", "4"]),
        (r"[^\W\d]+", "niño7 está", ["niño", "está"]),
        (r"[\w.-]+@[\w-]+\.\w+", "ana.gómez@correo.es", ["ana.gómez@correo.es"]),
        (r"está\b.*\bél", "está aquí él\nestábamos con él", ["está aquí él"]),
        (r"\Bción\b", "acción ción", ["ción"]),
        (r"a\sb", "a b", ["a b"]),
        (r"^## .+$", "# uno\n## dos\n## tres", ["## dos", "## tres"]),
        (r"\b_id\b", "_id x_id _id2", ["_id"]),
        (r"\p{Lu}{2,}", "el BOE y la UE", ["BOE", "UE"]),
        ("\\u00e1", "más", ["á"]),
    ],
)
def test_letters_digits_and_boundaries_are_those_of_unicode(
    pattern: str, text: str, matches: list[str]
) -> None:
    assert found(pattern, text, case_sensitive=pattern == r"\p{Lu}{2,}") == matches


def test_upper_and_lower_case_count_only_when_asked_for() -> None:
    assert found("API[-_]?KEY", "api_key API-KEY", case_sensitive=True) == ["API-KEY"]
    assert found("API[-_]?KEY", "api_key API-KEY") == ["api_key", "API-KEY"]


_PIECES = st.sampled_from(
    ["ár", "b", r"\w", r"\d", r"\s", "[áb]", r"[^\W\d]", ".", r"\W", r"[\w-]", "(?:á|1)", "-", "_", r"[^b]"]
)
_REPEATED = st.tuples(_PIECES, st.sampled_from(["", "+", "{1,2}"])).map("".join)
_PATTERNS = st.tuples(
    st.sampled_from([r"\b", "", r"\B"]),
    st.lists(_REPEATED, min_size=1, max_size=2).map("".join),
    st.sampled_from([r"\b", "", r"\B"]),
    st.lists(_REPEATED, min_size=1, max_size=2).map("".join),
    st.sampled_from([r"\b", "", r"\B"]),
).map("".join)


@given(_PATTERNS, st.text(alphabet="ábo1_ -\nñÁ€", max_size=20))
def test_matches_are_those_of_a_backtracking_engine_with_unicode(pattern: str, text: str) -> None:
    expected = [match.group() for match in re.finditer(pattern, text, re.IGNORECASE | re.MULTILINE)]
    assert found(pattern, text) == expected


@given(st.text())
def test_spelling_keeps_what_is_ascii_and_not_an_underscore(text: str) -> None:
    plain = [character for character in text if character.isascii() and character != "_"]
    assert [chr(byte) for byte in spell(text) if byte < 128 and byte != ord("_")] == plain


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        (r"(?<=art\. )\d+", "lookaround"),
        (r"foo(?!bar)", "lookaround"),
        (r"(a|b)\1", "backreference"),
        (r"(?P<x>a)(?P=x)", "backreference"),
        (r"a++", "possessive"),
        (r"(?>a)b", "possessive"),
        (r"(a)?(?(1)b|c)", "conditional"),
        (r"(abc", "syntax"),
        (r"abc)", "syntax"),
        (r"[abc", "syntax"),
        (r"*a", "syntax"),
        (r"\q", "syntax"),
        (r"[z-a]", "syntax"),
        (r"a{5000}", "syntax"),
        ("(" * 60 + "a" + ")" * 60, "syntax"),
        ("", "empty"),
        ("a*", "empty"),
        ("a" * 3000, "too_long"),
    ],
)
def test_a_pattern_that_cannot_be_run_says_why(pattern: str, problem: str) -> None:
    with pytest.raises(UnusablePattern) as raised:
        compile_expression(pattern, case_sensitive=False)
    assert raised.value.problem == problem
    assert all(raised.value.localized(language) for language in ("en", "es", "ru"))


@given(st.text(alphabet=r"ab\wdsb()[]{}*+?|^$.-:<=!1,Pá_", max_size=15))
def test_any_text_is_a_pattern_or_an_explained_error(pattern: str) -> None:
    try:
        found(pattern, "ab áb_1\n- a1")
    except UnusablePattern as error:
        assert error.problem


@pytest.mark.parametrize("name", predefined_patterns())
def test_a_predefined_pattern_finds_its_examples_and_nothing_like_them(name: str) -> None:
    pattern = predefined_patterns()[name]
    expression = compile_expression(pattern.expression, case_sensitive=False)

    def matches(text: str) -> list[str]:
        searched = DocumentText(f"Antes {text}, y después.\n".encode())
        return [
            match.text
            for match in find_matches(expression, searched, most=9, context_lines=0, check=pattern.check)
        ]

    assert {example: matches(example) for example in pattern.examples} == {
        example: [example] for example in pattern.examples
    }
    assert {other: matches(other) for other in pattern.others} == {other: [] for other in pattern.others}


def test_an_account_ends_where_its_digits_do() -> None:
    pattern = predefined_patterns()["iban"]
    expression = compile_expression(pattern.expression, case_sensitive=False)
    searched = DocumentText(b"IBAN ES91 2100 0418 4502 0005 1332 BBVA y")
    matches = find_matches(expression, searched, most=9, context_lines=0, check=pattern.check)
    assert [match.text for match in matches] == ["ES91 2100 0418 4502 0005 1332"]


def test_lines_offsets_and_context_are_those_of_the_text() -> None:
    text = "uno\ndós\ntres está\ncuatro\ncinco"
    expression = compile_expression(r"\bestá\b", case_sensitive=False)
    (match,) = find_matches(expression, DocumentText(text.encode()), most=9, context_lines=1)
    assert (match.line, match.context) == (3, "dós\ntres está\ncuatro")
    assert text[match.start :].startswith("está")


def test_a_very_long_line_is_cut_around_its_match() -> None:
    expression = compile_expression("aguja", case_sensitive=False)
    text = DocumentText(("paja " * 5000 + "aguja" + " paja" * 5000).encode())
    (match,) = find_matches(expression, text, most=9, context_lines=2)
    assert "aguja" in match.context
    assert len(match.context) < 5000
