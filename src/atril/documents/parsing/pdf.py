"""PDF to Markdown, page by page, without recognising pictures and without fetching anything.

liteparse finds the blocks of a page: headings, paragraphs, lists, ruled tables. Two things need care.
Columns without rules come out as run-on paragraphs and are set again from where the text stands; and a
page whose blocks lost figures or words is set whole from its lines, because what is missing cannot be
found. Running heads and page numbers are left out as liteparse recognises them.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import PurePath
from typing import Final

from liteparse import LiteParse, ParseError
from liteparse.types import LayoutBlock, ParsedPage, ParseResult

from atril.documents.parsing.canonical import canonical, one_line, pipe_table, plain, single_blank_lines
from atril.documents.parsing.markdown import TITLE_LENGTH, title_from
from atril.documents.parsing.parsed import ParsedDocument, ParseWarning
from atril.documents.parsing.pdf_layout import (
    Line,
    header_of,
    inside,
    is_tabular,
    lines_of,
    paragraphs_of,
    table_of,
    tidy_figures,
)
from atril.errors import UnreadableDocument
from atril.types import FailureReason, Page

_NUMBER: Final = re.compile(r"\d[\d.,]*\d|\d")
_ESCAPED: Final = re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~-])")
_LONG_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_LOST_WORDS: Final = 0.08
_XMP_TITLE: Final = re.compile(r"<dc:title>.*?<rdf:li[^>]*>([^<]+)</rdf:li>", re.DOTALL)
_NO_TITLE: Final = re.compile(
    r"^(?:untitled|microsoft word|powerpoint presentation|presentación de powerpoint|презентация powerpoint|document\d*|.*\.(?:docx?|pdf|indd|xlsx?|rtf)$)",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"[.;:!?]$")
_HEADING_LENGTH: Final = 120
_CHROME_LINES: Final = 2
_CHROME_NUMBERS: Final = 4
_PAGE_NUMBER: Final = re.compile(r"[-–—\s]*\d{1,4}[-–—\s]*")
# What Symbol and Wingdings draw as list marks, in the private area where fonts without a map put them.
_SYMBOL_BULLET: Final = re.compile(r"[\uf0a7\uf0b7\uf0a8\uf0d8\uf0fc\uf076\uf06e\uf071]")
_HEADS_WITHIN: Final = 40
_PROSE: Final = ("paragraph", "heading")
_PICTURE: Final = 0.05


def read_pdf(name: str, data: bytes) -> ParsedDocument:
    """A PDF. Raises `UnreadableDocument`: encrypted, corrupt, needs_ocr, empty."""
    result = _parse(data)
    by_number = {page.page_num: page for page in result.pages}
    numbers = range(1, max([result.total_pages, *by_number]) + 1)
    parts = [_page_text(by_number[number]) if number in by_number else "" for number in numbers]
    damaged = {error.page_num for error in result.page_errors} | (set(numbers) - set(by_number))
    warnings = [ParseWarning.of("damaged_page", number) for number in sorted(damaged)]
    if not all(parts):
        blank = {number for number, part in enumerate(parts, 1) if not part} - damaged
        warnings += [ParseWarning.of("needs_ocr", number) for number in sorted(blank & _pictures(data))]
    if not any(parts):
        raise UnreadableDocument(reason=_why_empty(warnings))
    text, pages = _joined(parts)
    return ParsedDocument(text, _title(name, result, text), "pdf", {}, pages, tuple(warnings))


def _reader(**options: bool) -> LiteParse:
    # The format stays "text" because blocks come with every format, and Markdown would be rendered twice.
    return LiteParse(ocr_enabled=False, quiet=True, num_workers=1, output_format="text", **options)


def _parse(data: bytes) -> ParseResult:
    reader = _reader(
        extract_blocks=True, extract_links=False, extract_document_metadata=True, continue_on_page_error=True
    )
    try:
        result: ParseResult = reader.parse(data)
    except (ParseError, ValueError, RuntimeError) as error:
        detail = one_line(str(error))[:200]
        if "password" in detail.lower() or "encrypt" in detail.lower():
            raise UnreadableDocument(reason="encrypted") from error
        raise UnreadableDocument(reason="corrupt", detail=detail) from error
    return result


def _why_empty(warnings: list[ParseWarning]) -> FailureReason:
    kinds = {warning.kind for warning in warnings}
    if "needs_ocr" in kinds:
        return "needs_ocr"
    return "corrupt" if "damaged_page" in kinds else "empty"


def _pictures(data: bytes) -> set[int]:
    """Numbers of the pages that show an image, or letters drawn as outlines."""
    try:
        pages = _reader().is_complex(data)
    except (ParseError, ValueError, RuntimeError):
        return set()
    return {
        page.page_number
        for page in pages
        if page.full_page_image or page.image_coverage > _PICTURE or page.uncovered_vector_area
    }


def _joined(parts: list[str]) -> tuple[str, tuple[Page, ...]]:
    """The pages with one blank line between those that have text, and where each one lies."""
    pages: list[Page] = []
    pieces: list[str] = []
    end = 0
    for number, part in enumerate(parts, 1):
        if not part:
            pages.append(Page(number, end, end))
            continue
        start = end + 2 if pieces else end
        pieces.append(part)
        end = start + len(part)
        pages.append(Page(number, start, end))
    return "\n\n".join(pieces), tuple(pages)


def _title(name: str, result: ParseResult, text: str) -> str:
    """The title in the file's metadata unless a program made it up, else the first heading or line."""
    found = _XMP_TITLE.search((result.doc_meta.xmp or "") if result.doc_meta else "")
    stated = one_line(canonical(found[1])) if found else ""
    if len(stated) > 2 and not _NO_TITLE.match(stated) and stated != PurePath(name).stem:
        return stated[:TITLE_LENGTH]
    headings = re.findall(r"^(#{1,3}) (.+)$", text[:3000], re.MULTILINE)
    heading = min(headings, key=lambda found: len(found[0]), default=("", title_from(name, text)))
    return str(heading[1])[:TITLE_LENGTH]


