"""The files that people copy: well formed, and with options that exist."""

import json
import re
import shlex
import subprocess
from importlib.resources import files
from pathlib import Path

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


def test_the_job_asks_for_a_cluster_with_a_token_and_a_shared_folder() -> None:
    job = yaml.safe_load((FOLDER / "rayjob.yaml").read_text())
    assert (job["apiVersion"], job["kind"]) == ("ray.io/v1", "RayJob")
    cluster = job["spec"]["rayClusterSpec"]
    assert cluster["authOptions"] == {"mode": "token"}
    for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"]):
        pod = group["template"]["spec"]
        (container,) = pod["containers"]
        mounted = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
        assert mounted == {volume["name"]: "/shared" for volume in pod["volumes"]}
    assert "/shared/runs" in job["spec"]["entrypoint"]


def test_the_script_is_sound() -> None:
    subprocess.run(["bash", "-n", FOLDER / "slurm.sh"], check=True)
