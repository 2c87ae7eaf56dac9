import re
from pathlib import Path

import pytest

from dashboards.blocks import Cell, Code, Column, Facts, Heading, Row, Table, Text
from dashboards.report import sections, to_html
from dashboards.writing import write
from tests.search.bench import Bench, work
from tests.study.made import study, trial

NASTY = '</script><img src=x onerror="alert(1)">'


def test_everything_is_written_as_text() -> None:
    blocks = [
        Text(NASTY),
        Heading(NASTY),
        Facts({NASTY: NASTY}),
        Table("t", [Column(NASTY)], [[Cell(NASTY, title=NASTY, strong=True)]], NASTY),
        Code(NASTY, NASTY),
        Row([]),
    ]
    written = write(blocks, "p")
    assert "<img" not in written
    assert "</script>" not in written
    assert written.count("&lt;img") == 10


def test_a_report_has_the_pages_that_have_something_to_show(tmp_path: Path) -> None:
    bench = Bench(tmp_path, name="mine <b>")
    bench.begin(trials=6)
    sweep = bench.sweep()
    work(sweep)
    sweep.end()
    record = bench.read()
    shown = [part.key for part in sections([record])]
    assert {"overview", "curves", "explore", "trial"} <= set(shown)
    assert "delta-r" not in shown  # the study has neither Δ nor r
    text = to_html([record])
    assert "<title>mine &lt;b&gt;</title>" in text
    ids = re.findall(r'<section id="([^"]+)"', text)
    assert len(ids) == len(set(ids)) == len(shown)
    assert "cdn" not in re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)


@pytest.mark.parametrize(
    "trials", [[], [trial(0, "fail", failure={"reason": "no", "traceback": ""})]]
)
def test_a_study_without_results_has_a_report(trials: list[object]) -> None:
    assert "<main>" in to_html([study(*trials)])  # type: ignore[arg-type]
