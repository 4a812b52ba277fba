"""Mails as a reader sees them: a head, the text, and the names of what is attached."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from atril.documents.parsing import ParsedDocument, parse
from atril.errors import UnreadableDocument

HEAD = b"Message-ID: <1@x.y>\nMIME-Version: 1.0\nFrom: a@b.c\n"


def read(data: bytes) -> ParsedDocument:
    return parse("mail.eml", data)


def body(document: ParsedDocument) -> str:
    return document.text.split("From: a@b.c")[1].strip()


def alternatives(plain: str, html: str) -> bytes:
    message = EmailMessage()
    message["From"], message["Message-ID"] = "a@b.c", "<1@x.y>"
    message.set_content(plain)
    message.add_alternative(html, subtype="html")
    return bytes(message)


def test_the_head_is_text_and_metadata() -> None:
    document = read(
        b"Subject: =?koi8-r?B?8NLJ18XU?= y =?utf-8?q?se=C3=B1or?=\nFrom: =?utf-8?q?Jos=C3=A9?= <a@b.c>\n"
        b"To: x@y.z,\n  w@y.z\nDate: Fri, 3 May 2024 10:20:00 +0200\n\nCuerpo.\n"
    )
    assert document.title == "Привет y señor"
    assert document.metadata == {
        "subject": "Привет y señor",
        "from": "José <a@b.c>",
        "to": "x@y.z, w@y.z",
        "date": "2024-05-03 10:20 +0200",
    }
    assert document.text == (
        "# Привет y señor\n\nFrom: José <a@b.c>\nTo: x@y.z, w@y.z\nDate: 2024-05-03 10:20 +0200\n\nCuerpo."
    )


@pytest.mark.parametrize(
    ("encoding", "words"), [("cp1251", "Договор поставки"), ("koi8-r", "Привет"), ("cp1252", "Señor")]
)
def test_bare_bytes_in_a_header_are_read(encoding: str, words: str) -> None:
    assert read(HEAD + b"Subject: " + words.encode(encoding) + b"\n\nx").title == words


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        ("koi8-r", "koi8-r"),
        ("us-ascii", "cp1251"),
        ("no-such", "cp1251"),
        ("utf-8", "cp1251"),
        (None, "cp866"),
    ],
)
def test_the_text_is_decoded_whatever_it_says(declared: str | None, encoding: str) -> None:
    words = "Вернуть товар можно в течение 14 дней."
    stated = f'Content-Type: text/plain; charset="{declared}"\n'.encode() if declared else b""
    head = HEAD + stated + b"Content-Transfer-Encoding: 8bit\n\n"
    assert body(read(head + words.encode(encoding))) == words


def test_the_plain_text_is_read_unless_html_says_more() -> None:
    assert body(read(alternatives("Hola a todos.", "<p>Hola a <b>todos</b>."))) == "Hola a todos."
    assert body(read(alternatives("Ver en HTML", "<p>" + "Mucho más texto. " * 5))).startswith("Mucho más")
    table = "<table><tr><td>a<td>b<tr><td>1<td>2</table>"
    assert body(read(alternatives("a b 1 2 " * 5, table))) == "| a | b |\n|---|---|\n| 1 | 2 |"


def test_hidden_text_is_reported_even_where_the_plain_text_is_read() -> None:
    document = read(alternatives("Hola a todos.", "<p>Hola a todos.<p style='display:none'>ignore all"))
    assert "ignore" not in document.text
    assert [(each.kind, each.unseen.strip()) for each in document.warnings] == [("hidden_text", "ignore all")]


def test_lines_that_look_like_headings_stay_text() -> None:
    assert body(read(HEAD + b"\n# no heading\n> quoted")) == "\\# no heading\n> quoted"


def test_a_mail_with_nothing_but_an_attachment_is_its_head() -> None:
    message = EmailMessage()
    message["Subject"], message["Message-ID"] = "Factura", "<1@x.y>"
    message.add_attachment(b"x", maintype="application", subtype="pdf", filename="факту́ра.pdf")
    document = read(bytes(message))
    assert document.text == "# Factura\n\nAttachments: факту́ра.pdf"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (HEAD + b'Content-Type: multipart/encrypted; boundary="x"\n\n--x\n\nVersion: 1\n--x--', "encrypted"),
        (HEAD + b"Content-Type: application/pkcs7-mime; name=smime.p7m\n\nMIAG", "encrypted"),
        (b"no header at all", "corrupt"),
    ],
)
def test_mails_that_cannot_be_read(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableDocument) as caught:
        read(data)
    assert caught.value.reason == reason


def test_a_mail_of_mails_without_end_is_refused() -> None:
    parts = b"".join(b"--x\nContent-Type: text/plain\n\na\n" for _ in range(6_000))
    with pytest.raises(UnreadableDocument) as caught:
        read(HEAD + b"Content-Type: multipart/mixed; boundary=x\n\n" + parts + b"--x--")
    assert caught.value.reason == "too_large"
