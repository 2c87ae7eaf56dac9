"""What every place does, a folder as well as a store behind a real server."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from mrtune.places import Place, place_of, probe
from tests.places.object_store import ObjectStore


@pytest.fixture(params=["folder", pytest.param("store", marks=pytest.mark.slow)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """An empty place of either kind."""
    if request.param == "folder":
        return place_of(str(tmp_path / "runs"))
    store: ObjectStore = request.getfixturevalue("object_store")
    return place_of(store.uri(tmp_path.name))


def test_what_is_written_is_read_from_any_position_on(place: Place) -> None:
    place.write("file", b"ab", memoryview(b"cde"))
    assert [place.read("file", start) for start in (0, 3, 5, 9)] == [b"abcde", b"de", b"", b""]
    place.write("file")
    assert place.read("file") == b""


def test_a_place_without_files_has_nothing_to_read_or_to_remove(place: Place) -> None:
    assert place.names() == []
    assert place.read("file") is None
    assert not place.exists("file")
    place.remove("file")
    place.clear()
    assert place.names() == []


def test_names_are_in_order_and_not_those_of_places_inside(place: Place) -> None:
    for name in ("b", "10", "a", "9"):
        place.write(name, b"content")
    place.within("inside").write("c", b"content")
    assert place.names() == ["10", "9", "a", "b"]
    assert place.within("inside").names() == ["c"]
    assert not place.exists("inside")
    assert place.exists("a")


def test_a_removed_file_is_gone_and_its_neighbours_stay(place: Place) -> None:
    place.write("one", b"1")
    place.write("other", b"2")
    place.remove("one")
    place.remove("one")
    assert not place.exists("one")
    assert place.names() == ["other"]


def test_clearing_reaches_places_inside_and_nothing_beside(place: Place) -> None:
    study, beside = place.within("study"), place.within("study-2")
    for there in (study, study.within("00001"), study.within("00001", "checkpoints"), beside):
        there.write("file", b"content")
    study.clear()
    assert study.names() == study.within("00001").names() == []
    assert study.within("00001", "checkpoints").names() == []
    assert beside.names() == ["file"]


def test_text_grows_with_each_block_also_with_one_that_fails(place: Place) -> None:
    with place.appending("log") as log:
        log.write("größer\n")
    with suppress(ValueError), place.appending("log") as log:
        log.write("als 1\n")
        raise ValueError
    with place.appending("log"):
        pass
    assert (place.read("log") or b"").decode() == "größer\nals 1\n"


@pytest.mark.parametrize("name", ["my study", "100%", "%41", "a+b", "ä?b#c&d=e"])
def test_odd_names_lead_to_places_of_their_own(place: Place, name: str) -> None:
    place.within(name).within(name).write(name, b"content")
    again = place_of(place.within(name, name).name)
    assert again.read(name) == b"content"
    assert again.names() == [name]
    assert again.name.startswith(place.name.partition("?")[0])
    assert place.within("A", "A").names() == []  # which %41 is not


@pytest.mark.slow
def test_who_reads_meanwhile_never_sees_half_a_file(place: Place) -> None:
    half, over = 2**20, threading.Event()
    place.write("file", bytes(2 * half))

    def write() -> None:
        try:
            for number in range(1, 20):
                part = bytes([number]) * half
                place.write("file", part, part)
        finally:
            over.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen: set[tuple[int, ...]] = set()
    while not over.is_set():
        content = place.read("file")
        assert content is not None
        assert len(content) == 2 * half
        seen.add(tuple(set(content)))
    writer.join()
    assert all(len(numbers) == 1 for numbers in seen)
    assert len(seen) > 1


def test_a_write_that_fails_leaves_what_was_there(place: Place) -> None:
    place.write("file", b"whole")
    with pytest.raises(TypeError):
        place.write("file", b"half", "no bytes")  # type: ignore[arg-type]
    assert place.read("file") == b"whole"
    assert place.names() == ["file"]


def test_a_probe_finds_nothing_wrong_and_leaves_nothing(place: Place) -> None:
    assert probe(place) == ""
    assert place.names() == []


def test_two_may_write_a_file_at_the_same_time(place: Place) -> None:
    """As a machine that was cut off and the one that has its trial now."""
    contents = [bytes([number]) * 100_000 for number in range(2)]

    def write(content: bytes) -> None:
        for _ in range(20):
            place.write("file", content)
            assert place.read("file") in contents

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, contents))
    assert place.names() == ["file"]
