"""What roaming costs: one update of every layer of a network, against tasks and width.

Run with `make bench` or `python -m benchmarks.roaming`.
"""

import time

import torch

from benchmarks.machine import describe
from mrtune.roaming import Plan, Roamer
from mrtune.roaming.layouts import LAYOUTS

REPEATS = 30
WIDEST = 512  # channels that a filter looks at


def milliseconds_per_update(
    units: dict[str, int], tasks: int, selection: str = "uniform", p: float = 0.5
) -> float:
    """Shortest time of an update of all layers at p, all of them due at every iteration."""
    plan = Plan(batches_per_epoch=1, delta=1)
    generator = torch.Generator().manual_seed(0)
    roamer = Roamer.start(units, tasks, p, plan, generator, selection=selection)
    filters = {name: torch.randn(size, 9 * min(size, WIDEST)) for name, size in units.items()}
    times = []
    for iteration in range(1, REPEATS + 1):
        start = time.perf_counter()
        roamer.advance(iteration, filters)
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def main() -> None:
    """Print the tables."""
    torch.set_num_threads(1)  # the tensors are too small to share
    resnet = LAYOUTS["resnet18"]
    print(f"{describe()}; one thread, fastest of {REPEATS} updates, p = 0.5\n")
    print("| One update of ResNet-18's 20 layers | uniform | cosine |")
    print("|---|---:|---:|")
    for tasks in (2, 8, 15, 40):
        uniform = milliseconds_per_update(resnet, tasks)
        cosine = milliseconds_per_update(resnet, tasks, "cosine")
        print(f"| T = {tasks} | {uniform:.1f} ms | {cosine:.1f} ms |")
    print("\n| One layer, T = 8 | time | per 1,000 entries of the partition |")
    print("|---|---:|---:|")
    for units in (512, 4096, 32768):
        time_taken = milliseconds_per_update({"layer": units}, 8, p=0.9)
        print(f"| S = {units} | {time_taken:.2f} ms | {1e6 * time_taken / (8 * units):.1f} µs |")


if __name__ == "__main__":
    main()
