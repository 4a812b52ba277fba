"""What becomes of bytes: the format is recognised, the text is canonical, the rest is refused with a reason."""

from __future__ import annotations

import contextlib
import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.documents.parsing import SUPPORTED_SUFFIXES, parse
from atril.documents.parsing.canonical import canonical, pipe_table
from atril.errors import UnreadableDocument
from atril.messages import LANGUAGES, message
from small_pdf import lines, pdf

OFFICE = Path(__file__).parents[3] / "shared" / "data" / "office"


def reason(name: str, data: bytes) -> str:
    with pytest.raises(UnreadableDocument) as caught:
        parse(name, data)
    return caught.value.reason


# The format


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.md", b"# Hello", "md"),
        ("a.TXT", b"Hello", "txt"),
        ("README", b"Hello", "txt"),
        ("a.htm", b"<p>Hello", "html"),
        ("a.pdf", pdf([lines("Hello")]), "pdf"),
    ],
)
def test_the_extension_names_the_format(name: str, data: bytes, kind: str) -> None:
    assert parse(name, data).type == kind


def test_the_content_overrules_the_extension() -> None:
    assert parse("report.txt", pdf([lines("Hello")])).type == "pdf"
    assert parse("report.docx", pdf([lines("Hello")])).type == "pdf"
    assert parse("download.pdf", b"<!doctype html><p>Hello").type == "html"


def test_bytes_before_the_header_of_a_pdf_are_no_other_format() -> None:
    assert parse("a.pdf", b"<html></html>\n" + pdf([lines("Hello")])).text == "Hello"


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("a.txt", b"", "empty"),
        ("a.md", b" \n\t\r\n", "empty"),
        ("a.html", b"<html><body><script>x()</script></body></html>", "empty"),
        ("a.docx", b"PK\x03\x04 anything", "corrupt"),
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0", "unsupported"),
        ("a.txt", bytes(range(256)) * 8, "unsupported"),
        ("a.pdf", b"This is no PDF.", "corrupt"),
        ("a.pdf", b"%PDF-1.7\n" + bytes(range(256)), "corrupt"),
        ("a.pdf", pdf([lines("Hello")])[:150], "corrupt"),
        ("a.pdf", pdf([lines("Secret")], encrypted=True), "encrypted"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(name: str, data: bytes, why: str) -> None:
    assert reason(name, data) == why


@given(st.binary(max_size=400), st.sampled_from(sorted(SUPPORTED_SUFFIXES)))
def test_any_bytes_give_a_document_or_a_reason(data: bytes, suffix: str) -> None:
    try:
        document = parse(f"file{suffix}", data)
    except UnreadableDocument:
        return
    assert_canonical(document.text)


@given(st.data())
def test_a_damaged_pdf_gives_a_document_or_a_reason(data: st.DataObject) -> None:
    whole = bytearray(pdf([lines("Hello"), lines("World")]))
    for place in data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=12)):
        whole[place] = data.draw(st.integers(0, 255))
    with contextlib.suppress(UnreadableDocument):
        assert_canonical(parse("a.pdf", bytes(whole)).text)


# Canonical text


def assert_canonical(text: str) -> None:
    assert unicodedata.is_normalized("NFC", text)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\ufeff\u2060\ud800-\udfff]", text)
    assert not re.search(r"[ \t]$", text, re.MULTILINE)
    assert text == text.strip("\n")


@given(st.text(st.characters(), max_size=200))
def test_canonical_text_holds_its_promises_and_stays_as_it_is(text: str) -> None:
    once = canonical(text)
    assert_canonical(once)
    assert canonical(once) == once


def test_what_does_not_print_does_not_hide_words() -> None:
    assert canonical("va\u00adca\u200bcio\u200dnes\u00a0anuales") == "vacaciones anuales"
    assert canonical("e\u0301l \U000e0041\u202eoculto") == "él oculto"


def test_joiners_stay_where_they_are_spelling() -> None:
    assert canonical("👩‍🔬") == "👩‍🔬"
    assert canonical("می‌خواهم") == "می‌خواهم"


def test_line_ends_become_one() -> None:
    assert canonical("a\r\nb\rc\u2028d  \n\n\n") == "a\nb\nc\nd"


def test_a_table_escapes_bars_and_drops_what_is_empty() -> None:
    rows = [["Plan", "", "Price"], ["A|B", "", "10"], ["", "", ""], ["C"]]
    assert pipe_table(rows) == "| Plan | Price |\n|---|---|\n| A\\|B | 10 |\n| C |  |"


# Encodings


RUSSIAN = "Вернуть товар можно в течение 14 дней. Цена доставки — 300 рублей."
SPANISH = "Ningún trabajador podrá disfrutar de menos de treinta días; ¿cuántos años?"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (SPANISH, "utf-8-sig"),
        (SPANISH, "utf-16"),
        (SPANISH, "utf-16-le"),
        (SPANISH, "utf-32"),
        (SPANISH, "utf-32-be"),
        (RUSSIAN, "utf-16"),
        (RUSSIAN, "utf-16-le"),
        (RUSSIAN, "utf-16-be"),
        (RUSSIAN, "utf-32-le"),
        ("Привет", "utf-16-le"),
        ("Artículo 38. Duración", "cp850"),
        ("Итого: 300 руб.", "cp1251"),
        ("Итого: 300 руб.", "cp866"),
        ("отдел кадров", "koi8-r"),
        (SPANISH, "latin-1"),
        ("Año niño", "latin-1"),
        ("Où est le café ? Ça coûte “5 €”", "cp1252"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN.replace("—", "-"), "koi8-r"),
        (RUSSIAN.replace("—", "-"), "cp866"),
        ("Zażółć gęślą jaźń, proszę pana i panią, bo dzisiaj będzie święto", "cp1250"),
    ],
)
def test_text_is_read_in_the_encoding_it_was_written_in(text: str, encoding: str) -> None:
    document = parse("a.txt", text.encode(encoding))
    assert document.text == text
    guessed = not encoding.startswith("utf")
    assert [warning.kind for warning in document.warnings] == (["encoding"] if guessed else [])


