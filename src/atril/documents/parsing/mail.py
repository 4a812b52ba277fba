"""Mails taken apart: headers as people read them, the bodies, the attachments.

The classes of the standard library's older policy are used: they take anything, and the newer ones raise
on headers that real mailboxes are full of. Formats: RFC 5322 (headers), RFC 2045 to 2047 and 2231 (parts).
"""

from __future__ import annotations

import email
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import collapse_rfc2231_value, parsedate_to_datetime
from typing import Final, Literal, cast

from atril.documents.parsing.canonical import canonical, one_line
from atril.documents.parsing.decoding import decode, decode_declared
from atril.errors import UnreadableDocument

_DEEPEST: Final = 50
_PARTS: Final = 5_000
_LISTED: Final = re.compile(r"\bcid:([^\"'\s>)]+)", re.I)
_UNSAFE_IN_NAME: Final = re.compile(r"[\\/\x00-\x1f]+")


@dataclass(frozen=True, slots=True)
class Body:
    """A text of a mail as its writer sent it. `alternative` numbers the set of which one is to be read."""

    kind: Literal["plain", "html"]
    text: str
    certain: bool
    alternative: int | None


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file in a mail under the name it was sent with."""

    name: str
    part: Message

    def data(self) -> bytes:
        """The bytes. Raises `UnreadableDocument` when they do not decode."""
        if self.part.get_content_maintype() == "message" and self.part.is_multipart():
            return b"".join(_message(each) for each in cast(list[Message], self.part.get_payload()))
        return _payload(self.part)


class Mail:
    """A mail that has been taken apart. Raises `UnreadableDocument` for bytes that are none."""

    def __init__(self, data: bytes) -> None:
        self._message = email.message_from_bytes(data)
        if not self._message.keys():
            raise UnreadableDocument(reason="corrupt", detail="a mail without a header", hint="not_as_named")
        self.bodies: list[Body] = []
        self.attachments: list[Attachment] = []
        self.is_encrypted = False
        self._left = _PARTS
        self._take(self._message, None, 0)
        shown = {name for body in self.bodies if body.kind == "html" for name in _LISTED.findall(body.text)}
        self.attachments = [each for each in self.attachments if not _is_picture_inside(each.part, shown)]

    def header(self, name: str) -> str:
        """The value on one line, decoded; empty when the header is missing."""
        return header_text(self._message.get(name))

    @property
    def date(self) -> str:
        """`2024-05-03 10:20 +0200`, as the sender's clock said; the header as it is when it is no date."""
        written = self.header("date")
        try:
            return parsedate_to_datetime(written).strftime("%Y-%m-%d %H:%M %z").strip()
        except (ValueError, TypeError, IndexError, OverflowError):
            return written

    def _take(self, part: Message, alternative: int | None, depth: int) -> None:
        self._left -= 1
        _mend(part)
        if self._left < 0 or depth > _DEEPEST:
            raise UnreadableDocument(reason="too_large", detail=f"a mail of more than {_PARTS:,} parts")
        kind = part.get_content_type()
        if kind in ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"):
            self.is_encrypted = True
        elif part.get_content_maintype() == "message":
            if kind == "message/rfc822":
                self.attachments.append(Attachment(_name_of_mail(part), part))
        elif part.is_multipart():
            inside = self._left if kind == "multipart/alternative" and alternative is None else alternative
            for child in cast(list[Message], part.get_payload()):
                self._take(child, inside, depth + 1)
        else:
            self._take_leaf(part, kind, alternative)

    def _take_leaf(self, part: Message, kind: str, alternative: int | None) -> None:
        name = filename(part)
        is_attached = part.get_content_disposition() == "attachment" or bool(name)
        if not is_attached and kind in ("text/plain", "text/html"):
            text, certain = _text(part, html=kind == "text/html")
            if text.strip():
                shape: Literal["plain", "html"] = "html" if kind == "text/html" else "plain"
                self.bodies.append(Body(shape, text, certain, alternative))
        elif name and not name.lower().endswith((".p7s", ".asc", ".sig")):
            self.attachments.append(Attachment(name, part))


def header_text(raw: object) -> str:
    """A header decoded, on one line."""
    written = "" if raw is None else str(raw)
    try:
        return one_line(canonical(str(make_header(decode_header(written)))))
    except (HeaderParseError, LookupError, ValueError, UnicodeError):
        return one_line(canonical(written))


def _mend(part: Message) -> None:
    """Decodes the bare bytes in some code page that old programs write into headers."""
    for name, value in list(part.raw_items()):
        written = str(value)
        if not written.isascii():
            part.replace_header(name, decode(written.encode("utf-8", "surrogateescape"))[0])


def filename(part: Message) -> str:
    """The name a part was sent with, without folders; empty when it has none."""
    value = part.get_param("filename", None, "content-disposition") or part.get_param("name", None)
    if not value:
        return ""
    try:
        name = collapse_rfc2231_value(cast(str, value)) if isinstance(value, tuple) else header_text(value)
    except (LookupError, ValueError):
        name = str(value)
    return one_line(canonical(_UNSAFE_IN_NAME.sub("_", name))).strip(". ")


def _is_picture_inside(part: Message, shown: set[str]) -> bool:
    """Whether a part is a picture of the text, such as a logo, and not a file sent along."""
    if part.get_content_maintype() != "image":
        return False
    own = str(part.get("content-id", "")).strip("<> \t\r\n")
    return bool(own) and (own in shown or part.get_content_disposition() != "attachment")


def _name_of_mail(part: Message) -> str:
    inner = cast(list[Message], part.get_payload()) if part.is_multipart() else []
    subject = next((header_text(each.get("subject")) for each in inner), "")
    given = filename(part) or _UNSAFE_IN_NAME.sub("_", subject)[:100].strip(". ") or "message"
    return given if given.lower().endswith(".eml") else f"{given}.eml"


def _text(part: Message, *, html: bool) -> tuple[str, bool]:
    data = _payload(part)
    charset = part.get_content_charset() if isinstance(part.get_param("charset"), str | tuple) else None
    return decode_declared(data, charset, html=html) if data else ("", True)


def _payload(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        raise UnreadableDocument(reason="corrupt", detail="a part of the mail does not decode")
    return payload


def _message(message: Message) -> bytes:
    try:
        return message.as_bytes()
    except (ValueError, LookupError, KeyError, TypeError) as error:
        raise UnreadableDocument(reason="corrupt", detail="a forwarded mail does not decode") from error


def chosen(bodies: list[Body]) -> Iterator[tuple[Body, ...]]:
    """The bodies in order; those that say the same in another form come together."""
    alternatives: dict[int, list[Body]] = {}
    for body in bodies:
        if body.alternative is not None:
            alternatives.setdefault(body.alternative, []).append(body)
    for body in bodies:
        if body.alternative is None:
            yield (body,)
        elif alternatives.get(body.alternative):
            yield tuple(alternatives.pop(body.alternative))
