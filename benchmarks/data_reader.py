"""One of the processes that `benchmarks.data` weighs: it reads a whole cache, without torch."""

import re
import sys
from pathlib import Path

import numpy as np

from mrtune.data import open_celeba


def read_and_weigh(root: str) -> None:
    """Read the whole cache, wait for the others, print kB of the map and of all else."""
    prepared = open_celeba(root)
    total = sum(int(batch.sum()) for batch in np.array_split(prepared.arrays["image"], 50))
    print("read", total, flush=True)
    sys.stdin.readline()
    maps = Path("/proc/self/smaps").read_text()
    mapped = next(part for part in re.split(r"\n(?=[0-9a-f]+-)", maps) if "image.npy" in part)
    rollup = Path("/proc/self/smaps_rollup").read_text()
    others = kilobytes(rollup, "Private") - kilobytes(mapped, "Private")
    print(kilobytes(mapped, "Pss"), others, flush=True)
    sys.stdin.readline()


def kilobytes(text: str, what: str) -> int:
    """Sum the lines of a kind: Pss, or both kinds of Private."""
    lines = re.findall(rf"^{what}(?:_Clean|_Dirty)?: +(\d+) kB", text, flags=re.MULTILINE)
    return sum(map(int, lines))


if __name__ == "__main__":
    read_and_weigh(sys.argv[1])
