"""Checkpoints that are either whole or not there."""

import hashlib
import io
import os
from pathlib import Path
from typing import Any

import torch

SUFFIX = ".ckpt"
DIGEST_BYTES = hashlib.sha256().digest_size
KEPT = 2  # the newest, and one to fall back on


def save(folder: Path, number: int, state: dict[str, Any]) -> Path:
    """Write a checkpoint in one move, and drop those that are no longer needed."""
    folder.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    torch.save(state, buffer)
    payload = buffer.getbuffer()
    path = folder / f"{number:012d}{SUFFIX}"
    partial = path.with_suffix(".partial")
    try:
        with partial.open("wb") as file:
            file.write(hashlib.sha256(payload).digest())
            file.write(payload)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    for old in sorted(folder.glob(f"*{SUFFIX}"))[:-KEPT]:
        old.unlink(missing_ok=True)
    return path


def load_newest(folder: Path) -> tuple[dict[str, Any] | None, list[Path]]:
    """Return the newest whole checkpoint, if there is one, and the torn ones passed over."""
    torn: list[Path] = []
    for path in sorted(folder.glob(f"*{SUFFIX}"), reverse=True):
        data = path.read_bytes()
        digest, payload = data[:DIGEST_BYTES], data[DIGEST_BYTES:]
        if hashlib.sha256(payload).digest() == digest:
            state: dict[str, Any] = torch.load(io.BytesIO(payload), weights_only=True)
            return state, torn
        torn.append(path)
    return None, torn
