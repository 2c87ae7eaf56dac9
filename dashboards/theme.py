"""How every picture looks: colours, axes, numbers, words."""

import html
from collections.abc import Mapping

import plotly.graph_objects as go

# Okabe and Ito's colours, which colour-blind readers tell apart too.
BLUE, ORANGE, GREEN, RED = "#0072b2", "#e69f00", "#009e73", "#d55e00"
SKY, PINK, YELLOW, GREY = "#56b4e9", "#cc79a7", "#f0e442", "#8c8c8c"
CYCLE = (BLUE, ORANGE, GREEN, PINK, SKY, RED, YELLOW, GREY)
SCALE = "Viridis"  # even steps for the eye, in grey too

# Shape and colour: either alone tells the states apart.
STATES: Mapping[str, tuple[str, str]] = {
    "complete": ("●", GREEN),
    "pruned": ("✂", ORANGE),
    "fail": ("✗", RED),
    "running": ("▶", BLUE),
    "waiting": ("◌", GREY),
}
HEIGHT = 420
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"


def escape(text: object) -> str:
    """Make any text safe in a label: plotly reads some tags in it."""
    return html.escape(str(text), quote=False)


def faded(colour: str, alpha: float) -> str:
    """Return a colour that lets what is behind it through."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:g})"


def plain(figure: go.Figure, x: str = "", y: str = "", height: int = HEIGHT) -> go.Figure:
    """Give a picture our looks: it has no background, so that pages in any theme can carry it.

    Text and lines of axes are coloured by the page's style sheet; what is said here holds where
    there is none.
    """
    line = {"gridcolor": "rgba(128,128,128,0.25)", "zerolinecolor": "rgba(128,128,128,0.4)"}
    figure.update_layout(
        template="plotly_white",
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": FONT, "size": 13},
        colorway=CYCLE,
        height=height,
        margin={"t": 40, "b": 56, "l": 64, "r": 24},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        hoverlabel={"font": {"family": FONT}},
        uirevision="kept",
    )
    figure.update_xaxes(title_text=x or None, automargin=True, **line)
    figure.update_yaxes(title_text=y or None, automargin=True, **line)
    return figure
