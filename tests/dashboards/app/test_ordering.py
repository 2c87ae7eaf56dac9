"""A click on a column's title orders a table by it."""

import pytest

from dashboards.app.ordering import ordered
from dashboards.blocks import Cell, Column, Table

TABLE = Table(
    "fruit",
    [Column("name", numeric=False), Column("weight")],
    [
        [Cell("fig"), Cell("9 g", sort=9.0)],
        [Cell("apple"), Cell("100 g", sort=100.0)],
        [Cell("melon"), Cell("–", sort=float("-inf"))],
    ],
    "what grows",
)


def names(order: str) -> list[str]:
    return [row[0].text for row in ordered(TABLE, "/here", {"order": order}).rows]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("fruit.0", ["apple", "fig", "melon"]),
        ("fruit.-0", ["melon", "fig", "apple"]),
        ("fruit.1", ["melon", "fig", "apple"]),
        ("fruit.-1", ["apple", "fig", "melon"]),
        *(
            (nonsense, ["fig", "apple", "melon"])
            for nonsense in ("", "fruit.2", "nut.0", "0", "fruit.x")
        ),
    ],
)
def test_rows_are_in_the_order_asked_for(order: str, expected: list[str]) -> None:
    assert names(order) == expected


def test_numbers_without_a_key_are_numbers_and_missing_ones_come_last() -> None:
    rows = [[Cell(text)] for text in ("10", "", "9", "–")]
    table = Table("t", [Column("n")], rows, "numbers")
    for order, expected in (("t.0", ["9", "10"]), ("t.-0", ["10", "9"])):
        texts = [row[0].text for row in ordered(table, "/", {"order": order}).rows]
        assert texts == [*expected, "", "–"]


def test_titles_lead_to_their_order_and_keep_the_rest_of_the_address() -> None:
    name, weight = ordered(TABLE, "/here", {"q": "a b"}).columns
    assert name.link == "/here?q=a+b&order=fruit.0"
    assert weight.link == "/here?q=a+b&order=fruit.-1"


def test_another_click_turns_the_order_round() -> None:
    weight = ordered(TABLE, "/here", {"order": "fruit.-1"}).columns[1]
    assert (weight.title, weight.link) == ("weight ▼", "/here?order=fruit.1")
    weight = ordered(TABLE, "/here", {"order": "fruit.1"}).columns[1]
    assert (weight.title, weight.link) == ("weight ▲", "/here?order=fruit.-1")
