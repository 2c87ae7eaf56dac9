"""One training step of compact execution against the naive dense loop over tasks.

Run with `make bench` or `python -m benchmarks.step [--tables segnet] [--quick] [--threads 1]`. The
naive loop is what one would write first: for each task the whole network, plain convolution and
batch norm, times the mask, ReLU, and a backward. Times are taken in turns in one process, with the
same optimiser (fused Adam) and threads; a ratio is the median over rounds of naive time / compact
time of the same round. With one thread they are CPU seconds, which a machine's other users hardly
disturb.
"""

import argparse
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.machine import describe
from mrtune.nn import DenseHead, LinearHead, partition, resnet18, segnet

Step = Callable[[], None]
RATIOS = (0.3, 0.5, 0.8, 1.0)


@dataclass(frozen=True)
class Case:
    """A network and the size of its step."""

    title: str
    build: Callable[[], nn.Module]
    head: Callable[[], nn.Module]
    image: tuple[int, int]
    labels: tuple[int, ...]
    batch: int
    tasks: int

    def data(self) -> tuple[Tensor, Tensor]:
        """Return images and binary labels for each task."""
        rng = torch.Generator().manual_seed(0)
        x = torch.randn(self.batch, 3, *self.image, generator=rng)
        return x, torch.rand(self.tasks, self.batch, *self.labels, generator=rng).round()


def resnet_case(tasks: int = 8) -> Case:
    """Return Celeb-A's setting at batch 64."""
    head = lambda: LinearHead(512, 5)  # noqa: E731
    return Case("ResNet-18, 64x64", resnet18, head, (64, 64), (5,), 64, tasks)


def segnet_case(tasks: int = 4) -> Case:
    """Return Cityscapes' setting at half width: its batch of 8."""
    build, head = (lambda: segnet(32)), (lambda: DenseHead(32, 1))
    return Case("SegNet half width, 128x256", build, head, (128, 256), (1, 128, 256), 8, tasks)


def narrow_case(tasks: int = 8) -> Case:
    """Return a small network on small images, as for a search on two cores."""
    build, head = (lambda: resnet18(8)), (lambda: LinearHead(64, 5))
    return Case("ResNet-18 of width 8, 32x32", build, head, (32, 32), (5,), 64, tasks)


CASES = {"resnet": resnet_case, "segnet": segnet_case}
TABLES = [*CASES, "tasks", "narrow"]


class MaskedNorm(nn.Module):
    """The naive mask: a batch norm, then a product."""

    mask: Tensor

    def __init__(self, norm: nn.Module, active: Tensor) -> None:
        super().__init__()
        self.norm = norm
        self.register_buffer("mask", active[:, None, :, None, None].float())
        self.task = 0

    def forward(self, x: Tensor) -> Tensor:
        """Normalise and mask."""
        out: Tensor = self.norm(x) * self.mask[self.task]
        return out


def draw(units: dict[str, int], tasks: int, p: float) -> dict[str, Tensor]:
    """Draw ceil(p * S) units of each layer for each task."""
    rng = torch.Generator().manual_seed(0)
    active = {}
    for name, size in units.items():
        ranks = torch.rand(tasks, size, generator=rng).argsort(1)
        active[name] = ranks < math.ceil(p * size - 1e-9)
    return active


def backward(output: Tensor, target: Tensor) -> None:
    """Add the gradients of a task's loss."""
    torch.autograd.backward(F.binary_cross_entropy_with_logits(output, target))


def optimiser_of(*modules: nn.Module) -> torch.optim.Optimizer:
    """Return the optimiser of all variants."""
    return torch.optim.Adam([p for m in modules for p in m.parameters()], lr=1e-4, fused=True)


def compact_step(case: Case, p: float, execution: str = "compact") -> Step:
    """Return a step of ours."""
    net = partition(case.build(), case.tasks, execution=execution)
    net.set_active(draw(net.units, case.tasks, p))
    heads = nn.ModuleList(case.head() for _ in range(case.tasks))
    optimiser, (x, y) = optimiser_of(net, heads), case.data()

    def step() -> None:
        optimiser.zero_grad()
        with net.shared(x) as run:
            for task, head in enumerate(heads):
                backward(head(run.compact(task)), y[task])
        optimiser.step()

    return step


def naive_step(case: Case, p: float) -> Step:
    """Return a step of the naive loop."""
    net = case.build()
    masks = {}
    for conv, active in draw(partition(case.build(), 1).units, case.tasks, p).items():
        name = norm_of(conv)
        masks[name] = MaskedNorm(net.get_submodule(name), active)
        net.set_submodule(name, masks[name])
    heads = nn.ModuleList(case.head() for _ in range(case.tasks))
    optimiser, (x, y) = optimiser_of(net, heads), case.data()

    def step() -> None:
        optimiser.zero_grad()
        for task, head in enumerate(heads):
            for mask in masks.values():
                mask.task = task
            backward(head(net(x)), y[task])
        optimiser.step()

    return step


def shared_step(case: Case, _: float = 1.0) -> Step:
    """Return a step of the fully shared network: one pass for all tasks, the lower bound."""
    net, heads = case.build(), nn.ModuleList(case.head() for _ in range(case.tasks))
    optimiser, (x, y) = optimiser_of(net, heads), case.data()

    def step() -> None:
        optimiser.zero_grad()
        features = net(x)
        losses = [
            F.binary_cross_entropy_with_logits(h(features), y[t]) for t, h in enumerate(heads)
        ]
        torch.autograd.backward(torch.stack(losses).sum())
        optimiser.step()

    return step


