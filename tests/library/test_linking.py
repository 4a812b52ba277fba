"""Documents that refer to each other, as a library keeps them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import atril
from atril.testing.embedders import HashEmbedder
from atril.types import Scope

LEAVE = """# Ley 5/2001, de 3 de marzo, de Permisos

## CAPÍTULO I. Disposiciones generales

##### Artículo 1. Objeto

Esta ley regula los permisos. Los plazos son los del artículo 3.

##### Artículo 2. Solicitud

1. Se pide por escrito.

2. Se resuelve según el artículo siguiente.

##### Artículo 3. Plazos

Quince días, salvo lo previsto en el artículo 9.
"""

RULES = """# Real Decreto 7/2002, de 1 de abril, por el que se desarrolla la Ley 5/2001

##### Artículo 1. Desarrollo

Se desarrollan el artículo 2.2 de la Ley 5/2001, de 3 de marzo, y el artículo 40 de la Ley 8/1999.
"""


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[atril.Library]:
    async with atril.open(tmp_path / "home", embedder=HashEmbedder()) as opened:
        yield opened


async def add(library: atril.Library, **texts: str) -> None:
    await library.add_texts([{"name": f"{name}.md", "text": text} for name, text in texts.items()])


async def leads(library: atril.Library, query: str, article: str = "1") -> tuple[str, ...]:
    """What the hit with this article refers to."""
    result = await library.search(query, mode="lexical")
    return next(hit.metadata.references for hit in result.results if hit.metadata.article == article)


async def chunk_of(library: atril.Library, name: str, article: str) -> str:
    return next(each.id for each in await library.chunks(name) if each.chunk.article == article)


async def test_a_hit_says_which_chunks_its_text_refers_to(library: atril.Library) -> None:
    await add(library, leave=LEAVE)
    assert await leads(library, "permisos objeto") == (await chunk_of(library, "leave.md", "3"),)
    assert await leads(library, "escrito", "2") == (await chunk_of(library, "leave.md", "3"),)


@pytest.mark.parametrize("order", [("leave", "rules"), ("rules", "leave")])
async def test_documents_find_each_other_in_whatever_order_they_come(
    library: atril.Library, order: tuple[str, str]
) -> None:
    for name in order:
        await add(library, **{name: {"leave": LEAVE, "rules": RULES}[name]})
    assert await leads(library, "desarrollan") == (await chunk_of(library, "leave.md", "2"),)


async def test_references_follow_what_comes_goes_and_changes(library: atril.Library) -> None:
    await add(library, leave=LEAVE, rules=RULES)
    await library.remove("leave.md")
    assert await leads(library, "desarrollan") == ()
    await add(library, leave=LEAVE)
    await add(library, leave=LEAVE.replace("##### Artículo 1.", "Un preámbulo.\n\n##### Artículo 1."))
    assert await leads(library, "desarrollan") == (await chunk_of(library, "leave.md", "2"),)


async def test_what_the_caller_may_not_see_is_not_referred_to(library: atril.Library) -> None:
    await library.add_texts([{"name": "leave.md", "text": LEAVE}], labels=["inner"])
    await library.add_texts([{"name": "rules.md", "text": RULES}], labels=["public"])
    assert await leads(library.within(Scope(labels=("public",))), "desarrollan") == ()
    assert await leads(library, "desarrollan") != ()


async def test_another_tenant_shares_no_references(library: atril.Library) -> None:
    await add(library, leave=LEAVE)
    other = library.within(Scope("other"))
    await add(other, rules=RULES)
    assert await leads(other, "desarrollan") == ()


async def test_links_lead_to_documents_and_their_sections(library: atril.Library, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "api").mkdir(parents=True)
    (docs / "start.md").write_text(
        "# Start\n\nBegin with the [options](api/all.md#the-options).", encoding="utf-8"
    )
    body = "Words about everything. " * 60
    (docs / "api" / "all.md").write_text(f"# All\n\n{body}\n\n## The options\n\n{body}", encoding="utf-8")
    await library.add(docs)
    result = await library.search("begin", mode="lexical")
    target = next(
        each.id for each in await library.chunks("api/all.md") if each.chunk.section_title == "The options"
    )
    assert result.results[0].metadata.references == (target,)


async def test_the_report_counts_what_leads_somewhere_and_names_what_does_not(library: atril.Library) -> None:
    await add(library, leave=LEAVE, rules=RULES)
    report = (await library.references()).to_dict()
    assert report["by_kind"]["article"] == {"found": 4, "resolved": 3}
    [missing] = report["missing"]
    assert (missing["name"], missing["document"], missing["count"]) == ("9", "leave.md", 1)
    [unknown] = report["unknown"]
    assert (unknown["name"], report["outside"]) == ("Ley 8/1999", 1)
    assert unknown["example"] == await chunk_of(library, "rules.md", "1")


async def test_a_profile_gives_documents_names_when_it_comes(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    profile.mkdir()
    (profile / "profile.toml").write_text('name = "leave"\n', encoding="utf-8")
    norms = '[[norm]]\nidentifier = "leave"\nabbreviations = ["LPER"]\n'
    (profile / "norms.toml").write_text(norms, encoding="utf-8")
    home = tmp_path / "home"
    note = "# Nota\n\n##### Artículo 1. Plazo\n\nSegún el artículo 2.2 de la LPER, por escrito."
    async with atril.open(home, embedder=HashEmbedder()) as library:
        await add(library, leave=LEAVE, note=note)
        assert await leads(library, "nota") == ()
    async with atril.open(home, profile=str(profile), embedder=HashEmbedder()) as library:
        assert await leads(library, "nota") == (await chunk_of(library, "leave.md", "2"),)
    async with atril.open(home, embedder=HashEmbedder()) as library:
        assert await leads(library, "nota") == ()


async def test_an_older_text_means_the_articles_of_an_earlier_law(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    profile.mkdir()
    (profile / "profile.toml").write_text('name = "leave"\n', encoding="utf-8")
    norms = '[[norm]]\nidentifier = "leave"\ntitles = ["Ley de Permisos"]\nnumbered_since = 2001\n'
    (profile / "norms.toml").write_text(norms, encoding="utf-8")
    old = (
        "# Real Decreto 9/1998, de 1 de abril, de plazos\n\n"
        "##### Artículo 1. Escrito\n\nSegún el artículo 2.2 de la Ley de Permisos.\n\n"
        "##### Artículo 2. Plazos\n\nSegún la Ley 5/2001, y el artículo 2.2 de la Ley de Permisos.\n"
    )
    async with atril.open(tmp_path / "home", profile=str(profile), embedder=HashEmbedder()) as library:
        await add(library, leave=LEAVE, old=old)
        assert await leads(library, "escrito real decreto plazos", "1") == ()
        assert await leads(library, "plazos real decreto", "2") == (await chunk_of(library, "leave.md", "2"),)
        report = await library.references()
    assert (report.outdated, report.outside) == (1, 0)
    [earlier] = report.earlier
    assert (earlier.name, earlier.document) == ("Ley de Permisos", "leave.md")


async def test_a_line_over_an_article_opens_its_division(library: atril.Library) -> None:
    body = "Palabras sobre los permisos y sus plazos. " * 10
    text = (
        f"# Ley 5/2001\n\n##### Artículo 1. Objeto\n\n{body}Véase la subsección 2.ª de esta ley.\n\n"
        f"Subsección 2.ª Plazos\n\n##### Artículo 2. Plazos\n\n{body}\n"
    )
    await add(library, leave=text)
    assert await leads(library, "objeto permisos") == (await chunk_of(library, "leave.md", "2"),)
