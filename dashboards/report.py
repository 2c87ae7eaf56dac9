"""A report: the pages of some studies in one file, to be read anywhere, without a network."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from types import MappingProxyType

from plotly.offline import get_plotlyjs

from dashboards.blocks import Block, Figure, Table
from dashboards.pages import VIEWS
from dashboards.writing import write
from mrtune.study import StudyRecord

LIVE = ("cluster",)  # pages about now, which is over when a file is read
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>{style}</style><script>{plotly}</script></head>
<body><header><div class="crumbs"><span class="brand">mrtune</span></div></header>
<main><div class="title"><h1>{title}</h1></div>
<nav aria-label="contents">{contents}</nav>
{sections}</main></body></html>
"""


@dataclass(frozen=True)
class Section:
    """A page of a study that has something to show."""

    study: str
    key: str
    title: str
    question: str
    blocks: tuple[Block, ...]

    @property
    def name(self) -> str:
        """A name that is its own in the report, and safe in files and addresses."""
        return f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', self.study)}-{self.key}"


def sections(
    records: Sequence[StudyRecord],
    pages: Collection[str] | None = None,
    query: Mapping[str, str] = MappingProxyType({}),
) -> list[Section]:
    """Collect some or all pages of studies, without those that have neither picture nor table."""
    found = []
    chosen = [key for key in VIEWS if key not in LIVE and (pages is None or key in pages)]
    for record in records:
        for key in chosen:
            view = VIEWS[key]
            blocks = tuple(view.blocks(record, query))
            if any(isinstance(block, Figure | Table) for block in blocks):
                found.append(Section(record.name, key, view.TITLE, view.QUESTION, blocks))
    return found


def to_html(
    records: Sequence[StudyRecord],
    pages: Collection[str] | None = None,
    query: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Write a report on studies, with all pages or some, as an address would ask for them."""
    parts = sections(records, pages, query)
    several = len(records) > 1
    links = [f'<a href="#{part.name}">{escape(_title(part, several))}</a>' for part in parts]
    written = [
        f'<section id="{part.name}"><h2>{escape(_title(part, several))} '
        f'<span class="question">{escape(part.question)}</span></h2>'
        f"{write(part.blocks, part.name)}</section>"
        for part in parts
    ]
    return PAGE.format(
        title=escape(", ".join(record.name for record in records)),
        style=(files("dashboards") / "assets" / "style.css").read_text(encoding="utf-8"),
        plotly=get_plotlyjs(),
        contents="".join(links),
        sections="\n".join(written) or "<p>No trial has reported anything yet.</p>",
    )


def _title(part: Section, several: bool) -> str:
    return f"{part.study}: {part.title}" if several else part.title