def test_utf8_with_a_cut_character_stays_utf8() -> None:
    document = parse("a.txt", (SPANISH + "é").encode()[:-1])
    assert document.text.startswith(SPANISH)


def test_html_says_how_it_is_encoded() -> None:
    page = f'<meta charset="windows-1251"><p>{RUSSIAN}'.encode("cp1251")
    document = parse("a.html", page)
    assert (document.text, document.warnings) == (RUSSIAN, ())


@pytest.mark.parametrize(
    ("page", "encoding"),
    [
        ('<?xml version="1.0" encoding="koi8-r"?><html><body><p>{}', "koi8-r"),
        (
            '<html><head><meta http-equiv=content-type content="text/html; charset=cp866"></head><p>{}',
            "cp866",
        ),
        ('<html><meta charset="utf-8"><p>{}', "cp1251"),
        ('<html><meta charset="windows-1251"><p>{}', "utf-8-sig"),
        ('<html><meta charset="windows-1251"><p>{}', "utf-16"),
        ("<html><p>{}", "utf-16-le"),
    ],
)
def test_html_is_read_right_whatever_it_says(page: str, encoding: str) -> None:
    words = "Вернуть товар можно в течение 14 дней."
    assert parse("a.html", page.format(words).encode(encoding)).text == words


def test_a_declared_latin_1_is_windows_1252_as_in_browsers() -> None:
    page = '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1"><p>5 €'.encode("cp1252")
    assert parse("a.html", page).text == "5 €"


# Front matter and titles


def test_front_matter_is_metadata_and_not_text() -> None:
    document = parse(
        "ley.md",
        b"---\ntitle: Ley 1/2020\ndate: 2020-01-02\ncode: 0123\nok: yes\ntags: [a, b]\nby:\n  name: Ana\n---\n# Uno\n",
    )
    assert document.text == "# Uno"
    assert document.title == "Ley 1/2020"
    assert document.metadata == {
        "title": "Ley 1/2020", "date": "2020-01-02", "code": "0123", "ok": "yes", "tags": "a, b", "by.name": "Ana",
    }  # fmt: skip


BOMB = "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join([f'*{chr(97 + i)}'] * 8)}]\n" for i in range(8)
)


@pytest.mark.parametrize(
    "front",
    [
        "title: [unclosed",
        "just words",
        "- a\n- list",
        "a: &a [*a]",
        BOMB,
    ],
    ids=["unclosed", "words", "list", "recursive", "bomb"],
)
def test_broken_front_matter_is_text(front: str) -> None:
    document = parse("a.md", f"---\n{front}\n---\nbody".encode())
    assert document.metadata == {}
    assert document.text.endswith("body") and document.text.startswith("---")


def test_front_matter_names_no_python_objects() -> None:
    document = parse("a.md", b"---\na: !!python/object/apply:os.getcwd []\n---\nbody")
    assert document.metadata == {"a": ""}


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a.md", "intro\n\n# The **title** #\n", "The title"),
        ("a.md", "```\n# no\n```\nSetext\n======\n", "Setext"),
        ("a.md", "First line\n\nmore", "First line"),
        ("notes.2024.md", "x" * 300, "notes.2024"),
        ("a.html", "<title>Head</title><p>text", "Head"),
        ("a.html", "<title>Head</title><h1>Heading</h1>", "Heading"),
        ("a.txt", "# not a heading here\nbut a fine title", "not a heading here"),
    ],
)
def test_the_title_is_the_best_there_is(name: str, text: str, title: str) -> None:
    assert parse(name, text.encode()).title == title


# Warnings


@pytest.mark.parametrize("kind", ["needs_ocr", "damaged_page", "hidden_text", "encoding"])
def test_every_warning_has_its_words(kind: str) -> None:
    assert len({message(f"warning.{kind}", language) for language in LANGUAGES}) == len(LANGUAGES)


# The office corpus


def office_files() -> list[dict[str, object]]:
    manifest = OFFICE / "manifest.jsonl"
    if not manifest.exists():
        return []
    return [json.loads(line) for line in manifest.read_text(encoding="utf-8").splitlines()]


EXPECTED = {
    "ocr_needed": {"needs_ocr"}, "error_encrypted": {"encrypted"}, "error_corrupt": {"corrupt"},
    "error_empty": {"empty"}, "empty_text": {"empty"}, "error_or_partial": {"corrupt", "ok"},
    "ok_or_type_mismatch": {"ok"},
}  # fmt: skip


@pytest.mark.corpus
def test_difficult_files_are_read_or_refused_as_expected() -> None:
    formats = ("pdf", "txt", "html")
    files = [
        entry for entry in office_files() if entry["format"] in formats and int(str(entry["bytes"])) < 200_000
    ]
    if not files:
        pytest.skip("the office corpus is not beside the checkout")
    wrong = []
    for entry in files:
        name = str(entry["file"])
        try:
            parse(name, (OFFICE / name).read_bytes())
            got = "ok"
        except UnreadableDocument as error:
            got = error.reason
        expected = EXPECTED.get(str(entry["expect"]), {"ok"})
        # A form without page text holds its words in fields, which are not read.
        if got not in expected and entry["expect"] != "ok_form_fields":
            wrong.append((name, got, expected))
    assert wrong == []
