"""The pictures of a report as files of their own."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import kaleido

from dashboards.blocks import Figure
from dashboards.report import sections
from mrtune.study import StudyRecord

WIDTH = 1100


def pictures(records: Sequence[StudyRecord]) -> Iterator[tuple[str, Figure]]:
    """Return every picture of a report with a name for its file."""
    for part in sections(records):
        for block in part.blocks:
            if isinstance(block, Figure):
                yield f"{part.name}-{block.name}", block


def write_pictures(records: Sequence[StudyRecord], folder: Path, kind: str) -> list[Path]:
    """Write every picture: `png`, or `pdf` for LaTeX; one Chromium draws them all."""
    folder.mkdir(parents=True, exist_ok=True)
    options = {"format": kind, "width": WIDTH, "scale": 2}
    wanted = [
        {"fig": picture.figure, "path": folder / f"{name}.{kind}", "opts": options}
        for name, picture in pictures(records)
    ]
    kaleido.write_fig_from_object_sync(wanted, cancel_on_error=True)
    return [picture["path"] for picture in wanted]
