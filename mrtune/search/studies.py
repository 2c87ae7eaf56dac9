"""Begins studies, and opens them again."""

import secrets
import warnings
from dataclasses import dataclass
from typing import Any

import optuna
from optuna.exceptions import ExperimentalWarning
from optuna.storages import RDBStorage

from mrtune.errors import UsageError
from mrtune.places import Place, place_of
from mrtune.search.pruners import pruner
from mrtune.search.settings import Settings
from mrtune.search.space import Space
from mrtune.study import keys, load_study, study_names
from mrtune.study.mirror import Mirror


@dataclass(frozen=True)
class OpenStudy:
    """A study with what it is searched by."""

    study: optuna.Study  # in the mirror
    mirror: Mirror
    space: Space
    settings: Settings


def free_name(storage: RDBStorage, stem: str) -> str:
    """Name a new study: stem-1, stem-2, …"""
    taken = set(study_names(storage))
    number = 1
    while f"{stem}-{number}" in taken:
        number += 1
    return f"{stem}-{number}"


def check_name(name: str) -> None:
    """Refuse the name of a study that cannot be part of STUDY/TRIAL and of a path."""
    if name in {"", ".", ".."} or not name.isprintable() or {"/", "\\"} & set(name):
        rule = "a name, without slashes, and not a path"
        raise UsageError(f"the study must be called by {rule}, got {name!r}")


def check_free(storage: RDBStorage, name: str) -> None:
    """Refuse the name of a study that there is already."""
    if name in study_names(storage):
        raise _taken(name)


def begin(
    storage: RDBStorage, name: str, space: Space, settings: Settings, provenance: dict[str, Any]
) -> OpenStudy:
    """Create a study."""
    check_name(name)
    try:
        study = optuna.create_study(
            storage=storage,
            study_name=name,
            directions=[objective.direction for objective in space.objectives],
        )
    except optuna.exceptions.DuplicatedStudyError:
        raise _taken(name) from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        study.set_metric_names([objective.metric for objective in space.objectives])
    study.set_user_attr(keys.WORKLOAD, space.trainer)
    study.set_user_attr(keys.SPACE, space.to_dict())
    study.set_user_attr(keys.SETTINGS, settings.to_dict())
    # Another study may have had the name, and its files still be there.
    study.set_user_attr(keys.FOLDER, f"{name}-{secrets.token_hex(4)}")
    study.set_user_attr(keys.PROVENANCE, provenance)
    study.set_user_attr(keys.CONTROL, "run")
    return reopen(storage, name)


def reopen(storage: RDBStorage, name: str) -> OpenStudy:
    """Open a study that a search has begun."""
    mirror = Mirror(storage)
    study = load_study(mirror, name)
    attributes = study.user_attrs
    if keys.SPACE not in attributes or keys.SETTINGS not in attributes:
        raise UsageError(f"study {name!r} was not made by mrtune search")
    space = Space.from_dict(attributes[keys.SPACE])
    settings = Settings(**attributes[keys.SETTINGS])
    per_epoch = 1 / float(str(space.fixed.get("report_every", 1.0)))
    study.pruner = pruner(
        space.pruner,
        round(settings.grace * per_epoch),
        round(space.budget.epochs * per_epoch),
        space.budget.reduction,
    )
    return OpenStudy(study, mirror, space, settings)


def place_in(runs: str, study: optuna.Study) -> Place:
    """Return the place of a study, where the places of its trials are."""
    return place_of(runs).within(study.user_attrs.get(keys.FOLDER, study.study_name))


def _taken(name: str) -> UsageError:
    """Say that a study has this name."""
    return UsageError(f"there is a study {name!r} already: `mrtune resume {name}` continues it")
