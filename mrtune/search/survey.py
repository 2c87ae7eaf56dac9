"""What each machine of a cluster has of what trials need."""

import secrets
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from mrtune.errors import StorageFailed, UsageError
from mrtune.places import Place, check_usable, place_of, probe
from mrtune.search.provenance import versions

PATIENCE = 120.0  # seconds for a machine to answer


@dataclass(frozen=True)
class Question:
    """What machines are asked."""

    folder: str | None = None  # where trials keep checkpoints
    mark: str = ""  # the name of a file that the driver has put there
    workload: str | None = None  # whose data is opened, and prepared if need be
    config: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """What a machine says."""

    host: str
    gpus: float  # that Ray may hand out
    versions: dict[str, str] = field(default_factory=dict)
    gpus_seen: int = 0
    skew: float = 0.0  # seconds that its clock is ahead of the driver's, beyond the doubt
    sees: bool = True  # the driver's mark
    unwritable: str = ""  # why it cannot write to the folder
    data: str | None = None  # fingerprint
    trouble: str = ""  # why it does not answer, or why the workload cannot be built there


def survey(question: Question) -> list[Answer]:
    """Ask every machine of the Ray that this process is connected to; lost ones do not count."""
    nodes = _living()
    asked = time.time()
    looks = [_ask(node, look, question, node["Resources"].get("GPU", 0.0)) for node in nodes]
    answers = [_read(seen, node, asked) for seen, node in zip(looks, nodes, strict=True)]
    if question.workload is not None:
        # Data that is prepared for the first time takes as long as it takes.
        opened = [_ask(node, open_data, question.workload, question.config) for node in nodes]
        answers = [_with_data(answer, seen) for answer, seen in zip(answers, opened, strict=True)]
    still = {node["NodeID"] for node in _living()}
    return [a for node, a in zip(nodes, answers, strict=True) if node["NodeID"] in still]


def _living() -> list[dict[str, Any]]:
    return [node for node in ray.nodes() if node["Alive"]]  # type: ignore[no-untyped-call]


def check_shared(folder: str) -> None:
    """Refuse a folder for checkpoints that only some machines see: lost trials would begin anew."""
    if len(_living()) == 1:
        check_usable(place_of(folder))
        return
    with marked(folder) as question:
        answers = survey(question)
    blind = [answer.host for answer in answers if not answer.sees and not answer.trouble]
    unable = [answer.host for answer in answers if answer.unwritable]
    silent = [f"{answer.host} ({answer.trouble})" for answer in answers if answer.trouble]
    if silent:
        raise UsageError(f"machines that cannot run trials: {', '.join(silent)}")
    if unable:
        raise UsageError(f"{', '.join(unable)} cannot write to {folder} of --runs")
    if blind:
        raise UsageError(
            f"--runs must be a folder that all machines share, got {folder},"
            f" which {', '.join(blind)} {'does' if len(blind) == 1 else 'do'} not see"
        )


@contextmanager
def marked(folder: str, **more: Any) -> Iterator[Question]:
    """Put a file into a folder for the length of the block, which is given a question about it."""
    place, mark = place_of(folder), f".mrtune-{secrets.token_hex(8)}"
    check_usable(place)
    place.write(mark)
    try:
        yield Question(place.name, mark, **more)
    finally:
        place.remove(mark)


def _ask(node: dict[str, Any], function: Callable[..., Any], *arguments: Any) -> Any:
    here = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
    task = ray.remote(function).options(num_cpus=0, scheduling_strategy=here, max_retries=0)
    return task.remote(*arguments)


def _read(reference: Any, node: dict[str, Any], asked: float) -> Answer:
    host, gpus = node["NodeManagerHostname"], node["Resources"].get("GPU", 0.0)
    try:
        said = ray.get(reference, timeout=PATIENCE)
    except Exception as error:  # whatever it is, it is the answer
        return Answer(host, gpus, trouble=_last_line(error))
    moment = said.pop("time")
    # It looked at its clock at some moment between the question and now.
    skew = min(0.0, moment - asked) + max(0.0, moment - time.time())
    return Answer(**said | {"host": host}, gpus=gpus, skew=skew)


def _with_data(answer: Answer, reference: Any) -> Answer:
    try:
        return replace(answer, **ray.get(reference))
    except Exception as error:  # whatever it is, it is the answer
        return replace(answer, trouble=answer.trouble or _last_line(error))


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


def look(question: Question, gpus: float = 0.0) -> dict[str, Any]:
    """Look around on the machine that this runs on, which is said to have some GPUs."""
    said: dict[str, Any] = {
        "host": socket.gethostname(),
        "time": time.time(),
        "versions": versions(),
        "gpus_seen": _count_gpus() if gpus else 0,
    }
    if question.folder is not None:
        said |= _look_at(place_of(question.folder), question.mark)
    return said


def _count_gpus() -> int:
    import torch  # noqa: PLC0415  # only where there is something to count: it takes seconds

    return torch.cuda.device_count()


def _look_at(place: Place, mark: str) -> dict[str, Any]:
    try:
        sees = place.exists(mark)
    except StorageFailed as error:
        return {"unwritable": str(error)}
    return {"sees": sees, "unwritable": probe(place) if sees else ""}


def open_data(workload: str, config: dict[str, Any]) -> dict[str, Any]:
    """Build the trainer as a trial does, which opens the data; return fingerprint or trouble."""
    from mrtune.search.attempt import fingerprint  # noqa: PLC0415
    from mrtune.training.resolve import build_trainer, load_trainer  # noqa: PLC0415

    try:
        return {"data": fingerprint(build_trainer(load_trainer(workload), config, 0, "cpu"))}
    except Exception as error:
        return {"trouble": f"{workload}: {type(error).__name__}: {error}"}
