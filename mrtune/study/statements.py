"""What a mirror asks of the tables of Optuna's storage, and how it changes the states of trials."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import orjson
from optuna.storages._rdb.models import StudyModel, TrialValueModel
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy import Connection, and_, exists, func, insert, or_, select, update

from mrtune.study.keys import OWNER
from mrtune.study.rows import parts
from mrtune.study.upsert import TRIALS, USER, VALUES, upsert

UNFINISHED = (TrialState.RUNNING, TrialState.WAITING)


def unfinished_or_new(connection: Connection, study_id: int, newest: int) -> dict[int, TrialState]:
    """Return the states of the trials of a study that are unfinished, or newer than one."""
    which = or_(TRIALS.c.state.in_(UNFINISHED), TRIALS.c.trial_id > newest)
    found = connection.execute(
        select(TRIALS.c.trial_id, TRIALS.c.state).where(TRIALS.c.study_id == study_id, which)
    )
    return {row.trial_id: row.state for row in found}


def some_or_new(
    connection: Connection, study_id: int, some: Iterable[int], newest: int
) -> dict[int, TrialState]:
    """Return the states of some trials of a study, and of those that are newer than one."""
    columns = select(TRIALS.c.trial_id, TRIALS.c.state).where(TRIALS.c.study_id == study_id)
    which = [TRIALS.c.trial_id > newest, *map(TRIALS.c.trial_id.in_, parts(sorted(some)))]
    found = (row for each in which for row in connection.execute(columns.where(each)))
    return {row.trial_id: row.state for row in found}


def runners(
    connection: Connection, trials: Iterable[int]
) -> dict[int, tuple[TrialState, str | None]]:
    """Return the states of some trials, and who ran them last."""
    owner = and_(USER.c.trial_id == TRIALS.c.trial_id, USER.c.key == OWNER)
    columns = select(TRIALS.c.trial_id, TRIALS.c.state, USER.c.value_json)
    signed = columns.select_from(TRIALS.outerjoin(USER, owner))
    return {
        trial: (state, None if text is None else orjson.loads(text))
        for part in parts(sorted(trials))
        for trial, state, text in connection.execute(signed.where(TRIALS.c.trial_id.in_(part)))
    }


def owners(connection: Connection, trials: Iterable[int]) -> dict[int, str]:
    """Return who ran some trials last."""
    columns = select(USER.c.trial_id, USER.c.value_json).where(USER.c.key == OWNER)
    return {
        trial: orjson.loads(text)
        for part in parts(sorted(trials))
        for trial, text in connection.execute(columns.where(USER.c.trial_id.in_(part)))
    }


def create_running(
    connection: Connection, study_id: int, owner: str, known: tuple[int, int] = (-1, 0)
) -> FrozenTrial:
    """Begin a trial; of those before it, one is known, and how many there were up to it."""
    study = select(StudyModel.study_id).where(StudyModel.study_id == study_id)
    # Trials are numbered one after the other.
    if connection.execute(study.with_for_update()).one_or_none() is None:
        raise KeyError(study_id)
    now = datetime.now(UTC)
    newest, up_to_it = known
    newer = (TRIALS.c.study_id == study_id, TRIALS.c.trial_id > newest)
    count = select(func.count() + up_to_it).select_from(TRIALS).where(*newer)
    trial, number = connection.execute(
        insert(TRIALS)
        .values(
            study_id=study_id,
            number=count.scalar_subquery(),
            state=TrialState.RUNNING,
            datetime_start=now.replace(tzinfo=None),
        )
        .returning(TRIALS.c.trial_id, TRIALS.c.number)
    ).one()
    sign(connection, trial, owner)
    return FrozenTrial(
        number=number,
        state=TrialState.RUNNING,
        value=None,
        datetime_start=now.astimezone().replace(tzinfo=None),
        datetime_complete=None,
        params={},
        distributions={},
        user_attrs={OWNER: owner},
        system_attrs={},
        intermediate_values={},
        trial_id=trial,
    )


def hold(connection: Connection, trials: Iterable[int]) -> None:
    """Let nobody else change the states of some trials before this transaction ends."""
    if connection.dialect.name == "sqlite":
        driver = connection.connection.driver_connection
        if driver is not None and not driver.in_transaction:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        return
    for part in parts(sorted(trials)):
        rows = select(TRIALS.c.trial_id).where(TRIALS.c.trial_id.in_(part))
        # Always in the same order, lest two wait for each other.
        connection.execute(rows.order_by(TRIALS.c.trial_id).with_for_update(key_share=True))


def change_state(
    connection: Connection,
    trial: int,
    state: TrialState,
    values: Sequence[float] | None,
    owner: str | None,
) -> bool:
    """Change a state; return False where it is not what it was, or no owner's trial that runs."""
    before = UNFINISHED if owner is None else (TrialState.RUNNING,)
    if state == TrialState.RUNNING:
        before = (TrialState.WAITING,)
    which = [TRIALS.c.trial_id == trial, TRIALS.c.state.in_(before)]
    if owner is not None:
        hold(connection, [trial])  # else who has just signed it might be overlooked
        mine = (USER.c.trial_id == trial, USER.c.key == OWNER, USER.c.value_json == _text(owner))
        which.append(exists().where(*mine))
    changes: dict[str, object] = {"state": state}
    if state.is_finished():
        changes["datetime_complete"] = datetime.now(UTC).replace(tzinfo=None)
    elif state == TrialState.RUNNING:
        changes["datetime_start"] = datetime.now(UTC).replace(tzinfo=None)
    if connection.execute(update(TRIALS).where(*which).values(changes)).rowcount != 1:
        return False
    rows = []
    for objective, value in enumerate(values or ()):
        stored, kind = TrialValueModel.value_to_stored_repr(value)
        row = {"trial_id": trial, "objective": objective, "value": stored, "value_type": kind}
        rows.append(row)
    upsert(connection, VALUES, rows)
    return True


def sign(connection: Connection, trial: int, owner: str) -> None:
    """Note who runs a trial."""
    upsert(connection, USER, [{"trial_id": trial, "key": OWNER, "value_json": _text(owner)}])


def _text(owner: str) -> str:
    return orjson.dumps(owner).decode()
