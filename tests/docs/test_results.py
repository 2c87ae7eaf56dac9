"""docs/results.md out of stored studies."""

import json
from pathlib import Path

import pytest

from docs import results
from tests.browser import chromium
from tests.conftest import missing
from tests.search.finished import finished

NAME = "paper-p-fashion-small"


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A storage with the finished grid over p."""
    return finished(tmp_path, NAME, "fashion_p")


def test_what_is_collected_says_nothing_of_the_machine(stored: Path, tmp_path: Path) -> None:
    (file,) = results.collect(str(stored), tmp_path / "results")
    text = file.read_text()
    assert "secret" not in text
    assert len(json.loads(text)["trials"]) == 30
    assert len(text.splitlines()) == 32  # one for each trial: changes can be read
    assert results.read(file).best is not None


@pytest.mark.slow
def test_the_page_has_the_figure_the_table_and_the_verdict(stored: Path, tmp_path: Path) -> None:
    if chromium.find() is None:
        missing("Chromium")
    folder = tmp_path / "results"
    results.collect(str(stored), folder)
    results.write(folder, tmp_path / "results.md")
    text = (tmp_path / "results.md").read_text()
    assert "### Does roaming beat a fixed partition, at every p?" in text
    command = "mrtune paper run p --workload fashion --scale small --seed 0"
    assert f"`{command}`: 30 trainings of 8 epochs, seeds 0, 1, 2, 0.5 hours of training" in text
    assert "Roaming is better at 5 of 5 p" in text
    assert "| 0.5 | 0.76" in text
    assert "| p | partition | epoch 3 | epoch 5 | epoch 8 | in the last third |" in text
    assert "| 0.5 | fixed | 0.3" in text
    assert "Accuracy on the validation split" in text
    picture = f"results/{NAME}-p-val-roaming_p.png"
    assert f"]({picture})" in text
    assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")


def test_what_else_a_grid_varies_has_rows_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = finished(tmp_path, "paper-p-steps-celeba-small", "celeba_small_p_steps")
    drawn: list[Path] = []
    monkeypatch.setattr(results, "write_figures", drawn.extend)
    results.collect(str(storage), tmp_path / "results")
    results.write(tmp_path / "results", tmp_path / "results.md")
    text = (tmp_path / "results.md").read_text()
    assert text.count("| step | lr | p | roaming | n | fixed |") == 3
    assert "| joint | 0.003 | 0.3 | 0.7" in text
    assert "| step | lr | partition | epoch 10 |" in text
    assert "execution=stacked; finish_at=12 for method mr." in text
    assert len(drawn) == 3


@pytest.mark.slow
def test_the_page_is_that_of_the_studies_beside_it() -> None:
    """It is drawn by hand, by `make results`, which is easily forgotten."""
    text, pictures = results.composed(results.FOLDER, results.HERE)
    assert (results.HERE / "results.md").read_text() == text
    assert {path for path in results.FOLDER.iterdir() if path.suffix == ".png"} == pictures.keys()
