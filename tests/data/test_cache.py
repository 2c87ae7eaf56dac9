import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from mrtune.data import Prepared, open_celeba, zips
from mrtune.data.celeba import source
from mrtune.data.check import check
from mrtune.errors import DataError
from tests.data.conftest import N
from tests.data.test_celeba import assert_same_samples, pack


def counted(root: Path) -> tuple[Prepared, int]:
    """Open a data set and count how often it had to report progress: never, from a cache."""
    calls: list[int] = []
    opened = open_celeba(root, progress=lambda done, _: calls.append(done))
    return opened, len(calls)


def python(code: str, *arguments: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def leftovers(root: Path) -> list[str]:
    return sorted(path.name for path in (root / ".mrtune-cache").glob("celeba-*"))


def test_the_second_time_nothing_is_decoded(celeba: Path) -> None:
    first, calls = counted(celeba)
    assert calls > 0
    second, calls = counted(celeba)
    assert calls == 0
    assert_same_samples(first, second)
    assert first.fingerprint == second.fingerprint
    assert first.path == celeba / ".mrtune-cache" / f"celeba-{first.fingerprint}"


def test_arrays_are_maps_that_nobody_can_write(celeba: Path) -> None:
    opened = open_celeba(celeba)
    for array in opened.arrays.values():
        assert isinstance(array, np.memmap)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(TypeError):
        opened.arrays["more"] = np.zeros(1)  # type: ignore[index]
    for where in opened.splits.values():
        assert not where.flags.writeable


def test_progress_runs_up_to_the_number_of_samples(celeba: Path) -> None:
    calls: list[tuple[int, int]] = []
    open_celeba(celeba, progress=lambda done, total: calls.append((done, total)))
    assert calls[0] == (0, N)
    assert calls[-1] == (N, N)
    assert calls == sorted(calls)


def test_a_changed_source_is_decoded_anew_and_the_old_cache_goes(celeba: Path) -> None:
    first = open_celeba(celeba)
    image = celeba / "img_align_celeba" / "000001.jpg"
    image.write_bytes((celeba / "img_align_celeba" / "000002.jpg").read_bytes())
    second, calls = counted(celeba)
    assert calls > 0
    assert second.fingerprint != first.fingerprint
    np.testing.assert_array_equal(second.arrays["image"][0], first.arrays["image"][1])
    assert leftovers(celeba) == [second.path.name]
    assert first.arrays["image"][0].any()  # who had the old one open keeps it


@pytest.mark.parametrize("file", ["list_attr_celeba.txt", "list_eval_partition.txt"])
def test_a_changed_list_changes_the_fingerprint(celeba: Path, file: str) -> None:
    before = open_celeba(celeba).fingerprint
    path = celeba / file
    old, new = (" -1", " 1") if "attr" in file else (".jpg 1", ".jpg 2")
    path.write_text(path.read_text().replace(old, new, 1))
    assert open_celeba(celeba).fingerprint != before


def test_the_fingerprint_sees_time_size_and_parameters(celeba: Path) -> None:
    prints = {open_celeba(celeba).fingerprint, open_celeba(celeba, size=32).fingerprint}
    assert len(leftovers(celeba)) == 2  # both sizes stay
    image = celeba / "img_align_celeba" / "000001.jpg"
    os.utime(image, ns=(0, 0))
    prints.add(open_celeba(celeba).fingerprint)
    image.write_bytes(image.read_bytes() + b"\0")
    os.utime(image, ns=(0, 0))
    prints.add(open_celeba(celeba).fingerprint)
    assert len(prints) == 4


def test_the_fingerprint_sees_into_the_zip(celeba: Path) -> None:
    pack(celeba)
    before = open_celeba(celeba).fingerprint
    archive = celeba / "img_align_celeba.zip"
    os.utime(archive, ns=(0, 0))
    assert open_celeba(celeba).fingerprint == before  # the same content
    archive.write_bytes(archive.read_bytes().replace(b"000001.jpg", b"000099.jpg"))
    changed = open_celeba(celeba)
    assert changed.fingerprint != before
    assert changed.skipped == ("000001.jpg",)


@pytest.mark.parametrize("entries", [0, 3, 300])
def test_the_table_of_a_zip_is_found_in_both_formats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entries: int
) -> None:
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 200)  # more than that make it a zip64
    with zipfile.ZipFile(tmp_path / "some.zip", "w") as archive:
        for number in range(entries):
            archive.writestr(zipfile.ZipInfo(f"{number}"), b"")
        archive.comment = b"a comment"
    assert (b"PK\x06\x06" in (tmp_path / "some.zip").read_bytes()) == (entries > 200)
    table = zips.central_directory(tmp_path / "some.zip")
    assert table.count(b"PK\x01\x02") == entries
    assert table[:4] == (b"PK\x01\x02" if entries else b"")


