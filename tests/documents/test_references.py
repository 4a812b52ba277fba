import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from atril.documents.ordinals import place_key, value_of
from atril.documents.references import Mention, NormNames, find_mentions
from atril.documents.references.names import possible_names

NAMES = NormNames.build(
    {
        "Estatuto de los Trabajadores": "et.md",
        "ET": "et.md",
        "Ley 20/2007": "leta.md",
        "LISOS": "lisos.md",
    }
)


def the(text: str, language: str = "es", names: NormNames = NAMES) -> Mention:
    """The only mention in a text."""
    [mention] = find_mentions(text, language, names)
    return mention


def articles(text: str, language: str = "es") -> list[tuple[str, str | None]]:
    return [
        (article, mention.apartado)
        for mention in find_mentions(text, language, NAMES)
        for article in mention.articles
    ]


@pytest.mark.parametrize(
    ("text", "article", "paragraph", "document"),
    [
        ("según el artículo 53.1 del Estatuto de los Trabajadores", "53", "1", "et.md"),
        ("art. 53.1 ET", "53", "1", "et.md"),
        ("el art. 8 de la LISOS", "8", None, "lisos.md"),
        ("el apartado 3 del artículo 20 bis de la Ley 20/2007, de 11 de julio", "20 bis", "3", "leta.md"),
        ("el artículo 5, apartado 2, de la Ley 20/2007", "5", "2", "leta.md"),
        (
            "la disposición adicional segunda de la Ley 20/2007",
            "Disposición adicional segunda",
            None,
            "leta.md",
        ),
        ("artículo ciento treinta y seis", "ciento treinta y seis", None, None),
        ("el artículo 149.1.7.ª", "149", "1", None),
        ("el artículo 149.1, 7.ª, 8.ª y 17.ª, de la Ley 20/2007", "149", "1", "leta.md"),
        ("los apartados 12, 13 y 13 bis) del artículo 8 de la LISOS", "8", "12", "lisos.md"),
        ("el apartado 1, artículo 22, de la Ley 20/2007", "22", "1", "leta.md"),
        ("el apartado 1 de la disposición final novena", "Disposición final novena", "1", None),
        ("el artículo 313.bis", "313 bis", None, None),
        ("el artículo 33.3. bis de la Ley 20/2007", "33", "3", "leta.md"),
        ("artículo 92 Ley 20/2007", "92", None, "leta.md"),
        (
            "la disposición transitoria vigésima tercera",
            "Disposición transitoria vigésima tercera",
            None,
            None,
        ),
    ],
)
def test_an_article_is_found_with_its_paragraph_and_its_norm(
    text: str, article: str, paragraph: str | None, document: str | None
) -> None:
    mention = the(text)
    assert (mention.kind, mention.articles) == ("article", (article,))
    assert (mention.apartado, mention.identifier) == (paragraph, document)


def test_lists_and_ranges_name_every_article() -> None:
    assert [key for key, _ in articles("los artículos 51 a 54")] == ["51", "52", "53", "54"]
    assert articles("los artículos 14, 15 y 17.2 del ET") == [("14", None), ("15", None), ("17", "2")]
    assert articles("el artículo 275.1 y 2") == [("275", "1")]
    assert [place_key(key) for key, _ in articles("las disposiciones adicionales primera y tercera")] == [
        "adicional 1",
        "adicional 3",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "el artículo 5 y la disposición final primera de la Ley 20/2007",
        "el artículo 14.1.b) y en los párrafos b), c) y l) del artículo 305.2 de la Ley 20/2007",
        "los títulos I y III de la Ley 20/2007",
    ],
)
def test_a_norm_after_a_list_belongs_to_all_of_it(text: str) -> None:
    found = find_mentions(text, "es", NAMES)
    assert [mention.identifier for mention in found] == ["leta.md", "leta.md"]


@pytest.mark.parametrize(
    ("text", "relative"),
    [
        ("en el artículo anterior", "previous"),
        ("en los artículos siguientes", "next"),
        ("el apartado 3 de este artículo", "this"),
        ("lo previsto en este artículo", "this"),
        ("en el artículo 7 de la presente Ley", "this"),
    ],
)
def test_places_can_be_counted_from_here(text: str, relative: str) -> None:
    assert the(text).relative == relative


@pytest.mark.parametrize("said", ["dicha ley", "la citada ley", "la ley citada"])
def test_what_was_named_before_is_meant_by_said_law(said: str) -> None:
    found = find_mentions(f"La Ley 20/2007 lo permite. El artículo 4 de {said} lo limita.", "es", NAMES)
    assert [(mention.kind, mention.identifier) for mention in found] == [
        ("norm", "leta.md"),
        ("article", "leta.md"),
    ]


def test_a_statute_approved_by_a_decree_is_known_by_the_decree() -> None:
    text = "artículo 5 del texto refundido de la Ley X, aprobado por Real Decreto Legislativo 8/2015, de 30"
    mention = the(text, names=NormNames())
    assert (mention.norm, mention.approved) == ("Real Decreto Legislativo 8/2015", True)


def test_a_quotation_that_amends_a_law_speaks_of_that_law() -> None:
    text = (
        "##### Disposición final primera. Modificación de la Ley 20/2007, de 11 de julio\n\n"
        "Uno. Se modifica el artículo 4: «Se estará a lo previsto en el artículo 7 de esta ley, que será "
        "también de aplicación, con las excepciones que se determinen, a los casos del apartado 2.»"
    )
    found = find_mentions(text, "es", NAMES)
    assert [(each.articles, each.identifier) for each in found] == [(("4",), "leta.md"), (("7",), "leta.md")]


