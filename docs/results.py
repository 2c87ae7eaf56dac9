"""What the paper claims and what we found: writes docs/results.md out of docs/results/*.json.

`make results` draws everything anew from those files, without training. They are the studies of
`mrtune paper run`, taken out of a storage by `python -m docs.results --collect URL`.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from statistics import fmean
from typing import Any

from dashboards.blocks import Block, Figure, Heading, Table, Text
from dashboards.images import write_figures
from dashboards.pages import VIEWS
from mrtune.search.experiments import EXPERIMENTS, Experiment, study_of
from mrtune.search.importing import import_study
from mrtune.search.space import Space
from mrtune.study import (
    StudyRecord,
    TrialRecord,
    close_storage,
    load_study,
    open_storage,
    read_study,
)
from mrtune.wording import settings, signed

HERE = Path(__file__).parent
FOLDER = HERE / "results"
WORKLOADS = {"celeba": "Celeb-A, 10,000 images", "fashion": "fashion, the set that ships"}
LOCAL: dict[str, Any] = {
    "owner": None,
    "slot": None,
    "place": {},
}  # of a trial: mean nothing elsewhere
# What is shown of an experiment.
SHOWN: Mapping[str, Sequence[Mapping[str, str]]] = {
    name: ({"split": "val"}, {"split": "val", "metric": "accuracy"}, {"split": "held-out"})
    for name in ("p", "p-long", "p-plateau", "p-steps", "p-norms")
}
KIND = ("method", "finish_at")  # say whether a partition roams
HEAD = """# What the paper claims, and what we found

Every figure and table below is drawn by `make results` from the studies in [results](results),
each made by the command above it; the texts before and after them are written by hand.
`mrtune import` takes them into a storage, for `mrtune dashboard` to show and `mrtune compare` to
ask. Figures and tables are of the validation split, unless they say otherwise; the configuration
of a method was chosen on a held-out part of the training split. What is called the best is the
highest of what is shown.

"""


def collect(url: str, folder: Path = FOLDER) -> list[Path]:
    """Write the studies of all experiments that a storage has, without what is this machine's."""
    storage, written = open_storage(url, create=False), []
    try:
        names = {study.study_name for study in storage.get_all_studies()}
        for _, _, name in experiments():
            if name in names:
                record = read_study(load_study(storage, name))
                written.append(folder / f"{name}.json")
                folder.mkdir(exist_ok=True)
                written[-1].write_text(portable(record), encoding="utf-8")
    finally:
        close_storage(storage)
    return written


def portable(record: StudyRecord) -> str:
    """Return a study as `mrtune export --json` does, a line for each trial, without paths."""
    head = {
        "name": record.name,
        "workload": record.workload,
        "space": record.space,
        "settings": record.settings,
    }
    told, *trials = (
        json.dumps(_without_paths(content), ensure_ascii=False)
        for content in (head, *(trial.to_dict() | LOCAL for trial in record.trials))
    )
    lines = ",\n".join(trials)
    return f'{told[:-1]}, "trials": [\n{lines}\n]}}\n'


