"""Who may ask what of the server of a class: its table of routes is walked as everybody."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import pytest
from starlette.applications import Starlette

from quietmove.addons.hall.app import create_app
from quietmove.addons.hall.hall import Hall
from quietmove.addons.hall.key_access import KeyAccess
from quietmove.addons.hall.people import Newcomer, People
from quietmove.addons.hall.settings import read_settings
from quietmove.addons.web.database import open_hall
from quietmove.addons.web.routes import Role, Row
from tests.addons.hall.classes import make_class
from tests.addons.roles import Visitor, promised_roles, refused_websocket, roles_of, walk

HOST = "testserver"
GUIDE = Path(__file__).parents[3] / "addons" / "hall" / "README.md"


@pytest.fixture(params=["open", "keys"])
def served(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Starlette, list[Visitor]]:
    """A class whose board everybody sees, or people with a key alone; two of them are blocked."""
    folder = tmp_path / "course"
    keys = make_class(folder, ["Ada", "Bob"], f'board = "{request.param}"\n')
    with closing(open_hall(folder)) as database:
        people = People(database)
        keys |= people.add([Newcomer("Grace", "teacher"), Newcomer("Tim", "assistant")], shown_by_name=True)
        for name in ("Bob", "Grace"):
            people.block(name, "teacher", blocked=True, reason="")
    hall = Hall(folder, read_settings(folder), "")
    nobody = Role.SPECTATOR if request.param == "open" else Role.PUBLIC

    def with_key(name: str, role: Role, changing: Role | None = None) -> list[Visitor]:
        return [
            Visitor(name, {"Authorization": f"Bearer {keys[name]}"}, role, changing),
            Visitor(name, {"Cookie": f"quietmove-{HOST}={keys[name]}"}, role, changing),
        ]

    visitors = [
        Visitor("nobody", {}, nobody),
        Visitor("nobody", {"Cookie": f"quietmove-{HOST}=old"}, nobody),
        *with_key("Ada", Role.STUDENT),
        *with_key("teacher", Role.TEACHER),
        *with_key("Tim", Role.ASSISTANT),
        *with_key("Bob", Role.STUDENT, Role.SPECTATOR),
        *with_key("Grace", Role.STUDENT, Role.SPECTATOR),
    ]
    hall.tries.most = 10**9
    return create_app(hall), visitors


def status_of(visitor: Visitor, row: Row) -> int:
    """Return the status for a visitor without a key, for one who is not a teacher, and for a blocked one."""
    if visitor.name == "nobody":
        return refused_websocket(row) or 401
    if visitor.role is Role.ASSISTANT:
        return 403
    return 404 if row.role >= Role.ASSISTANT else 403


def test_each_row_lets_in_its_roles_and_nobody_else(served: tuple[Starlette, list[Visitor]]) -> None:
    app, visitors = served
    assert {Role.PUBLIC, Role.SPECTATOR, Role.STUDENT, Role.ASSISTANT, Role.TEACHER} == {
        row.role for row in app.state.rows
    }
    walk(app, HOST, visitors, status_of, KeyAccess.most_bytes)


def test_the_roles_of_a_class_are_those_of_the_list(served: tuple[Starlette, list[Visitor]]) -> None:
    assert roles_of(served[0]) == promised_roles("hall")


def test_the_guide_says_who_may_ask_each_request(served: tuple[Starlette, list[Visitor]]) -> None:
    """The words of the table for scripts are the promise; the table of routes must keep it."""
    roles = {"all": Role.SPECTATOR, "the teacher": Role.TEACHER, "the staff": Role.ASSISTANT}
    promised = {
        (method, re.sub(r"\?.*|\b(?:N|1|NAME)\b", lambda found: "" if found[0][0] == "?" else "x", path)): roles.get(
            who, Role.STUDENT
        )
        for requests, who in re.findall(
            r"^\| (`(?:GET|POST|PUT|DELETE) .*?) \| (.*?) \|", GUIDE.read_text(), re.MULTILINE
        )
        for method, path in re.findall(r"`(GET|POST|PUT|DELETE) (/api/[^\s`]+)", requests)
    }
    rows = {
        (row.method, re.sub(r"\{[^}]*\}", "x", row.path)): row.role
        for row in served[0].state.rows
        if row.path.startswith("/api/") and row.path not in ("/api/login", "/api/logout")
    }
    assert promised == rows
