"""Tables for LaTeX."""

from collections.abc import Sequence

# What LaTeX would read as a command, and what no font of its own has.
SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "°": r"$^{\circ}$",
    "α": r"$\alpha$",
    "Δ": r"$\Delta$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "–": "--",
    "−": "$-$",
}


def escape(text: str) -> str:
    """Make any text safe in LaTeX, whichever engine runs it."""
    return "".join(_character(character) for character in text)


def _character(character: str) -> str:
    if character in SPECIAL:
        return SPECIAL[character]
    return character if character.isascii() and character.isprintable() else "?"


def underlined(text: str) -> str:
    """Underline what is LaTeX already."""
    return rf"\underline{{{text}}}"


def centred(text: str) -> str:
    """Centre a head over a column of numbers."""
    return rf"\multicolumn{{1}}{{c}}{{{text}}}"


def tabular(heads: Sequence[str], groups: Sequence[Sequence[Sequence[str]]]) -> str:
    """Write a table of booktabs, a rule between groups of rows; every cell is LaTeX already."""
    lines = [rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}", r"  \toprule", _line(heads)]
    for group in groups:
        lines += [r"  \midrule", *map(_line, group)]
    return "\n".join([*lines, r"  \bottomrule", r"\end{tabular}", ""])


def _line(cells: Sequence[str]) -> str:
    return "  " + " & ".join(cells) + r" \\"
