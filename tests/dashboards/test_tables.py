"""Tables for other programs."""

import csv
import io

from dashboards.blocks import Cell, Column, Table
from dashboards.tables import to_csv, to_tex, to_text

TABLE = Table(
    "methods",
    [Column("method", numeric=False), Column("F ↑")],
    [[Cell("MR (p = 0.8)"), Cell("66.23 ± 0.20", strong=True)], [Cell("TR, fixed"), Cell("–")]],
    "Mean ± std",
)


def test_text_is_aligned_and_marks_the_best() -> None:
    assert to_text(TABLE).splitlines() == [
        "method                   F ↑",
        "MR (p = 0.8)  66.23 ± 0.20 *",
        "TR, fixed                  –",
        "",
        "Mean ± std",
    ]


def test_csv_holds_what_is_read() -> None:
    rows = list(csv.reader(io.StringIO(to_csv(TABLE))))
    assert rows == [["method", "F ↑"], ["MR (p = 0.8)", "66.23 ± 0.20"], ["TR, fixed", "–"]]


def test_tex_underlines_the_best() -> None:
    text = to_tex(TABLE)
    assert r"method & F $\uparrow$ \\" in text
    assert r"MR (p = 0.8) & \underline{66.23 $\pm$ 0.20} \\" in text
