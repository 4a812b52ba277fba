"""PDF to Markdown, a range of pages at a time, without fetching anything.

Pages without text are given to Tesseract when its language data is installed here, and else reported. What a
reader of the page does not see stays out of the text, and is reported too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Final

import pypdfium2 as pdfium
from liteparse import LiteParse, ParseError
from liteparse.types import FormField, ParseBatch, ParsedPage

from atril.documents.parsing import ocr
from atril.documents.parsing.canonical import canonical, one_line
from atril.documents.parsing.markdown import TITLE_LENGTH, title_from
from atril.documents.parsing.parsed import ParsedDocument, ParseWarning
from atril.documents.parsing.pdf_hidden import (
    Hidden,
    draws_without_ink,
    hidden_on,
    is_odd,
    reaches_out,
    text_beyond,
)
from atril.documents.parsing.pdf_page import page_text
from atril.documents.parsing.pdf_turned import set_upright
from atril.errors import UnreadableDocument
from atril.types import FailureReason, Page

_BATCH: Final = 40
_MOST_PAGES: Final = 50_000
_LITTLE_TEXT: Final = 100
_FEWEST_WORDS: Final = 3
_PICTURE: Final = 0.05
_XMP_TITLE: Final = re.compile(r"<dc:title>.*?<rdf:li[^>]*>([^<]+)</rdf:li>", re.DOTALL)
_NO_TITLE: Final = re.compile(
    r"^(?:untitled|(?:microsoft )?word\b.*|microsoft (?:word|powerpoint|excel)\b.*|powerpoint presentation|presentación de powerpoint|презентация powerpoint|document\d*|.*\.(?:docx?|pdf|indd|xlsx?|rtf|qxd|html?)$)",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"\w{3,}")
_LETTER: Final = re.compile(r"[^\W\d_]")


@dataclass(slots=True)
class _Sheet:
    """What is kept of a page once its range has been read."""

    text: str = ""
    foot: str = ""
    label: str | None = None
    confidence: float | None = None

    @property
    def whole(self) -> str:
        return "\n\n".join(part for part in (self.text, self.foot) if part)


@dataclass(slots=True)
class _Reading:
    """A file while it is read."""

    data: bytes
    sheets: list[_Sheet] = field(default_factory=list)
    warnings: list[ParseWarning] = field(default_factory=list)

    def warn(self, kind: str, pages: Iterable[int], unseen: str = "") -> None:
        self.warnings += [ParseWarning.of(kind, number, unseen) for number in sorted(pages)]


def read_pdf(name: str, data: bytes, *, progress: Callable[[int, int], None] | None = None) -> ParsedDocument:
    """A PDF. Raises `UnreadableDocument`: encrypted, corrupt, needs_ocr, empty, too_large.

    `progress` is told the pages read and their total after every range.
    """
    reading = _Reading(data)
    with closing(_pdfium(data)) as document:
        if len(document) > _MOST_PAGES:
            raise UnreadableDocument(reason="too_large", detail=f"more than {_MOST_PAGES:,} pages")
        _read_batches(reading, document, progress)
        _recognise(reading)
        stated = document.get_metadata_value("Title")
    if not any(sheet.whole for sheet in reading.sheets):
        raise UnreadableDocument(reason=_why_empty(reading.warnings))
    text, pages = _joined(reading.sheets)
    warnings = tuple(sorted(reading.warnings, key=lambda warning: warning.page or 0))
    return ParsedDocument(text, _title(name, stated, data, text), "pdf", {}, pages, warnings)


def _pdfium(data: bytes) -> pdfium.PdfDocument:
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        raise _failure(error) from error


def _failure(error: Exception) -> UnreadableDocument:
    detail = one_line(str(error))[:200]
    locked = "password" in detail.lower() or "encrypt" in detail.lower() or "security" in detail.lower()
    return (
        UnreadableDocument(reason="encrypted")
        if locked
        else UnreadableDocument(reason="corrupt", detail=detail)
    )


def _reader(**options: Any) -> LiteParse:
    # The format stays "text" because blocks come with every format, and Markdown would be rendered twice.
    return LiteParse(
        **{"ocr_enabled": False, "quiet": True, "num_workers": 1, "output_format": "text", **options}
    )


def _read_batches(
    reading: _Reading, document: pdfium.PdfDocument, progress: Callable[[int, int], None] | None
) -> None:
    without_ink = draws_without_ink(reading.data)
    for batch in _batches(reading):
        reading.sheets += [_Sheet() for _ in range(batch.start_page, batch.end_page + 1)]
        for page in batch.result.pages:
            hidden = _hidden(page, document, reading, without_ink=without_ink)
            reading.sheets[page.page_num - 1] = _sheet(page, hidden)
        read = {page.page_num for page in batch.result.pages}
        reading.warn("damaged_page", set(range(batch.start_page, batch.end_page + 1)) - read)
        if progress is not None:
            progress(batch.end_page, batch.total_pages)


def _batches(reading: _Reading) -> Iterator[ParseBatch]:
    """Ranges of pages. A range that cannot be read ends the file there, with a warning for its first page."""
    reader = _reader(
        extract_blocks=True, extract_links=False, extract_form_fields=True,
        extract_text_metadata=True, extract_content_bounds=True, continue_on_page_error=True,
    )  # fmt: skip
    try:
        yield from reader.parse_batches(reading.data, _BATCH)
    except (ParseError, ValueError, RuntimeError) as error:
        if not reading.sheets:
            raise _failure(error) from error
        reading.warn("damaged_page", [len(reading.sheets) + 1])


def _hidden(
    page: ParsedPage, document: pdfium.PdfDocument, reading: _Reading, *, without_ink: bool
) -> list[Hidden]:
    """The hidden texts of a page that liteparse may have read; any of them is reported."""
    found: list[Hidden] = []
    beyond = ""
    with suppress(pdfium.PdfiumError):
        beyond = text_beyond(document, page) if reaches_out(page) else ""
        if without_ink or is_odd(page):
            found = hidden_on(document, page)
    if found or beyond:
        reading.warn("hidden_text", [page.page_num], "\n".join([*(each.text for each in found), beyond]))
    return found


def _sheet(page: ParsedPage, hidden: Sequence[Hidden]) -> _Sheet:
    items, blocks = page.text_items, page.blocks or []
    if hidden:
        seen = [item for item in items if not any(each.covers(item) for each in hidden)]
        if len(seen) < len(items):
            # Blocks hold their text as a whole; where some of it must go the page is set from its lines.
            items, blocks = seen, []
    turned = [page_text(each, []) for each in set_upright(page, items)]
    if turned:
        text, foot = ("\n\n".join(filter(None, parts)) for parts in zip(*turned, strict=True))
    else:
        text, foot = page_text(items, blocks, page.text)
    fields = _fields(page.form_fields or [], text)
    return _Sheet("\n\n".join(part for part in (text, fields) if part), foot, page.page_label)


def _fields(fields: Sequence[FormField], text: str) -> str:
    """Filled fields as `name: value` lines; on a page without other text, empty ones too."""
    found: dict[str, str] = {}
    for each in fields:
        name = one_line(canonical(each.alternate_name or each.name or ""))
        if not name or each.type in ("pushbutton", "signature", "unknown"):
            continue
        value = one_line(canonical(_value(each)))
        if (value or not text) and not found.get(name):
            found[name] = value
    return "\n".join(f"{name}: {value}".rstrip() for name, value in found.items())


def _value(each: FormField) -> str:
    if each.type in ("checkbox", "radiobutton", "radio"):
        return (each.export_value or each.value or "✓") if each.checked else ""
    return ", ".join(each.selected_options) or each.value or ""


def _recognise(reading: _Reading) -> None:
    """Reads the pages that are pictures with Tesseract, or reports them."""
    little = [
        number
        for number, sheet in enumerate(reading.sheets, 1)
        if len(_WORD.findall(sheet.text[:_LITTLE_TEXT])) < _FEWEST_WORDS
    ]
    damaged = {warning.page for warning in reading.warnings if warning.kind == "damaged_page"}
    empty = {number for number in little if not reading.sheets[number - 1].text}
    pictures = [number for number in _pictures(reading.data, little, empty) if number not in damaged]
    language_data = ocr.installed() if pictures else None
    for number in pictures:
        sheet = reading.sheets[number - 1]
        if language_data is not None and _recognised(reading.data, number, sheet, language_data):
            reading.warn("ocr", [number])
        else:
            reading.warn("needs_ocr", [number])


def _pictures(data: bytes, numbers: Sequence[int], empty: Collection[int]) -> list[int]:
    """Which of the pages are an image; of empty ones, which show any image or letters drawn as outlines."""
    if not numbers:
        return []
    with suppress(ParseError, ValueError, RuntimeError):
        return [
            page.page_number
            for page in _reader(target_pages=",".join(map(str, numbers))).is_complex(data)
            if page.full_page_image
            or (page.page_number in empty and (page.image_coverage > _PICTURE or page.uncovered_vector_area))
        ]
    return []


def _recognised(data: bytes, number: int, sheet: _Sheet, language_data: ocr.LanguageData) -> bool:
    """Sets the text of a page that is a picture, and how sure it is; false when nothing was found."""
    reader = _reader(
        ocr_enabled=True, tessdata_path=str(language_data.folder), ocr_language=language_data.option,
        ocr_failure_fatal=False, extract_blocks=True, extract_links=False, target_pages=str(number),
    )  # fmt: skip
    with suppress(ParseError, ValueError, RuntimeError):
        for page in reader.parse(data).pages:
            text, foot = page_text(page.text_items, page.blocks or [])
            sure = [
                (item.confidence, len(item.text)) for item in page.text_items if item.confidence is not None
            ]
            if text and sure:
                sheet.text, sheet.foot = text, foot
                sheet.confidence = round(sum(c * n for c, n in sure) / max(sum(n for _, n in sure), 1), 3)
                return True
    return False


def _why_empty(warnings: Sequence[ParseWarning]) -> FailureReason:
    kinds = {warning.kind for warning in warnings}
    if "needs_ocr" in kinds:
        return "needs_ocr"
    return "corrupt" if "damaged_page" in kinds else "empty"


def _joined(sheets: Sequence[_Sheet]) -> tuple[str, tuple[Page, ...]]:
    """The pages with one blank line between those that have text, and where each one lies."""
    pages: list[Page] = []
    pieces: list[str] = []
    end = 0
    for number, sheet in enumerate(sheets, 1):
        part = sheet.whole
        start = end + 2 if pieces and part else end
        if part:
            pieces.append(part)
            end = start + len(part)
        pages.append(Page(number, start, end, sheet.label, sheet.confidence))
    return "\n\n".join(pieces), tuple(pages)


def _title(name: str, stated: str, data: bytes, text: str) -> str:
    """The title in the file's metadata unless a program made it up, else the first heading or line."""
    title = _given_title(name, stated) or _given_title(name, _xmp_title(data))
    if title:
        return title
    headings = re.findall(r"^(#{1,3}) (.+)$", text[:3000], re.MULTILINE)
    heading = min(headings, key=lambda found: len(found[0]), default=("", title_from(name, text)))
    return str(heading[1])[:TITLE_LENGTH]


def _given_title(name: str, title: str) -> str:
    line = one_line(canonical(title))
    is_given = len(_LETTER.findall(line)) > 2 and not _NO_TITLE.match(line) and line != PurePath(name).stem
    return line[:TITLE_LENGTH] if is_given else ""


def _xmp_title(data: bytes) -> str:
    """The title in the XMP packet. liteparse looks for it in every range it is asked to, so it is asked once."""
    with suppress(ParseError, ValueError, RuntimeError):
        meta = _reader(extract_document_metadata=True, target_pages="1").parse(data).doc_meta
        found = _XMP_TITLE.search(meta.xmp or "") if meta is not None else None
        return found[1] if found else ""
    return ""
