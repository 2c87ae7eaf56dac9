"""Nobody looks, and nobody stops a search, without the token, from a page of another."""

import re

import pytest
from flask.testing import FlaskClient

from dashboards.app.security import check_host
from mrtune.errors import UsageError
from tests.dashboards.app.conftest import TOKEN

UPDATE = "/_dash-update-component"


def enter(client: FlaskClient) -> None:
    assert client.get(f"/?token={TOKEN}").status_code == 302


@pytest.mark.parametrize(
    "path", ["/", "/study/mine/overview", "/_dash-layout", "/assets/style.css"]
)
def test_nothing_is_shown_without_the_token(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 403
    assert client.get(f"{path}?token=wrong").status_code == 403
    assert "mine" not in client.get(path).get_data(as_text=True)


def test_the_token_of_the_address_becomes_a_cookie_that_scripts_cannot_read(
    client: FlaskClient,
) -> None:
    answer = client.get(f"/study/mine/curves?metric=loss&token={TOKEN}")
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/study/mine/curves?metric=loss"
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert client.get("/study/mine/curves").status_code == 200


def test_the_way_in_leads_nowhere_else(client: FlaskClient) -> None:
    path = {"PATH_INFO": "//evil.example/x"}
    answer = client.get("/", query_string={"token": TOKEN}, environ_overrides=path)
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/evil.example/x"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8050", "localhost.evil.example"])
def test_names_that_are_not_ours_are_refused(client: FlaskClient, host: str) -> None:
    enter(client)
    assert client.get("/", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("host", ["localhost:8050", "127.0.0.1:8050", "[::1]:8050"])
def test_names_that_are_ours_are_served(client: FlaskClient, host: str) -> None:
    assert client.get(f"/?token={TOKEN}", headers={"Host": host}).status_code == 302


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_posts_from_other_pages_are_refused(client: FlaskClient, headers: dict[str, str]) -> None:
    enter(client)
    assert client.post(UPDATE, json={}, headers=headers).status_code == 403


def test_every_answer_carries_a_strict_policy(client: FlaskClient) -> None:
    enter(client)
    answer = client.get("/")
    policy = answer.headers["Content-Security-Policy"]
    scripts = re.search(r"script-src ([^;]+)", policy)
    assert scripts is not None
    assert "unsafe" not in scripts[1]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "https://" not in answer.get_data(as_text=True)  # nothing comes from elsewhere


def test_others_are_let_in_with_a_token_only() -> None:
    check_host("127.0.0.1", None)
    check_host("0.0.0.0", "token")  # noqa: S104
    with pytest.raises(UsageError, match=r"--host 0\.0\.0\.0 lets other machines in"):
        check_host("0.0.0.0", None)  # noqa: S104
