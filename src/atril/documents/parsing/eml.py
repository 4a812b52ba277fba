"""Mails as documents: a readable head, then what the writer wrote. Attachments are documents of their own."""

from __future__ import annotations

from typing import Final

from atril.documents.parsing.canonical import canonical, one_line, plain, single_blank_lines
from atril.documents.parsing.html import read_html
from atril.documents.parsing.mail import Body, Mail, chosen
from atril.documents.parsing.markdown import TITLE_LENGTH, encoding_warning, title_from
from atril.documents.parsing.parsed import Noticed, ParsedDocument
from atril.errors import UnreadableDocument

_HEAD: Final = ("from", "to", "cc")
_MOST_ADDRESSES: Final = 1_000
_FULLER: Final = 2


def read_eml(name: str, data: bytes) -> ParsedDocument:
    """A mail. Its head stands in the text under the names that RFC 5322 gives the fields.

    Metadata: `subject`, `from`, `to`, `cc`, `date`, `attachments` (names). Raises `UnreadableDocument`.
    """
    mail = Mail(data)
    if mail.is_encrypted and not mail.bodies:
        raise UnreadableDocument(reason="encrypted")
    subject = mail.header("subject")
    metadata = {"subject": subject} | {field: mail.header(field)[:_MOST_ADDRESSES] for field in _HEAD}
    metadata |= {"date": mail.date, "attachments": ", ".join(each.name for each in mail.attachments)}
    metadata = {key: value for key, value in metadata.items() if value}
    noticed = Noticed()
    blocks = [_read_body(name, alternatives, noticed) for alternatives in chosen(mail.bodies)]
    text = canonical(single_blank_lines("\n\n".join([*_head(metadata), *blocks])))
    title = subject or title_from(name, "")
    return ParsedDocument(text, title[:TITLE_LENGTH], "eml", metadata, (), noticed.warnings())


def _head(metadata: dict[str, str]) -> list[str]:
    lines = [f"{field.capitalize()}: {value}" for field, value in metadata.items() if field != "subject"]
    heading = [f"# {metadata['subject']}"] if "subject" in metadata else []
    return [*heading, "\n".join(lines)]


def _read_body(name: str, alternatives: tuple[Body, ...], noticed: Noticed) -> str:
    """One text: the plain one, unless the HTML beside it says much more or has its tables."""
    pages = [read_html(name, body.text, certain=body.certain) for body in alternatives if body.kind == "html"]
    lines = [body for body in alternatives if body.kind == "plain"]
    noticed.take(warning for page in pages for warning in page.warnings if warning.kind == "hidden_text")
    text = "\n".join(plain(line) for body in lines for line in canonical(body.text).split("\n"))
    rich = "\n\n".join(page.text for page in pages)
    if not lines or "\n|---|" in rich or len(one_line(rich)) > _FULLER * len(one_line(text)):
        noticed.take(warning for page in pages for warning in page.warnings if warning.kind != "hidden_text")
        return rich
    noticed.take(warning for body in lines for warning in encoding_warning(body.certain))
    return text
