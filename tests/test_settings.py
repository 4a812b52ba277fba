from pathlib import Path

import pytest

from atril.errors import InvalidArgument
from atril.settings import Settings, load_settings, system_language


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("HOME", "PROFILE", "LANG", "EMBEDDER"):
        monkeypatch.delenv(f"ATRIL_{name}", raising=False)
    monkeypatch.chdir(tmp_path)


def test_the_environment_goes_before_the_file_and_the_file_before_defaults(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert load_settings().home == Path(".atril")
    (tmp_path / "atril.toml").write_text('home = "filed"\nlang = "es"\n[reading]\nseconds = 5.0\n')
    assert (load_settings().home, load_settings().reading.seconds) == (Path("filed"), 5.0)
    monkeypatch.setenv("ATRIL_HOME", "named")
    monkeypatch.setenv("ATRIL_READING__SECONDS", "7")
    settings = load_settings()
    assert (settings.home, settings.reading.seconds, settings.language) == (Path("named"), 7.0, "es")


def test_a_setting_that_does_not_exist_is_named(tmp_path: Path) -> None:
    (tmp_path / "atril.toml").write_text("hoem = 'x'\n")
    with pytest.raises(InvalidArgument, match="hoem"):
        load_settings()


def test_a_value_of_the_wrong_kind_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATRIL_READING__SECONDS", "soon")
    with pytest.raises(InvalidArgument, match=r"reading\.seconds"):
        load_settings()


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    (tmp_path / "atril.toml").write_text("home = \n")
    with pytest.raises(InvalidArgument, match=r"atril\.toml"):
        load_settings()


@pytest.mark.parametrize(
    ("environment", "tag"),
    [
        ({"LC_ALL": "ru_RU.UTF-8", "LANG": "es_ES"}, "ru_RU.UTF-8"),
        ({"LC_MESSAGES": "es", "LANG": "en"}, "es"),
        ({"LANG": "C.UTF-8"}, "C.UTF-8"),
        ({}, None),
    ],
)
def test_the_system_language_follows_the_usual_precedence(
    environment: dict[str, str], tag: str | None
) -> None:
    assert system_language(environment) == tag


def test_every_setting_says_what_it_is_for() -> None:
    assert all(field.description for field in Settings.model_fields.values())