def _page_text(page: ParsedPage) -> str:
    lines = lines_of(page.text_items)
    blocks = page.blocks or []
    text = "\n\n".join(_render(blocks, lines))
    if not _keeps_all(text, lines):
        text = _from_lines(lines)
    return single_blank_lines(canonical(_SYMBOL_BULLET.sub("•", text)))


def _keeps_all(text: str, lines: list[Line]) -> bool:
    """Whether the page's numbers and nearly all its words are in the text, running heads and feet aside."""
    edges = {*range(_CHROME_LINES), *range(len(lines) - _CHROME_LINES, len(lines))}
    texts = [line.text for line in lines]
    wanted = " ".join(
        line
        for place, line in enumerate(texts)
        if place not in edges or len(_NUMBER.findall(line)) > _CHROME_NUMBERS
    )
    if Counter(_NUMBER.findall(wanted)) - Counter(_NUMBER.findall(text)):
        return False
    words = Counter(_LONG_WORD.findall(wanted))
    # A word hyphenated at the end of a line is in the text in one piece.
    missing = words - Counter(_LONG_WORD.findall(text))
    return missing.total() <= _LOST_WORDS * words.total() and (bool(text) or not lines)


def _render(blocks: list[LayoutBlock], lines: list[Line]) -> list[str]:
    """The blocks as Markdown. Column heads above a table become its header row."""
    found: list[str] = []
    heads: list[Line] = []
    before: LayoutBlock | None = None
    claimed = _claimed_heads(blocks)
    remaining = [
        block for block in blocks if not any(block is head for late in claimed.values() for head in late)
    ]
    for place, block in enumerate(remaining):
        own = inside(lines, block.bbox) if block.bbox else []
        below = remaining[place + 1] if place + 1 < len(remaining) else None
        if block.kind == "table":
            late = [
                line for head in claimed.get(id(block), ()) if head.bbox for line in inside(lines, head.bbox)
            ]
            found.append(_table(block, sorted([*heads, *late], key=lambda line: line.middle)))
            heads = []
        elif block.kind in _PROSE and _are_heads(own, below, lines):
            heads = [*heads, *own]
        elif block.kind in _PROSE and is_tabular([*heads, *own]):
            found.append(_from_lines([*heads, *own]))
            heads = []
        elif block.kind == "paragraph" and before is not None and _continues(block, before, found[-1:]):
            found[-1] += " " + _unmarked(block)
        else:
            found.append(_block(block, own))
        before = block if block.kind == "paragraph" and found and not heads else None
    return [part for part in found if part and not _PAGE_NUMBER.fullmatch(part)]


