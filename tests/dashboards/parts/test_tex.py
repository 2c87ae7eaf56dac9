import pytest

from dashboards.parts.tex import escape, tabular


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b & 5% #1 $x$ {y}", r"a\_b \& 5\% \#1 \$x\$ \{y\}"),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("x^2~y", r"x\textasciicircum{}2\textasciitilde{}y"),
        ("α = 0.5 ± 0.1 –", r"$\alpha$ = 0.5 $\pm$ 0.1 --"),
        ("中\n", "??"),
    ],
)
def test_no_text_is_read_as_a_command(text: str, expected: str) -> None:
    assert escape(text) == expected


def test_a_rule_stands_before_each_group() -> None:
    assert tabular(["", "x"], [[["a", "1"]], [["b", "2"]]]).splitlines() == [
        r"\begin{tabular}{lr}",
        r"  \toprule",
        r"   & x \\",
        r"  \midrule",
        r"  a & 1 \\",
        r"  \midrule",
        r"  b & 2 \\",
        r"  \bottomrule",
        r"\end{tabular}",
    ]
