"""The report below a model's answer: read in whatever form it comes, and never shown."""

import random
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from atril.answering.meta import Need, Splitter, parse_reply

TEXT = "Tienes derecho a 30 días naturales [1]. No menos.\n\n- Se fijan de común acuerdo [2]."
REPORT = "USED|1, 2\nDROP|3-5\nNEED|38|Estatuto de los Trabajadores"
REPLY = f"{TEXT}\n\n===META===\n{REPORT}"


def streamed(reply: str, *cuts: int) -> str:
    splitter = Splitter()
    bounds = [0, *sorted(cuts), len(reply)]
    shown = [splitter.feed(reply[low:high]) for low, high in pairwise(bounds)]
    return "".join([*shown, splitter.finish()])


@pytest.mark.parametrize(
    "reply",
    [
        REPLY,
        REPLY.replace("===META===", "=== meta ==="),
        REPLY.replace("===META===", "==META=="),
        REPLY.replace("\n\n===META===\n", " ===META=== "),
        REPLY.replace("===META===", "```\n===META===") + "\n```",
        REPLY.replace("===META===", "**META**"),
        REPLY.replace("===META===\n", ""),
        REPLY.replace("===META===", "## Meta\n---"),
        REPLY.replace("USED|", "- **used** | ").replace("DROP|", "* Drop | "),
        f"<think>USED|9\n===META===</think>\n{REPLY}",
        REPLY.replace("|", ": ").replace("38: ", "38|"),
        REPLY.replace("\n", "\r\n"),
    ],
)
def test_a_reply_is_understood_in_many_forms(reply: str) -> None:
    read = parse_reply(reply, 5)
    assert read.text.replace("\r", "") == TEXT
    assert (read.used, read.dropped, read.reported) == ((1, 2), (3, 4, 5), True)
    assert read.needs == (Need("38 Estatuto de los Trabajadores", "38", "Estatuto de los Trabajadores"),)


@pytest.mark.parametrize(
    ("said", "used"),
    [
        ("1,2", (1, 2)),
        ("[2], [1]", (2, 1)),
        ("2-4", (2, 3, 4)),
        ("0, 3, 99", (3,)),
        ("4-999999999", (4, 5)),
        ("todos", (1, 2, 3, 4, 5)),
        ("all", (1, 2, 3, 4, 5)),
        ("ninguno", ()),
        ("none", ()),
        ("нет", ()),
        ("", ()),
        ("1, 1, 1", (1,)),
    ],
)
def test_numbers_are_read_in_many_forms(said: str, used: tuple[int, ...]) -> None:
    assert parse_reply(f"Sí.\n===META===\nUSED|{said}\nDROP|ninguno", 5).used == used


@pytest.mark.parametrize(
    ("lines", "needs"),
    [
        ("NEED|20 bis|LETA", (Need("20 bis LETA", "20 bis", "LETA"),)),
        ("NEED|art. 53.1|ET", (Need("art. 53.1 ET", "53.1", "ET"),)),
        ("NEED|plazo de preaviso", (Need("plazo de preaviso"),)),
        ("NEED|38|", (Need("38"),)),
        ("NEED|ninguno", ()),
        ("NEED|", ()),
        ("NEED|uno dos\nNEED|14|ET", (Need("uno dos"), Need("14 ET", "14", "ET"))),
        ("NEED|14|ET\nNEED|15|ET\nNEED|16|ET", (Need("14 ET 15 ET 16 ET"),)),
    ],
)
def test_what_is_needed_is_an_article_of_a_law_or_words(lines: str, needs: tuple[Need, ...]) -> None:
    assert parse_reply(f"Sí.\n===META===\nUSED|1\n{lines}", 5).needs == needs


def test_what_is_used_is_not_dropped() -> None:
    read = parse_reply("Sí.\n===META===\nUSED|1\nDROP|1,2", 2)
    assert (read.used, read.dropped) == ((1,), (2,))


@pytest.mark.parametrize(
    "text",
    ["", "Solo texto.", "a == b, c = d", "Las metas de la ley.\nSe usan | aquí.", "- uno\n- dos\n---\nfin"],
)
def test_a_text_without_a_report_is_all_answer(text: str) -> None:
    read = parse_reply(text, 5)
    assert (read.text, read.reported) == (text, False)
    assert streamed(text, *range(len(text))) == text


def mutated(chance: random.Random) -> str:
    """A reply in which a few characters were added, lost or exchanged."""
    reply = list(chance.choice([REPLY, REPLY.lower(), f"{TEXT}\n{REPORT}", REPLY.replace("===", "=="), TEXT]))
    for _ in range(chance.randint(1, 8)):
        at = chance.randint(0, len(reply))
        reply[at : at + chance.randint(0, 3)] = chance.choices(
            "=\n `*|METAUSEDROPN12,-[]<>k/", k=chance.randint(0, 2)
        )
    return "".join(reply)


def test_thousands_of_damaged_replies_cut_anywhere_never_show_their_report() -> None:
    chance = random.Random(7)
    for _ in range(5_000):
        reply = mutated(chance)
        text = parse_reply(reply, 5).text
        assert "===META" not in text.upper()
        assert streamed(reply, chance.randint(0, len(reply))) == text


def test_a_damaged_reply_may_be_cut_at_every_point() -> None:
    chance = random.Random(11)
    for reply in (mutated(chance) for _ in range(60)):
        text = parse_reply(reply, 5).text
        assert {streamed(reply, cut) for cut in range(len(reply) + 1)} == {text}
        assert streamed(reply, *range(len(reply))) == text


@settings(max_examples=300, deadline=None)
@example(["META", "==", "META"], [7])
@given(
    st.lists(
        st.sampled_from(["=", "==", "META", "\n", " ", "USED", "|", "1", "```", "<think>", "</think>", "Sí."])
    ),
    st.lists(st.integers(0, 200), max_size=6),
)
def test_whatever_the_pieces_the_stream_shows_the_text(parts: list[str], cuts: list[int]) -> None:
    reply = "".join(parts)
    assert streamed(reply, *(cut for cut in cuts if cut <= len(reply))) == parse_reply(reply, 3).text
