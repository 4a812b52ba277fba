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
_GUESS_FROM: Final = 200_000
_CONTROL_SHARE: Final = 0.01

_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_HIGH_RUN: Final = re.compile(rb"[\x80-\xff]{4,}")
_WESTERN: Final = frozenset(
    "áéíóúàèìòùâêîôûäëïöüãõñçåøæœßýÿðþÁÉÍÓÚÀÈÌÒÙÂÊÎÔÛÄËÏÖÜÃÕÑÇÅØÆŒÝŸÐÞ"
    "¿¡ºª«»“”‘’‚„–—…•·€£¥§©®™°±²³½¼¾´×÷†‡‰‹›¢µ¶\u00a0\u00ad"
)
_SIGN_INSIDE_WORD: Final = re.compile(r"[a-zà-ÿ][¿¡£¥§©®±²³½¼¾¹µ¶¢¤¦¨¬¯¸][a-zà-ÿ]")
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
    encoding = _text_encoding(charset) if charset else None
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
    wide = _unmarked_utf16(data)
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


def _unmarked_utf16(data: bytes) -> str | None:
    """Western text in UTF-16 has a zero in every other byte."""
    sample = data[:2000]
    if len(sample) < 4 or b"\0" not in sample:
        return None
    half = len(sample) // 2
    if sample[1::2].count(0) > 0.7 * half and sample[0::2].count(0) < 0.1 * half:
        return "utf-16-le"
    if sample[0::2].count(0) > 0.7 * half and sample[1::2].count(0) < 0.1 * half:
        return "utf-16-be"
    return None


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
    if _is_western(sample):
        return "cp1252"
    cyrillic = max(_CYRILLIC_PAGES, key=lambda page: _russian_score(sample.decode(page, errors="replace")))
    if _russian_score(sample.decode(cyrillic, errors="replace")) > 0.55:
        return cyrillic
    from charset_normalizer import from_bytes  # rarely needed, and slow to import

    best = from_bytes(sample).best()
    return best.encoding if best is not None else "cp1252"


def _is_western(sample: bytes) -> bool:
    high = sum(byte >= 0x80 for byte in sample)
    text = sample.decode("cp1252", errors="replace")
    odd = sum(char > "\x7f" and char not in _WESTERN for char in text)
    runs = sum(len(run) for run in _HIGH_RUN.findall(sample))
    return odd <= 0.02 * high and runs <= 0.1 * high and len(_SIGN_INSIDE_WORD.findall(text)) <= 0.02 * high


def _russian_score(text: str) -> float:
    """How much the text above ASCII reads as Russian: the share of its common letters, less odd case.

    Russian prose gives about 0.75; Russian read in a wrong code page stays below 0.5.
    """
    high = [char for char in text if char > "\x7f"]
    if not high:
        return 0.0
    common = sum(char.lower() in _RUSSIAN_COMMON for char in high)
    lower = sum("а" <= char <= "я" for char in high)
    return (common + 0.05 * lower) / len(high) - 3.0 * len(_CASE_BREAK.findall(text)) / len(high)
