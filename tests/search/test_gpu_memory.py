"""The share of a GPU's memory that a trial may use; there may be no GPU, so torch's is stood in."""

from types import SimpleNamespace

import pytest
import torch

from mrtune.search.attempt import Attempt
from mrtune.search.job import Job
from mrtune.search.room import Machine, room_on
from mrtune.search.space import Resources
from tests.search.bench import Bench


@pytest.fixture
def shares(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The limits that torch is given, on a GPU of 16 GiB."""
    asked: list[float] = []
    card = SimpleNamespace(total_memory=16 * 2**30)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: card)
    monkeypatch.setattr(torch.cuda, "set_per_process_memory_fraction", asked.append)
    return asked


def job_of(bench: Bench, **resources: float) -> Job:
    bench.begin(trials=1, resources=resources)
    job = bench.sweep().next_job()
    assert job is not None
    return job


def test_a_trial_may_use_its_share_of_the_gpu(bench: Bench, shares: list[float]) -> None:
    job = job_of(bench, gpus=0.25, gpu_memory=4.0)
    Attempt(job, "cuda").close()
    assert shares == [0.25]
    Attempt(job, "cpu").close()
    assert shares == [0.25]


def test_more_than_the_gpu_has_is_all_of_it(bench: Bench, shares: list[float]) -> None:
    Attempt(job_of(bench, gpus=1.0, gpu_memory=24.0), "cuda").close()
    assert shares == [1.0]


def test_without_a_limit_there_is_none(bench: Bench, shares: list[float]) -> None:
    Attempt(job_of(bench, gpus=0.5), "cuda").close()
    assert shares == []


def test_memory_is_set_aside_by_ray() -> None:
    room = room_on([Machine(4)], Resources(cpus=1, memory=1.5), None)
    assert room.resources() == {"cpu": 1.0, "memory": 1.5 * 2**30}