def _without_paths(content: Any) -> Any:
    """Leave of absolute paths the names of their files."""
    if isinstance(content, Mapping):
        return {key: _without_paths(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_without_paths(value) for value in content]
    is_path = isinstance(content, str) and Path(content).is_absolute()
    return Path(content).name if is_path else content


def experiments() -> Iterator[tuple[Experiment, str, str]]:
    """Return each experiment with a workload, and the name of its study."""
    for workload in WORKLOADS:
        for experiment in EXPERIMENTS.values():
            yield experiment, workload, study_of(experiment, workload, "small")


def write(folder: Path = FOLDER, page: Path = HERE / "results.md") -> None:
    """Write the page and its pictures."""
    text, pictures = composed(folder, page.parent)
    page.write_text(text, encoding="utf-8")
    write_figures(pictures)


def composed(folder: Path, beside: Path) -> tuple[str, dict[Path, Figure]]:
    """Compose a page that lies beside a folder of studies, and what its pictures show."""
    text, pictures = HEAD + written(folder / "verdict.md"), dict[Path, Figure]()
    titled = set[str]()
    for experiment, workload, name in experiments():
        file = folder / f"{name}.json"
        if not file.exists():
            continue
        if workload not in titled:
            titled.add(workload)
            text += f"## {WORKLOADS[workload]}\n\n"
        record, question = read(file), experiment.question
        text += f"### {question[0].upper()}{question[1:]}\n\n" + conditions(experiment, record)
        for query in SHOWN.get(experiment.name, ({"split": "val"},)):
            stem = "-".join([name, experiment.name, *query.values()])
            for block in VIEWS[experiment.page].blocks(record, query):
                text += markdown(block, folder, beside, stem, pictures)
        if experiment.page == "roaming-p":
            names = [name for name in record.space["params"] if name not in KIND]
            text += progress(record, names)
    return text + written(folder / "conditions.md"), pictures


def written(file: Path) -> str:
    """Return what was written by hand; a folder may be without."""
    return file.read_text(encoding="utf-8") if file.exists() else ""


def read(file: Path) -> StudyRecord:
    """Read a study as `mrtune import` does."""
    with tempfile.TemporaryDirectory() as folder:
        storage = open_storage(f"{folder}/study.db")
        name = import_study(storage, json.loads(file.read_text(encoding="utf-8")), folder)
        record = read_study(load_study(storage, name))
        close_storage(storage)
        return record


def conditions(experiment: Experiment, record: StudyRecord) -> str:
    """Say how a study was made, and of how many trainings it is."""
    complete = [trial for trial in record.trials if trial.state == "complete"]
    seeds = sorted({trial.seed for trial in complete})
    hours = sum(trial.seconds for trial in complete) / 3600
    command = f"mrtune paper run {experiment.name} --workload {record.workload} --scale small"
    return (
        f"`{command} --seed {record.settings['seed']}`: {len(complete)} trainings of "
        f"{record.epochs:g} epochs, seeds {', '.join(map(str, seeds))}, {hours:.1f} hours of "
        f"training; {'; '.join(_same_in_all(record))}.\n\n"
    )


def _same_in_all(record: StudyRecord) -> list[str]:
    """Tell what is fixed, and what a grid has a single value of, all in all or for some method."""
    told = [settings(record.space["fixed"])]
    for name, dimension in Space.from_dict(record.space).dimensions.items():
        if dimension.values is not None and len(dimension.values) == 1:
            whose = [
                f" for {key} {' and '.join(map(str, of))}" for key, of in dimension.when.items()
            ]
            told.append(settings({name: dimension.values[0]}) + "".join(whose))
    return told


def progress(record: StudyRecord, names: Sequence[str]) -> str:
    """Tell how roaming and fixed partitions learn: who comes late, and who still rises."""
    metric = record.objective.metric
    thirds = [float(round(record.epochs * part / 3)) for part in (1, 2, 3)]
    heads = [*names, "partition", *(f"epoch {epoch:g}" for epoch in thirds), "in the last third"]
    rows = []
    for values, trials in _by_setting(record, names).items():
        for kind, method in (("fixed", "tr"), ("roaming", "mr")):
            of_kind = [trial for trial in trials if trial.setting["method"] == method]
            means = [fmean(_at(trial, epoch, metric) for trial in of_kind) for epoch in thirds]
            told = [f"{mean:.4f}" for mean in means]
            rows.append([*values, kind, *told, signed(means[2] - means[1])])
    rules = [*["---:"] * len(names), "---", *["---:"] * 4]
    about = f"Means of {metric} on the held-out part of the training split."
    title = "#### How they learn, on the held-out part"
    return f"{title}\n\n{_lines(heads, rules, rows)}{about}\n\n"


def _lines(heads: Sequence[str], rules: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, rules, *rows)) + "\n\n"


def _at(trial: TrialRecord, epoch: float, metric: str) -> float:
    value = trial.curves[metric][trial.curves["epoch"].index(epoch)]
    assert value is not None
    return value


def _by_setting(
    record: StudyRecord, names: Sequence[str]
) -> dict[tuple[str, ...], list[TrialRecord]]:
    """Put complete trials together by the values that they have of some parameters."""
    groups: dict[tuple[Any, ...], list[TrialRecord]] = {}
    for trial in record.trials:
        if trial.state == "complete":
            groups.setdefault(tuple(trial.setting[name] for name in names), []).append(trial)
    ordered = sorted(groups.items(), key=itemgetter(0))
    return {tuple(map(_told, values)): trials for values, trials in ordered}


def _told(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def markdown(
    block: Block, folder: Path, beside: Path, stem: str, pictures: dict[Path, Figure]
) -> str:
    """Write a block of a page; pictures are noted, to be drawn together."""
    if isinstance(block, Figure):
        path = folder / f"{stem}-{block.name}.png"
        pictures[path] = block
        return f"![{block.about}]({path.relative_to(beside).as_posix()})\n\n"
    if isinstance(block, Table):
        heads = [column.title for column in block.columns]
        rules = ["---:" if column.numeric else "---" for column in block.columns]
        rows = [
            [f"**{cell.text}**" if cell.strong else cell.text for cell in row] for row in block.rows
        ]
        return f"{_lines(heads, rules, rows)}{block.about}.\n\n"
    if isinstance(block, Text):
        return f"{block.text}\n\n"
    return f"#### {block.text}\n\n" if isinstance(block, Heading) else ""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collect", metavar="URL", help="take the studies out of a storage first")
    arguments = parser.parse_args()
    if arguments.collect:
        for file in collect(arguments.collect):
            print(file.name)
    write()
