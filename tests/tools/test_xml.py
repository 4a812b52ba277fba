"""Calls in what a model wrote, however it wrote them."""

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atril.tools.tool import ToolContext
from atril.tools.xml import MAX_CALLS, read_calls
from tools.calls import echoing

TOOLSET = echoing()


def arguments(text: str) -> list[tuple[str, dict[str, Any]]]:
    return [(call.tool, dict(call.arguments)) for call in read_calls(text, TOOLSET)]


PLAIN = [("tool_lexical_search", {"query": "días de vacaciones", "top_k": "3"})]


@pytest.mark.parametrize(
    "written",
    [
        "<tool_lexical_search><query>días de vacaciones</query><top_k>3</top_k></tool_lexical_search>",
        "Voy a buscar:\n```xml\n<tool_lexical_search>\n<query>días de vacaciones</query>\n"
        "<top_k>3</top_k>\n</tool_lexical_search>\n```\nY luego respondo.",
        "<TOOL_LEXICAL_SEARCH><QUERY>días de vacaciones</QUERY><Top_K>3</Top_K></TOOL_LEXICAL_SEARCH>",
        '<tool_lexical_search id="1"><query lang="es">días de vacaciones</query><top_k type="int">3</top_k>',
        "<tool_lexical_search><query>días de vacaciones<top_k>3</tool_lexical_search>",
        "<tool_lexical_search><query>días de vacaciones</top_k><top_k>3</top_k></tool_lexical_search>",
        "<tool_lexical_search query='días de vacaciones' top_k=\"3\" />",
        "<tool-lexical-search>\n<query>días de vacaciones</query>\n<top-k>3</top-k>\n</tool-lexical-search>",
        "<lexical_search><query>días de vacaciones</query><top_k>3</top_k></lexical_search>",
        "<tool_lexical_search><querry>días de vacaciones</querry><topk>3</topk></tool_lexical_search>",
        "<tool_lexical_search><query><![CDATA[días de vacaciones]]></query><top_k>3</top_k>",
        "&lt;tool_lexical_search&gt;&lt;query&gt;días de vacaciones&lt;/query&gt;&lt;top_k&gt;3&lt;/top_k&gt;",
        '<invoke name="tool_lexical_search"><parameter name="query">días de vacaciones</parameter>'
        '<parameter name="top_k">3</parameter></invoke>',
        '<tool_call>{"name": "tool_lexical_search", "arguments": '
        '{"query": "días de vacaciones", "top_k": "3"}}</tool_call>',
        '<tool_lexical_search>{"query": "días de vacaciones", "top_k": "3"}</tool_lexical_search>',
    ],
)
def test_one_call_is_understood_in_every_hand(written: str) -> None:
    assert arguments(written) == PLAIN


def test_a_bare_text_is_the_first_argument_that_is_required() -> None:
    written = "<tool_lexical_search>días de vacaciones</tool_lexical_search>"

    assert arguments(written) == [("tool_lexical_search", {"query": "días de vacaciones"})]


def test_calls_keep_their_order_and_a_forgotten_end_stops_at_the_next_call() -> None:
    written = (
        "<tool_lexical_search><query>uno</query>"
        "<tool_regex_search><predefined>email</predefined></tool_regex_search>"
        "<tool_lexical_search><query>dos</query></tool_lexical_search>"
    )

    assert arguments(written) == [
        ("tool_lexical_search", {"query": "uno"}),
        ("tool_regex_search", {"predefined": "email"}),
        ("tool_lexical_search", {"query": "dos"}),
    ]


def test_a_pattern_may_hold_markup_and_bare_ampersands() -> None:
    written = r"<tool_regex_search><pattern><b>(AT&T|R&amp;D)</b> < \d+</pattern></tool_regex_search>"

    assert arguments(written) == [("tool_regex_search", {"pattern": r"<b>(AT&T|R&D)</b> < \d+"})]


def test_a_value_may_look_like_another_argument() -> None:
    written = r"<tool_regex_search><pattern><query>\w+</query></pattern></tool_regex_search>"

    assert arguments(written) == [("tool_regex_search", {"pattern": r"<query>\w+</query>"})]


def test_entities_are_read_once_and_nothing_else_is_expanded() -> None:
    written = "<tool_lexical_search><query>&amp;lt; &unknown; &#241;</query></tool_lexical_search>"

    assert arguments(written) == [("tool_lexical_search", {"query": "&lt; &unknown; ñ"})]


def test_what_is_in_comments_or_thought_aloud_is_no_call() -> None:
    written = (
        "<think>quizá <tool_lexical_search><query>no</query></tool_lexical_search></think>"
        "<!-- <tool_lexical_search><query>tampoco</query></tool_lexical_search> -->"
        "<tool_lexical_search><!-- <top_k>9</top_k> --><query>sí</query></tool_lexical_search>"
    )

    assert arguments(written) == [("tool_lexical_search", {"query": "sí"})]


