"""What the page of tournaments answers to requests that no page sends."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from quietmove.addons.web.app import create_app
from quietmove.addons.web.pages import PageServer, installed_pages
from quietmove.addons.web.passwords import Password
from quietmove.addons.web.sessions import GameSessions
from tests.addons.web.test_requests import HOST, app, owner  # noqa: F401 (fixtures)
from tests.fakes.bad_requests import DIGITS

pytestmark = pytest.mark.filterwarnings("ignore:Implicitly cleaning up:ResourceWarning")  # issued when the server exits


@pytest.mark.parametrize(
    "table",
    [{"name": "x" * 500_000, "command": "/nowhere"}, {"name": "own", "command": ["/nowhere", "\0"]}],
)
def test_an_engine_that_no_system_can_start_is_one_error(owner: TestClient, table: dict[str, object]) -> None:  # noqa: F811
    answer = owner.post("/api/engines/check", json={"table": table})
    assert (answer.status_code, answer.json()["error"][:26]) == (400, "engine: cannot be started:")


@pytest.mark.parametrize("more", [f"a = {DIGITS}", "a = " + "[" * 5000, f"{'a.' * 20_000}a = 1"])
def test_further_keys_beyond_the_limits_are_one_error(owner: TestClient, more: str) -> None:  # noqa: F811
    for path, body in (("engines", {"table": {"name": "x"}, "more": more}), ("runs/preview", {"text": more})):
        answer = owner.post(f"/api/{path}", json=body)
        assert (answer.status_code, "invalid TOML: " in answer.json()["error"]) == (400, True)


def test_the_limit_of_the_form_is_for_engines_without_their_own(owner: TestClient) -> None:  # noqa: F811
    for table in ({"name": "shallow", "limit": "depth=4"}, {"name": "free"}):
        assert owner.post("/api/engines", json={"table": table}).status_code == 200
    asked = {
        "keys": {"name": "x", "format": "sprt", "defaults": {"limit": "tc=10+0.1"}},
        "engines": ["shallow", "free"],
    }
    shown = owner.post("/api/runs/preview", json=asked).json()["toml"]
    assert 'limit = "depth=4"' in shown
    assert 'limit = "tc=10+0.1"' in shown


def test_defaults_that_are_no_table_are_one_error(owner: TestClient) -> None:  # noqa: F811
    answer = owner.post("/api/runs/preview", json={"keys": {"defaults": 3}})
    assert (answer.status_code, answer.json()["error"]) == (400, "defaults: must be a table")


def test_a_number_without_end_is_nothing_that_is_there(owner: TestClient) -> None:  # noqa: F811
    assert owner.get(f"/api/tournaments/x/games/{DIGITS}").status_code in (400, 404)


@pytest.mark.parametrize("password", [None, Password("long enough")])
def test_who_logs_in_by_a_password_sees_no_controls_of_runs(tmp_path: Path, password: Password | None) -> None:
    sessions = GameSessions([])
    served = create_app(sessions, [HOST], "token", installed_pages(PageServer(sessions, [tmp_path])), password)
    answer = TestClient(served, cookies={f"quietmove-{HOST}": "token"}).get("/api/tournaments")
    assert answer.json()["author"] is (password is None)
