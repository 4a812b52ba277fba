from pathlib import Path

import pytest

from atril.errors import InvalidSetting
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


@pytest.mark.parametrize(
    ("written", "english", "spanish"),
    [
        ("hoem = 'x'", "hoem in the settings: there is no such setting.", "ese ajuste no existe"),
        ("lang = 3", "lang in the settings: 3 is not a text.", "no es un texto"),
        (
            "[reading]\nseconds = 'soon'",
            "reading.seconds in the settings: 'soon' is not a number that it can take.",
            "no es un número",
        ),
        (
            "[reading]\nfile_bytes = 1.5",
            "reading.file_bytes in the settings: 1.5 is not a whole number that it can take.",
            "no es un número entero",
        ),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_and_explained(
    tmp_path: Path, written: str, english: str, spanish: str
) -> None:
    (tmp_path / "atril.toml").write_text(written + "\n")
    with pytest.raises(InvalidSetting) as caught:
        load_settings()
    assert str(caught.value) == english
    assert spanish in caught.value.localized("es")


@pytest.mark.parametrize(
    ("name", "value"),
    [("READING__SECONDS", "soon"), ("READING", "{not json"), ("CHUNKING__MAX_TOKENS", "1.5")],
)
def test_a_variable_that_cannot_be_used_is_explained(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"ATRIL_{name}", value)
    with pytest.raises(InvalidSetting, match=f"in the settings: {value!r}"):
        load_settings()


@pytest.mark.parametrize("data", [b"home = \n", b"home = '\xff'\n"])
def test_a_file_that_is_no_toml_is_named(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "atril.toml").write_bytes(data)
    with pytest.raises(InvalidSetting, match=r"atril\.toml.*not valid TOML"):
        load_settings()


def test_an_empty_variable_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "atril.toml").write_text('home = "filed"\n')
    for name in ("HOME", "PROFILE", "LANG", "EMBEDDER", "READING__SECONDS"):
        monkeypatch.setenv(f"ATRIL_{name}", "")
    settings = load_settings()
    assert (settings.home, settings.profile, settings.embedder) == (Path("filed"), None, "bundled")


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
