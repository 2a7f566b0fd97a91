"""The page for play reads moves and positions in every spelling."""

from __future__ import annotations

from pathlib import Path

import pytest

from quietmove.addons.web.imports import imported, replayed
from quietmove.addons.web.requests import GameRequest, PlayerRequest, ReplayRequest
from quietmove.addons.web.sessions import opening_of
from quietmove.referee.config.model import split_opening
from quietmove.referee.errors import SetupError
from tests.contract.test_spellings import OTHELLO, PLACED, Door, check_moves, check_positions, position_after


def request(**values: str) -> GameRequest:
    return GameRequest(black=PlayerRequest(), white=PlayerRequest(), **values)


def by_file(text: str, _: Path) -> str:
    found = imported("positions.obf", f"{PLACED}\n{text}\n".encode())
    if found["problems"]:
        raise SetupError(found["problems"])
    return str(found["games"][1]["record"]["start"])


def by_page(text: str, _: Path) -> str:
    found = replayed(ReplayRequest(start=text))
    if found["asks"]:
        raise SetupError("side to move: must be X or O, not ''")  # the page asks for it
    return str(found["steps"][0]["position"])


MOVES: dict[str, Door] = {
    "a game": lambda text, _: str(replayed(ReplayRequest(moves=text))["steps"][-1]["position"]),
    "a new game": lambda text, _: position_after(opening_of(OTHELLO, request(opening=text))),
}
POSITIONS: dict[str, Door] = {
    "a file": by_file,
    "a game": by_page,
    "a new game": lambda text, _: split_opening(opening_of(OTHELLO, request(position=text)))[0],
}


@pytest.mark.parametrize("door", MOVES)
def test_moves_are_read_in_every_spelling(door: str, tmp_path: Path) -> None:
    check_moves(MOVES[door], tmp_path)


@pytest.mark.parametrize("door", POSITIONS)
def test_a_position_is_read_in_every_spelling(door: str, tmp_path: Path) -> None:
    check_positions(POSITIONS[door], tmp_path)
