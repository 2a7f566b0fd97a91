"""Files of games that a page hands in."""

from __future__ import annotations

import pytest

from quietmove.engine.errors import GameFileError
from quietmove.referee.web.imports import MOST_GAMES, imported

START = "---------------------------OX------XO--------------------------- X"


def games_in(name: str, text: str) -> tuple[list[str], bool]:
    """Return the beginnings and moves of the games that the page gets, and whether there are more."""
    found = imported(name, text.encode())
    return [f"{game['start']} {game['moves']}".strip() for game in found["games"]], found["more"]


def test_positions_may_have_comments_and_values() -> None:
    text = f"\ufeff# a set of problems\n\n{START}; F5:+4; D6:-2; % the usual beginning\n{START} # again\n"
    assert games_in("problems.obf", text) == ([START, START], False)


def test_of_many_games_the_first_are_taken_and_it_is_said() -> None:
    games, more = games_in("many.txt", "f5d6\n" * MOST_GAMES)
    assert (len(games), games[-1], more) == (MOST_GAMES, f"{START} f5 d6", False)
    games, more = games_in("many.txt", "f5d6\n" * (MOST_GAMES + 1))
    assert (len(games), more) == (MOST_GAMES, True)


def test_a_line_of_moves_may_have_numbers_and_a_result() -> None:
    text = "f5d6c3\n1. f5 d6 2. c3 33-31\n1.f5 2.d6 3.c3 *\n"
    assert games_in("games.txt", text) == ([f"{START} f5 d6 c3"] * 3, False)
    with pytest.raises(GameFileError, match="line 2: must have a move"):
        games_in("games.txt", "f5\n33-31\n")
