"""Damaged files of every format end as a document or with a reason. `benchmarks/mutations.py` does this at length."""

from __future__ import annotations

import io
import zipfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atril.documents.parsing import SUPPORTED_SUFFIXES, parse
from atril.documents.parsing.canonical import canonical
from atril.errors import UnreadableDocument
from atril.testing.mutations import mutated
from small_pdf import lines, pdf

OFFICE = Path(__file__).parents[3] / "shared" / "data" / "office" / "files"
SMALL = 40_000


@cache
def written() -> dict[str, bytes]:
    """A file of each format that can be written by hand."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr(
            "content.xml",
            '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
            ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text>'
            "<text:h text:outline-level='1'>Uno</text:h><text:p>Dos tres.</text:p>"
            "</office:text></office:body></office:document-content>",
        )
    return {
        "a.pdf": pdf([lines("Hello"), lines("World")]),
        "a.odt": packed.getvalue(),
        "a.html": b"<style>.x{display:none}</style><h1>Uno</h1><table><tr><td>1<td>2</table><p class=x>tres",
        "a.eml": b"From: a@b.c\nSubject: =?utf-8?B?VW5v?=\nContent-Type: multipart/mixed; boundary=x\n\n"
        b"--x\n\nDos\n--x\nContent-Disposition: attachment; filename*=utf-8''t%C3%A9.txt\n\ntres\n--x--\n",
        "a.rtf": rb"{\rtf1\ansi\ansicpg1251 {\fonttbl{\f0 A;}}\b Uno\b0\par dos {\field{\fldrslt tres}}\'e0}",
        "a.json": b'[{"a": 1, "b": ["uno", {"c": "dos"}]}, {"a": 2, "b": null}]',
        "a.csv": b'a;b;c\n1;2,5;"x;y"\n2;3,5;z\n',
        "a.xml": b"<?xml version='1.0'?><!DOCTYPE r [<!ENTITY e 'v'>]><r><i n='1'>uno &e;</i><i>dos</i></r>",
        "a.md": b"---\ntitle: Uno\n---\n# Uno\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    }


@cache
def office() -> dict[str, bytes]:
    paths = sorted(OFFICE.glob("*")) if OFFICE.is_dir() else []
    return {
        path.name: path.read_bytes()
        for path in paths
        if path.suffix in SUPPORTED_SUFFIXES and path.stat().st_size <= SMALL
    }


def ends_well(name: str, data: bytes) -> None:
    try:
        document = parse(name, data)
    except UnreadableDocument:
        return
    assert document.text == canonical(document.text)
    ends = [0, *(place for page in document.pages for place in (page.start, page.end)), len(document.text)]
    assert ends == sorted(ends)


@given(st.sampled_from(sorted(written())), st.integers(0, 1 << 30))
@settings(max_examples=150, deadline=None)
def test_a_damaged_file_gives_a_document_or_a_reason(name: str, seed: int) -> None:
    ends_well(name, mutated(written()[name], seed, list(written().values())))


@pytest.mark.corpus
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_damaged_office_file_gives_a_document_or_a_reason(data: st.DataObject) -> None:
    if not office():
        pytest.skip("the office corpus is not beside the checkout")
    name = data.draw(st.sampled_from(sorted(office())))
    ends_well(name, mutated(office()[name], data.draw(st.integers(0, 1 << 30))))


def test_the_same_seed_damages_in_the_same_way() -> None:
    whole = written()["a.odt"]
    assert mutated(whole, 7) == mutated(whole, 7)
    assert len({mutated(whole, seed) for seed in range(50)}) > 30