def test_a_value_given_twice_counts_as_written_last_and_is_said() -> None:
    (call,) = read_calls(
        "<tool_lexical_search><query>a</query><query>b</query></tool_lexical_search>", TOOLSET, language="en"
    )

    assert call.arguments == {"query": "b"}
    assert call.notes == ("query was given more than once; the last value was used",)


def test_a_tool_that_does_not_exist_is_a_call_too() -> None:
    assert arguments("<tool_weather><city>Lugo</city></tool_weather>") == [("tool_weather", {})]


@pytest.mark.parametrize("written", ["", "No me hace falta buscar.", "<b>texto</b> y <query>suelta</query>"])
def test_a_text_without_calls_gives_none(written: str) -> None:
    assert arguments(written) == []


def test_no_more_calls_are_read_than_a_reply_could_hold() -> None:
    written = "<tool_lexical_search><query>otra</query></tool_lexical_search>" * (MAX_CALLS + 5)

    assert len(arguments(written)) == MAX_CALLS


@given(st.text(alphabet=st.sampled_from("<>/!-&;=\"'[]{}` \nabqt_tool_lexical_searchquery"), max_size=200))
def test_no_text_is_too_broken_to_be_read(text: str) -> None:
    for call in read_calls(text, TOOLSET):
        outcome = asyncio.run(TOOLSET.run(call, ToolContext()))
        assert outcome.text


_VALUES = st.text(
    alphabet=st.characters(codec="utf-8", exclude_characters="<>&{}`", exclude_categories=["C", "Z"]),
    min_size=1,
    max_size=30,
).filter(lambda value: value == value.strip() and value.casefold() not in ("none", "null"))


@settings(max_examples=200)
@given(
    query=_VALUES,
    top_k=st.integers(1, 10),
    opening=st.sampled_from(["", "Busco: ", "```xml\n", "1. ", "<p>", "<answer>"]),
    capitals=st.booleans(),
    end=st.sampled_from(["</tool_lexical_search>", "", "</tool_lexical_search", "</tool>"]),
    blank=st.sampled_from(["", "\n", "  \n\t"]),
    attribute=st.sampled_from(["", ' id="1"', " x=y"]),
)
def test_arguments_survive_the_ways_in_which_calls_go_wrong(
    query: str, top_k: int, opening: str, capitals: bool, end: str, blank: str, attribute: str
) -> None:
    name = "TOOL_Lexical_Search" if capitals else "tool_lexical_search"
    written = (
        f"{opening}<{name}{attribute}>{blank}<query{attribute}>{blank}{query}{blank}</query>{blank}"
        f"<top_k> {top_k} </top_k>{blank}{end}"
    )

    assert arguments(written) == [("tool_lexical_search", {"query": query, "top_k": str(top_k)})]


@pytest.mark.parametrize(
    "written",
    [
        "<tool_lexical_search>&lt;query&gt;días&lt;/query&gt;</tool_lexical_search>",
        "＜tool_lexical_search＞＜query＞días＜/query＞＜/tool_lexical_search＞",
        "tool_lexical_search>\n<query>días</query>\n</tool_lexical_search>",
        "<tool_lexical_search>\nquery>días</query>",
        "<tool_lexical_search>\n<query días</query>\n</tool_lexical_search>",
        "<tool_lexical_search query=“días”/>",
        "<function=tool_lexical_search>\n<parameter=query>\ndías\n</parameter>\n</function>",
        "<tool_lexical_search><arguments><query>días</query></arguments></tool_lexical_search>",
        '<tool_lexical_search><parameters>{"query": "días"}</parameters></tool_lexical_search>',
        '[{"function": {"name": "tool_lexical_search", "arguments": "{\\"query\\": \\"días\\"}"}}]',
        "… thought aloud</think><tool_lexical_search><query>días</query>",
        "<tool_lexical_search><query>días</query><tool_lexical_search>",
    ],
)
def test_slips_of_the_brackets_are_read_as_they_were_meant(written: str) -> None:
    assert arguments(written) == [("tool_lexical_search", {"query": "días"})]


def test_a_forgotten_closing_tag_does_not_swallow_the_next_call() -> None:
    written = (
        "<tool_lexical_search><query>uno<top_k>3</top_k></tool_lexical_search>"
        "<tool_lexical_search><query>dos</query></tool_lexical_search>"
    )

    assert arguments(written) == [
        ("tool_lexical_search", {"query": "uno", "top_k": "3"}),
        ("tool_lexical_search", {"query": "dos"}),
    ]


def test_the_last_of_too_many_calls_says_that_there_were_more() -> None:
    calls = read_calls(
        "<tool_lexical_search><query>a</query></tool_lexical_search>" * (MAX_CALLS + 1), TOOLSET
    )

    assert calls[-1].notes == ("there are more than 20 calls; only the first 20 were read",)
