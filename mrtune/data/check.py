"""Is a data set on disk complete and sound?"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from mrtune.data.cache import MOST_SKIPPED, damage, too_many
from mrtune.data.source import Progress, Sample, Source, Unreadable, read_all, to_watcher
from mrtune.data.splits import SPLITS
from mrtune.errors import DataError


@dataclass
class Report:
    """What was found in a data set."""

    name: str
    root: str
    strict: bool = False
    counts: dict[str, int] = field(default_factory=dict)  # readable samples of each split
    unreadable: dict[str, str] = field(default_factory=dict)  # sample: why
    problems: list[str] = field(default_factory=list)  # each of them stops training
    oddities: list[str] = field(default_factory=list)  # worth a look
    cache: str = "none"

    @property
    def ready(self) -> bool:
        """Whether the data set can be trained on."""
        return not self.problems


def check(source: Source, *, strict: bool = False, progress: Progress = to_watcher) -> Report:
    """Read every sample of a source, and its cache where there is one."""
    report = Report(source.name, str(source.folder), strict)
    try:
        report.oddities = list(source.findings(_count(source, report, progress)))
        report.cache = {None: "none", "": "whole"}.get(wrong := damage(source)) or str(wrong)
    except DataError as error:
        report.problems.append(str(error))
        return report
    listed = len(source.names)
    if report.unreadable and strict:
        report.problems.append(f"{len(report.unreadable)} samples cannot be read (strict)")
    elif too_many(len(report.unreadable), listed):
        report.problems.append(
            f"{len(report.unreadable)} of {listed} samples cannot be read, "
            f"more than {MOST_SKIPPED:.0%}"
        )
    for split in ("train", "held_out", "val"):
        if not report.counts.get(split):
            report.problems.append(f"{split} is empty")
    if report.cache not in ("none", "whole"):
        report.problems.append(f"the cache is damaged ({report.cache}): remove it")
    return report


def _count(source: Source, report: Report, progress: Progress) -> Iterator[Sample]:
    """Yield the readable samples, and write down what there is and what is not."""
    counts: Counter[str] = Counter()
    for name, part, sample in zip(
        source.names, source.parts, read_all(source, progress), strict=True
    ):
        if isinstance(sample, Unreadable):
            report.unreadable[name] = str(sample)
        else:
            counts[part] += 1
            yield sample
    report.counts = {split: counts[split] for split in SPLITS if counts[split]}
