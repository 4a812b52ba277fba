"""Which financial statements a question needs, and the pages that hold them."""

import pytest

from atril.answering.document_first_statements import load_statements
from atril.types import Page

STATEMENTS = load_statements()
YEARS = "| 2023 | 2022 | 2021 | 2020 |\n|---|---|---|---|"
FIGURES = "1,204.5 1,103.2 998.7"


def table(*lines: str) -> str:
    return "\n".join(f"| {line} | {FIGURES} |" for line in lines)


ENGLISH = [
    "Gross margin improved, as the consolidated statements of income show. " + "Sales rose by 12.5%. " * 30,
    "Index: consolidated statements of income 45, consolidated balance sheets 47",
    "### Acme Inc. Consolidated Statements of Income (unaudited)\n\n"
    + YEARS
    + table("Net sales", "Cost of sales", "Operating profit", "Income taxes", "Net income", "Per share"),
    "# Consolidated Balance Sheets\n\n"
    + YEARS
    + table("Cash and cash equivalents", "Total assets", "Accounts payable", "Total liabilities")
    + table("Retained earnings", "Total equity", "Property"),
    "Selected income statement data for 10 years\n\n"
    + YEARS
    + table("Net sales", "Cost of sales", "Operating profit", "Income taxes", "Net income", "Per share"),
]
SPANISH = [
    "# Carta del presidente\n\nEl margen bruto creció un 12,5%.",
    "# Estado de flujos de efectivo consolidado\n\n"
    + YEARS
    + table(
        "Resultado antes de impuestos",
        "Amortización",
        "Actividades de explotación",
        "Actividades de inversión",
    )
    + table("Actividades de financiación", "Efectivo al inicio", "Efectivo al final"),
]
RUSSIAN = [
    "Выручка выросла на 12,5%.",
    "# Бухгалтерский баланс\n\n"
    + YEARS
    + table("Основные средства", "Денежные средства", "Итого активы", "Кредиторская задолженность")
    + table("Нераспределённая прибыль", "Капитал", "Итого обязательства"),
]


def found(passages: list[str], language: str, *kinds: str) -> list[int]:
    text, pages = "", []
    for number, passage in enumerate(passages, start=1):
        pages.append(Page(number, len(text), len(text) + len(passage)))
        text += passage + "\n\n"
    return [page.number for page in STATEMENTS.find(text, pages, language, kinds)]


class TestQuestions:
    @pytest.mark.parametrize(
        ("question", "kinds"),
        [
            ("Does Acme have an improving gross margin?", ("income",)),
            ("Did Acme grow its PPNE between FY20 and FY21?", ("balance",)),
            ("What is the FY2018 capital expenditure amount for Acme?", ("cash",)),
            ("What is Acme's inventory turnover ratio?", ("income", "balance")),
            ("¿Cuál fue el flujo de caja libre?", ("cash",)),
            ("¿Mejoró el margen bruto en 2022?", ("income",)),
            ("Какой была чистая прибыль и оборотный капитал?", ("income", "balance")),
        ],
    )
    def test_a_figure_stands_in_the_statements_it_is_computed_from(
        self, question: str, kinds: tuple[str, ...]
    ) -> None:
        assert STATEMENTS.needed(question) == kinds

    @pytest.mark.parametrize(
        "question",
        [
            "Who are the primary customers of Acme?",
            "Which region had the biggest drop in revenue?",
            "¿Cuántos días de vacaciones tengo?",
            "Сколько дней отпуска мне положено?",
        ],
    )
    def test_other_questions_and_those_about_parts_of_a_figure_need_none(self, question: str) -> None:
        assert STATEMENTS.needed(question) == ()


class TestPages:
    def test_a_statement_is_known_by_its_title_lines_and_numbers(self) -> None:
        assert found(ENGLISH, "en", "income") == [3]
        assert found(ENGLISH, "en", "balance", "income") == [4, 3]

    def test_it_is_known_in_the_language_of_the_document(self) -> None:
        assert found(SPANISH, "es", "cash") == [2]
        assert found(RUSSIAN, "ru", "balance") == [2]
        assert found(SPANISH, "en", "cash") == []

    def test_a_document_without_it_has_none(self) -> None:
        assert found(ENGLISH, "en", "cash") == []
        assert found(ENGLISH, "de", "income") == []
        assert found([], "en", "income") == []

    def test_one_page_that_holds_two_statements_is_named_once(self) -> None:
        both = [ENGLISH[2] + "\n\n" + ENGLISH[3].replace("# Consolidated Balance Sheets", "")]
        assert found(both, "en", "income", "balance") == [1]