def test_the_cache_is_where_there_is_room_for_it(
    celeba: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    celeba.chmod(0o555)
    assert open_celeba(celeba).path.parent == tmp_path / "xdg" / "mrtune"
    assert not (celeba / ".mrtune-cache").exists()
    celeba.chmod(0o755)
    monkeypatch.setenv("MRTUNE_CACHE", str(tmp_path / "fast disk"))
    assert open_celeba(celeba).path.parent == tmp_path / "fast disk"


def test_a_cache_beside_the_data_serves_who_may_not_write_there(
    celeba: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    prepared = open_celeba(celeba)
    celeba.chmod(0o555)
    monkeypatch.setenv("MRTUNE_CACHE", str(tmp_path / "mine"))
    opened, calls = counted(celeba)
    assert (opened.path, calls) == (prepared.path, 0)


def test_two_sources_share_a_cache_folder(
    celeba: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MRTUNE_CACHE", str(tmp_path / "cache"))
    other = tmp_path / "other"
    celeba_copy = other / "celeba"
    other.mkdir()
    shutil.copytree(celeba, celeba_copy)
    (celeba_copy / "img_align_celeba" / "000001.jpg").unlink()
    open_celeba(celeba)
    open_celeba(other)
    assert counted(celeba)[1] == 0
    assert counted(other)[1] == 0


HALVES: dict[str, Callable[[Path], object]] = {
    "an array is cut short": lambda folder: os.truncate(folder / "image.npy", 5000),
    "an array is missing": lambda folder: (folder / "label.npy").unlink(),
    "the manifest is missing": lambda folder: (folder / "manifest.json").unlink(),
    "the manifest is cut short": lambda folder: os.truncate(folder / "manifest.json", 20),
    "it is empty": lambda folder: list(map(os.unlink, folder.iterdir())),
}


@pytest.mark.parametrize("half", HALVES)
def test_half_a_cache_is_never_served(celeba: Path, half: str) -> None:
    whole = open_celeba(celeba)
    expected = {key: np.array(array) for key, array in whole.arrays.items()}
    HALVES[half](whole.path)
    again, calls = counted(celeba)
    assert calls > 0
    for key, array in expected.items():
        np.testing.assert_array_equal(again.arrays[key], array)
    assert leftovers(celeba) == [whole.path.name]


def test_a_flipped_bit_is_found_by_the_checksum(celeba: Path) -> None:
    opened = open_celeba(celeba)
    assert check(source(celeba)).cache == "whole"
    content = bytearray((opened.path / "image.npy").read_bytes())
    content[-1] ^= 1
    (opened.path / "image.npy").write_bytes(content)
    report = check(source(celeba))
    assert not report.ready
    assert report.cache == "wrong checksum: image"


def test_a_build_that_fails_leaves_nothing(celeba: Path) -> None:
    def stumble(done: int, _: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        open_celeba(celeba, progress=stumble)
    assert leftovers(celeba) == []
    assert len(open_celeba(celeba)) == N


BUILD = """
import sys, time
from pathlib import Path
from mrtune.data import open_celeba

root, me, other = map(Path, sys.argv[1:])
calls = 0
def progress(done, total):
    global calls
    calls += 1
    while not other.exists():  # hold the lock until the other has come as well
        time.sleep(0.01)
    time.sleep(0.3)
me.touch()
opened = open_celeba(root, progress=progress)
print(calls > 0, len(opened), int(opened.arrays["image"].sum()))
"""


def test_two_processes_at_once_build_once(celeba: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    running = [python(BUILD, celeba, one, two), python(BUILD, celeba, two, one)]
    outcomes = []
    for process in running:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        outcomes.append(out.split())
    assert sorted(built for built, *_ in outcomes) == ["False", "True"]
    assert outcomes[0][1:] == outcomes[1][1:]
    assert int(outcomes[0][1]) == N
    assert len(leftovers(celeba)) == 1


STALL = """
import sys, time
from mrtune.data import open_celeba

def progress(done, total):
    if done:
        print("half way", flush=True)
        time.sleep(600)
open_celeba(sys.argv[1], progress=progress)
"""


def test_after_kill_9_in_the_middle_the_next_one_builds(celeba: Path) -> None:
    process = python(STALL, celeba)
    assert process.stdout is not None
    assert process.stdout.readline() == "half way\n"
    (half,) = leftovers(celeba)
    assert half.endswith(".tmp")
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=10)
    assert leftovers(celeba) == [half]
    start = time.monotonic()
    opened, calls = counted(celeba)
    assert time.monotonic() - start < 10  # the lock went with its holder
    assert calls > 0
    assert len(opened) == N
    assert leftovers(celeba) == [opened.path.name]


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
from mrtune.data import open_celeba
from mrtune.errors import DataError
try:
    open_celeba(sys.argv[1])
except DataError as error:
    print(error)
"""


def test_a_file_that_may_not_grow_is_a_clear_error(celeba: Path) -> None:
    out, err = python(LIMITED, celeba).communicate(timeout=60)
    assert f"cannot write the cache at {celeba}/.mrtune-cache: the disk is full" in out, err
    assert leftovers(celeba) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system with room for half of the faces at 64×64."""
    disk = tmp_path / "disk"
    disk.mkdir()
    size = N * 64 * 64 * 3 // 2
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "mrtune-test", str(disk)],
        check=False,
        capture_output=True,
    )
    if mounted.returncode:
        pytest.skip("only root can mount a small disk")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_disk_without_room_is_refused_at_once(
    celeba: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MRTUNE_CACHE", str(small_disk))
    with pytest.raises(DataError, match=r"too full for the cache of celeba: it needs 0\.4 MB at"):
        open_celeba(celeba)
    assert not list(small_disk.glob("celeba-*"))


def test_a_disk_that_fills_up_on_the_way_is_a_clear_error(
    celeba: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MRTUNE_CACHE", str(small_disk))

    def fill(done: int, _: int) -> None:
        if not done:
            (small_disk / "somebody else's").write_bytes(bytes(90_000))

    with pytest.raises(DataError, match=r"cannot write the cache at .*: the disk is full"):
        open_celeba(celeba, size=40, progress=fill)
    assert [path.name for path in small_disk.iterdir() if path.suffix != ".lock"] == [
        "somebody else's"
    ]
    (small_disk / "somebody else's").unlink()
    assert len(open_celeba(celeba, size=40)) == N


def test_a_place_that_cannot_be_written_is_a_clear_error(
    celeba: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MRTUNE_CACHE", str(tmp_path / "file"))
    with pytest.raises(DataError, match=r"cannot write the cache at .*MRTUNE_CACHE moves it"):
        open_celeba(celeba)


def test_the_manifest_tells_what_is_inside(celeba: Path) -> None:
    (celeba / "img_align_celeba" / "000004.jpg").write_bytes(b"")
    opened = open_celeba(celeba)
    manifest = json.loads((opened.path / "manifest.json").read_text())
    assert manifest["samples"] == N - 1
    assert list(manifest["skipped"]) == ["000004.jpg"]
    assert manifest["fingerprint"] == opened.fingerprint
    assert set(manifest["arrays"]) == {"image", "label", "name", "split"}
    assert np.load(opened.path / "image.npy").shape == (N - 1, 64, 64, 3)
