"""A dashboard as a user starts it, in a process of its own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def dashboard(folder: Path, *arguments: str) -> Iterator[str]:
    """Serve the storage of a folder for the block, which is given the printed address."""
    command = [sys.executable, "-m", "mrtune", "dashboard", "--port", "0", *arguments]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().rpartition(" ")[2].strip()
    finally:
        process.terminate()
        process.wait(timeout=30)
        process.stdout.close()


def mrtune(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder; it must succeed."""
    command = [sys.executable, "-m", "mrtune", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done
