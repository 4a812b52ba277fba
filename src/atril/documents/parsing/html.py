"""HTML to Markdown: what a reader of the page sees, in its structure, and nothing else.

libxml2 reads without network and without entities from outside. Scripts, styles, navigation and text the
page hides are left out; hidden text is a known way to smuggle instructions, so it is reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

from lxml import etree

from atril.documents.parsing.canonical import canonical, one_line, pipe_table, plain, single_blank_lines
from atril.documents.parsing.html_styles import Visibility, prose_in_comments
from atril.documents.parsing.markdown import TITLE_LENGTH, encoding_warning, first_heading, title_from
from atril.documents.parsing.parsed import ParsedDocument, ParseWarning

_DROPPED: Final = frozenset(
    (
        "script", "style", "template", "noscript", "nav", "head", "title", "svg", "math", "canvas", "iframe", "object",
        "embed", "audio", "video", "map", "select", "button", "input", "textarea", "datalist", "dialog",
    )
)  # fmt: skip
_BLOCKS: Final = frozenset(
    (
        "address", "article", "aside", "body", "blockquote", "center", "dd", "details", "div", "dl", "dt", "fieldset",
        "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html",
        "legend", "li", "main", "menu", "ol", "p", "pre", "search", "section", "summary", "table", "ul",
    )
)  # fmt: skip
_LISTS: Final = frozenset(("ul", "ol", "menu"))
_SPACE: Final = re.compile(r"[ \t\r\n\f]+")
_DEEPEST: Final = 120
_METADATA: Final = frozenset(("author", "description", "keywords", "date", "dcterms.date", "dcterms.creator"))


def read_html(name: str, text: str, *, certain: bool) -> ParsedDocument:
    """An HTML document; `certain` says whether its encoding was."""
    # XML declarations name an encoding that no longer holds, and NUL ends the text for libxml2.
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, huge_tree=True, remove_comments=True, remove_pis=True
    )
    source = text.replace("\0", "").encode("utf-8", errors="replace")
    try:
        root = etree.fromstring(source, parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    if root is None:
        return ParsedDocument("", name, "html", {}, (), encoding_warning(certain))
    reader = _Reader(Visibility.of(root), unseen=prose_in_comments(text))
    body = single_blank_lines(canonical(reader.block_text(root, 0)))
    title = (
        first_heading(body) or one_line(canonical(root.findtext(".//title") or "")) or title_from(name, body)
    )
    warnings = encoding_warning(certain)
    if reader.unseen:
        warnings += (ParseWarning.of("hidden_text", unseen="\n".join(reader.unseen)),)
    return ParsedDocument(body, title[:TITLE_LENGTH], "html", _metadata(root), (), warnings)


def _metadata(root: Any) -> dict[str, str]:
    found = {"lang": root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""}
    for meta in root.iter("meta"):
        key = (meta.get("name") or "").lower()
        if key in _METADATA:
            found.setdefault(key, meta.get("content") or "")
    return {key: one_line(canonical(value)) for key, value in found.items() if value.strip()}


@dataclass(slots=True)
class _Reader:
    """Walks the tree; blocks come back as Markdown blocks, everything else as text within a line."""

    _visibility: Visibility
    unseen: list[str] = field(default_factory=list)
    _blocks: dict[Any, bool] = field(default_factory=dict)

    def block_text(self, node: Any, depth: int) -> str:
        return "\n\n".join(self.blocks(node, depth))

    def blocks(self, node: Any, depth: int) -> list[str]:
        """The Markdown blocks inside `node`: runs of inline content become paragraphs."""
        if depth > _DEEPEST:
            return [self._flat(node)]
        found: list[str] = []
        line: list[str] = [_spaced(node.text)]

        def end_line() -> None:
            text = _tidy("".join(line))
            line.clear()
            if text:
                found.append("\n".join(plain(part) for part in text.split("\n")))

        for child in node:
            if self._dropped(child):
                pass
            elif self._is_block(child):
                end_line()
                found.extend(self._block(child, depth + 1))
            else:
                line.append(self._inline(child, depth + 1))
            line.append(_spaced(child.tail))
        end_line()
        return [block for block in found if block.strip()]

    def _block(self, node: Any, depth: int) -> list[str]:
        tag = node.tag
        if tag[0] == "h" and tag[1:].isdigit():
            text = one_line(self._inline(node, depth))
            return [f"{'#' * int(tag[1])} {text}"] if text else []
        if tag in _LISTS:
            return ["\n".join(self._list(node, depth, ""))]
        if tag == "table":
            return self._table(node, depth)
        if tag == "pre":
            return [_fenced(self._visible(node, ""))]
        if tag == "hr":
            return []
        inner = self.blocks(node, depth)
        if tag == "blockquote":
            return ["\n".join(f"> {line}" if line else ">" for line in "\n\n".join(inner).split("\n"))]
        return inner

    def _list(self, node: Any, depth: int, indent: str) -> list[str]:
        lines: list[str] = []
        number = int(node.get("start", "1")) if re.fullmatch(r"\d{1,6}", node.get("start", "1")) else 1
        for item in node:
            if self._dropped(item):
                continue
            marker = f"{number}. " if node.tag == "ol" else "- "
            number += 1
            if item.tag in _LISTS:
                lines.extend(self._list(item, depth + 1, indent + "  "))
                continue
            below = indent + " " * len(marker)
            parts = self.blocks(item, depth + 1)
            body = [line for part in parts for line in part.split("\n")]
            lines.extend((below if place else indent + marker) + line for place, line in enumerate(body))
        return lines

    def _table(self, node: Any, depth: int) -> list[str]:
        """A pipe table; a table that only lays out the page is read as what it holds."""
        rows = [row for row in node.iter("tr") if self._belongs(row, node)]
        cells = [
            [cell for cell in row if cell.tag in ("td", "th") and not self._dropped(cell)] for row in rows
        ]
        if max(map(len, cells), default=0) < 2 or self._lays_out(cells):
            return self.blocks_of([cell for row in cells for cell in row], depth)
        caption = [self.block_text(child, depth + 1) for child in node if child.tag == "caption"]
        return [*caption, pipe_table([self._row(row, depth) for row in cells])]

    def _belongs(self, row: Any, table: Any) -> bool:
        """Whether a row is one of this table and neither it nor its group is hidden."""
        while row is not table:
            if self._dropped(row) or row.tag == "table":
                return False
            row = row.getparent()
        return True

    def blocks_of(self, nodes: list[Any], depth: int) -> list[str]:
        return [block for node in nodes for block in self.blocks(node, depth + 1)]

    def _row(self, cells: list[Any], depth: int) -> list[str]:
        row: list[str] = []
        for cell in cells:
            row.append(" ".join(self.blocks(cell, depth + 1)))
            span = cell.get("colspan", "1")
            row.extend([""] * (min(int(span), 50) - 1 if re.fullmatch(r"\d{1,4}", span) else 0))
        return row

    def _lays_out(self, cells: list[list[Any]]) -> bool:
        nested = ("table", "h1", "h2", "h3", "form", "article", "section")
        return any(next(cell.iter(*nested), None) is not None for row in cells for cell in row)

    def _inline(self, node: Any, depth: int) -> str:
        if depth > _DEEPEST:
            return self._flat(node)
        if node.tag == "br":
            return "\n"
        if node.tag == "img":
            return _spaced(node.get("alt"))
        parts = [_spaced(node.text)]
        for child in node:
            if not self._dropped(child):
                parts.append(self._inline(child, depth + 1))
                if child.tag in _BLOCKS:
                    parts.append(" ")
            parts.append(_spaced(child.tail))
        text = "".join(parts)
        if node.tag == "code" and text.strip():
            return f"`{text.strip()}`"
        return _linked(text, node.get("href", "")) if node.tag == "a" else text

    def _flat(self, node: Any) -> str:
        """The text of a subtree too deep to recurse into."""
        return one_line(self._visible(node, " "))

    def _visible(self, node: Any, between: str) -> str:
        parts: list[str] = []
        walk = etree.iterwalk(node, events=("start", "end"))
        for event, element in walk:
            if event == "end":
                parts.append(element.tail or "" if element is not node else "")
            elif element is not node and self._dropped(element):
                walk.skip_subtree()
            else:
                parts.append("\n" if element.tag == "br" else element.text or "")
        return between.join(parts)

    def _is_block(self, node: Any) -> bool:
        """Block elements, and inline ones with a block somewhere inside, such as a link around a card."""
        if node.tag in _BLOCKS:
            return True
        if node not in self._blocks:
            self._blocks[node] = next(node.iter(*_BLOCKS), None) is not None
        return self._blocks[node]

    def _dropped(self, node: Any) -> bool:
        if not isinstance(node.tag, str):
            return True
        if node.tag in _DROPPED:
            return True
        hidden = self._visibility.hides(node)
        if hidden and (text := "".join(node.itertext()).strip()):
            self.unseen.append(text)
        return hidden


def _spaced(text: str | None) -> str:
    return _SPACE.sub(" ", text) if text else ""


def _tidy(line: str) -> str:
    """Inline text with single spaces; the line breaks in it come from `<br>`."""
    return "\n".join(_SPACE.sub(" ", part).strip() for part in line.split("\n")).strip("\n")


def _fenced(code: str) -> str:
    mark = "```"
    while mark in code:
        mark += "`"
    code = code.strip("\r\n")
    return f"{mark}\n{code}\n{mark}" if code.strip() else ""


def _linked(text: str, target: str) -> str:
    """A link with its address when that is on the web and says more than the text."""
    label = one_line(text)
    if not label or "\n" in text or "[" in label or not re.match(r"https?://[^\s()<>]+$", target):
        return text
    return text if label in target or len(target) > 200 else f"[{label}]({target})"
