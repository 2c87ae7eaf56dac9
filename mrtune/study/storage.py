"""The database that remembers studies."""

import optuna
from optuna.storages import RDBStorage


def check_writable(url: str) -> None:
    """Write a throw-away study, read it back and remove it; raise whatever goes wrong."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    storage = RDBStorage(url)
    study = optuna.create_study(storage=storage, study_name="mrtune-doctor")
    try:
        study.add_trial(optuna.trial.create_trial(value=1.0))
        if study.best_value != 1.0:
            raise OSError("the study read back is not the one written")
    finally:
        optuna.delete_study(study_name=study.study_name, storage=storage)
        storage.remove_session()
        storage.engine.dispose()
