"""Controls of identifiers whose last characters depend on the others.

Each takes a match as it stands in the text, in any case and with blanks, dots or hyphens between groups.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

_SEPARATORS: Final = re.compile(r"[\s.\-]")
_DNI_LETTERS: Final = "TRWAGMYFPDXBNJZSQVHLCKE"
_CIF_LETTERS: Final = "JABCDEFGHI"
_CIF_LETTER_ONLY: Final = frozenset("NPQRSW")
_CIF_DIGIT_ONLY: Final = frozenset("ABEH")
_IBAN_LENGTHS: Final = range(15, 35)
_DATE_LIKE: Final = re.compile(r"(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?:19|20)\d\d")
_GROUPED_NUMBER: Final = re.compile(r"\d{1,3}(?:\.\d{3}){2,}")
_PHONE_DIGITS: Final = range(9, 16)


def iban(text: str) -> str:
    """The account at the beginning of the text, empty for none: what follows it may look like more of it."""
    while text and not is_iban(text):
        text = text.rpartition(" ")[0]
    return text


def is_iban(text: str) -> bool:
    """ISO 13616: rearranged and with letters as numbers, the account leaves 1 when divided by 97."""
    compact = _compact(text)
    if len(compact) not in _IBAN_LENGTHS or not compact.isascii():
        return False
    digits = "".join(str(int(each, 36)) for each in compact[4:] + compact[:4])
    return int(digits) % 97 == 1


def is_dni_or_nie(text: str) -> bool:
    """Spain, Royal Decree 1553/2005: the letter is the number's remainder by 23; X, Y and Z count 0, 1, 2."""
    compact = _compact(text)
    if not compact.isascii():
        return False
    first = "XYZ".find(compact[0])
    number = compact[:-1] if first < 0 else f"{first}{compact[1:-1]}"
    return len(number) == 8 and _DNI_LETTERS[int(number) % 23] == compact[-1]


def is_cif(text: str) -> bool:
    """Spain, Order EHA/451/2008: the control is ten minus the digits' weighted sum, as a digit or a letter
    by the kind of entity."""
    compact = _compact(text)
    if not compact.isascii():
        return False
    digits = [int(each) for each in compact[1:8]]
    doubled = sum(sum(divmod(2 * each, 10)) for each in digits[::2])
    control = -(doubled + sum(digits[1::2])) % 10
    as_digit, as_letter = compact[8] == str(control), compact[8] == _CIF_LETTERS[control]
    if compact[0] in _CIF_LETTER_ONLY:
        return as_letter
    return as_digit if compact[0] in _CIF_DIGIT_ONLY else as_digit or as_letter


def is_phone(text: str) -> bool:
    """Between nine digits and the fifteen of ITU-T E.164."""
    return sum(each.isdigit() for each in text) in _PHONE_DIGITS


def is_version(text: str) -> bool:
    """Not a date such as 23.10.2015, and not a number with dots between its thousands."""
    return not _DATE_LIKE.fullmatch(text) and not _GROUPED_NUMBER.fullmatch(text)


Check: TypeAlias = Callable[[str], str]
"""What of a match stands, from its beginning; empty when nothing does."""


def _whole(holds: Callable[[str], bool]) -> Check:
    return lambda text: text if holds(text) else ""


CHECKS: Final[Mapping[str, Check]] = {
    "iban": iban,
    "dni_nie": _whole(is_dni_or_nie),
    "cif": _whole(is_cif),
    "phone": _whole(is_phone),
    "version": _whole(is_version),
}


def _compact(text: str) -> str:
    return _SEPARATORS.sub("", text).upper()
