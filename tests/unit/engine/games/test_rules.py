"""What people are told of each game, and the names by which they may look for one."""

from __future__ import annotations

from pathlib import Path

import pytest

import quietmove.engine.games
from quietmove.engine.errors import UnknownGameError
from quietmove.engine.games.registry import BUILT_IN, get_game
from quietmove.engine.games.rules import RULES, rules_of
from quietmove.engine.protocol.pictures import example_svg


def test_every_game_says_how_it_is_played_and_the_guide_has_the_same_words(documents: dict[str, str]) -> None:
    guide = " ".join(documents["engine/games/README.md"].split())
    assert (
        list(RULES)
        != []
        == [name for name in BUILT_IN if f"**`{name}`, {RULES[name].title}.** {RULES[name].text}" not in guide]
    )
    assert rules_of(get_game("othello 6x6")) is RULES["othello"]


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_game_has_its_picture_in_the_guide(name: str, documents: dict[str, str]) -> None:
    file = f"pictures/{name}.svg"
    assert f"]({file})" in documents["engine/games/README.md"]
    drawn = Path(quietmove.engine.games.__path__[0], file).read_text(encoding="utf-8")
    assert drawn == f"{example_svg(get_game(name))}\n", "scripts/make_pictures.py draws it anew"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("reversi", "othello"),
        ("Tic-Tac-Toe", "tictactoe"),
        ("conect4", "connect4"),
        ("Noughts and Crosses", "tictactoe"),
    ],
)
def test_a_name_that_is_nearly_one_is_answered_by_it(typed: str, meant: str) -> None:
    with pytest.raises(UnknownGameError, match=f"^game: must be one of capture, .* did you mean '{meant}'[?]$"):
        get_game(typed)


def test_connect_four_has_a_name_of_its_own() -> None:
    assert (get_game("connect4").name, get_game("connect4").grid) == ("connect4", get_game("connect 7x6x4").grid)
    with pytest.raises(UnknownGameError, match=r"Connect Four is connect4$"):
        get_game("connect four")
