"""The files that people copy: well formed, and with options that exist."""

import json
import re
import shlex
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest
import yaml

from mrtune.cli.main import root

pytestmark = pytest.mark.slow
DOCS = Path(__file__).parent.parent.parent / "docs"
FOLDER = DOCS / "cluster"
FILES = (*sorted(FOLDER.iterdir()), DOCS / "cluster.md")
COMMAND = re.compile(
    r"(?:^|[\s$;&|])((?:mrtune|ray) (?:search|resume|status|cluster|start)\b[^\n`]*)"
)

# Of sbatch's options those that are of use here, and what they take.
COUNT = r"[1-9]\d*"
SBATCH = {
    "job-name": r"\S+",
    "partition": r"\S+",
    "nodes": rf"{COUNT}(-{COUNT})?",
    "ntasks-per-node": COUNT,
    "gpus-per-node": rf"(\w+:)?{COUNT}",
    "cpus-per-task": COUNT,
    "mem": rf"{COUNT}[KMGT]?",
    "time": r"(\d+-)?\d{1,2}:\d{2}:\d{2}",
    "signal": r"([RB]{1,2}:)?(\d+|[A-Z][A-Z0-9]+)(@\d+)?",
    "output": r"\S+",
}


def commands(path: Path) -> list[list[str]]:
    """Find the commands in a file, without what the shell does with them."""
    text = path.read_text().replace("\\\n", " ").replace("$SLURM_CPUS_PER_TASK", "32")
    found = []
    for match in COMMAND.finditer(text):
        words = shlex.split(match[1].split(" # ")[0], comments=True)
        ends = [place for place, word in enumerate(words) if word in {"&", ">/dev/null", ";"}]
        found.append(words[: ends[0]] if ends else words)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_its_commands_exist_with_these_options(path: Path) -> None:
    from ray.scripts.scripts import start  # noqa: PLC0415

    known = {"mrtune": root, "ray": click.Group("ray", commands={"start": start})}
    found = commands(path)
    assert found
    for program, *words in found:
        check(known[program], words)


def check(command: click.Command, words: list[str]) -> None:
    """Parse a command line, which raises where an option does not exist."""
    if isinstance(command, click.Group):
        child = command.get_command(click.Context(command), words[0])
        assert child is not None, words
        check(child, words[1:])
    else:
        command.make_context(command.name, words)


def test_the_launcher_is_what_ray_expects() -> None:
    schema = json.loads((files("ray") / "autoscaler" / "ray-schema.json").read_text())
    jsonschema.validate(yaml.safe_load((FOLDER / "launcher.yaml").read_text()), schema)


def rayjob() -> dict[str, Any]:
    job: dict[str, Any] = yaml.safe_load((FOLDER / "rayjob.yaml").read_text())
    return job


def check_rayjob(job: dict[str, Any]) -> None:
    schema = json.loads((Path(__file__).parent / "rayjob.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(job, schema, jsonschema.Draft202012Validator)


def test_the_job_is_what_kuberay_expects() -> None:
    check_rayjob(rayjob())


@pytest.mark.parametrize(
    ("where", "wrong"),
    [
        (("spec", "entryPoint"), "mrtune"),
        (("spec", "rayClusterSpec", "headGroupSpec", "replicas"), 1),
        (("spec", "rayClusterSpec", "headGroupSpec", "rayStartParams", "num-cpus"), 0),
        (("spec", "rayClusterSpec", "workerGroupSpecs", 0, "template", "containers"), []),
        (("spec", "rayClusterSpec", "workerGroupSpecs", 0, "minReplicas"), "1"),
    ],
)
def test_a_job_that_kuberay_refuses_is_told_from_one_that_it_takes(
    where: tuple[str | int, ...], wrong: object
) -> None:
    job = rayjob()
    part: Any = job
    for step in where[:-1]:
        part = part[step]
    part[where[-1]] = wrong
    with pytest.raises(jsonschema.ValidationError):
        check_rayjob(job)


@pytest.mark.parametrize("name", ["launcher.yaml", "rayjob.yaml"])
def test_machines_have_what_takes_jobs_and_what_talks_to_the_database(name: str) -> None:
    assert "mrtune[cluster,postgresql]" in (FOLDER / name).read_text()


def test_the_job_asks_for_a_cluster_with_a_token_and_a_shared_folder() -> None:
    job = rayjob()
    cluster = job["spec"]["rayClusterSpec"]
    assert cluster["authOptions"] == {"mode": "token"}
    for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"]):
        pod = group["template"]["spec"]
        (container,) = pod["containers"]
        mounted = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
        assert mounted == {volume["name"]: "/shared" for volume in pod["volumes"]}
    words = shlex.split(job["spec"]["entrypoint"])
    assert words[words.index("--runs") + 1] == "/shared/runs"
    assert words[words.index("--study") + 1] == job["spec"]["metadata"]["study"]


def test_the_script_is_sound() -> None:
    subprocess.run(["bash", "-n", FOLDER / "slurm.sh"], check=True)


def test_the_script_asks_slurm_for_what_it_has() -> None:
    lines = (FOLDER / "slurm.sh").read_text().splitlines()
    asked = [line.removeprefix("#SBATCH ") for line in lines if line.startswith("#SBATCH")]
    assert asked
    for option in asked:
        name, _, value = option.removeprefix("--").partition("=")
        assert re.fullmatch(SBATCH[name], value), option
    # sbatch stops reading options at the first command.
    ends = next(n for n, line in enumerate(lines) if line and not line.startswith("#"))
    assert not any(line.startswith("#SBATCH") for line in lines[ends:])
