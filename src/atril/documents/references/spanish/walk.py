"""The walk through a Spanish text, from one anchor of a reference to the next."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from atril.documents.references.mentions import Mention
from atril.documents.references.spanish.amendments import Amendments
from atril.documents.references.spanish.belonging import Belonging, share_norms
from atril.documents.references.spanish.divisions import read_divisions
from atril.documents.references.spanish.lists import ITEM, Entry, read_list, read_paragraphs
from atril.documents.references.spanish.norms import Norms
from atril.documents.references.spanish.passage import Passage
from atril.documents.references.spanish.patterns import (
    ANCHOR,
    BESIDE,
    FLAGS,
    ITS_BEFORE,
    OF,
    SAID,
    first_part,
    in_digits,
    relative_of,
)
from atril.documents.references.spanish.quotes import Quotations

_BESIDE: Final = re.compile(rf"\s+(?:inmediatamente\s+)?{BESIDE}(?:es|s)?\b", FLAGS)
_AFTER_A_LIST: Final = re.compile(
    r"(?:\s*,?\s*(?:y\s+siguientes|y\s+ss\.?|y\s+concordantes|respectivamente|inclusive|ambos\s+inclusive|ambos"
    r"|todos\s+ellos)(?=[\s,.;)]))*"
    r"(?:\s*,?\s+(?:del|de\s+la)\s+(?:libro|titulo|capitulo|seccion|anexo)\s+(?:[ivxl]+|\d+|[a-z]+(?:o|a))(?:\.?[ºª])?)*",
    FLAGS,
)
_COMMA_ARTICLE: Final = re.compile(r"\s*,\s+(?=art(?:iculo\b|\.)\s*\d)", FLAGS)
_THIS_ARTICLE: Final = re.compile(
    r"(?:(?:est[ea]|(?:el\s+|la\s+)?presente)\s+(?:mism[oa]\s+)?(?:articulo|disposicion|precepto)\b)", FLAGS
)
_SAID_ARTICLE: Final = re.compile(
    rf"(?:(?:el|la)\s+)?{SAID}\s+(?:articulo|precepto|disposicion(?:\s+(?:adicional|transitoria|final))?)\b(?!\s+(?:\d|anterior))",
    FLAGS,
)
_ARTICLE_LATER: Final = re.compile(r"[^.;:\n]{0,30}?\bdel?\s+(?:la\s+)?(?:articulo|disposicion)\b", FLAGS)
_THIS_BEFORE: Final = re.compile(r"\b(?:este|esta|presente)\s+(?:mism[oa]\s+)?\Z", FLAGS)
_NUMBER_BEFORE: Final = re.compile(r"\d\s*,\s*$")


def find_spanish(text: str, headings: Iterable[tuple[int, int]]) -> list[Mention]:
    """The mentions in a text, as they are found; `headings` are the stretches to pass over, in order."""
    return _Walk(Passage.of(text)).mentions(headings)


@dataclass(frozen=True, slots=True)
class _Opening:
    """What stands before the number of an article or provision: "el apartado 2 de la disposición adicional".

    The mention begins at `start`, its article or provision at `word`, and its number behind `end`. `kind` is
    that of provisions.
    """

    start: int
    word: int
    end: int
    kind: str | None
    plural: bool
    paragraph: str | None


class _Walk:
    def __init__(self, passage: Passage) -> None:
        self._passage = passage
        self._plain = passage.plain
        self._norms = Norms(passage)
        self._quotations = Quotations(passage.plain)
        self._amendments = Amendments(passage, self._norms)
        self._belonging = Belonging(passage, self._norms, self._quotations, self._amendments)
        self._found: list[Mention] = []
        self._article: Mention | None = None
        """The last article or provision below the same heading."""

    def mentions(self, headings: Iterable[tuple[int, int]]) -> list[Mention]:
        ahead = deque(headings)
        done = 0
        for anchor in ANCHOR.finditer(self._plain):
            start = anchor.start()
            passed = None
            while ahead and ahead[0][1] <= start:
                passed = ahead.popleft()
            if passed is not None:
                self._enter(*passed)
            inside = bool(ahead) and ahead[0][0] <= start
            if start >= done and not inside:
                done = max(done, self._take(anchor))
        return share_norms(self._found, self._plain)

    def _enter(self, start: int, end: int) -> None:
        """Forgets what was named above a heading, unless the heading is quoted."""
        if "«" in self._plain[start:end] or self._quotations.around(start) is not None:
            return
        self._norms.forget()
        self._article = None
        self._amendments.enter(start, end)

    def _take(self, anchor: re.Match[str]) -> int:
        """Takes the reference that begins here, if any; where the walk goes on."""
        match anchor.lastgroup:
            case "article" | "provision":
                return self._articles(anchor)
            case "paragraph":
                return self._paragraphs(anchor)
            case "division":
                return self._divisions(anchor)
            case _:
                return self._norm(anchor)

    def _articles(self, anchor: re.Match[str]) -> int:
        plural = anchor.group().lower().startswith(("articulos", "arts", "disposiciones"))
        kind = anchor["kind"].lower() if anchor["kind"] else None
        return self._numbers(_Opening(anchor.start(), anchor.start(), anchor.end(), kind, plural, None))

    def _articles_of(self, start: int, paragraph: str | None, anchor: re.Match[str]) -> int:
        """The article or provision that has the paragraph which begins at `start`."""
        if anchor["article"]:
            # A paragraph is of one article: in "el apartado 2 de los artículos 5 y 6", of the first.
            return self._numbers(_Opening(start, start, anchor.end(), None, False, paragraph))
        plural = anchor.group().lower().startswith("disposiciones")
        kind = anchor["kind"].lower()
        return self._numbers(_Opening(start, anchor.start(), anchor.end(), kind, plural, paragraph))

    def _numbers(self, opening: _Opening) -> int:
        if beside := _BESIDE.match(self._plain, opening.end):
            return self._add_beside(opening, beside)
        first = ITEM.match(self._plain, self._passage.skip_blanks(opening.end))
        if first is None:
            if _THIS_BEFORE.search(self._plain, max(0, opening.word - 20), opening.word):
                self._add_own(opening.word, opening.end, None)
            return opening.end
        if self._passage.opens_article(opening.word, first.end()):
            return opening.end
        end, entries = read_list(self._passage, first, opening.kind, opening.plural, opening.paragraph)
        return self._add_list(opening.start, end, entries)

    def _add_beside(self, opening: _Opening, beside: re.Match[str]) -> int:
        if self._quotations.around(opening.start) is None:
            value = f"disposicion {opening.kind}" if opening.kind else None
            self._add(
                Mention(
                    opening.start, beside.end(), "article",
                    apartado=opening.paragraph, relative=relative_of(beside), value=value,
                )
            )  # fmt: skip
        return beside.end()

    def _add_list(self, start: int, end: int, entries: Sequence[Entry]) -> int:
        """One mention for all entries, unless their paragraphs differ, with the norm behind them."""
        after = _AFTER_A_LIST.match(self._plain, end)
        norm = self._norms.after(after.end() if after else end)
        end = norm.end if norm else end
        keys = tuple(dict.fromkeys(entry.key for entry in entries))
        paragraphs = [entry.paragraph for entry in entries]
        if len(set(paragraphs)) == 1:
            together = [(keys, paragraphs[0])]
        else:
            together = [((entry.key,), entry.paragraph) for entry in entries]
        for articles, paragraph in together:
            mention = Mention(start, end, "article", articles, apartado=in_digits(paragraph))
            self._add(norm.own(mention) if norm else mention)
        return end

    def _add(self, mention: Mention) -> None:
        self._article = self._belonging.settle(mention, self._found)
        self._found.append(self._article)

    def _add_own(self, start: int, end: int, paragraph: str | None, value: str | None = None) -> None:
        """A paragraph of the article it stands in; of what is quoted or amended nobody knows which."""
        amended = self._amendments.at(start) is not None
        listed = _NUMBER_BEFORE.search(self._passage.before(start, 8))
        if self._quotations.around(start) is None and not amended and not listed:
            self._found.append(
                Mention(start, end, "article", apartado=paragraph, relative="this", value=value)
            )

    def _add_same(self, start: int, end: int, paragraph: str | None) -> None:
        """A paragraph of the article that was named last."""
        if self._article is not None:
            self._found.append(replace(self._article, start=start, end=end, apartado=paragraph))

    def _paragraphs(self, anchor: re.Match[str]) -> int:
        start = anchor.start()
        found = read_paragraphs(self._plain, start)
        if found is None:
            return anchor.end()
        end, numbers = found
        paragraph = in_digits(first_part(numbers))
        of = OF.match(self._plain, end) or _COMMA_ARTICLE.match(self._plain, end)
        if of is None:
            self._paragraph_alone(start, end, paragraph, numbers)
            return end
        if this := _THIS_ARTICLE.match(self._plain, of.end()):
            self._add_own(start, this.end(), paragraph)
            return this.end()
        if said := _SAID_ARTICLE.match(self._plain, of.end()):
            self._add_same(start, said.end(), paragraph)
            return said.end()
        whole = ANCHOR.match(self._plain, of.end())
        if whole and whole.lastgroup in ("article", "provision"):
            return self._articles_of(start, paragraph, whole)
        return end

    def _paragraph_alone(self, start: int, end: int, paragraph: str | None, numbers: str) -> None:
        if self._article is not None and ITS_BEFORE.search(self._passage.before(start, 8)):
            self._add_same(start, end, paragraph)
        elif paragraph is not None or not _ARTICLE_LATER.match(self._plain, end):
            self._add_own(start, end, paragraph, numbers)

    def _divisions(self, anchor: re.Match[str]) -> int:
        start = anchor.start()
        found = None if self._passage.opens_line(start) else read_divisions(self._plain, start)
        if found is None:
            return anchor.end()
        if found.relative:
            [kind] = found.values
            self._found.append(Mention(start, found.end, "section", relative=found.relative, value=kind))
            return found.end
        norm = self._norms.after(found.end)
        end = norm.end if norm else found.end
        for value in found.values:
            mention = Mention(start, end, "section", value=value)
            mention = norm.own(mention) if norm else mention
            self._found.append(self._belonging.settle(mention, self._found))
        return end

    def _norm(self, anchor: re.Match[str]) -> int:
        start = anchor.start()
        norm = self._norms.alone(start)
        if norm is None:
            return anchor.end()
        if self._quotations.around(start) is None:
            self._amendments.notice(start, norm)
        self._found.append(Mention(start, norm.end, "norm", norm=norm.text, approved=norm.approved))
        return norm.end
