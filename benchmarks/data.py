"""What decoding once is worth: images per second, and memory when several processes read.

Run with `python -m benchmarks.data`. Takes Celeb-A where it is found, and drawn faces of the
official size (178x218) in any case.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.machine import describe
from mrtune.data import Prepared, open_celeba
from mrtune.data.celeba import CelebA, decode, source
from mrtune.data.generate import generate
from mrtune.data.roots import find

BATCH = 256
DECODED = 1024  # images of the slow way
DRAWN = 1500
REPEATS = 5
PROCESSES = (1, 4)
TARGET = 15

Images = NDArray[np.uint8]


def to_tensor(batch: Images) -> torch.Tensor:
    """Return what a network takes: float32 [batch, 3, height, width], about -1 to 1."""
    tensor = torch.from_numpy(batch).permute(0, 3, 1, 2).to(torch.float32)
    return tensor.mul_(2 / 255).sub_(1)


def from_cache(prepared: Prepared) -> Iterator[torch.Tensor]:
    """Yield one epoch in a random order."""
    image = prepared.arrays["image"]
    order = np.random.default_rng(0).permutation(len(prepared))
    for start in range(0, len(order), BATCH):
        yield to_tensor(image[order[start : start + BATCH]])


def from_files(files: CelebA) -> Iterator[torch.Tensor]:
    """Yield a part of an epoch, each image decoded and resized as it is needed."""
    order = np.random.default_rng(0).permutation(len(files.names))[:DECODED]
    for start in range(0, len(order), BATCH):
        names = [files.names[i] for i in order[start : start + BATCH]]
        yield to_tensor(
            np.stack([decode(files.images.content(name), files.size) for name in names])
        )


def images_per_second(epoch: Callable[[], Iterator[torch.Tensor]]) -> float:
    """Return the best of some epochs."""
    best = 0.0
    for _ in range(REPEATS):
        start = time.perf_counter()
        count = sum(len(batch) for batch in epoch())
        best = max(best, count / (time.perf_counter() - start))
    return best


def memory(root: Path, processes: int) -> tuple[float, float]:
    """Return MB: of the maps, all processes together, and of what else each process holds."""
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "benchmarks.data_reader", str(root)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )
        for _ in range(processes)
    ]
    for process in running:  # all have read everything before any is weighed
        process.stdout.readline()  # type: ignore[union-attr]
    figures = []
    for process in running:
        process.stdin.write("\n")  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]
        figures.append([int(kb) for kb in process.stdout.readline().split()])  # type: ignore[union-attr]
    for process in running:
        process.communicate("\n")
    maps, others = np.array(figures).T / 1000
    return float(maps.sum()), float(others.max())


def rates(root: Path) -> tuple[int, float, float]:
    """Return the number of images, and images/s from the files and from the cache."""
    prepared, files = open_celeba(root), source(root)
    slow = images_per_second(lambda: from_files(files))
    fast = images_per_second(lambda: from_cache(prepared))
    return len(prepared), slow, fast


def report(what: str, root: Path) -> None:
    """Print the tables of one data set."""
    start = time.perf_counter()
    size = open_celeba(root).arrays["image"].nbytes / 1e6
    built = time.perf_counter() - start
    count, slow, fast = rates(root)
    verdict = "meets" if fast / slow >= TARGET else "MISSES"
    print(f"\n| {what}: {count:,} images to 64x64 | images/s |")
    print("|---|---:|")
    print(f"| PIL decode + resize, each epoch | {slow:,.0f} |")
    print(f"| from the cache | {fast:,.0f} |")
    print(f"| ratio ({verdict} the target of {TARGET}) | {fast / slow:.1f} |")
    print(f"\nThe cache was built in {built:.1f} s.")
    print(f"\n| Processes that read all {size:.0f} MB | the maps of all | what else each holds |")
    print("|---|---:|---:|")
    for processes in PROCESSES:
        maps, others = memory(root, processes)
        print(f"| {processes} | {maps:.0f} MB | {others:.0f} MB |")


def main() -> None:
    """Print the tables."""
    torch.set_num_threads(1)
    print(f"{describe()}; one thread, batches of {BATCH}, best of {REPEATS} epochs")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MRTUNE_CACHE"] = f"{folder}/cache"
        real = find("celeba")
        if real:
            report(str(real), real)
        generate("celeba", Path(folder, "celeba"), DRAWN)
        report("drawn faces", Path(folder, "celeba"))


if __name__ == "__main__":
    main()
