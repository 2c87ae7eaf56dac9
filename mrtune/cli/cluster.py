"""`mrtune cluster`: is every machine of a Ray cluster ready for trials?"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from mrtune.cli.findings import Finding, tell
from mrtune.cli.options import address_option, json_option, runs_option, storage_option

if TYPE_CHECKING:
    from mrtune.search.survey import Answer

MOST_SKEW = 5.0  # seconds: heartbeats are compared across machines


@click.group("cluster")
def command() -> None:
    """Look after the machines that a search runs on."""


@command.command("check")
@address_option
@click.option("--workload", metavar="WORKLOAD|FILE.py", help="Open its data on every machine.")
@click.option(
    "-S", "settings", multiple=True, metavar="KEY=VALUE", help="Of the workload: root=/data/celeba."
)
@storage_option
@runs_option
@json_option
def check(
    address: str | None,
    workload: str | None,
    settings: tuple[str, ...],
    storage: str,
    runs: str,
    as_json: bool,
) -> None:
    """Check versions, folders, data, GPUs and clock of every machine, and the database."""
    from mrtune.config import parse_setting

    config = dict(parse_setting(setting) for setting in settings)
    tell(_examine(address or "auto", workload, config, storage, runs), as_json)


def _examine(
    address: str, workload: str | None, config: dict[str, Any], storage: str, runs: str
) -> Iterator[Finding]:
    from mrtune.places import place_of
    from mrtune.search.luggage import packed_unless_here
    from mrtune.search.ray_sessions import joined_ray
    from mrtune.search.survey import look, marked, open_data, survey

    name = place_of(runs).name
    yield _database(storage)
    with (
        packed_unless_here(workload or "") as environment,
        joined_ray(address, environment) as there,
    ):
        cpus, gpus = there.get("CPU", 0), there.get("GPU", 0)
        with marked(name, workload=workload, config=config) as question:
            here = look(question)
            if workload is not None:
                here |= open_data(workload, config)
            if "trouble" in here:
                yield Finding("here", "broken", here["trouble"])
                return
            answers = survey(question)
        counted = f"{len(answers)} machine{'s' * (len(answers) != 1)}"
        yield Finding("cluster", "ok", f"{counted}, {cpus:g} CPUs, {gpus:g} GPUs")
        for answer in answers:
            trouble = _trouble(answer, here, name)
            detail = "; ".join(trouble) or _praise(answer)
            yield Finding(answer.host, "broken" if trouble else "ok", detail)


def _database(storage: str) -> Finding:
    from mrtune.study import shown_url
    from mrtune.study.storage import check_writable

    try:
        check_writable(storage)
    except Exception as error:  # whatever it is, it is the finding
        return Finding("database", "broken", str(error))
    return Finding("database", "ok", f"a study can be written to {shown_url(storage)}")


def _trouble(answer: "Answer", here: dict[str, Any], runs: str) -> list[str]:
    if answer.trouble:
        return [answer.trouble]
    found = [
        f"{name} is {answer.versions[name]}, here {version}"
        for name, version in here["versions"].items()
        if answer.versions[name] != version
    ]
    if not answer.sees:
        found.append(f"does not see {runs}, where checkpoints are: --runs must be shared")
    elif answer.unwritable:
        found.append(f"cannot write to {runs}: {answer.unwritable}")
    if answer.gpus > answer.gpus_seen:
        found.append(f"Ray hands out {answer.gpus:g} GPUs, torch sees {answer.gpus_seen}")
    if abs(answer.skew) > MOST_SKEW:
        found.append(f"its clock is {answer.skew:+.0f} s off")
    if answer.data != here.get("data"):
        found.append(f"its data is {answer.data}, here {here.get('data')}")
    return found


def _praise(answer: "Answer") -> str:
    parts = ["versions as here", "folder shared", f"{answer.gpus:g} GPUs", "clock right"]
    return ", ".join([*parts, f"data {answer.data}"] if answer.data else parts)
