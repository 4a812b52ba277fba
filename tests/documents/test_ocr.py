"""Text recognition: only with language data that is installed, never fetched."""

from __future__ import annotations

from pathlib import Path

import pytest

from atril.documents.parsing import ocr, parse
from atril.errors import UnreadableDocument
from small_pdf import lines, pdf


def folder_with(folder: Path, *codes: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for code in codes:
        (folder / f"{code}.traineddata").write_bytes(b"not really data")
    return folder


def test_the_folder_that_the_environment_names_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_with(tmp_path / "tessdata", "eng", "rus", "deu")
    for named in (folder, tmp_path):
        monkeypatch.setenv("TESSDATA_PREFIX", str(named))
        found = ocr.installed()
        assert found is not None
        assert (found.folder, found.languages, found.option) == (folder, ("eng", "rus"), "eng+rus")


def test_without_language_data_nothing_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    assert ocr.installed() is None


def test_a_scan_that_recognition_fails_on_needs_it_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSDATA_PREFIX", str(folder_with(tmp_path, "eng")))
    with pytest.raises(UnreadableDocument) as caught:
        parse("a.pdf", pdf(["scan"]))
    assert caught.value.reason == "needs_ocr"


@pytest.mark.corpus
def test_scanned_pages_are_recognised_with_their_confidence() -> None:
    scan = Path(__file__).parents[3] / "shared" / "data" / "office" / "edge" / "mixed_text_and_scan.pdf"
    data = ocr.installed()
    if data is None or not {"spa", "rus"} <= set(data.languages):
        pytest.skip("no Spanish and Russian language data for Tesseract is installed")
    if not scan.exists():
        pytest.skip("the office documents are not beside the checkout")
    document = parse(scan.name, scan.read_bytes())
    first, second = document.pages
    assert first.confidence is None
    assert second.confidence is not None and second.confidence > 0.8
    assert "Чистка зубов" in document.text
    assert [(warning.kind, warning.page) for warning in document.warnings] == [("ocr", 2)]


def test_pages_with_text_are_never_recognised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSDATA_PREFIX", str(folder_with(tmp_path, "eng")))
    document = parse("a.pdf", pdf([lines("A page with words of its own.")]))
    assert document.pages[0].confidence is None