def _claimed_heads(blocks: list[LayoutBlock]) -> dict[int, list[LayoutBlock]]:
    """Column heads that were read after the table they stand above, by the identity of the table."""
    claimed: dict[int, list[LayoutBlock]] = {}
    for place, table in enumerate(blocks):
        if table.kind != "table" or table.bbox is None:
            continue
        top, left, right = table.bbox.y, table.bbox.x, table.bbox.x + table.bbox.width
        claimed[id(table)] = [
            block
            for block in blocks[place + 1 :]
            if block.kind in _PROSE and block.bbox is not None
            and top - _HEADS_WITHIN <= block.bbox.y and block.bbox.y + block.bbox.height <= top + 2
            and left < block.bbox.x and block.bbox.x + block.bbox.width <= right + 5
        ]  # fmt: skip
    return claimed


def _are_heads(own: list[Line], below: LayoutBlock | None, lines: list[Line]) -> bool:
    """Whether these lines are the column heads of the block below."""
    if below is None or not own or len(own) > 4 or not any(len(line.cells) > 1 for line in own):
        return False
    return below.kind == "table" or (below.bbox is not None and is_tabular(inside(lines, below.bbox)))


def _continues(block: LayoutBlock, before: LayoutBlock, last: list[str]) -> bool:
    """Whether a paragraph was cut in two where its type changes."""
    if block.bbox is None or before.bbox is None or not last or _SENTENCE_END.search(last[0]):
        return False
    gap = block.bbox.y - (before.bbox.y + before.bbox.height)
    return -2 < gap < 3 and block.bbox.x <= before.bbox.x + 2


def _table(block: LayoutBlock, heads: list[Line]) -> str:
    rows = [[cell.text for cell in row] for row in block.rows or []]
    if block.header:
        rows.insert(0, [cell.text for cell in block.header])
    if heads:
        columns = _extents(block)
        rows.insert(0, header_of(heads, columns) if columns else [" ".join(line.text for line in heads)])
    return pipe_table([tidy_figures(row) for row in rows])


def _extents(block: LayoutBlock) -> list[tuple[float, float]]:
    """Where the columns of a table stand; nothing when a column has no ink to tell by."""
    rows = [*([block.header] if block.header else []), *(block.rows or [])]
    found = []
    for number in range(max(map(len, rows), default=0)):
        boxes = [row[number].bbox for row in rows if number < len(row) and row[number].text]
        known = [box for box in boxes if box is not None]
        if not known:
            return []
        found.append((min(box.x for box in known), max(box.x + box.width for box in known)))
    return found


def _block(block: LayoutBlock, own: list[Line]) -> str:
    if block.kind in ("code", "grid_fallback"):
        return "\n".join(one_line(line) for line in block.lines or [])
    text = _unmarked(block)
    if block.kind == "heading":
        return f"{'#' * (block.level or 6)} {text}" if _is_heading(text, own) else plain(text)
    if block.kind == "list_item":
        marker = f"{block.marker} " if block.ordered and block.marker else "- "
        return f"{'  ' * (block.level or 0)}{marker}{text}"
    return plain(text)


def _unmarked(block: LayoutBlock) -> str:
    """The words of a block as they are on the page: without emphasis, and without the escapes it needs."""
    return one_line(_ESCAPED.sub(r"\1", (block.text or "").replace("**", "")))


def _is_heading(text: str, own: list[Line]) -> bool:
    """Heads of columns, dates and labels in brackets are set in bold too; a heading is a short phrase."""
    letters = sum(char.isalpha() for char in text)
    if len(text) > _HEADING_LENGTH or letters < 3 or letters < 0.5 * len(text.replace(" ", "")):
        return False
    if not (text[0].isupper() or text[0].isdigit()) or text[-1] in ".,;:":
        return False
    return len(own) <= 3 and all(len(line.cells) == 1 for line in own)


def _from_lines(lines: list[Line]) -> str:
    """Lines set again: rows of cells as tables, the rest as paragraphs."""
    found: list[str] = []
    run: list[Line] = []
    for line in [*lines, None]:
        if line is not None and (not run or (len(line.cells) > 1) == (len(run[-1].cells) > 1)):
            run.append(line)
            continue
        found.append(_set_run(run))
        run = [line] if line is not None else []
    return "\n\n".join(part for part in found if part)


def _set_run(run: list[Line]) -> str:
    if not run:
        return ""
    rows = table_of(run) if len(run[0].cells) > 1 and is_tabular(run) else []
    if rows:
        return pipe_table([tidy_figures(row) for row in rows])
    return "\n\n".join(plain(part) for part in paragraphs_of(run) if not _PAGE_NUMBER.fullmatch(part))