VARIANTS: dict[str, Callable[[Case, float], Step]] = {
    "compact": compact_step,
    "naive": naive_step,
    "shared": shared_step,
}


def norm_of(conv: str) -> str:
    """Return the name of the norm after a convolution of our two networks."""
    if conv.endswith("downsample.0"):
        return conv[:-1] + "1"
    return conv.replace("conv", "norm" if conv.startswith(("encoder", "decoder")) else "bn")


def seconds(step: Step) -> float:
    """Time one step."""
    clock = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
    start = clock()
    step()
    return clock() - start


def in_turns(steps: dict[str, Step], rounds: int) -> dict[str, list[float]]:
    """Time several steps in turns, after one of each to warm up."""
    for step in steps.values():
        step()
    times: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            times[name].append(seconds(step))
    return times


def ratio(times: dict[str, list[float]], above: str, below: str) -> float:
    """Return the median ratio of times taken in the same round."""
    return median(a / b for a, b in zip(times[above], times[below], strict=True))


def peak_memory(name: str, variant: str, p: float) -> float:
    """Return the peak memory of two steps in a fresh process, in MiB above its start."""
    threads = ["--threads", str(torch.get_num_threads())]
    command = [sys.executable, "-m", "benchmarks.step", *threads, "--peak", name, variant, str(p)]
    return float(json.loads(subprocess.run(command, capture_output=True, check=True).stdout))


def high_water() -> float:
    """Return the peak memory of this process so far, in MiB; ru_maxrss may be the parent's."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def print_peak(name: str, variant: str, p: float) -> None:
    """Print the growth of this process's peak memory over two steps."""
    case = CASES[name]()
    case.data()
    before = high_water()
    step = VARIANTS[variant](case, p)
    step()
    step()
    print(json.dumps(high_water() - before))


def print_row(*cells: str) -> None:
    """Print one row of a table in Markdown."""
    print(f"| {' | '.join(cells)} |", flush=True)


def print_header(title: str, *cells: str) -> None:
    """Open a table."""
    print(f"\n{title}\n")
    print_row(*cells)
    print_row(*["---:"] * len(cells))


def speed_table(name: str, rounds: int, ratios: tuple[float, ...]) -> None:
    """Print speed and memory of one case for each p."""
    case = CASES[name]()
    print_header(
        f"{case.title}, batch {case.batch}, T = {case.tasks}",
        *("p", "compact s", "naive s", "shared s", "naive/compact", "compact/shared", "memory"),
    )
    for p in ratios:
        steps = {variant: build(case, p) for variant, build in VARIANTS.items()}
        times = in_turns(steps, rounds)
        memory = peak_memory(name, "compact", p) / peak_memory(name, "naive", p)
        print_row(
            f"{p}",
            *(f"{median(times[variant]):.2f}" for variant in VARIANTS),
            f"{ratio(times, 'naive', 'compact'):.2f}",
            f"{ratio(times, 'compact', 'shared'):.2f}",
            f"{memory:.2f}",
        )


def tasks_table(rounds: int, counts: tuple[int, ...], p: float = 0.5) -> None:
    """Print how the cost grows with the number of tasks."""
    title = f"Cost against T: {resnet_case().title}, batch {resnet_case().batch}, p = {p}"
    print_header(title, "T", "compact s", "compact/shared", "per task")
    for tasks in counts:
        case = resnet_case(tasks)
        times = in_turns({"compact": compact_step(case, p), "shared": shared_step(case)}, rounds)
        cost = ratio(times, "compact", "shared")
        median_time = median(times["compact"])
        print_row(str(tasks), f"{median_time:.2f}", f"{cost:.2f}", f"{cost / tasks:.2f}")


def narrow_table(rounds: int, ratios: tuple[float, ...]) -> None:
    """Print what stacking all tasks saves where operations are small."""
    case = narrow_case()
    title = f"{case.title}, batch {case.batch}, T = {case.tasks}"
    columns = ("p", "naive ms", "compact ms", "stacked ms", "naive/stacked", "compact/stacked")
    print_header(title, *columns)
    for p in ratios:
        steps = {
            "naive": naive_step(case, p),
            "compact": compact_step(case, p),
            "stacked": compact_step(case, p, "stacked"),
        }
        times = in_turns(steps, 5 * rounds)
        print_row(
            f"{p}",
            *(f"{1000 * median(times[name]):.0f}" for name in steps),
            *(f"{ratio(times, name, 'stacked'):.2f}" for name in ("naive", "compact")),
        )


def main(tables: list[str], quick: bool) -> None:
    """Print some tables."""
    print(f"{describe()}, threads: {torch.get_num_threads()}", flush=True)
    rounds, ratios, counts = (2, (0.3, 1.0), (2, 4)) if quick else (3, RATIOS, (2, 4, 8, 16))
    for name in tables:
        if name == "tasks":
            tasks_table(rounds, counts)
        elif name == "narrow":
            narrow_table(rounds, ratios)
        else:
            speed_table(name, rounds, ratios)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=TABLES)
    parser.add_argument("--quick", action="store_true", help="fewer rows and rounds")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--peak", nargs=3, metavar=("CASE", "VARIANT", "P"), help="memory of one")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    if arguments.peak:
        name, variant, p = arguments.peak
        print_peak(name, variant, float(p))
    else:
        main(arguments.tables, arguments.quick)
