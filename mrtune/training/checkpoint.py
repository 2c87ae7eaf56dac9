"""Checkpoints that are either whole or not there."""

import hashlib
import io
from pathlib import PurePath
from typing import Any

import torch

from mrtune.places import Place

SUFFIX = ".ckpt"
DIGEST_BYTES = hashlib.sha256().digest_size
KEPT = 2  # the newest, and one to fall back on


def save(place: Place, state: dict[str, Any]) -> str:
    """Write a checkpoint, drop those that are no longer needed, and return its name."""
    there = _names(place)
    buffer = io.BytesIO()
    torch.save(state, buffer)
    payload = buffer.getbuffer()
    number = int(PurePath(there[-1]).stem) + 1 if there else 1
    name = f"{number:012d}{SUFFIX}"
    place.write(name, hashlib.sha256(payload).digest(), payload)
    for old in [*there, name][:-KEPT]:
        place.remove(old)
    return name


def load_newest(place: Place) -> tuple[dict[str, Any] | None, list[str]]:
    """Return the newest whole checkpoint, if there is one, and the torn ones passed over."""
    torn: list[str] = []
    for name in reversed(_names(place)):
        data = place.read(name) or b""
        digest, payload = data[:DIGEST_BYTES], data[DIGEST_BYTES:]
        if hashlib.sha256(payload).digest() == digest:
            state: dict[str, Any] = torch.load(io.BytesIO(payload), weights_only=True)
            return state, torn
        torn.append(name)
    return None, torn


def _names(place: Place) -> list[str]:
    return [name for name in place.names() if name.endswith(SUFFIX)]
