"""Tables as data: what a chunk knows of the table it holds."""

from atril.documents.chunking import ChunkOptions, chunk
from atril.documents.chunking.tables import cells
from atril.documents.parsing import ParsedDocument
from atril.testing.embedders import count_words
from atril.types import Chunk, TableShape


def _chunks(text: str, **options: int) -> list[Chunk]:
    document = ParsedDocument(text, "Prices", "md")
    return chunk(document, language="en", count_tokens=count_words(), options=ChunkOptions(**options))


def test_a_table_chunk_knows_its_columns_and_rows() -> None:
    [found] = _chunks("| Name | **Price** |\n| --- | --- |\n| Bell | 4 |\n| Lamp | 9 |\n")
    assert found.table == TableShape(("Name", "Price"), 2)
    assert found.has_tables


def test_a_table_without_a_header_has_only_rows() -> None:
    [found] = _chunks("| Bell | 4 |\n| Lamp | 9 |\n| Saddle | 30 |\n")
    assert found.table == TableShape((), 3)


def test_text_without_a_table_has_none() -> None:
    [found] = _chunks("Bells cost four euros.\n")
    assert (found.table, found.has_tables) == (None, False)


def test_each_part_of_a_long_table_has_all_columns_and_its_own_rows() -> None:
    rows = "\n".join(f"| Bell number {number} | {number} euros |" for number in range(60))
    found = _chunks(f"| Name | Price |\n| --- | --- |\n{rows}\n", max_tokens=100, target_tokens=80)
    assert len(found) > 1
    shapes = [each.table for each in found if each.table]
    assert len(shapes) == len(found)
    assert {shape.columns for shape in shapes} == {("Name", "Price")}
    assert sum(shape.rows for shape in shapes) == 60
    assert all(each.context.endswith("| Name | Price |") for each in found[1:])


def test_a_bar_behind_a_backslash_belongs_to_its_cell() -> None:
    assert cells(r"| a \| b | c |") == ("a | b", "c")
