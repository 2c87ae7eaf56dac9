"""Trials straight from the tables of Optuna's storage: what Optuna reads in minutes, in a second.

Optuna builds each trial out of objects, one for every report. Reports are in our curves as well,
and most readers look at few of those, so they are left as text until somebody asks.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property, partial
from math import nan
from typing import Any, NamedTuple

import orjson
from optuna.distributions import json_to_distribution
from optuna.storages import RDBStorage
from optuna.storages._rdb.models import (
    TrialModel,
    TrialParamModel,
    TrialUserAttributeModel,
    TrialValueModel,
)
from optuna.trial import TrialState
from sqlalchemy import select
from sqlalchemy.engine import Connection

from mrtune.study.patience import asked

AT_ONCE = 500  # identifiers in one query; databases limit them


class Content(Mapping[str, Any]):
    """A mapping as it is stored, decoded when it is looked into."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _content(self) -> dict[str, Any]:
        content: dict[str, Any] = orjson.loads(self._text)
        return content

    def __getitem__(self, key: str) -> Any:
        return self._content[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    def __repr__(self) -> str:
        return repr(self._content)


class Numbers(Content):
    """Numbers by their names; JSON knows no NaN, which is stored as nothing."""

    def __getitem__(self, key: str) -> float:
        number: float | None = self._content[key]
        return nan if number is None else number


class Attributes:
    """What a trial keeps besides what Optuna knows of."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def get(self, key: str, default: Any = None) -> Any:
        """Decode a value."""
        text = self._texts.get(key)
        return default if text is None else orjson.loads(text)

    def mapping(self, key: str) -> Mapping[str, Any]:
        """Return a mapping, which is not decoded yet."""
        return Content(self._texts.get(key, "{}"))

    def numbers(self, key: str) -> Mapping[str, float]:
        """Return numbers by their names, which are not decoded yet."""
        return Numbers(self._texts.get(key, "{}"))


class Row(NamedTuple):
    """A trial as it is stored."""

    id: int
    number: int
    state: TrialState
    started: datetime | None
    ended: datetime | None
    params: dict[str, Any]
    values: tuple[float, ...] | None
    attributes: Attributes


def read_rows(storage: RDBStorage, study_id: int, known: Iterable[int] = ()) -> list[Row]:
    """Read the trials of a study, those that are known left out, in the order of their numbers."""
    return asked(partial(_read, storage, study_id, set(known)))


def _read(storage: RDBStorage, study_id: int, known: set[int]) -> list[Row]:
    with storage.engine.connect() as connection:
        trials = [
            trial
            for trial in connection.execute(
                select(
                    TrialModel.trial_id,
                    TrialModel.number,
                    TrialModel.state,
                    TrialModel._datetime_start_utc,
                    TrialModel._datetime_complete_utc,
                )
                .where(TrialModel.study_id == study_id)
                .order_by(TrialModel.number)
            )
            if trial[0] not in known
        ]
        ids = [trial[0] for trial in trials]
        params = _params(connection, ids)
        values = _values(connection, ids)
        texts = _attributes(connection, ids)
    return [
        Row(
            id=id_,
            number=number,
            state=state,
            started=_local(started),
            ended=_local(ended),
            params=params.get(id_, {}),
            values=values.get(id_),
            attributes=Attributes(texts.get(id_, {})),
        )
        for id_, number, state, started, ended in trials
    ]


def parts(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    """Divide identifiers into as many as one query may name."""
    return (ids[first : first + AT_ONCE] for first in range(0, len(ids), AT_ONCE))


def _params(connection: Connection, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    model = TrialParamModel
    columns = (model.trial_id, model.param_name, model.param_value, model.distribution_json)
    found: dict[int, dict[str, Any]] = defaultdict(dict)
    distributions: dict[str, Any] = {}  # few, and slow to decode
    for trial, name, value, text in _select(connection, columns, ids, model.param_id):
        if text not in distributions:
            distributions[text] = json_to_distribution(text)
        found[trial][name] = distributions[text].to_external_repr(value)
    return found


def _values(connection: Connection, ids: Sequence[int]) -> dict[int, tuple[float, ...]]:
    model = TrialValueModel
    columns = (model.trial_id, model.value, model.value_type)
    found: dict[int, tuple[float, ...]] = {}
    for trial, stored, kind in _select(connection, columns, ids, model.objective):
        value = model.stored_repr_to_value(stored, kind)
        found[trial] = (*found.get(trial, ()), value)
    return found


def _attributes(connection: Connection, ids: Sequence[int]) -> dict[int, dict[str, str]]:
    model = TrialUserAttributeModel
    columns = (model.trial_id, model.key, model.value_json)
    found: dict[int, dict[str, str]] = defaultdict(dict)
    for trial, key, text in _select(connection, columns, ids, model.trial_user_attribute_id):
        found[trial][key] = text
    return found


def _select(
    connection: Connection, columns: Sequence[Any], ids: Sequence[int], order: Any
) -> Iterator[Any]:
    """Read some columns of the rows of some trials."""
    trial_id = columns[0]
    for part in parts(ids):
        yield from connection.execute(select(*columns).where(trial_id.in_(part)).order_by(order))


def _local(moment: datetime | None) -> datetime | None:
    """Turn what is stored, in UTC and without saying so, into this machine's time, as Optuna."""
    return None if moment is None else moment.replace(tzinfo=UTC).astimezone().replace(tzinfo=None)
