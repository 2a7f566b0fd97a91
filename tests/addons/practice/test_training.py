"""An opening that is trained on the page: the server's replies, and what it says of a person's moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from quietmove.addons.practice.openings import good_or_popular
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.book import SHIPPED, book_of
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.model import EngineConfig, TimeControl
from quietmove.referee.game.saved import read_game
from tests.addons.web.test_sessions import answer, begin, opened
from tests.fakes.loops import in_a_loop

OTHELLO = get_game("othello")
BOOK = book_of(SHIPPED)
GIVEN, LAST = 5, 20  # moves of the Tiger opening, and moves of a game at the end of the opening
QUICK = EngineConfig("quick", ("quietmove",), limit=TimeControl(depth=1))
REQUEST = {"game": "othello", "black": {"person": True}, "white": {"engine": "quick"}}


def after(moves: list[str]) -> Position:
    position = OTHELLO.initial()
    for move in moves:
        position.play(OTHELLO.parse_move(position, move))
    return position


@in_a_loop
async def test_a_person_trains_an_opening_against_the_book(tmp_path: Path) -> None:
    said: dict[int, str] = {}
    async with opened(QUICK) as sessions:
        sessions.keep_in(tmp_path)
        session = begin(sessions, {**REQUEST, "trains": "tiger"})
        watcher = session.watch()
        moves = [step["move"] for step in session.steps[1:]]
        assert moves == ["f5", "d6", "c3", "d3", "c4"]
        while len(moves) < LAST or len(said) < (LAST - GIVEN) // 2:
            message = await watcher.get()
            assert message is not None
            if message["type"] == "step":
                moves.append(message["step"]["move"])
            elif message["type"] == "said":
                said[message["ply"]] = message["text"]
            elif message["type"] == "turn" and message["turn"]["color"] == "black" and len(moves) < LAST:
                best = good_or_popular(BOOK, after(moves))[0].move
                assert answer(session, len(moves), OTHELLO.format_move(best)) == ""
        for ply in range(GIVEN, LAST, 2):
            allowed = {OTHELLO.format_move(each.move) for each in good_or_popular(BOOK, after(moves[:ply]))}
            assert moves[ply] in allowed
        steps = session.snapshot()["steps"]  # as a page that connects late gets them
        assert {ply: each["said"] for ply, each in enumerate(steps) if "said" in each} == said
    assert sorted(said) == list(range(GIVEN + 2, LAST + 1, 2))
    assert [text for text in said.values() if "in the book, and good" not in text] == []
    [saved] = map(read_game, tmp_path.iterdir())
    assert (saved.event, saved.given) == ("Opening: Tiger", GIVEN)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trains": "tigr"}, "opening: expected a name such as Tiger"),
        ({"trains": "tiger", "game": "nim"}, "trains cannot be combined with nim"),
        ({"trains": "tiger", "position": f"XO{'-' * 62} X"}, "trains cannot be combined with a position"),
    ],
)
@in_a_loop
async def test_what_cannot_be_trained_is_one_error(changes: dict[str, str], message: str) -> None:
    async with opened(QUICK) as sessions:
        with pytest.raises(QuietmoveError, match=message):
            begin(sessions, {**REQUEST, **changes})
