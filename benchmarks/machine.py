"""The machine that a measurement was made on."""

import os
import platform
from pathlib import Path

import torch


def describe() -> str:
    """Name the processor, its cores and the versions that decide the speed."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    processor = models[0] if models else platform.processor() or platform.machine()
    return f"{processor}, {os.cpu_count()} cores, torch {torch.__version__}, {platform.system()}"
