"""Who may ask what of ``quietmove-referee serve``: its table of routes is walked as everybody."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from quietmove.addons.web.access import REFUSED_WEBSOCKET, Authority
from quietmove.addons.web.app import create_app
from quietmove.addons.web.pages import AddedPages, PageServer, installed_pages
from quietmove.addons.web.passwords import Password
from quietmove.addons.web.routes import Role, Row
from quietmove.addons.web.sessions import GameSessions
from quietmove.referee.config.model import EngineConfig
from tests.addons.roles import Visitor, promised_roles, refused_websocket, roles_of, walk
from tests.fakes.addons import is_deleted

HOST = "testserver"
COOKIE = f"quietmove-{HOST}"
GAME = {"game": "tictactoe", "black": {"person": True, "away": True}, "white": {"person": True}}


@dataclass
class Served:
    """A server, its visitors, and the game in which one of them has a seat."""

    app: Starlette
    client: TestClient
    session: str
    visitors: list[Visitor]


@pytest.fixture(params=["token", "password"])
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    """A server that has all pages; with a password, who has given it is no owner."""
    has_password = request.param == "password"
    sessions = GameSessions([EngineConfig("own", protocol="in-process")])
    added = installed_pages(PageServer(sessions, [tmp_path]))
    app = create_app(sessions, [HOST], "token", added, Password("long enough") if has_password else None)
    inside = {"Cookie": f"{COOKIE}=token"}
    with TestClient(app) as client:
        session = client.post("/api/sessions", json=GAME, headers={"Origin": f"http://{HOST}", **inside}).json()["id"]
        seat = {"Cookie": f"{COOKIE}-seat={sessions.sessions[session].seats['black']}"}
        visitors = [
            Visitor("nobody", {}, Role.PUBLIC),
            Visitor("wrong", {"Cookie": f"{COOKIE}=wrong; {COOKIE}-seat=wrong"}, Role.PUBLIC),
            Visitor("seat", seat, Role.SEAT),
            Visitor("inside", inside, Role.PLAYER if has_password else Role.OWNER),
        ]
        yield Served(app, client, session, visitors)


def status_of(visitor: Visitor, row: Row) -> int:
    return refused_websocket(row) or 403


def test_each_row_lets_in_its_roles_and_nobody_else(served: Served) -> None:
    roles = {Role.PUBLIC, Role.SEAT, Role.PLAYER}
    if not is_deleted("addons/runner"):  # no other rows require the owner's role
        roles.add(Role.OWNER)
    assert roles == {row.role for row in served.app.state.rows}
    walk(served.app, HOST, served.visitors, status_of, Authority.most_bytes)


def test_the_roles_are_those_of_the_lists(served: Served) -> None:
    """The walk takes each role from the row itself, so it does not notice a row with the wrong role."""
    promised = promised_roles("web", "lab", "library", "practice", "runner")
    has_password = served.visitors[-1].role is Role.PLAYER
    assert roles_of(served.app) == {each for each in promised if has_password or "/login" not in each}


@pytest.mark.parametrize("role", [Role.SEAT, Role.PUBLIC])
def test_the_walk_notices_a_role_that_is_not_asked_for(served: Served, role: Role) -> None:
    """The middleware has the true table; that of the walk says of one row that it needs more, or less."""
    rows = served.app.state.rows
    number = next(number for number, row in enumerate(rows) if row.role is Role.PLAYER)
    served.app.state.rows = [*rows[:number], replace(rows[number], role=role), *rows[number + 1 :]]
    with pytest.raises(AssertionError, match=rows[number].path):
        walk(served.app, HOST, served.visitors, status_of, Authority.most_bytes)


def test_a_seat_opens_the_websocket_of_its_own_game_alone(served: Served) -> None:
    headers = {"Origin": f"http://{HOST}", **served.visitors[2].headers}
    with served.client.websocket_connect(f"/sessions/{served.session}", headers=headers) as socket:
        assert socket.receive_json()["type"] == "snapshot"
    with pytest.raises(WebSocketDisconnect) as refused, served.client.websocket_connect("/sessions/x", headers=headers):
        pass
    assert refused.value.code == REFUSED_WEBSOCKET


@pytest.mark.parametrize("origin", ["http://evil.example", "null"])
def test_a_websocket_of_another_page_is_refused(served: Served, origin: str) -> None:
    headers = {**served.visitors[-1].headers, "Origin": origin}
    for path in (f"/sessions/{served.session}", "/analysis"):
        with pytest.raises(WebSocketDisconnect), served.client.websocket_connect(path, headers=headers):
            pass


def test_an_address_of_no_seat_is_refused_whatever_its_letters(served: Served) -> None:
    assert served.client.get("/seat/\N{BLACK CIRCLE}").status_code == 404
    headers = {"Cookie": f"{COOKIE}-seat=\N{LATIN SMALL LETTER E WITH ACUTE}".encode("latin-1")}
    assert served.client.get("/api/sessions", headers=headers).status_code == 403


@pytest.mark.parametrize("path", ["/nothing", "/api/nothing", "/static"])
def test_only_who_is_let_in_is_told_that_an_address_has_nothing(served: Served, path: str) -> None:
    statuses = [served.client.get(path, headers=each.headers).status_code for each in served.visitors]
    assert statuses == [403, 403, 403, 404]


def test_a_route_without_a_role_cannot_be_mounted(tmp_path: Path) -> None:
    (tmp_path / "added.html").touch()
    (tmp_path / "added.js").touch()
    for row in (Route("/api/added", lambda request: None), Row("GET", "/api/added", lambda request: {}, None)):  # type: ignore[arg-type]
        added = AddedPages("/added", "Added", "added", tmp_path, [row])  # type: ignore[list-item]
        with pytest.raises(TypeError, match="/api/added: must be a Row with a Role"):
            create_app(GameSessions([]), [HOST], "token", [added])
