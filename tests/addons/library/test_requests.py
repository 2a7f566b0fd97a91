"""What the explorer answers to requests that no page sends."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.addons.library.test_database import wthor
from tests.addons.web.test_requests import app, owner  # noqa: F401 (fixtures)

pytestmark = pytest.mark.filterwarnings("ignore:Implicitly cleaning up:ResourceWarning")  # issued when the server exits


@pytest.mark.parametrize("name", ["%00.wtb", "%C3%A9" * 150 + ".wtb", "..%2F%0A.wtb"])
def test_the_name_of_a_file_of_games_is_no_path(owner: TestClient, name: str) -> None:  # noqa: F811
    answer = owner.post(f"/api/explorer/games?name={name}", content=b"x")
    assert (answer.status_code, "must be 16 bytes" in owner.get("/api/explorer").text) == (200, True)


def test_a_file_of_another_kind_is_refused(owner: TestClient) -> None:  # noqa: F811
    answer = owner.post("/api/explorer/games?name=x.pdf", content=b"x")
    error = "name: must end in .wtb, .ggf, .sgf, .pgn, .txt, .jsonl, .jou, .trn, not 'x.pdf'"
    assert (answer.status_code, answer.json()) == (400, {"error": error})


def test_lists_of_names_name_the_games_uploaded_before_them(owner: TestClient, tmp_path: Path) -> None:  # noqa: F811
    path = wthor(tmp_path, ".jou", ".trn")
    for ending, black, event in ((".wtb", "", ""), (".trn", "", "Cup"), (".jou", "Ann", "Cup")):
        file = path.with_suffix(ending)
        assert owner.post(f"/api/explorer/games?name={file.name}", content=file.read_bytes()).status_code == 200
        answer = owner.get("/api/explorer").json()
        assert [(game["black"], game["event"]) for game in answer["played"]] == [(black, event)] * 2
