"""What the Spanish stemmer needs to know about a folded word: its singular, and where its accents were.

Snowball's rules look for accents ("-ía", "-erá"), which a folded word has lost, and they strip a plural only
far enough from the beginning of the word: by themselves they part "día" from "días", "entidad" from
"entidades" and "mujer" from "mujeres".
"""

from __future__ import annotations

import re
from typing import Final

_SHORTEST_PLURAL: Final = 4
_PLURAL_IN_ES = re.compile(r"(?<=[aeiou][rldnjycs])es$")

# Singulars in -és; other words in -es of this shape are plurals.
_SINGULAR_IN_ES = re.compile(
    r"(?:aragon|burgu|dan|escoc|estr|finland|franc|holand|ingl|inter|irland|japon|portugu|rev)es"
)

# First persons plural, which the stemmer knows, but not "préstamos", "tramos", "extremos".
_VERB = re.compile(r"(?<!prest)(?<!recl)(?<!tr)(?<!gr)amos$|(?<!xtr)(?<!upr)emos$")

# Each rule names an ending that is stripped only with its accent. Chosen by how well the classes of folded
# words then agree with the classes of the accented words of Spanish texts.
_ACCENTS: Final = tuple(
    (re.compile(pattern), accented)
    for pattern, accented in (
        (r"cion$", "ción"),
        (r"(?<=[stxgnl])ion$", "ión"),
        (r"(log|nom|fon|gog|cron|patr|arqu|metr|graf|energ)ia$", r"\1ía"),
        (r"(?<=[^i])eran$", "erán"),
        (r"ira(n?)$", r"irá\1"),
        (r"(?<=[^aeiou])ia(n|mos|is)$", r"ía\1"),
    )
)


def restore(folded: str) -> str:
    """The word as the stemmer should see it; a function of the folded word alone."""
    word = _singular(folded)
    if _SINGULAR_IN_ES.fullmatch(word):
        return f"{word}a"  # of "inglesa" and "interesa" the stemmer leaves "ingles" and "interes"
    if word.endswith("z"):
        return f"{word[:-1]}c"  # "vez" and "veces" meet
    for pattern, accented in _ACCENTS:
        restored, found = pattern.subn(accented, word)
        if found:
            return restored
    return word


def _singular(folded: str) -> str:
    if len(folded) < _SHORTEST_PLURAL or _SINGULAR_IN_ES.fullmatch(folded):
        return folded
    if len(folded) > _SHORTEST_PLURAL and _PLURAL_IN_ES.search(folded):
        return folded[:-2]
    if folded.endswith(("as", "es", "os")) and not _VERB.search(folded):
        return folded[:-1]
    return folded
