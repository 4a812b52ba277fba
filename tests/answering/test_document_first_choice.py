"""Reading the names of documents in what a model replies."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.answering.document_first_choice import chosen
from atril.types import Document

NOBODY = Document(
    id=UUID(int=0),
    version=UUID(int=0),
    name="",
    stem="",
    source="",
    collection="default",
    labels=(),
    title="",
    type="pdf",
    language="es",
    description="",
    metadata={},
    pages=None,
    chunks=1,
    bytes=1,
    content_hash="",
    added_at=datetime(2026, 1, 1, tzinfo=UTC),
)


def document(name: str, title: str = "") -> Document:
    return replace(NOBODY, id=uuid4(), name=name, title=title)


PAYMENTS = document("Reglamento de Pagos 2024.pdf", "Reglamento de pagos y matrículas")
CALENDAR = document("calendario/Calendario Académico 2024.pdf")
GUIDE = document("Guía de Trámites.docx", "Guía")
OLD = document("Reglamento de Pagos 2023.pdf")
CANDIDATES = [PAYMENTS, CALENDAR, GUIDE, OLD]


@pytest.mark.parametrize(
    "reply",
    [
        "Reglamento de Pagos 2024.pdf\nGuía de Trámites.docx",
        "1. Reglamento de Pagos 2024.pdf\n2. Guía de Trámites.docx",
        "1) “Reglamento de Pagos 2024”\n2) «Guía de Trámites»",
        "- **Reglamento de Pagos 2024.pdf**\n- `Guía de Trámites.docx`",
        "• reglamento de pagos 2024\n\n• guia de tramites",
        '["Reglamento de Pagos 2024.pdf", "Guía de Trámites.docx"]',
        '"Reglamento de Pagos 2024.pdf"; "Guía de Trámites.docx"',
        "Los documentos más relevantes son:\n\nReglamento_de_Pagos_2024.pdf\nGuia-de-Tramites",
        "Documento: Reglamento de Pagos 2024.pdf\nDocumento: Guía de Trámites.docx",
        "Reglamento de Pagos 2024.pdf: trata de la matrícula.\nGuía de Trámites.docx (trámites)",
        "Reglamento de pagos y matrículas\nGuía",
        "Reglamentos de Pago 2024\nGuía de los Trámites",
        "<think>Reglamento de Pagos 2023.pdf quizá</think>\nReglamento de Pagos 2024.pdf\nGuía de Trámites.docx",
        "Reglamento de Pagos 2024.pdf\nReglamento de Pagos 2024.pdf\nGuía de Trámites.docx\nCalendario Académico",
        "Ordenanza inventada\nReglamento de Pagos 2024.pdf\nGuía de Trámites.docx",
    ],
)
def test_two_documents_are_read_however_they_are_written(reply: str) -> None:
    assert chosen(reply, CANDIDATES) == [PAYMENTS, GUIDE]


def test_a_document_in_a_folder_is_called_by_its_file_name_too() -> None:
    assert chosen("Calendario Académico 2024", CANDIDATES) == [CALENDAR]


def test_another_number_is_no_slip() -> None:
    assert chosen("Reglamento de Pagos 2023", CANDIDATES) == [OLD]
    assert chosen("Reglamento de Pagos 2022", CANDIDATES) == []


def test_a_name_inside_a_longer_name_means_the_longer_one() -> None:
    short, long = document("Informe.pdf"), document("Informe anual.pdf")
    assert chosen("el Informe anual de la empresa", [short, long]) == [long]


def test_a_title_that_several_share_means_none_of_them() -> None:
    filings = [document(f"{number}.pdf", "UNITED STATES") for number in "ab"]
    assert chosen("UNITED STATES", filings) == []


@given(st.text())
def test_nonsense_names_nothing_that_is_not_a_candidate(reply: str) -> None:
    found = chosen(reply, CANDIDATES)
    assert len(found) <= 2
    assert len({each.id for each in found}) == len(found)
    assert all(each in CANDIDATES for each in found)


@given(st.permutations(CANDIDATES), st.sampled_from(["{}", "- {}", "2. {}", '"{}"', "* **{}**", "> {}"]))
def test_exact_names_come_back_in_their_order(order: list[Document], line: str) -> None:
    reply = "\n".join(line.format(each.name) for each in order)
    assert chosen(reply, CANDIDATES) == order[:2]
