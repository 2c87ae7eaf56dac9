import os
import subprocess
import sys
import time
from pathlib import Path

import optuna
import pytest

from mrtune.study import open_storage
from mrtune.study.drivers import LOST_AFTER, Heartbeat, drivers_of


@pytest.fixture
def study(tmp_path: Path) -> optuna.Study:
    return optuna.create_study(storage=open_storage(str(tmp_path / "mrtune.db")))


def test_a_process_that_beats_is_alive_until_it_signs_off(study: optuna.Study) -> None:
    heartbeat = Heartbeat(study, "me")
    heartbeat.beat(concurrency=2)
    (driver,) = drivers_of(study.user_attrs)
    assert (driver.id, driver.pid, driver.alive) == (heartbeat.id, os.getpid(), True)
    assert driver.about == {"concurrency": 2}
    heartbeat.stop()
    assert drivers_of(study.user_attrs) == ()


def test_a_process_of_this_host_that_is_gone_is_known_at_once(study: optuna.Study) -> None:
    heartbeat = Heartbeat(study, "me")
    heartbeat.beat()
    key = f"driver:{heartbeat.id}"
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    study.set_user_attr(key, study.user_attrs[key] | {"pid": dead.pid})
    assert not drivers_of(study.user_attrs)[0].alive
    # Another process that has got its number since is not it.
    study.set_user_attr(key, study.user_attrs[key] | {"pid": os.getpid(), "born": 1})
    assert not drivers_of(study.user_attrs)[0].alive


def test_a_process_of_another_host_is_believed_for_a_while(study: optuna.Study) -> None:
    heartbeat = Heartbeat(study, "me")
    heartbeat.beat()
    key = f"driver:{heartbeat.id}"
    for age, alive in ((LOST_AFTER - 5, True), (LOST_AFTER + 5, False)):
        seen = {"host": "elsewhere", "seen": time.time() - age}
        study.set_user_attr(key, study.user_attrs[key] | seen)
        assert drivers_of(study.user_attrs)[0].alive is alive
