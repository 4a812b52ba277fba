import atril


def test_the_door_shows_exactly_these_names() -> None:
    assert sorted(atril.__all__) == atril.__all__
    assert {name for name in atril.__all__ if getattr(atril, name) is not None} == set(atril.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(atril, "nothing")
