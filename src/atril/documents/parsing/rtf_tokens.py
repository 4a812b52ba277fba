"""Rich Text Format as a stream of tokens, bytes turned into characters (RTF specification 1.9.1).

Tolerant: what is broken is passed over, and a group that never ends ends with the file.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

Kind = Literal["open", "close", "word", "text"]

_TOKEN: Final = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9a-fA-F]{2})|\\(.)|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\", re.DOTALL
)  # fmt: skip
_CHARSETS: Final = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gb18030", 136: "big5", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250",
}  # fmt: skip
_SYMBOLS: Final = {
    "~": "\u00a0", "_": "-", "-": "", "tab": "\t", "line": "\n", "emdash": "—", "endash": "–", "bullet": "•",
    "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "emspace": " ", "enspace": " ",
    "qmspace": " ", "softline": "\n", "\n": "\n", "\r": "\n",
}  # fmt: skip
_WIDEST_CHARACTER: Final = 0x10FFFF
_DEEPEST: Final = 2000


@dataclass(frozen=True, slots=True)
class Token:
    """A brace, a control word with its number, or text. `star` marks a destination one may ignore."""

    kind: Kind
    text: str = ""
    value: int | None = None
    star: bool = False


@dataclass(slots=True)
class _State:
    page: str
    skip: int = 1


@dataclass(slots=True)
class Decoder:
    """Which code page the bytes are in: that of the font, else that of the document."""

    page: str = "cp1252"
    fonts: dict[int, str] = field(default_factory=dict)

    def set_page(self, value: int | None) -> None:
        self.page = _known(f"cp{value}") or self.page

    def set_font(self, font: int, charset: int) -> None:
        if page := _CHARSETS.get(charset):
            self.fonts[font] = page


def tokens(data: bytes) -> Iterator[Token]:
    """The tokens of a file. Text comes decoded; `\\bin` data and fallbacks for `\\u` are left out."""
    return _Lexer(data).tokens()


class _Lexer:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._decoder = Decoder()
        self._states = [_State(self._decoder.page)]
        self._bytes = bytearray()
        self._wide: list[int] = []
        self._fallback = 0
        self._font = 0
        self._in_fonts = 0

    def tokens(self) -> Iterator[Token]:
        at = 0
        star = False
        while at < len(self._data):
            found = _TOKEN.match(self._data, at)
            if found is None:
                break
            at = found.end()
            word, value, escaped, symbol, brace, text = found.groups()
            if text is not None or escaped is not None:
                self._take(bytes.fromhex(escaped.decode()) if escaped is not None else text)
                continue
            name = (word or symbol or b"").decode("latin-1")
            count = int(value) if value else None
            if name == "u" and word and count is not None:
                yield from self._flush_bytes()
                self._wide.append(count % 0x10000)
                self._fallback = self._states[-1].skip
                continue
            if name in ("\\", "{", "}") and symbol:
                self._take(name.encode())
                continue
            if not name and not brace:
                continue
            yield from self._flush()
            self._fallback = 0
            if name == "bin":
                at += max(count or 0, 0)
            elif name == "*" and symbol:
                star = True
            elif brace:
                yield from self._brace(brace)
            elif name in _SYMBOLS:
                yield Token("text", _SYMBOLS[name])
            else:
                self._note(name, count)
                yield Token("word", name, count, star)
                star = False
        yield from self._flush()

    def _take(self, data: bytes) -> None:
        """Text, without the characters that stand in for the one `\\u` gave."""
        if self._fallback:
            dropped = min(self._fallback, len(data))
            self._fallback -= dropped
            data = data[dropped:]
        self._bytes += data

    def _flush(self) -> Iterator[Token]:
        yield from self._flush_bytes()
        if self._wide:
            raw = b"".join(unit.to_bytes(2, "little") for unit in self._wide)
            self._wide.clear()
            yield Token("text", raw.decode("utf-16-le", errors="replace"))

    def _flush_bytes(self) -> Iterator[Token]:
        if not self._bytes:
            return
        text = bytes(self._bytes).decode(self._states[-1].page, errors="replace")
        self._bytes.clear()
        if self._wide:
            raw = b"".join(unit.to_bytes(2, "little") for unit in self._wide)
            self._wide.clear()
            text = raw.decode("utf-16-le", errors="replace") + text
        yield Token("text", text)

    def _brace(self, brace: bytes) -> Iterator[Token]:
        if brace == b"{":
            if len(self._states) > _DEEPEST:
                raise ValueError("groups nested too deep")
            self._states.append(_State(self._states[-1].page, self._states[-1].skip))
            yield Token("open")
            return
        if len(self._states) > 1:
            self._states.pop()
            if len(self._states) <= self._in_fonts:
                self._in_fonts = 0
            yield Token("close")

    def _note(self, name: str, value: int | None) -> None:
        """What control words say about the bytes that follow."""
        state, decoder = self._states[-1], self._decoder
        if name == "ansicpg":
            decoder.set_page(value)
            state.page = decoder.page
        elif name in ("mac", "pc", "pca"):
            decoder.page = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}[name]
            state.page = decoder.page
        elif name == "uc":
            state.skip = min(max(value or 0, 0), 10)
        elif name == "fonttbl":
            self._in_fonts = len(self._states) - 1
        elif name == "f":
            self._font = value or 0
            if not self._in_fonts:
                state.page = decoder.fonts.get(self._font, decoder.page)
        elif name == "fcharset" and self._in_fonts:
            decoder.set_font(self._font, value or 0)
        elif name == "plain":
            state.page = decoder.page


def _known(page: str) -> str | None:
    page = {"cp65001": "utf-8", "cp10000": "mac_roman", "cp10007": "mac_cyrillic", "cp936": "gb18030"}.get(
        page, page
    )
    try:
        return page if codecs.lookup(page)._is_text_encoding else None
    except LookupError:
        return None
