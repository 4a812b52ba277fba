import pytest

from atril.accents import without_accents


@pytest.mark.parametrize(
    ("text", "plain", "compatible"),
    [("Disposición 1.ª", "Disposicion 1.ª", "Disposicion 1.a"), ("ёлка й", "елка и", "елка и"), ("", "", "")],
)
def test_accents_go_and_everything_else_stays(text: str, plain: str, compatible: str) -> None:
    assert without_accents(text) == plain
    assert without_accents(text, compatible=True) == compatible
