"""Workbooks (ECMA-376 part 1, 18): every sheet a section, every block of cells a table.

What is shown are the results saved with the file; nothing is calculated and no macro is looked at. Hidden
sheets, rows and columns are left out and reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from atril.documents.languages import detect
from atril.documents.parsing.assembly import document, heading, image, paragraph
from atril.documents.parsing.number_formats import habits_of
from atril.documents.parsing.openxml import Package, reference
from atril.documents.parsing.parsed import Noticed, ParsedDocument
from atril.documents.parsing.sheet_tables import Row, tables_of
from atril.documents.parsing.xlsx_sheet import Workbook, read_sheet, shared_strings
from atril.documents.parsing.xlsx_styles import cell_styles
from atril.documents.parsing.xmltree import Element, attribute, child, children, local, reader_of_file

_SHOWN_STATES: Final = ("", "visible")
_ON: Final = ("1", "true", "on")
_COMMENTS: Final = ("comments", "threadedComment")
_JUDGED_BY: Final = 2000
_JUDGED_SHEETS: Final = 3
_JUDGED_BYTES: Final = 200_000
_INLINE: Final = re.compile(rb"<t(?: [^>]*)?>([^<]{2,})</t>")


@reader_of_file
def read_xlsx(name: str, data: bytes) -> ParsedDocument:
    """A workbook. Raises `UnreadableDocument`: corrupt, encrypted, empty, needs_ocr, too_large."""
    package = Package(data)
    main = package.main_part()
    root = package.tree(main)
    workbook = _shared(package, main, root)
    relations = package.relations(main)
    noticed = Noticed()
    blocks: list[str] = []
    for node in children(child(root, "sheets"), "sheet"):
        relation = relations.get(reference(node))
        if relation is None or relation.kind != "worksheet" or relation.target not in package:
            continue
        sheet = read_sheet(package.read(relation.target), workbook)
        drawn = list(_drawn(package, relation.target))
        if attribute(node, "state") not in _SHOWN_STATES:
            noticed.leave_out("".join(f"{_line(cells)}\n" for cells in sheet.rows.values()))
            noticed.leave_out("\n".join(drawn) + "\n")
            noticed.take(sheet.noticed.warnings())
            continue
        noticed.take(sheet.noticed.warnings())
        for comments in (found for kind in _COMMENTS for found in package.related(relation.target, kind)):
            noticed.add("comments")
            noticed.leave_out("\n".join(package.tree(comments).itertext()), "comments")
        found = [*tables_of(sheet), *drawn]
        blocks += [heading(2, attribute(node, "name")), *found] if found else []
    title, metadata = package.properties()
    return document(name, "xlsx", blocks, stated=title, metadata=metadata, noticed=noticed, file_titles=True)


def _line(cells: Row) -> str:
    return " ".join(cell.text for cell in cells.values())


def _shared(package: Package, main: str, root: Element) -> Workbook:
    parts = package.related(main, "sharedStrings")
    strings = shared_strings(package.read(parts[0])) if parts else []
    styles = next((package.tree(found) for found in package.related(main, "styles")), None)
    settings = child(root, "workbookPr")
    since_1904 = settings is not None and attribute(settings, "date1904") in _ON
    words = strings[:_JUDGED_BY] or _inline_strings(package, main)
    language = detect("\n".join(words))
    return Workbook(strings, cell_styles(styles), habits_of(language), since_1904)


def _inline_strings(package: Package, main: str) -> list[str]:
    """Some of the texts that stand in the cells themselves, as programs other than Excel write them."""
    found = [
        text.decode(errors="replace")
        for part in package.related(main, "worksheet")[:_JUDGED_SHEETS]
        for text in _INLINE.findall(package.read(part)[:_JUDGED_BYTES])
    ]
    return found[:_JUDGED_BY]


def _drawn(package: Package, part: str) -> Iterator[str]:
    """What lies over the cells: text boxes and pictures."""
    for drawing in package.related(part, "drawing"):
        for node in package.tree(drawing).iter():
            name = local(node)
            if name == "txBody":
                lines = ["".join(run.text or "" for run in line.iter() if local(run) == "t") for line in node]
                yield from (paragraph(line) for line in lines if line.strip())
            elif name == "pic":
                named = child(node, "nvPicPr", "cNvPr")
                yield image(attribute(named, "descr") if named is not None else "")
