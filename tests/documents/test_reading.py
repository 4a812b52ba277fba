"""A file to chunks, terms and a description, in one call."""

from __future__ import annotations

import numpy as np
import pytest

from atril.documents.analysis import term_counts
from atril.documents.chunking import ChunkOptions, passage
from atril.documents.frames import decode, document_from_json, document_to_json, encode
from atril.documents.reading import ReadDocument, read, read_text
from atril.errors import UnreadableDocument
from small_pdf import lines, pdf

WORDS = "atril.testing.embedders:count_words"
LAW = """---
rank: ley
---
# Estatuto

##### Artículo 38. Vacaciones anuales.

El periodo de vacaciones anuales retribuidas será el pactado en convenio colectivo o contrato individual.

| Grupo | Días |
|---|---|
| I | 30 |
"""


def document(text: str = LAW, name: str = "et.md") -> ReadDocument:
    return read(name, text.encode(), tokenizer=WORDS, options=ChunkOptions())


def test_a_file_becomes_chunks_with_their_terms() -> None:
    found = document()
    assert (found.parsed.title, found.parsed.metadata, found.language) == ("Estatuto", {"rank": "ley"}, "es")
    assert "38" in [chunk.article for chunk in found.chunks]
    assert "vacaciones" in found.description
    assert all(chunk.keywords for chunk in found.chunks if chunk.type == "content")
    for chunk, terms in zip(found.chunks, found.terms, strict=True):
        assert chunk.content == found.parsed.text[chunk.start : chunk.end]
        expected = term_counts(passage(chunk), "es")
        assert np.array_equal(terms.ids, expected.ids)
        assert terms.length == expected.length


def test_a_text_without_a_file_is_read_alike() -> None:
    found = read_text(
        "faq-17", "", "¿Cuántos días?\r\n\r\nTreinta días de vacaciones.", {"topic": "RR. HH."},
        tokenizer=WORDS, options=ChunkOptions(),
    )  # fmt: skip
    assert (found.parsed.title, found.parsed.type, found.language) == ("¿Cuántos días?", "txt", "es")
    assert found.parsed.text == "¿Cuántos días?\n\nTreinta días de vacaciones."
    assert found.parsed.metadata == {"topic": "RR. HH."}


def test_a_text_of_blanks_is_refused() -> None:
    with pytest.raises(UnreadableDocument) as caught:
        read_text("faq", "Title", " \n\u200b", {}, tokenizer=WORDS, options=ChunkOptions())
    assert caught.value.reason == "empty"


def test_a_declared_language_counts_where_the_text_does_not_tell() -> None:
    assert document("---\nlang: pt-BR\n---\n12 345\n").language == "pt"
    assert document("---\nlang: en\n---\nLos trabajadores tienen derecho a vacaciones.\n").language == "es"


def test_a_document_survives_the_way_between_processes() -> None:
    before = read(
        "a.pdf", pdf([lines("The first page."), [], "scan"]), tokenizer=WORDS, options=ChunkOptions()
    )
    frame = encode({"document": document_to_json(before)})
    after = document_from_json(decode(frame[4:])["document"])
    assert (after.parsed, after.language, after.description) == (
        before.parsed,
        before.language,
        before.description,
    )
    assert after.chunks == before.chunks
    for one, other in zip(after.terms, before.terms, strict=True):
        assert np.array_equal(one.ids, other.ids) and one.ids.dtype == np.uint32
        assert np.array_equal(one.counts, other.counts) and one.counts.dtype == np.uint16
        assert one.length == other.length
