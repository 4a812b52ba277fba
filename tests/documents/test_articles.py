"""The key that a heading of legislation gives to everything under it."""

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

from atril.documents.blocks import scan
from atril.documents.chunking.articles import ArticleKeys, article_key, is_division

LAW = Path(__file__).parents[3] / "shared" / "data" / "law"


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("Artículo 38. Vacaciones anuales.", "38"),
        ("Artículo 169", "169"),
        ("Artículo 20 bis. Derechos de los trabajadores.", "20 bis"),
        ("Artículo 38 quater. Bonificación.", "38 quater"),
        ("Art. 7.", "7"),
        ("Articulo 1.º Objeto", "1"),
        ("Artículo 1.902.", "1902"),
        ("Artículo 111-1. Derecho civil", "111-1"),
        ("ARTÍCULO ÚNICO. Aprobación", "único"),
        ("Artículo once. Beneficiarios.", "once"),
        ("Artículo treinta y uno. Cuantía de la pensión.", "treinta y uno"),
        ("Artículo curenta y tres.", "curenta y tres"),
        ("Disposición adicional vigesimotercera. Presupuestos.", "Disposición adicional vigesimotercera"),
        ("Disposición transitoria primera bis. Plazos.", "Disposición transitoria primera bis"),
        (
            "Disposición transitoria trigésima quinta [sic]. Complementos.",
            "Disposición transitoria trigésima quinta",
        ),
        ("DISPOSICIÓN FINAL", "Disposición final"),
        ("Article 12a: Remedies", "12a"),
        ("Article IV. Of the States", "IV"),
        ("Статья 15.1. Порядок", "15.1"),
        ("Статья 5", "5"),
    ],
)
def test_headings_of_articles_and_provisions(title: str, key: str) -> None:
    assert article_key(title) == key


@pytest.mark.parametrize(
    "title",
    [
        "Vacaciones",
        "Artículo sobre el café",
        "Articles of association",
        "Artículos 5, 6 y 7",
        "Art deco",
        "Disposición final del recorrido",
        "Статьи расходов",
        "",
    ],
)
def test_other_headings_have_no_key(title: str) -> None:
    assert article_key(title) is None


def test_a_key_met_again_is_numbered() -> None:
    keys = ArticleKeys()
    titles = ["Artículo único.", "Artículo 1.", "Artículo único. Otro.", "Artículo único."]
    assert [keys.next(title) for title in titles] == ["único", "1", "único (2)", "único (3)"]


@pytest.mark.parametrize(
    "title", ["TÍTULO I", "CAPÍTULO II. De", "Sección 1.ª", "ANEXO", "Глава 2", "Part IV"]
)
def test_divisions_close_an_article(title: str) -> None:
    assert is_division(title)


def test_other_words_are_no_division() -> None:
    assert not is_division("Participación")


@pytest.mark.corpus
def test_every_unit_of_the_law_corpus_has_its_key() -> None:
    if not LAW.exists():
        pytest.skip("the law corpus is not beside the checkout")
    found: dict[str, list[str]] = {}
    for path in (LAW / "corpus").glob("*.md"):
        keys = ArticleKeys()
        titles = [block.title for block in scan(path.read_text(encoding="utf-8")) if block.kind == "heading"]
        found[path.stem] = [key for title in titles if (key := keys.next(title))]
    for norm in json.loads((LAW / "norms.json").read_text(encoding="utf-8")):
        provisions = [key for key in found[norm["identifier"]] if key.startswith("Disposición")]
        articles = len(found[norm["identifier"]]) - len(provisions)
        assert (articles, len(provisions)) == (norm["n_articles"], norm["n_provisions"]), norm["identifier"]
    asked = defaultdict(set)
    for name in ("dev.jsonl", "followups.jsonl"):
        text = (LAW / name).read_text(encoding="utf-8")
        for identifier, article in re.findall(r'"identifier": "([^"]+)", "article": "([^"]+)"', text):
            asked[identifier].add(article)
    assert asked
    for identifier, articles_asked in asked.items():
        assert articles_asked <= set(found[identifier])
