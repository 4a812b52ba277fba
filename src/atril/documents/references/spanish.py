"""References in Spanish legislation: articles, provisions, their paragraphs, and the norms they belong to.

The text is walked once from anchor to anchor ("artículo", "disposición adicional", "apartado", the name of a
norm); each parser takes a bounded stretch after its anchor, so that the time is linear. Patterns run on the
text without accents, in which every character has its place.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import Final

from atril.documents.ordinals import NUMBER_WORDS, SUFFIXES, value_of
from atril.documents.references.mentions import Mention, Relative

_FLAGS: Final = re.IGNORECASE
_SUFFIX: Final = "|".join(SUFFIXES)
_WORD_NUMBER: Final = NUMBER_WORDS.replace(" ", r"\s+")
_VALUE: Final = (
    rf"(?:\d{{1,2}}(?!\d)(?:\.?[ºª°])?(?:[\s.]\s?(?:{_SUFFIX})\b)?"
    r"(?:\.?\s?[a-zñ]\)|\.[ºª°]?\d{1,2}(?![\d/])(?:\.?[ºª°])?|(?<=[a-z\d])\)(?=\s+(?:del|de\s+l)))*"
    rf"|[a-zñ]\)(?:\.?\d{{1,2}}\.?[ºª°]?)?|(?:{_WORD_NUMBER}|ultim[oa])\b)"
)
_VALUES: Final = rf"{_VALUE}(?:(?:\s*,\s*|\s*,?\s+[yeo]\s+|\s+al?\s+){_VALUE})*"
_ONE_KIND: Final = (
    r"(?:apartados?|parrafos?|letras?|numeros?|reglas?|incisos?|puntos?|ordinal(?:es)?|epigrafes?)"
)

_ANCHOR: Final = re.compile(
    r"\b(?:(?P<article>art(?:iculos?\b|s?\.|s?\b(?=\s\d)))"
    r"|(?P<provision>disposici(?:on|ones)\s+(?P<kind>adicional|transitoria|final|derogatoria)(?:es|s)?\b)"
    r"|(?P<paragraph>apartados?\s)"
    r"|(?P<division>(?:libro|titulo|capitulo|seccion|subseccion|anexo)s?\s)"
    r"|(?P<norm>(?-i:Ley|LEY|Real\s+[Dd]ecreto|REAL DECRETO|Estatuto|Reglamento|Codigo|Constitucion|Texto\s+[Rr]efundido"
    r"|texto\s+refundido|Orden|Decreto|Directiva)\b|ley\s(?=(?:organica\s)?\d|general\s)|real\sdecreto[\s-](?=(?:ley|legislativo)?\s?\d)))",
    _FLAGS,
)
_ITEM: Final = re.compile(
    rf"(?:(?P<number>\d{{1,3}}\.\d{{3}}(?![\d.])|\d{{1,4}}(?![\d/]))(?:\.?[ºª°](?!\w))?"
    rf"|(?P<words>(?:{_WORD_NUMBER}|unic[oa])\b))"
    rf"(?P<suffix>(?:\.\s?|\s)?(?:{_SUFFIX})\b)?"
    rf"(?:\.(?P<paragraph>\d{{1,2}}(?!\d|/)|(?:uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez)\b)(?:\.?[ºª°])?(?:[\s.]\s?(?:{_SUFFIX})\b)?)?"
    r"(?:\.?\s?\.?[a-zñ]\.?[ºª]?\)(?:(?:\s*,\s*|\s+[yeo]\s+)[a-zñ]\))*|\.[a-z](?=[\s,;.)])|\.\d{1,2}(?![\d/])(?:\.?(?:[ºª°]|[oa]\b))?"
    r"|(?:\.\s|,\s?)\d{1,2}(?=,?\s+(?:de\s+la|del)\s+[A-Z]))*"
    r"(?(paragraph)(?:(?:\.\s|,\s?|\s+y\s+)\d{1,2}\.?[ºª°](?=[\s,.;])(?!\s+bis))*|)",
    _FLAGS,
)
_SEPARATOR: Final = re.compile(
    r"(?:(?P<range>\s+al?\s+|\s*[-–]\s*(?=\d))|\s*,?\s+[yeou]\s+(?:en\s+|de\s+|por\s+)?|\s*[,;]\s*(?:en\s+)?)"
    r"(?:del\s+|el\s+|los\s+|la\s+|las\s+)?",
    _FLAGS,
)
_KIND_AGAIN: Final = re.compile(r"(adicional|transitoria|final|derogatoria)(?:es|s)?\s+", _FLAGS)
_DETAIL: Final = re.compile(
    rf"\s*,?\s*(?:en\s+(?:su|el|la)s?\s+)?(?:(?P<paragraph>apartados?)|{_ONE_KIND})\s+(?P<values>{_VALUES})",
    _FLAGS,
)
_RELATIVE: Final = re.compile(
    r"\s+(?:inmediatamente\s+)?(?P<word>anterior|precedente|siguiente|posterior)(?:es|s)?\b", _FLAGS
)
_AFTER: Final = re.compile(
    r"(?:\s*,?\s*(?:y\s+siguientes|y\s+ss\.?|y\s+concordantes|respectivamente|inclusive|ambos\s+inclusive|ambos"
    r"|todos\s+ellos)(?=[\s,.;)]))*"
    r"(?:\s*,?\s+(?:del|de\s+la)\s+(?:libro|titulo|capitulo|seccion|anexo)\s+(?:[ivxl]+|\d+|[a-z]+(?:o|a))(?:\.?[ºª])?)*",
    _FLAGS,
)
_PARAGRAPH: Final = re.compile(
    rf"apartados?\s+(?P<values>{_VALUES})(?:{_DETAIL.pattern.replace('?P<paragraph>', '').replace('?P<values>', '')})*",
    _FLAGS,
)
_OF: Final = re.compile(r"\s*,?\s+(?:de\s+l[ao]s?|del?|en\s+(?:el|la))\s+", _FLAGS)
_COMMA: Final = re.compile(r"\s*,\s+(?=art(?:iculo\b|\.)\s*\d)", _FLAGS)
_THIS_ARTICLE: Final = re.compile(
    r"(?:(?:est[ea]|(?:el\s+|la\s+)?presente)\s+(?:mism[oa]\s+)?(?:articulo|disposicion|precepto)\b)", _FLAGS
)
_SAME: Final = r"(?:(?:ya\s+)?(?:citad|dich|mism|referid|mencionad|propi|indicad|expresad|aludid|repetid)[oa]s?|aquel(?:la)?|es[ea])"
_SAME_ARTICLE: Final = re.compile(
    rf"(?:(?:el|la)\s+)?{_SAME}\s+(?:articulo|precepto|disposicion(?:\s+(?:adicional|transitoria|final))?)\b(?!\s+(?:\d|anterior))",
    _FLAGS,
)

_LAW: Final = (
    r"(?:ley(?:\s+organica)?|real\s+decreto[\s-]*ley|real\s+decreto\s+legislativo|real\s+decreto|decreto"
    r"|reglamento(?:\s+general)?|estatuto|texto(?:\s+(?:refundido|legal|articulado|normativo))?|orden(?:\s+ministerial)?|norma(?:tiva)?"
    r"|codigo|cuerpo\s+legal|disposicion\s+legal|constitucion|convenio)"
)
_PREPOSITION: Final = re.compile(
    r"(?:\s*,?|\.)\s+(?:(?:ambos|todos(?:\s+ellos)?)\s+)?(?-i:del?(?=\s)|en)(?:\s+(?:la|el|los|las))?\s+",
    _FLAGS,
)
_THIS: Final = re.compile(
    rf"(?:(?:el|la)\s+)?(?:est[ea]|presente)\s+(?:mism[oa]\s+|propi[oa]\s+|nuev[oa]\s+)?(?P<head>{_LAW})\b(?!\s+\d+/)",
    _FLAGS,
)
_ANAPHOR: Final = re.compile(
    rf"(?:(?:el|la)\s+)?(?:{_SAME}\s+)+(?P<head>{_LAW})\b(?!\s+(?:legislativo|ley)\b)", _FLAGS
)
_ANAPHOR_AFTER: Final = re.compile(
    rf"(?:(?:el|la)\s+)?(?P<head>{_LAW})\s+(?:{_SAME[: -len('|aquel(?:la)?|es[ea])')]}|articulada|de\s+referencia)\b)",
    _FLAGS,
)
_PRONOUN: Final = re.compile(r"(?:(?:la|el)\s+)?mism[oa](?=\s*[.,;)]|\s+y\b)", _FLAGS)
_ADJECTIVES: Final = re.compile(
    rf"(?:(?:el|la)\s+)?(?:{_SAME}\s+|vigente\s+|actual\s+|nuev[oa]\s+|anterior\s+)+", _FLAGS
)
_TYPED: Final = re.compile(
    r"(?:ley(?:\s+organica|\s+foral)?|real\s+decreto[\s-]*ley|real\s+decreto\s+legislativo|real\s+decreto|decreto[\s-]?ley"
    r"|decreto\s+legislativo|decreto|orden(?:\s+ministerial)?(?:\s+[a-z]{2,4})?"
    r"|(?:reglamento|directiva|decision)\s*(?:\((?:ce|ue|cee|euratom)[^)\n]{0,20}\)\s*)?)"
    r"[\s/]\s*(?:n[.\s]?[ºo°.]?\s*|num\.?\s*)?\d{1,5}/\d{2,4}(?!\d)(?:/(?:ce|ue|cee)\b)?"
    r"|orden\s+(?:ministerial\s+)?(?:de\s+)?\d{1,2}\s+de\s+[a-z]+\s+de\s+\d{4}",
    _FLAGS,
)
_NAMED: Final = re.compile(
    r"(?P<recast>texto\s+(?:refundido|articulado)\s+de\s+(?:la|el|las)\s+|texto\s+(?:refundido|articulado)\s+del\s+)?"
    r"(?P<head>ley|estatuto|reglamento|codigo|constitucion|tratado|convenio|directiva|orden(?:anza)?|real\s+decreto|decreto"
    r"|texto\s+(?:refundido|articulado)"
    r"|acuerdo|carta|protocolo|normas|leyes)\b(?P<more>\s+(?:(?:de|del|sobre|para|por)\s+(?:la\s+que\s+|la\s+|las\s+|los\s+|el\s+|que\s+)?"
    r"(?-i:[A-Z«]|trabajo|procedimiento|registro|se\s)|(?-i:[A-Z])\w|general|organica|reguladora?|civil|penal|basico|ordenadora|integral"
    r"|(?<=reglamento\s)de\s+(?!est[ea]|dich|la\s|los\s|desarrollo|aplicacion)[a-z]))?",
    _FLAGS,
)
_ABBREVIATION: Final = re.compile(
    r"(?:de(?:l)?\s+(?:la\s+|el\s+)?|\s?-\s?)?(?P<name>(?![IVXLC]+\b)[A-Z]{2,9}(?:[a-z]*[A-Z]*)?)\b(?!\s*/)"
)
_NAME_END: Final = re.compile(
    r"[.;:()«»\"\n]|\s+(?:y|e|o)\s+(?:en|el|la|los|las|del?)\s+(?:el\s+|la\s+|los\s+|las\s+)?(?:art|disposic|apartado)",
    _FLAGS,
)
_APPROVED: Final = re.compile(
    r"(?:aprobad[oa]s?|promulgad[oa]s?)\s+(?:por|mediante|en)\s+(?:el\s+|la\s+)?(?:citad[oa]\s+)?", _FLAGS
)
_LONGEST: Final = 220
_MOST_KEYS: Final = 60
_SHORT_QUOTE: Final = 120
_NEAR: Final = 400
_QUOTE: Final = re.compile(r"«[^»]*(?:»|\Z)|(?<=:\n\n)\"[^\"«]*\"(?=\.?\s)")
_AMENDMENT: Final = re.compile(r"modificacion|reforma\s+de|nueva\s+redaccion", _FLAGS)
_TO: Final = re.compile(r"\b(?:del|de\s+l[ao]s?|de|al|a\s+la|en\s+la|en\s+el)\s+", _FLAGS)
_AMENDS_BEFORE: Final = re.compile(r"\bmodifican?\s+(?:la|el)\s+$", _FLAGS)
_AMENDS_AFTER: Final = re.compile(
    r"[^.;:«\n]{0,220}?\b(?:(?:queda|se)\s+modifica(?:d[oa])?\b|se\s+introducen\s+las\s+siguientes|queda\s+redactad[oa])",
    _FLAGS,
)
_FROM_LINE: Final = re.compile(r"(?:\n|\)|^|\.\S?)\s*(?-i:De)(?:l|\s+la)\s+$", _FLAGS)
_THIS_BEFORE: Final = re.compile(r"\b(?:este|esta|presente)\s+(?:mism[oa]\s+)?\Z", _FLAGS)
_SAME_BEFORE: Final = re.compile(rf"\b{_SAME}\s+$", _FLAGS)
_ITS: Final = re.compile(r"\b(?:cuy[oa]s?|sus?)\s+$", _FLAGS)
_EXCEPT: Final = re.compile(
    r"\b(?:salvo|excepto|con\s+excepcion\s+de|a\s+excepcion\s+de)\s+(?:el|la|los|las)\s+$", _FLAGS
)
_ARTICLE_LATER: Final = re.compile(r"[^.;:\n]{0,30}?\bdel?\s+(?:la\s+)?(?:articulo|disposicion)\b", _FLAGS)
_NUMBER_BEFORE: Final = re.compile(r"\d\s*,\s*$")
_DOWN: Final = re.compile(r"\s*,\s+(?=(?:libro|titulo|capitulo|seccion|subseccion)\s)", _FLAGS)
_ORDER: Final = ("anexo", "libro", "titulo", "capitulo", "seccion", "subseccion")
_QUOTED_HEADING: Final = re.compile(r"\s*\d*(?:\s(?:bis|ter|quater))?\.?\s*[-–.:]")
_CONNECTION: Final = re.compile(
    r"\s*(?:[,;]|,?\s*(?:y|e|o|u|asi\s+como|en\s+relacion\s+con|ni)(?=\s))?\s*"
    r"(?:(?:a|en|con|de|por|segun|al|del|como|tambien)\s+)*(?:el|la|los|las|lo|lo\s+dispuesto\s+en)?\s*"
    rf"(?:{_ONE_KIND}\s+{_VALUES}\s+del?\s+)?",
    _FLAGS,
)
_FEMININE: Final = (
    "", "primera", "segunda", "tercera", "cuarta", "quinta", "sexta", "séptima", "octava", "novena", "décima",
    "undécima", "duodécima",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Norm:
    """The norm that a reference belongs to, where its name ends, and its kind."""

    end: int
    text: str | None
    head: str
    relative: Relative | None = None
    approved: bool = False
    start: int = 0


def find_spanish(text: str, flat: str, headings: list[tuple[int, int]]) -> list[Mention]:
    """The mentions in a text; `flat` is the text without accents, `headings` the stretches to pass over."""
    return _Spanish(text, flat, headings).mentions()


class _Spanish:
    def __init__(self, text: str, flat: str, headings: list[tuple[int, int]]) -> None:
        self._text = text
        self._flat = flat
        self._headings = headings
        self._found: list[Mention] = []
        self._norms: list[_Norm] = []
        self._article: Mention | None = None
        self._amended: _Norm | None = None
        self._amended_until = 0
        self._titled = False
        self._quotes = [match.span() for match in _QUOTE.finditer(flat) if len(match.group()) > _SHORT_QUOTE]
        self._quote_starts = [start for start, _ in self._quotes]

    def mentions(self) -> list[Mention]:
        done = heading = 0
        for anchor in _ANCHOR.finditer(self._flat):
            start = anchor.start()
            passed = heading
            while heading < len(self._headings) and self._headings[heading][1] <= start:
                heading += 1
            if heading > passed:
                self._enter(*self._headings[heading - 1])
            inside = heading < len(self._headings) and self._headings[heading][0] <= start
            if start >= done and not inside:
                done = max(done, self._take(anchor))
        return _shared(self._found, self._flat)

    def _enter(self, start: int, end: int) -> None:
        """Forgets what was named above a heading; one of an amendment says what is amended below it."""
        if "«" in self._flat[start:end] or self._quote(start) is not None:
            return
        self._norms.clear()
        self._article = self._amended = None
        self._titled = False
        if _AMENDMENT.search(self._flat, start, end):
            for preposition in _TO.finditer(self._flat, start, end):
                norm = self._named(preposition.end())
                if norm is not None and norm.text is not None and norm.end <= end:
                    self._amended, self._amended_until, self._titled = norm, len(self._flat), True
                    return

    def _take(self, anchor: re.Match[str]) -> int:
        if anchor["article"]:
            return self._articles(anchor.start(), anchor.end(), None)
        if anchor["provision"]:
            return self._provisions(anchor, None)
        if anchor["paragraph"]:
            return self._paragraphs(anchor)
        if anchor["division"]:
            return self._divisions(anchor)
        return self._norm_alone(anchor)

    # Articles and provisions

    def _articles(self, start: int, at: int, paragraph: str | None) -> int:
        if relative := _RELATIVE.match(self._flat, at):
            return self._add_relative(start, relative, paragraph)
        first = _ITEM.match(self._flat, self._skip_blank(at))
        if first is None:
            self._add_this(start, at)
            return at
        if self._opens_article(start, first):
            return at
        plural = (
            self._flat[start : start + 9].lower() in ("articulos",)
            or self._flat[start : start + 4].lower() == "arts"
        )
        return self._list(start, first, plural, None, paragraph)

    def _provisions(self, anchor: re.Match[str], paragraph: str | None, start: int | None = None) -> int:
        start = anchor.start() if start is None else start
        at, kind = anchor.end(), anchor["kind"].lower()
        if relative := _RELATIVE.match(self._flat, at):
            return self._add_relative(start, relative, paragraph, kind)
        first = _ITEM.match(self._flat, self._skip_blank(at))
        if first is None:
            self._add_this(anchor.start(), at)
            return at
        if self._opens_article(anchor.start(), first):
            return at
        plural = self._flat[anchor.start() : anchor.start() + 13].lower() == "disposiciones"
        return self._list(start, first, plural, kind, paragraph)

    def _add_relative(
        self, start: int, found: re.Match[str], paragraph: str | None, kind: str | None = None
    ) -> int:
        relative: Relative = (
            "previous"
            if found["word"].lower()[0] in "ap" and found["word"].lower() != "posterior"
            else "next"
        )
        norm = f"disposicion {kind}" if kind else None
        if self._quote(start) is not None:
            return found.end()
        self._add(Mention(start, found.end(), "article", apartado=paragraph, relative=relative, value=norm))
        return found.end()

    def _list(
        self, start: int, item: re.Match[str], plural: bool, kind: str | None, paragraph: str | None
    ) -> int:
        """The articles or provisions of a list, each with its paragraph, and the norm after them."""
        parts: list[tuple[str, str | None]] = [(self._key(item, kind), item["paragraph"] or paragraph)]
        end = item.end()
        while True:
            end, detail = self._details(end)
            if detail and parts[-1][1] is None:
                parts[-1] = parts[-1][0], detail
            separator = _SEPARATOR.match(self._flat, end)
            if separator is None or len(parts) > _MOST_KEYS:
                break
            at = separator.end()
            if kind and (again := _KIND_AGAIN.match(self._flat, at)):
                kind, at, plural = again[1].lower(), again.end(), True
            following = _ITEM.match(self._flat, at)
            if following is None or not self._goes_on(item, following, parts[-1], plural, separator):
                break
            if self._is_paragraph(item, following, parts[-1], plural):
                end = following.end()
                continue
            key = self._key(following, kind)
            if separator["range"]:
                parts += [(each, None) for each in _between(parts[-1][0], key)]
            parts.append((key, following["paragraph"]))
            item, end = following, following.end()
        return self._finish(start, end, parts)

    def _goes_on(
        self,
        item: re.Match[str],
        following: re.Match[str],
        last: tuple[str, str | None],
        plural: bool,
        separator: re.Match[str],
    ) -> bool:
        """Whether what follows still belongs to the list and not to the sentence."""
        after = self._flat[following.end() : following.end() + 12]
        if re.match(
            r"\s*(?:%|por\s+(?:ciento|100)|euros|dias|meses|anos|horas|de\s+(?:enero|febr|marzo|abril|mayo|jun|jul|ago|sep|oct|nov|dic))",
            after,
            _FLAGS,
        ):
            return False
        if plural:
            return not (following["words"] and following["words"].lower() in ("un", "una"))
        if separator["range"] or following["words"]:
            return (
                bool(
                    following["words"]
                    and item["words"]
                    and item["paragraph"] is None
                    and separator["range"] is None
                    and following["words"].lower() not in ("un", "una", "dos", "uno", "tres")
                )
                and False
            )
        return self._is_paragraph(item, following, last, plural)

    @staticmethod
    def _is_paragraph(
        item: re.Match[str], following: re.Match[str], last: tuple[str, str | None], plural: bool
    ) -> bool:
        """ "275.1 y 2": the second number is a paragraph of the same article."""
        if not following["number"] or following["paragraph"] or not item["number"]:
            return False
        first, second = item["number"].replace(".", ""), following["number"].replace(".", "")
        if last[1] is None:
            return plural and item.group()[-1:] in "ºª°" and int(second) < min(10, int(first))
        return int(second) < 20 and (
            not plural or (int(second) < int(first) and int(second) > (value_of(last[1].lower()) or 0))
        )

    def _details(self, at: int) -> tuple[int, str | None]:
        """Where paragraphs, letters and numbers after an article end, and the first paragraph."""
        paragraph = None
        while found := _DETAIL.match(self._flat, at):
            if found["paragraph"] and paragraph is None:
                paragraph = _first(found["values"])
            at = found.end()
        return at, paragraph

    def _finish(self, start: int, end: int, parts: list[tuple[str, str | None]]) -> int:
        after = _AFTER.match(self._flat, end)
        norm = self._norm(after.end() if after else end)
        if norm is not None:
            end = norm.end
        paragraphs = {part for _, part in parts}
        if len(paragraphs) == 1:
            keys = tuple(dict.fromkeys(key for key, _ in parts))
            self._emit(start, end, keys, paragraphs.pop(), norm)
        else:
            for key, part in parts:
                self._emit(start, end, (key,), part, norm)
        return end

    def _emit(
        self, start: int, end: int, keys: tuple[str, ...], paragraph: str | None, norm: _Norm | None
    ) -> None:
        mention = Mention(start, end, "article", keys, apartado=_digits(paragraph))
        if norm is not None:
            mention = replace(mention, norm=norm.text, relative=norm.relative, approved=norm.approved)
        self._add(mention)

    def _add(self, mention: Mention) -> None:
        mention = self._ruled(mention)
        self._found.append(mention)
        self._article = mention

    def _ruled(self, mention: Mention) -> Mention:
        """The mention with the norm that the words before it, a quotation or an amendment give it."""
        quote = self._quote(mention.start)
        if mention.norm is not None or (mention.relative is not None and quote is None):
            return mention
        before = self._flat[max(0, mention.start - 40) : mention.start]
        if quote is None and _SAME_BEFORE.search(before):
            for earlier in reversed(self._found[-30:]):
                if earlier.articles and set(mention.articles) <= set(earlier.articles):
                    return replace(
                        mention, norm=earlier.norm, relative=earlier.relative, approved=earlier.approved
                    )
        norm = self._amended if self._amended and mention.start < self._amended_until else None
        if norm is None and quote is not None:
            norm = next((each for each in reversed(self._norms) if each.start < quote and each.text), None)
        if norm is None and quote is None and (_ITS.search(before) or _EXCEPT.search(before)):
            norm = self._owner(mention.start)
        if norm is not None:
            return replace(mention, norm=norm.text, relative=norm.relative, approved=norm.approved)
        hint = next((each.text for each in reversed(self._norms) if each.text), None)
        return replace(mention, hint=hint) if mention.relative is None else mention

    def _owner(self, at: int) -> _Norm | None:
        """The norm that "its article" belongs to: the last one named in the same sentence, if any."""
        norm = self._norms[-1] if self._norms else None
        near = norm is not None and at - norm.end < _NEAR // 2
        return norm if norm and near and ". " not in self._flat[norm.end : at] else None

    def _quote(self, at: int) -> int | None:
        """Where the quotation begins that holds this place."""
        index = bisect_right(self._quote_starts, at) - 1
        return self._quotes[index][0] if index >= 0 and at < self._quotes[index][1] else None

    def _add_own(self, start: int, end: int, paragraph: str | None, value: str | None = None) -> None:
        """A paragraph of the article it stands in; of what is quoted or amended nobody knows which."""
        amended = self._amended is not None and start < self._amended_until
        listed = _NUMBER_BEFORE.search(self._flat[max(0, start - 8) : start])
        if self._quote(start) is None and not amended and not listed:
            self._found.append(
                Mention(start, end, "article", apartado=paragraph, relative="this", value=value)
            )

    def _add_this(self, start: int, end: int) -> None:
        """ "This article" or "the present additional provision"."""
        if _THIS_BEFORE.search(self._flat, max(0, start - 20), start):
            self._add_own(start, end, None)

    def _paragraphs(self, anchor: re.Match[str]) -> int:
        start = anchor.start()
        found = _PARAGRAPH.match(self._flat, start)
        if found is None:
            return anchor.end()
        paragraph, end = _digits(_first(found["values"])), found.end()
        of = _OF.match(self._flat, end) or _COMMA.match(self._flat, end)
        if of is None and self._article is not None and _ITS.search(self._flat[max(0, start - 8) : start]):
            self._found.append(replace(self._article, start=start, end=end, apartado=paragraph))
            return end
        if of is None:
            if not (paragraph is None and _ARTICLE_LATER.match(self._flat, end)):
                self._add_own(start, end, paragraph, found["values"])
            return end
        if this := _THIS_ARTICLE.match(self._flat, of.end()):
            self._add_own(start, this.end(), paragraph)
            return this.end()
        if same := _SAME_ARTICLE.match(self._flat, of.end()):
            if self._article is not None:
                self._found.append(replace(self._article, start=start, end=same.end(), apartado=paragraph))
            return same.end()
        whole = _ANCHOR.match(self._flat, of.end())
        if whole and whole["article"]:
            return self._articles(start, whole.end(), paragraph)
        if whole and whole["provision"]:
            return self._provisions(whole, paragraph, start)
        return end

    # Divisions

    def _divisions(self, anchor: re.Match[str]) -> int:
        chain: list[str] = []
        at = anchor.start()
        end = anchor.end()
        if self._opens_line(at):
            return end
        last: list[int] = []
        while found := _DIVISION.match(self._flat, at):
            relative = found["relative"]
            number = None if relative else value_of(" ".join(found["number"].lower().split()))
            if relative is None and number is None:
                break
            end = found.end()
            if relative:
                way: Relative = "next" if relative.lower() in ("siguiente", "posterior") else "previous"
                self._found.append(
                    Mention(anchor.start(), end, "section", relative=way, value=found["kind"].lower())
                )
                return end
            if any(each.startswith(f"{found['kind'].lower()} ") for each in chain):
                break
            if not chain:
                last = _further(found, number or 0)
            chain.append(f"{found['kind'].lower()} {number}")
            of = _OF.match(self._flat, end) or _DOWN.match(self._flat, end)
            if of is None:
                break
            at = of.end()
        if not chain:
            return end
        norm = self._norm(end)
        kind = chain[0].split()[0]
        for first in (chain[0], *(f"{kind} {number}" for number in last)):
            value = "/".join(sorted([first, *chain[1:]], key=lambda each: _ORDER.index(each.split()[0])))
            mention = Mention(anchor.start(), norm.end if norm else end, "section", value=value)
            if norm is not None:
                mention = replace(mention, norm=norm.text, relative=norm.relative, approved=norm.approved)
            self._found.append(self._ruled(mention))
        return mention.end

    # Norms

    def _norm(self, at: int) -> _Norm | None:
        """The norm named after an article, through a preposition or as an abbreviation."""
        flat = self._flat
        if preposition := _PREPOSITION.match(flat, at):
            norm = self._norm_at(preposition.end())
            if norm is not None:
                return self._keep(replace(norm, start=at))
        blank = self._skip_blank(at)
        if blank > at and (typed := _TYPED.match(flat, blank)):
            return self._keep(
                _Norm(typed.end(), self._text[blank : typed.end()], _head(typed.group()), start=blank)
            )
        if blank > at and (short := _ABBREVIATION.match(flat, blank)):
            return self._keep(_Norm(short.end(), self._text[short.start("name") : short.end()], "ley"))
        return None

    def _norm_at(self, at: int) -> _Norm | None:
        flat = self._flat
        if this := _THIS.match(flat, at):
            return _Norm(this.end(), None, _head(this["head"]), "this", "decreto" not in this["head"].lower())
        if adjectives := _ADJECTIVES.match(flat, at):
            after = adjectives.end()
            anaphor = _ANAPHOR.match(flat, at)
            named = _NAMED.match(flat, after)
            bare = named is None or not (named["more"] or named["recast"])
            if not (anaphor and bare) or _TYPED.match(flat, after):
                norm = self._named(after)
                if norm is not None:
                    return norm
            if anaphor:
                own = "propi" in flat[at : anaphor.start("head")].lower()
                return self._recall(
                    _head(anaphor["head"]), anaphor.end(), None if own else self._text[at : anaphor.end()]
                )
            return None
        if anaphor := _ANAPHOR_AFTER.match(flat, at):
            return self._recall(_head(anaphor["head"]), anaphor.end(), self._text[at : anaphor.end()])
        if pronoun := _PRONOUN.match(flat, at):
            return self._recall("", pronoun.end(), self._text[at : pronoun.end()])
        return self._named(at)

    def _named(self, at: int) -> _Norm | None:
        """A norm called by type and number, or by its title."""
        flat = self._flat
        if typed := _TYPED.match(flat, at):
            return _Norm(typed.end(), self._text[at : typed.end()], _head(typed.group()))
        named = _NAMED.match(flat, at)
        if named is None:
            short = _ABBREVIATION.match(flat, at)
            return _Norm(short.end(), self._text[short.start("name") : short.end()], "ley") if short else None
        head = _head(named["head"])
        window = flat[at : at + _LONGEST]
        stop = _NAME_END.search(window)
        limit = stop.start() if stop else len(window)
        if approved := _APPROVED.search(flat, at, at + _LONGEST + 80):
            typed = _TYPED.match(flat, approved.end())
            if typed and not re.search(r"[.;\n]", flat[at : approved.start()]):
                return _Norm(typed.end(), self._text[typed.start() : typed.end()], head, approved=True)
        if not named["more"] and not named["recast"] and head != "constitucion":
            return self._recall(head, named.end(), nearer_than=_NEAR)
        return _Norm(self._cut(at, at + limit), self._text[at : at + limit], head, approved=True)

    def _cut(self, at: int, limit: int) -> int:
        """Where the name probably ends: after its last capitalised word before anything else."""
        end = at
        for word in re.finditer(r"[^\W\d_]+", self._flat[at:limit]):
            if word.group()[0].isupper():
                end = at + word.end()
            elif word.group().lower() not in _SMALL and end > at:
                break
        return max(end, at + 1)

    def _recall(
        self, head: str, end: int, unknown: str | None = None, nearer_than: int = 1 << 30
    ) -> _Norm | None:
        """What "dicha ley" means: the last norm of that kind; else it is `unknown`, or without that this one."""
        for norm in reversed(self._norms):
            if end - norm.start > nearer_than:
                break
            if _fits(head, norm):
                return replace(norm, end=end)
        if unknown is not None:
            return _Norm(end, unknown, head)
        return _Norm(end, None, head, "this", head != "real decreto")

    def _keep(self, norm: _Norm) -> _Norm:
        self._norms.append(norm)
        return norm

    def _norm_alone(self, anchor: re.Match[str]) -> int:
        typed = _TYPED.match(self._flat, anchor.start())
        named = _NAMED.match(self._flat, anchor.start())
        if typed is None and (named is None or not (named["more"] or _head(named["head"]) == "constitucion")):
            return anchor.end()
        norm = self._named(anchor.start())
        if norm is None or norm.text is None:
            return anchor.end()
        self._keep(replace(norm, start=anchor.start()))
        self._amends(anchor.start(), norm)
        self._found.append(Mention(anchor.start(), norm.end, "norm", norm=norm.text, approved=norm.approved))
        return norm.end

    def _amends(self, start: int, norm: _Norm) -> None:
        """Whether the sentence amends the norm, so that what follows it is about that norm."""
        after = _AMENDS_AFTER.match(self._flat, norm.end)
        precise = after and "/" in (norm.text or "")
        if self._quote(start) is not None or (self._titled and not precise):
            return
        before = self._flat[max(0, start - 60) : start]
        if _AMENDS_BEFORE.search(before) or after:
            self._amended, self._amended_until = norm, len(self._flat)
        elif (self._amended is None or start >= self._amended_until) and _FROM_LINE.search(before):
            line = self._flat.find("\n", start)
            self._amended, self._amended_until = norm, line if line >= 0 else len(self._flat)

    # Characters

    def _skip_blank(self, at: int) -> int:
        while at < len(self._flat) and self._flat[at] in " \t\n\u00a0":
            at += 1
        return at

    def _opens_line(self, start: int) -> bool:
        """Whether a division stands alone at the beginning of a line, as its heading does."""
        before = self._flat[max(0, start - 3) : start].rstrip(" *_«")
        return self._flat[start].isupper() and (not before or before[-1] == "\n")

    def _opens_article(self, start: int, item: re.Match[str]) -> bool:
        """Whether this is the heading of an article in running text and not a reference to it."""
        before = self._flat[max(0, start - 3) : start].rstrip("*_ ")
        if before and before[-1] not in '\n«"':
            return False
        if (before and before[-1] == "\n") or start == 0 or before[-1:] in ("«", '"'):
            return bool(
                self._flat[start].isupper() and _QUOTED_HEADING.match(self._flat[item.end() : item.end() + 6])
            )
        return False

    def _key(self, item: re.Match[str], kind: str | None) -> str:
        number = (
            item["number"].replace(".", "")
            if item["number"]
            else " ".join(self._text[item.start("words") : item.end("words")].lower().split())
        )
        suffix = f" {item['suffix'].strip('. ').lower()}" if item["suffix"] else ""
        return f"Disposición {kind} {number}{suffix}" if kind else number + suffix


_DIVISION: Final = re.compile(
    rf"(?P<kind>libro|titulo|capitulo|seccion|subseccion|anexo)s?\s+"
    rf"(?:(?P<relative>anterior|precedente|siguiente|posterior)\b|(?P<number>[IVXLC]+\b|\d{{1,3}}\b(?![/.,]\d)|{_WORD_NUMBER}\b)(?:\.?[ºª°]|\.[ao]\b)?"
    r"(?P<more>(?:(?:\s*,\s*|\s+[yea]l?\s+)(?:[IVXLC]+|\d{1,3})\b(?:\.?[ºª°]|\.[ao]\b)?(?![/.,]\d))*))",
    _FLAGS,
)
_SMALL: Final = frozenset(
    [
        "de",
        "del",
        "la",
        "el",
        "los",
        "las",
        "y",
        "e",
        "en",
        "a",
        "al",
        "sobre",
        "para",
        "por",
        "con",
        "general",
        "reguladora",
        "regulador",
    ]
)


def _head(text: str) -> str:
    return " ".join(text.lower().replace("-", " ").split())


def _fits(head: str, norm: _Norm) -> bool:
    if head in (
        "",
        "norma",
        "normativa",
        "cuerpo legal",
        "disposicion legal",
        "texto",
        "texto legal",
        "texto normativo",
    ):
        return True
    if head in ("texto refundido", "texto articulado"):
        return norm.approved or norm.head in ("ley", "estatuto") or "legislativo" in norm.head
    first = head.split()[0]
    if first == "ley":
        return norm.head.startswith("ley") or norm.head == "estatuto" or norm.head.startswith("texto")
    return norm.head.startswith(head) and (head != "real decreto" or not norm.head.endswith("ley"))


def _further(division: re.Match[str], first: int) -> list[int]:
    """The numbers after the first of "títulos I, III y IV" or "capítulos I a III"."""
    found = [first]
    for separator, word in re.findall(r"(,|y|e|al?)\s+([ivxlc]+|\d{1,3})\b", division["more"].lower()):
        number = value_of(word)
        if number is not None:
            found += range(found[-1] + 1, min(number, found[-1] + _MOST_KEYS)) if separator[0] == "a" else ()
            found.append(number)
    return found[1:]


def _first(values: str) -> str | None:
    found = re.match(r"\d{1,2}|[^\W\d_]+(?!\))", values)
    return found.group() if found else None


def _digits(paragraph: str | None) -> str | None:
    if paragraph is None:
        return None
    value = value_of(paragraph.lower())
    return str(value) if value is not None else None


def _between(first: str, last: str) -> list[str]:
    """The keys between the ends of a range, both left out; none when there are too many."""
    *head, low = first.split()
    high = last.split()[-1]
    start, stop = value_of(_plain(low)), value_of(_plain(high))
    if start is None or stop is None or not 0 < stop - start <= _MOST_KEYS:
        return []
    name = " ".join(head)
    return [
        f"{name} {_FEMININE[number] if name and number < len(_FEMININE) else number}".strip()
        for number in range(start + 1, stop)
    ]


def _plain(word: str) -> str:
    from atril.documents.ordinals import fold

    return fold(word)


def _shared(found: list[Mention], flat: str) -> list[Mention]:
    """In "el artículo 5 y la disposición final primera de la Ley X" the norm belongs to both."""
    for index in range(len(found) - 2, -1, -1):
        mention, after = found[index], found[index + 1]
        if mention.kind != "article" or after.kind != "article" or not mention.articles or not after.articles:
            continue
        if mention.norm is not None or mention.relative is not None:
            continue
        if after.norm is None and after.relative is None:
            continue
        gap = flat[mention.end : after.start]
        if len(gap) < 80 and (mention.start == after.start or _CONNECTION.fullmatch(gap)):
            found[index] = replace(mention, norm=after.norm, relative=after.relative, approved=after.approved)
    return found
