"""Bytes to text: marks of order, declarations, and an informed guess for what is left.

Byte order marks and valid UTF-8 are certain. A declaration in HTML comes next, by the rules browsers
follow (https://encoding.spec.whatwg.org/#names-and-labels: Latin-1 means Windows-1252). Then two judges
for what office files really hold, Western European and Cyrillic code pages, because the statistics of
charset-normalizer confuse them on short texts; and charset-normalizer for everything else.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

from atril.errors import UnreadableDocument

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED: Final = re.compile(
    rb"""<(?:meta|\?xml)[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)"""
)
_DECLARED_WITHIN: Final = 4096
_BROWSER_NAMES: Final = {"iso-8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252",
                         "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932",
                         "ks_c_5601-1987": "cp949", "euc-kr": "cp949", "utf-16": "utf-8", "utf-16le": "utf-8",
                         "utf-16be": "utf-8", "x-sjis": "cp932"}  # fmt: skip
_CYRILLIC_PAGES: Final = ("cp1251", "koi8_r", "cp866", "iso8859_5", "mac_cyrillic")
_OLD_WESTERN_PAGES: Final = ("cp850", "mac_roman")
_RUSSIAN, _RUSSIAN_WHEN_CLEAR, _CLEARLY = 0.55, 0.3, 0.3
_HIGH_HALVES: Final = b"\x00\x04\x20\x21"
"""The high bytes of Latin and Cyrillic letters and of the signs printers set among them."""

_GUESS_FROM: Final = 200_000
_CONTROL_SHARE: Final = 0.01

_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_HIGH_RUN: Final = re.compile(rb"[\x80-\xff]{4,}")
_WESTERN: Final = frozenset(
    "áéíóúàèìòùâêîôûäëïöüãõñçåøæœßýÿðþÁÉÍÓÚÀÈÌÒÙÂÊÎÔÛÄËÏÖÜÃÕÑÇÅØÆŒÝŸÐÞ"
    "¿¡ºª«»“”‘’‚„–—…•·€£¥§©®™°±²³½¼¾´×÷†‡‰‹›¢µ¶\u00a0\u00ad"
)
_SIGN_INSIDE_WORD: Final = re.compile(
    r"[a-zà-ÿ][¡¢£¤]|[£¢¤][a-zà-ÿ]|[a-zà-ÿ][¿¡£¥§©®±²³½¼¾¹µ¶¢¤¦¨¬¯¸‚„][a-zà-ÿ]", re.I
)
_ACCENTS_ONLY: Final = re.compile(r"(?<![^\W\d_])[^\W\d_a-zA-Zºª]{2,}(?![^\W\d_])")
"""A word with nothing but accented letters: no Western language has one."""

_TWO_ALPHABETS: Final = re.compile(r"[a-zA-Z][А-Яа-яЁё]|[А-Яа-яЁё][a-zA-Z]")
_RUSSIAN_COMMON: Final = frozenset("оеаинтсрвлкмдпу")
_CASE_BREAK: Final = re.compile(r"[а-яё][А-ЯЁ]")


def decode(data: bytes, *, html: bool = False) -> tuple[str, bool]:
    """The text, and whether its encoding was certain. Raises `UnreadableDocument` for binary content."""
    text, certain = _decode(data, html=html)
    if len(_CONTROL.findall(text)) > _CONTROL_SHARE * len(text):
        raise UnreadableDocument(reason="unsupported", detail="binary content")
    return text, certain


def decode_declared(data: bytes, charset: str | None, *, html: bool = False) -> tuple[str, bool]:
    """As `decode`, for bytes that came with the name of their encoding, which counts while it fits them."""
    # Programs write us-ascii when they have no idea, and the bytes are then anything.
    encoding = _text_encoding(charset) if charset and "ascii" not in charset.lower() else None
    if encoding is None:
        return decode(data, html=html)
    try:
        return data.decode(encoding), True
    except UnicodeDecodeError:
        return decode(data, html=html)


def _decode(data: bytes, *, html: bool) -> tuple[str, bool]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace"), True
    wide = _unmarked_wide(data)
    if wide:
        return data.decode(wide, errors="replace"), True
    try:
        return data.decode("utf-8"), True
    except UnicodeDecodeError as error:
        if _is_cut_utf8(data, error):
            return data.decode("utf-8", errors="replace"), False
    declared = _declaration(data) if html else None
    if declared:
        return data.decode(declared, errors="replace"), True
    if b"\0" in data:
        raise UnreadableDocument(reason="unsupported", detail="binary content")
    return data.decode(_guess(data), errors="replace"), False


def _unmarked_wide(data: bytes) -> str | None:
    """UTF-16 and UTF-32 without a mark: the high halves of its letters are few and come at even steps."""
    sample = data[:2000]
    if len(sample) < 4 or not (b"\0" in sample or b"\4" in sample):
        return None
    if len(data) % 4 == 0:
        if not any(sample[2::4]) and not any(sample[3::4]):
            return "utf-32-le"
        if not any(sample[0::4]) and not any(sample[1::4]):
            return "utf-32-be"
    even, odd = sample[0::2], sample[1::2]
    for low, high, encoding in ((even, odd, "utf-16-le"), (odd, even, "utf-16-be")):
        if _share(high, _HIGH_HALVES) > 0.9 and _share(low, b"\x00\x04") < 0.1:
            return encoding
    return None


def _share(sample: bytes, wanted: bytes) -> float:
    return sum(map(sample.count, wanted)) / max(len(sample), 1)


def _is_cut_utf8(data: bytes, error: UnicodeDecodeError) -> bool:
    """UTF-8 with a handful of bad bytes, such as a character cut at the end, stays UTF-8."""
    if error.start >= len(data) - 3 and error.reason == "unexpected end of data":
        return any(byte >= 0x80 for byte in data[: error.start]) or len(data) > 40
    good = sum(1 for byte in data.decode("utf-8", errors="ignore") if byte > "\x7f")
    bad = data.decode("utf-8", errors="replace").count("\ufffd")
    return good > 50 * bad


def _declaration(data: bytes) -> str | None:
    found = _DECLARED.search(data[:_DECLARED_WITHIN])
    if not found:
        return None
    encoding = _text_encoding(found[1].decode("ascii"))
    return encoding if encoding != "utf-8" else None


def _text_encoding(label: str) -> str | None:
    """What browsers take the label of an encoding for; nothing when they know none of that name."""
    label = label.strip().lower()
    try:
        encoding = codecs.lookup(_BROWSER_NAMES.get(label, label))
    except (LookupError, ValueError):
        return None
    # Some codecs of the standard library turn bytes into bytes; those are no answer.
    return encoding.name if encoding._is_text_encoding else None


def _guess(data: bytes) -> str:
    sample = data[:_GUESS_FROM]
    if _is_western(sample, "cp1252"):
        return "cp1252"
    scores = {page: _russian_score(sample.decode(page, errors="replace")) for page in _CYRILLIC_PAGES}
    cyrillic, *others = sorted(scores, key=lambda page: -scores[page])
    clear = scores[cyrillic] - scores[others[0]] > _CLEARLY
    if scores[cyrillic] > (_RUSSIAN_WHEN_CLEAR if clear else _RUSSIAN):
        return cyrillic
    for page in _OLD_WESTERN_PAGES:
        if _is_western(sample, page):
            return page
    from charset_normalizer import from_bytes  # rarely needed, and slow to import

    best = from_bytes(sample).best()
    return best.encoding if best is not None else "cp1252"


def _is_western(sample: bytes, page: str) -> bool:
    """Whether the bytes read as a Western European language in that code page."""
    high = sum(byte >= 0x80 for byte in sample)
    text = sample.decode(page, errors="replace")
    odd = sum(char > "\x7f" and char not in _WESTERN for char in text)
    runs = sum(len(run) for run in _HIGH_RUN.findall(sample))
    few = 0.02 * high
    return (
        odd <= few
        and runs <= 0.1 * high
        and len(_SIGN_INSIDE_WORD.findall(text)) <= few
        and len(_ACCENTS_ONLY.findall(text)) <= few
    )


def _russian_score(text: str) -> float:
    """How much the text above ASCII reads as Russian: the share of its common letters, less odd case
    and words in two alphabets.

    Russian prose gives about 0.75; Russian read in a wrong code page stays below 0.5.
    """
    high = [char for char in text if char > "\x7f"]
    if not high:
        return 0.0
    common = sum(char.lower() in _RUSSIAN_COMMON for char in high)
    lower = sum("а" <= char <= "я" for char in high)
    breaks = len(_CASE_BREAK.findall(text)) + len(_TWO_ALPHABETS.findall(text))
    return (common + 0.1 * lower - 3.0 * breaks) / len(high)
