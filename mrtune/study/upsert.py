"""Rows of Optuna's tables, written whether they are there already or not."""

from functools import cache
from typing import Any

from optuna.storages._rdb.models import (
    TrialIntermediateValueModel,
    TrialModel,
    TrialParamModel,
    TrialSystemAttributeModel,
    TrialUserAttributeModel,
    TrialValueModel,
)
from sqlalchemy import Connection, Executable, Table
from sqlalchemy.dialects import postgresql, sqlite

Row = dict[str, Any]

TRIALS: Table = TrialModel.__table__
USER: Table = TrialUserAttributeModel.__table__
SYSTEM: Table = TrialSystemAttributeModel.__table__
PARAMS: Table = TrialParamModel.__table__
REPORTS: Table = TrialIntermediateValueModel.__table__
VALUES: Table = TrialValueModel.__table__

KEYS = {  # what a row is found by
    USER: ("trial_id", "key"),
    SYSTEM: ("trial_id", "key"),
    PARAMS: ("trial_id", "param_name"),
    REPORTS: ("trial_id", "step"),
    VALUES: ("trial_id", "objective"),
}
INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


def upsert(connection: Connection, table: Table, rows: list[Row]) -> None:
    """Write rows, in place of those with the same keys."""
    if rows:
        connection.execute(_statement(connection.dialect.name, table, tuple(rows[0])), rows)


@cache
def _statement(dialect: str, table: Table, columns: tuple[str, ...]) -> Executable:
    insert, keys = INSERT[dialect](table), KEYS[table]
    rest = {name: insert.excluded[name] for name in columns if name not in keys}
    statement: Executable = insert.on_conflict_do_update(index_elements=keys, set_=rest)
    return statement
