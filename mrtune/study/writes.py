"""Writes to trials that are held back for a moment and then stored together."""

import json
import time
from collections import defaultdict
from typing import Any

import orjson
from optuna.distributions import BaseDistribution, distribution_to_json
from optuna.storages._rdb.models import TrialIntermediateValueModel
from sqlalchemy import Connection, Table

from mrtune.study.upsert import KEYS, PARAMS, REPORTS, SYSTEM, USER, Row, upsert


class Writes:
    """Of several writes to one place, the last is stored."""

    def __init__(self) -> None:
        self._rows: dict[Table, dict[tuple[Any, ...], Row]] = defaultdict(dict)
        self._since: float | None = None

    def __bool__(self) -> bool:
        """Whether there is anything to store."""
        return self._since is not None

    @property
    def age(self) -> float:
        """Seconds since the oldest write."""
        return 0.0 if self._since is None else time.monotonic() - self._since

    @property
    def trials(self) -> set[int]:
        """The trials that are written to."""
        return {key[0] for rows in self._rows.values() for key in rows}

    def user_attribute(self, trial: int, key: str, value: Any) -> None:
        """Set an attribute of ours, as it will be by then if it changes."""
        self._hold(USER, {"trial_id": trial, "key": key, "value_json": value})

    def system_attribute(self, trial: int, key: str, value: Any) -> None:
        """Set an attribute of Optuna's."""
        self._hold(SYSTEM, {"trial_id": trial, "key": key, "value_json": value})

    def param(self, trial: int, name: str, value: float, distribution: BaseDistribution) -> None:
        """Set a parameter."""
        row = {"trial_id": trial, "param_name": name, "param_value": value}
        self._hold(PARAMS, {**row, "distribution_json": distribution_to_json(distribution)})

    def report(self, trial: int, step: int, value: float) -> None:
        """Set an intermediate value."""
        stored, kind = TrialIntermediateValueModel.intermediate_value_to_stored_repr(value)
        row = {"trial_id": trial, "step": step, "intermediate_value": stored}
        self._hold(REPORTS, {**row, "intermediate_value_type": kind})

    def drop(self, trial: int) -> None:
        """Forget what was written to a trial."""
        for table, rows in self._rows.items():
            self._rows[table] = {key: row for key, row in rows.items() if key[0] != trial}

    def store(self, connection: Connection) -> None:
        """Write all down."""
        for table, rows in self._rows.items():
            upsert(connection, table, [_encoded(row) for row in rows.values()])

    def clear(self) -> None:
        """Forget all; it is stored."""
        self._rows.clear()
        self._since = None

    def _hold(self, table: Table, row: Row) -> None:
        self._since = self._since or time.monotonic()
        self._rows[table][tuple(row[name] for name in KEYS[table])] = row


def _encoded(row: Row) -> Row:
    if "value_json" not in row:
        return row
    return row | {"value_json": _text(row["value_json"])}


def _text(value: Any) -> str:
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # large numbers, and names of files that are no text
        text = json.dumps(value, ensure_ascii=False)
        return text.encode("utf-8", errors="replace").decode()
