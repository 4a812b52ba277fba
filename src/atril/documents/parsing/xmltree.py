"""XML as trees, read so that nothing outside the file can be reached and nothing inside can blow up."""

from __future__ import annotations

import functools
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from lxml import etree

from atril.documents.parsing.parsed import ParsedDocument
from atril.errors import UnreadableDocument

Element: TypeAlias = Any
"""An element of lxml."""

_BROKEN: Final = (
    etree.LxmlError, RecursionError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError,
    AssertionError, EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def parse_xml(data: bytes, *, blanks: bool = True) -> Element:
    """The root of a document: no entities, no network, the depth and sizes that libxml2 takes for sane.

    `blanks=False` drops text of blanks between elements. Raises `etree.XMLSyntaxError`.
    """
    root = etree.fromstring(data, xml_parser(blanks=blanks))
    if root.getroottree().docinfo.internalDTD is not None:
        _drop_entities(root)
    return root


def _drop_entities(root: Element) -> None:
    """Takes out the references that were not expanded and keeps the text beside them."""
    for node in list(root.iter(etree.Entity)):
        before, parent = node.getprevious(), node.getparent()
        if before is not None:
            before.tail = (before.tail or "") + (node.tail or "")
        else:
            parent.text = (parent.text or "") + (node.tail or "")
        node.tail = None
        parent.remove(node)


def xml_parser(*, blanks: bool = True) -> Any:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        remove_blank_text=not blanks,
    )


def local(node: Element) -> str:
    """The name of an element without its namespace; empty for what is no element."""
    tag = node.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def own_text(node: Element) -> str:
    """The text of an element without children; what stands beside an entity nobody expands stays."""
    return (node.text or "") + "".join(each.tail or "" for each in node)


def attribute(node: Element, name: str, default: str = "") -> str:
    """An attribute by its name in whatever namespace: producers disagree about them."""
    value = node.get(name)
    if value is not None:
        return str(value)
    for key, found in node.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(found)
    return default


def child(node: Element | None, *names: str) -> Element | None:
    """The first child found by following local names down."""
    for name in names:
        if node is None:
            return None
        node = next(node.iterchildren(f"{{*}}{name}"), None)
    return node


def children(node: Element | None, name: str) -> Iterator[Element]:
    """The children of this local name."""
    if node is not None:
        yield from node.iterchildren(f"{{*}}{name}")


def number(text: str | None, default: int = 0, *, most: int = 1_000_000) -> int:
    """A whole number of an attribute, within bounds whatever the file says."""
    try:
        return max(-most, min(int(float(text or "")), most))
    except (ValueError, OverflowError):
        return default


def reader_of_file(
    read: Callable[[str, bytes], ParsedDocument],
) -> Callable[[str, bytes], ParsedDocument]:
    """A reader that raises `UnreadableDocument` and nothing else, whatever the bytes."""

    @functools.wraps(read)
    def guarded(name: str, data: bytes) -> ParsedDocument:
        try:
            return read(name, data)
        except _BROKEN as error:
            detail = f"{type(error).__name__}: {error}"[:200]
            raise UnreadableDocument(reason="corrupt", detail=detail) from error

    return guarded