def test_headings_are_not_references() -> None:
    assert find_mentions("##### Artículo 5. Objeto\n\nArtículo 6. Ámbito\n", "es") == []


@pytest.mark.parametrize(
    ("text", "language", "kind", "value"),
    [
        ("véase la sección 3.2", "es", "section", "3.2"),
        ("see section 4", "en", "section", "4"),
        ("см. раздел 3.2", "ru", "section", "3.2"),
        ("see page 12", "en", "page", "12"),
        ("en la página 12", "es", "page", "12"),
        ("см. стр. 12", "ru", "page", "12"),
        ("[guide](../guide.md#install)", "en", "link", "../guide.md#install"),
        ("el capítulo II del título III", "es", "section", "titulo 3/capitulo 2"),
        ("la sección 5.ª, capítulo IV, título II", "es", "section", "titulo 2/capitulo 4/seccion 5"),
    ],
)
def test_sections_pages_and_links_are_found(text: str, language: str, kind: str, value: str) -> None:
    mention = the(text, language)
    assert (mention.kind, mention.value) == (kind, value)


def test_links_to_elsewhere_are_not_references() -> None:
    assert find_mentions("[site](https://example.org/a.md) ![picture](a.png)", "en") == []


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Articles 5 to 7 of this Act", "en", ["5", "6", "7"]),
        ("Article 5(1) of Regulation 883/2004", "en", ["5"]),
        ("п. 3 ст. 81 ТК РФ", "ru", ["81"]),
        ("статья 53 Трудового кодекса", "ru", ["53"]),
    ],
)
def test_articles_are_found_in_english_and_russian(text: str, language: str, expected: list[str]) -> None:
    assert [key for key, _ in articles(text, language)] == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("once", "11"),
        ("Disposición adicional vigesimotercera", "disposición adicional vigésima tercera"),
        ("38 quáter", "38 cuater"),
        ("Disposición transitoria 2.ª", "Disposición transitoria segunda"),
        ("38 (2)", "38"),
    ],
)
def test_keys_of_one_article_are_equal_however_they_are_written(one: str, other: str) -> None:
    assert place_key(one) == place_key(other)


def test_roman_numbers_have_values_and_other_words_have_none() -> None:
    assert [value_of(each) for each in ("xiv", "iv", "ciento dos", "iic", "casa")] == [14, 4, 102, None, None]


suffixes = st.sampled_from(["", " bis", " ter", " quinquies"])
paragraphs = st.none() | st.integers(1, 12)
norms = st.sampled_from(
    [("", None), (" del Estatuto de los Trabajadores", "et.md"), (" de la Ley 20/2007", "leta.md")]
)


@given(st.integers(1, 999), suffixes, paragraphs, norms, st.sampled_from(["artículo", "art.", "Artículo"]))
def test_a_reference_is_found_with_the_parts_it_was_made_of(
    number: int, suffix: str, paragraph: int | None, norm: tuple[str, str | None], word: str
) -> None:
    dotted = f".{paragraph}" if paragraph else ""
    written = f"{word} {number}{suffix}{dotted}{norm[0]}"
    text = f"Se estará a lo dispuesto en el {written}, en su caso."
    mention = the(text)
    assert text[mention.start : mention.end] == written
    assert mention.articles == (f"{number}{suffix}",)
    assert mention.apartado == (str(paragraph) if paragraph else None)
    assert mention.identifier == norm[1]


PIECES = st.sampled_from(
    [
        "artículo ", "artículos ", "apartado ", "disposición adicional ", "1", "2.3", ", ", " y ", " a ", "primera",
        "de la Ley ", "20/2007", "«", "»", "\n", "## ", "capítulo II", "[a](", ")", "del ", "ET", " bis", "(", ".",
        "статья ", "п. ", "Article ", "página ", "aprobado por ", "de esta ", "citada ",
    ]
)  # fmt: skip


@given(
    st.one_of(st.text(), st.lists(PIECES | st.text(max_size=3), max_size=60).map("".join)),
    st.sampled_from(["es", "en", "ru", "xx"]),
)
@example("İ artículo 5 ½ ª", "es")
@settings(deadline=None)
def test_any_text_gives_mentions_in_order_within_it(text: str, language: str) -> None:
    found = find_mentions(text, language, NAMES)
    assert all(0 <= mention.start < mention.end <= len(text) for mention in found)
    assert [mention.start for mention in found] == sorted(mention.start for mention in found)


SAID = (
    "la",
    "Ley",
    "20/2007",
    "del",
    "Estatuto",
    "de",
    "los",
    "Trabajadores",
    "ET",
    "LISOS",
    "y",
    "qué",
    "dice",
)


@given(st.lists(st.sampled_from(SAID), max_size=12).map(" ".join))
def test_the_possible_names_of_a_text_hold_every_name_found_in_it(text: str) -> None:
    possible = possible_names(text)
    known = NormNames({key: name for key, name in NAMES.identifiers.items() if key in possible})
    spans = [(each.start, each.end, each.norm) for each in find_mentions(text, "es", NAMES)]
    assert [(each.start, each.end, each.norm) for each in find_mentions(text, "es", known)] == spans
