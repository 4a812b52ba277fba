"""Putting documents into a library and taking them out."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from atril.errors import InvalidArgument
from atril.ingest.containers import with_members
from atril.ingest.files import SourceFile, find_files
from atril.ingest.sources import FileSource, Source, TextSource
from atril.ingest.stores import forget
from atril.ingest.tally import ProgressListener
from atril.library.base import Base
from atril.messages import message
from atril.store.names import storable
from atril.types import DEFAULT_COLLECTION, AddReport, Document, ReadingWarning


class Adding(Base):
    """Adds files and texts, and removes documents."""

    async def add(
        self,
        paths: Sequence[str | PathLike[str]] | str | PathLike[str],
        *,
        collection: str = DEFAULT_COLLECTION,
        weight: float | None = None,
        labels: Sequence[str] | None = None,
        progress: ProgressListener | None = None,
    ) -> AddReport:
        """Reads files and folders into a collection; unchanged files are skipped by their content.

        A file that cannot be read is in the report's `failed` and keeps the version it had. `weight` is
        the collection's, above 0, and stays when it is not given. `labels` are those of the documents; when
        not given a document keeps what it has, and `()` takes them away.
        """
        given = [paths] if isinstance(paths, str | PathLike) else paths
        files = await self._files([Path(fspath(path)) for path in given])
        return await self._add(self._sources(files), collection, weight, labels, progress)

    async def add_texts(
        self,
        texts: Sequence[Mapping[str, Any]],
        *,
        collection: str = DEFAULT_COLLECTION,
        weight: float | None = None,
        labels: Sequence[str] | None = None,
        progress: ProgressListener | None = None,
    ) -> AddReport:
        """Adds one document for each mapping of `name`, `text` and, if wanted, `title` and `metadata`.

        The name is the document's identity: the same name again replaces it, and of two mappings with one
        name the last counts. Raises `InvalidArgument` for a mapping without a name or a text.
        """
        sources = [_text_source(row, collection) for row in texts]
        last = {storable(source.identity): source for source in sources}
        return await self._add(list(last.values()), collection, weight, labels, progress)

    async def remove(self, *names: str) -> int:
        """Removes documents by name, attachments with their mail, and gives their number.

        Nothing is removed when one of the names raises `DocumentNotFound` or `AmbiguousName`.
        """
        records = self._home.stores.records
        found = {each.id: each for each in [await records.find(self._scope, name) for name in names]}
        gone = with_members(list(found.values()), await records.documents(self._scope))
        await self._remove(gone)
        return len(gone)

    async def _files(self, paths: Sequence[Path]) -> list[SourceFile]:
        return await asyncio.to_thread(lambda: list(find_files(paths, exclude=self._home.folder)))

    def _sources(self, files: Sequence[SourceFile]) -> list[FileSource]:
        return [FileSource(file, self._largest_file) for file in files]

    async def _add(
        self,
        sources: Sequence[Source],
        collection: str,
        weight: float | None,
        labels: Sequence[str] | None,
        progress: ProgressListener | None,
    ) -> AddReport:
        if not collection.strip():
            raise InvalidArgument(name="collection", value=collection, allowed="allowed.text")
        if weight is not None and not 0 < weight < inf:
            raise InvalidArgument(name="weight", value=weight, allowed="allowed.above", least=0)
        self._home.check_current()
        records = self._home.stores.records
        marks = None if labels is None else tuple(sorted(set(labels)))
        async with self._home.writing:
            await records.set_collection(self._scope, collection, weight=weight)
            report = await self._home.ingest.add(
                self._scope, sources, collection=collection, labels=marks, progress=progress
            )
            repeated = await self._repeated(sources, collection) if report.added else ()
        return replace(report, warnings=(*report.warnings, *repeated))

    async def _repeated(self, sources: Sequence[Source], collection: str) -> list[ReadingWarning]:
        """A warning for every other collection that holds some of the same files: what is found in them is
        found twice. Texts without a file are the caller's to name, and one name may stand for several."""
        records, language = self._home.stores.records, self._home.language
        shown = {source.identity: source.shown for source in sources if not isinstance(source, TextSource)}
        found: list[ReadingWarning] = []
        if not shown:
            return found
        for other in await records.collections(self._scope):
            held = await records.identify(self._scope, other, list(shown)) if other != collection else {}
            if held:
                first = next(shown[identity] for identity in shown if identity in held)
                text = message("warning.repeated", language, collection=other, count=len(held))
                found.append(ReadingWarning(first, None, "repeated", text))
        return found

    async def _remove(self, documents: Sequence[Document]) -> None:
        async with self._home.using_index():
            retired = await self._home.stores.records.remove(self._scope, [each.id for each in documents])
            await forget(self._home.stores, self._scope, retired)


def _text_source(row: Mapping[str, Any], collection: str) -> TextSource:
    name, text = row.get("name"), row.get("text")
    if not isinstance(name, str) or not name.strip():
        raise InvalidArgument(name="name", value=name, allowed="allowed.text")
    if not isinstance(text, str):
        raise InvalidArgument(name="text", value=text, allowed="a text")
    metadata = {str(key): str(value) for key, value in (row.get("metadata") or {}).items()}
    return TextSource(name, str(row.get("title") or ""), text, collection, metadata)
