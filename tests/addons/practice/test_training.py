"""An opening that is trained on the page: the server's replies, and what it says of a person's moves."""

from __future__ import annotations

import json

import pytest

from quietmove.addons.practice.openings import NODES, good_or_popular
from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.book import SHIPPED, book_of
from quietmove.engine.games.othello.opening_names import opening_moves
from quietmove.engine.games.registry import get_game
from quietmove.referee.game.saved import read_game
from tests.addons.conftest import Server
from tests.addons.web.test_serving import WAIT, ask, heard, open_session, watching

OTHELLO = get_game("othello")
BOOK = book_of(SHIPPED)
GIVEN, LAST = 5, 20  # moves of the Tiger opening, and moves of a game at the end of the opening


@pytest.fixture(autouse=True)
def _searches_as_on_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quietmove.addons.practice.openings.NODES", NODES)


def after(moves: list[str]) -> Position:
    position = OTHELLO.initial()
    for move in moves:
        position.play(OTHELLO.parse_move(position, move))
    return position


def test_a_person_trains_an_opening_against_the_book(server: Server) -> None:
    name = open_session(server, trains="tiger", white={"engine": "quick", "level": 0})
    said: dict[int, str] = {}
    with watching(server, f"/sessions/{name}") as socket:
        snapshot = heard(socket, "snapshot")
        moves = [each["move"] for each in snapshot["steps"][1:]]
        turn = snapshot["turn"] and snapshot["turn"]["color"]
        while len(moves) < LAST or len(said) < (LAST - GIVEN) // 2:
            if turn == "black" and len(moves) < LAST:
                best = good_or_popular(BOOK, after(moves))[0].move
                socket.send(json.dumps({"ply": len(moves), "move": OTHELLO.format_move(best)}))
                turn = None
            message = json.loads(socket.recv(timeout=WAIT))
            if message["type"] == "step":
                moves.append(message["step"]["move"])
            elif message["type"] == "turn":
                turn = message["turn"]["color"]
            elif message["type"] == "said":
                said[message["ply"]] = message["text"]
    assert moves[:GIVEN] == ["f5", "d6", "c3", "d3", "c4"]
    for ply in range(GIVEN, LAST, 2):
        allowed = {OTHELLO.format_move(each.move) for each in good_or_popular(BOOK, after(moves[:ply]))}
        assert moves[ply] in allowed
    assert sorted(said) == list(range(GIVEN + 2, LAST + 1, 2))
    assert [text for text in said.values() if "in the book, and good" not in text] == []
    with watching(server, f"/sessions/{name}") as socket:  # a page that connects late
        steps = heard(socket, "snapshot")["steps"]
        assert {ply: each["said"] for ply, each in enumerate(steps) if "said" in each} == said
    found = [read_game(path) for path in server.kept.glob("*.jsonl")]
    saved = next(each for each in found if each.event == "Opening: Tiger")
    assert saved.given == GIVEN
    ask(server, "DELETE", f"/api/sessions/{name}")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trains": "tigr"}, "opening: expected a name such as Tiger"),
        ({"trains": "f5f5"}, "f5"),
        ({"trains": "tiger", "game": "nim"}, "trains cannot be combined with nim"),
        ({"trains": "tiger", "position": f"XO{'-' * 62} X"}, "trains cannot be combined with a position"),
    ],
)
def test_what_cannot_be_trained_is_one_error(server: Server, changes: dict[str, str], message: str) -> None:
    body = {"game": "othello", "black": {"person": True}, "white": {"engine": "quick"}, **changes}
    status, _, answer = ask(server, "POST", "/api/sessions", body)
    assert status == 400
    assert message in answer["error"]


def test_the_page_is_told_the_names(server: Server) -> None:
    assert ask(server, "GET", "/api/server")[2]["openings"] == list(opening_moves())
