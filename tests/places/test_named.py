from pathlib import Path

import pytest

from mrtune.errors import UsageError
from mrtune.places import check_usable, place_of


def test_a_file_uri_is_its_folder(tmp_path: Path) -> None:
    place = place_of(f"file://{tmp_path}/a%20b")
    assert place.name == str(tmp_path / "a b")
    check_usable(place)
    assert place.names() == []


def test_the_prefix_grows_and_the_query_stays() -> None:
    place = place_of("s3://bucket/runs/?region=x").within("my study", "00001")
    assert place.name == "s3://bucket/runs/my%20study/00001?region=x"


@pytest.mark.parametrize(
    "uri",
    [
        "s3://key:hidden@bucket/runs",
        "s3://bucket/runs?secret_key=hidden",
        "s3://bucket/runs?endpoint_override=me:hidden@host",
        "s3://bucket/runs#hidden",
    ],
)
def test_a_secret_is_refused_and_not_repeated(uri: str) -> None:
    with pytest.raises(UsageError, match="--runs must") as refusal:
        place_of(uri)
    assert "hidden" not in str(refusal.value)


@pytest.mark.parametrize("uri", ["nope://bucket/runs", "s3:///runs", "file://host/runs"])
def test_what_is_no_place_is_refused(uri: str) -> None:
    with pytest.raises(UsageError, match="--runs must"):
        place_of(uri)
