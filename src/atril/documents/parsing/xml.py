"""XML of any kind: records as tables, fields as `name: value`, prose as paragraphs, titles as headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from atril.documents.parsing.assembly import document, heading, paragraph, table
from atril.documents.parsing.canonical import one_line
from atril.documents.parsing.parsed import ParsedDocument
from atril.documents.parsing.xmltree import Element, attribute, local, own_text, parse_xml, reader_of_file

_TITLES: Final = frozenset(
    ("title", "titulo", "título", "head", "heading", "caption", "subtitle", "заголовок", "название")
)
_PROSE: Final = frozenset(("p", "para", "v", "text-author", "li", "item", "simpara", "seg", "line"))
_INLINE: Final = frozenset(
    (
        "b",
        "i",
        "em",
        "strong",
        "emphasis",
        "a",
        "sub",
        "sup",
        "span",
        "style",
        "code",
        "link",
        "ref",
        "u",
        "hi",
        "q",
    )
)
_SKIPPED: Final = frozenset(("binary", "script", "style", "svg", "schema", "Signature", "X509Certificate"))
_NAME_WORDS: Final = re.compile(r"[_\-.]+|(?<=[a-zа-яé])(?=[A-ZА-Я])")
_DEEPEST_HEADING: Final = 6
_LONG: Final = 200
_WIDEST: Final = 40


@reader_of_file
def read_xml(name: str, data: bytes) -> ParsedDocument:
    """An XML document. Raises `UnreadableDocument`: corrupt, empty."""
    root = parse_xml(data, blanks=False)
    metadata = {"lang": attribute(root, "lang")}
    blocks = list(_blocks(root, 1))
    return document(name, "xml", blocks, stated=_title(root), metadata=metadata, file_titles=True)


def _title(root: Element) -> str:
    found = next(
        (node for node in root.iter() if local(node).lower() in _TITLES or local(node) == "book-title"), None
    )
    return one_line(_text(found)) if found is not None else ""


def _blocks(node: Element, level: int) -> Iterator[str]:
    """What is below an element. Fields come together as a list, and sections after their headings."""
    fields = [
        f"- {_words(key.rpartition('}')[2])}: {one_line(value)}"
        for key, value in node.attrib.items()
        if not key.endswith(("}schemaLocation", "}lang", "}space"))
    ]
    if (node.text or "").strip():
        fields.append(paragraph(one_line(node.text)))
    done: set[str] = set()
    tried: set[str] = set()
    counts = Counter(local(each) for each in node)
    for each in node:
        name = local(each)
        if not name or name in _SKIPPED or name in done:
            continue
        if name.lower() in _TITLES and (text := one_line(_text(each))):
            yield from _flushed(fields)
            yield heading(min(level, _DEEPEST_HEADING), text)
            continue
        if counts[name] > 1 and name not in tried:
            tried.add(name)  # or every one of thousands would look at all the others again
            if rows := _records([other for other in node if local(other) == name]):
                yield from _flushed(fields)
                yield from table(rows)
                done.add(name)
                continue
        if _is_leaf(each):
            fields += _leaf(each, name)
            continue
        yield from _flushed(fields)
        yield from _section(each, name, level)
        if (each.tail or "").strip():
            fields.append(paragraph(one_line(each.tail)))
    yield from _flushed(fields)


def _section(node: Element, name: str, level: int) -> Iterator[str]:
    below = list(_blocks(node, level + 1))
    titled = any(local(each).lower() in _TITLES for each in node)
    if below and not titled and name.lower() not in ("section", "body", "div", "chapter", *_PROSE):
        yield heading(min(level, _DEEPEST_HEADING), _words(name))
    yield from below


def _flushed(fields: list[str]) -> Iterator[str]:
    """Fields on neighbouring lines, prose by itself."""
    lines: list[str] = []
    for field in fields:
        if field.startswith("- "):
            lines.append(field)
            continue
        if lines:
            yield "\n".join(lines)
            lines = []
        yield field
    if lines:
        yield "\n".join(lines)
    fields.clear()


def _is_leaf(node: Element) -> bool:
    """An element of text only, marked up or not."""
    return all(local(each) in _INLINE and _is_leaf(each) for each in node)


def _leaf(node: Element, name: str) -> list[str]:
    text = one_line(_text(node))
    if name in _PROSE or len(text) > _LONG or len(node):
        return [paragraph(text)] if text else []
    named = [f"{_words(key.rpartition('}')[2])} {value}" for key, value in node.attrib.items()]
    shown = f"{text} ({', '.join(named)})" if text and named else text or ", ".join(named)
    return [f"- {_words(name)}: {one_line(shown)}"] if shown else []


def _records(nodes: list[Element]) -> list[list[str]]:
    """Siblings of one name as rows, when all they hold is fields; else nothing."""
    if not all(all(_is_leaf(each) for each in node) for node in nodes) or not any(
        len(node) or node.attrib for node in nodes
    ):
        return []
    if any(local(each) in _INLINE or local(each) in _PROSE for node in nodes for each in node):
        return []
    rows: list[dict[str, str]] = []
    for node in nodes:
        row = {_words(key.rpartition("}")[2]): value for key, value in node.attrib.items()}
        if text := one_line(own_text(node)):
            row[_words(local(node))] = text
        for each in node:
            key, value = (
                _words(local(each)),
                one_line(_text(each)) or ", ".join(map(str, each.attrib.values())),
            )
            row[key] = f"{row[key]}, {value}" if row.get(key) and value else row.get(key) or value
        rows.append(row)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return (
        [columns, *([row.get(column, "") for column in columns] for row in rows)]
        if 1 < len(columns) <= _WIDEST
        else []
    )


def _text(node: Element) -> str:
    """All text below an element, without entities that were not expanded."""
    return (node.text or "") + "".join(
        (_text(each) if local(each) else "") + (each.tail or "") for each in node
    )


def _words(name: str) -> str:
    """`precioUnitario` and `precio_unitario` as words."""
    return one_line(_NAME_WORDS.sub(" ", name))
