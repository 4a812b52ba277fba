"""The package that docx, xlsx and pptx share: parts, the relationships between them, core properties."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import Final

from atril.documents.parsing.archives import Archive
from atril.documents.parsing.xmltree import Element, attribute, children, local, parse_xml
from atril.errors import UnreadableDocument

_KEPT: Final = {
    "creator": "author", "subject": "subject", "keywords": "keywords", "description": "description",
    "language": "language", "created": "created", "modified": "modified",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Relation:
    """Where a part points to. `kind` is the last word of its type; `target` a part, or an address when
    `external`."""

    kind: str
    target: str
    external: bool


class Package:
    """An Open XML package (ECMA-376 part 2)."""

    def __init__(self, data: bytes) -> None:
        self._archive = Archive(data)
        self._names = {name.replace("\\", "/").lstrip("/").lower(): name for name in self._archive.names}

    def __contains__(self, part: str) -> bool:
        return part.lower() in self._names

    def read(self, part: str) -> bytes:
        """The bytes of a part. Raises `KeyError`."""
        return self._archive.read(self._names[part.lower()])

    def tree(self, part: str) -> Element:
        """The root of a part. Raises `KeyError` or `etree.XMLSyntaxError`."""
        return parse_xml(self.read(part))

    def optional(self, part: str | None) -> Element | None:
        """The root of a part, or nothing where there is none."""
        return self.tree(part) if part and part in self else None

    def relations(self, part: str) -> dict[str, Relation]:
        """The relationships of a part by their ids."""
        folder, base = posixpath.split(part)
        root = self.optional(posixpath.join(folder, "_rels", f"{base}.rels"))
        found: dict[str, Relation] = {}
        for node in children(root, "Relationship"):
            kind, target = attribute(node, "Type").rpartition("/")[2], attribute(node, "Target")
            external = attribute(node, "TargetMode") == "External"
            if not external:
                target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            found[attribute(node, "Id")] = Relation(kind, target, external)
        return found

    def related(self, part: str, kind: str) -> list[str]:
        """The parts of one kind that a part points to and that are there."""
        return [
            relation.target
            for relation in self.relations(part).values()
            if relation.kind == kind and not relation.external and relation.target in self
        ]

    def main_part(self) -> str:
        """The part the whole is about. Raises `UnreadableDocument` for a package without one."""
        found = self.related("", "officeDocument")
        if not found:
            raise UnreadableDocument(reason="corrupt", detail="no main part in the package")
        return found[0]

    def properties(self) -> tuple[str, dict[str, str]]:
        """The title and the other core properties."""
        found = self.related("", "core-properties")
        values: dict[str, str] = {}
        title = ""
        for node in self.tree(found[0]) if found else ():
            if local(node) == "title":
                title = node.text or ""
            elif local(node) in _KEPT:
                values[_KEPT[local(node)]] = node.text or ""
        return title, values


def reference(node: Element | None, name: str = "id") -> str:
    """The id of a relationship; elements may have an `id` of their own beside it."""
    if node is not None:
        for key, value in node.attrib.items():
            if key.endswith(f"}}{name}"):
                return str(value)
    return ""
