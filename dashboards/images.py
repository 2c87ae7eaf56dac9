"""The pictures of a report as files of their own."""

from collections.abc import Iterator, Mapping, Sequence
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
    """Write every picture of a report: `png`, or `pdf` for LaTeX."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {folder / f"{name}.{kind}": picture for name, picture in pictures(records)}
    write_figures(wanted)
    return list(wanted)


def write_figures(wanted: Mapping[Path, Figure]) -> None:
    """Write pictures in the formats that the names of their files end with; one Chromium does."""
    options = [{"format": path.suffix[1:], "width": WIDTH, "scale": 2} for path in wanted]
    kaleido.write_fig_from_object_sync(
        [
            {"fig": picture.figure, "path": path, "opts": opts}
            for (path, picture), opts in zip(wanted.items(), options, strict=True)
        ],
        cancel_on_error=True,
    )
