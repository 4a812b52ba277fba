"""Whatever happens in whatever order, the records agree with themselves."""

import asyncio
import sqlite3
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from drafting import draft, term
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from atril.store.drafts import Draft, Pending
from atril.store.records import FILE_NAME, Records
from atril.types import Scope

SCOPE = Scope()
WORDS = ("ley", "plazo", "día", "срок", "😀")
SIZE = 12
names = st.sampled_from(["a.md", "A.pdf", "x/a.md"])
folders = st.sampled_from(["one", "two"])
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)


class RecordsMachine(RuleBasedStateMachine):
    """Compares the records with dictionaries: source → draft and what came back for it."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = TemporaryDirectory()
        self.home = Path(self.folder.name)
        self.records = self.run(Records.open(self.home))
        self.pending: dict[str, tuple[Draft, Pending]] = {}
        self.current: dict[str, tuple[Draft, Pending]] = {}
        self.points: list = []

    def run(self, coroutine):
        return self.runner.run(coroutine)

    def teardown(self) -> None:
        self.run(self.records.close())
        self.runner.close()
        self.folder.cleanup()

    @rule(name=names, folder=folders, text=texts)
    def begin(self, name: str, folder: str, text: str) -> None:
        given = draft(name, text, folder=folder, size=SIZE)
        before = self.pending.get(given.source)
        pending = self.run(self.records.begin(SCOPE, given))
        assert pending.updates == (given.source in self.current)
        assert pending.superseded == ((before[1].version,) if before else ())
        self.pending[given.source] = (given, pending)
        self.points += pending.points

    @precondition(lambda self: self.pending)
    @rule(data=st.data())
    def commit(self, data: st.DataObject) -> None:
        chosen = data.draw(st.lists(st.sampled_from(sorted(self.pending)), min_size=1, unique=True))
        versions = [self.pending[source][1].version for source in chosen]
        committed = self.run(self.records.commit(SCOPE, versions))
        assert set(committed.current) == set(versions)
        assert set(committed.retired) == {
            self.current[source][1].version for source in chosen if source in self.current
        }
        self.current.update({source: self.pending.pop(source) for source in chosen})

    @precondition(lambda self: self.current)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        source = data.draw(st.sampled_from(sorted(self.current)))
        _, gone = self.current.pop(source)
        assert gone.version in self.run(self.records.remove(SCOPE, [gone.document]))
        self.pending.pop(source, None)

    @rule(everything=st.booleans())
    def recover(self, everything: bool) -> None:
        left = self.run(self.records.unsettled())
        dropped = [each.version for each in left if everything or each.state == "retired"]
        self.run(self.records.purge(SCOPE, dropped))
        if everything:
            self.pending.clear()
        alive = {each.version for _, each in [*self.current.values(), *self.pending.values()]}
        for table, column in (("versions", "id"), ("chunks", "version"), ("text_blocks", "version")):
            assert self.column(table, column) == {version.bytes for version in alive}
        owners = {each.document for _, each in [*self.current.values(), *self.pending.values()]}
        assert self.column("documents", "id") == {document.bytes for document in owners}

    @rule()
    def reopen(self) -> None:
        self.run(self.records.close())
        self.records = self.run(Records.open(self.home))

    @invariant()
    def documents_are_those_committed(self) -> None:
        documents = {each.source: each for each in self.run(self.records.documents(SCOPE))}
        assert documents.keys() == self.current.keys()
        for source, (given, pending) in self.current.items():
            assert self.run(self.records.text(SCOPE, pending.document)) == given.text
            assert documents[source].name == pending.name
            assert self.run(self.records.find(SCOPE, pending.name)).id == pending.document
        assert len({each.stem.casefold() for each in documents.values()}) == len(documents)

    @invariant()
    def points_lead_to_current_chunks_only(self) -> None:
        found = self.run(self.records.hydrate(SCOPE, self.points))
        expected = {
            point: chunk
            for given, pending in self.current.values()
            for point, chunk in zip(pending.points, given.chunks, strict=True)
        }
        assert {point: stored.chunk for point, stored in found.items()} == expected

    @invariant()
    def statistics_equal_a_recount(self) -> None:
        counted = [terms for given, _ in self.current.values() for terms in given.terms]
        frequencies = Counter(identity for terms in counted for identity in terms.ids.tolist())
        assert self.column("term_frequencies", "term") == set(frequencies)
        statistics = self.run(self.records.statistics(SCOPE, [*frequencies, term("missing")]))
        assert (statistics.chunks, statistics.frequencies) == (len(counted), frequencies)
        assert self.run(self.records.words(SCOPE)) == sum(terms.length for terms in counted)

    def column(self, table: str, column: str) -> set:
        connection = sqlite3.connect(self.home / FILE_NAME)
        try:
            return {value for (value,) in connection.execute(f"SELECT {column} FROM {table}")}
        finally:
            connection.close()


TestRecordsMachine = RecordsMachine.TestCase
TestRecordsMachine.settings = settings(max_examples=15, stateful_step_count=15, deadline=None)
