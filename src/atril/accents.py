"""Letters without their accents, for every room that compares words or names."""

from __future__ import annotations

import unicodedata


def without_accents(text: str, *, compatible: bool = False) -> str:
    """The text decomposed and without combining marks; case and blanks stay.

    With `compatible`, characters become the plain ones they stand for as well: "ª" is "a" and "½" is "1⁄2".
    """
    decomposed = unicodedata.normalize("NFKD" if compatible else "NFD", text)
    return "".join(each for each in decomposed if not unicodedata.combining(each))
