"""What people are told of each game, and the names by which they may look for one."""

from __future__ import annotations

from pathlib import Path

import pytest

from quietmove.engine.errors import UnknownGameError
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.pictures import example_svg

ROOT = Path(__file__).parents[4]
PICTURES = sorted((*ROOT.glob("engine/games/pictures/*.svg"), *ROOT.glob("addons/games/pictures/*.svg")))


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.stem)
def test_the_guide_has_the_rules_and_the_picture_of_the_game(picture: Path, documents: dict[str, str]) -> None:
    guide = " ".join(documents[(picture.parents[1] / "README.md").relative_to(ROOT).as_posix()].split())
    game = get_game(picture.stem)
    assert f"**`{picture.stem}`, {game.rules.title}.** {game.rules.text} ![" in guide
    assert f"](pictures/{picture.name})" in guide
    drawn = picture.read_text(encoding="utf-8")
    assert drawn == f"{example_svg(game)}\n", "scripts/make_pictures.py draws it anew"


def test_a_game_of_another_size_has_the_same_rules() -> None:
    assert get_game("othello 6x6").rules is get_game("othello").rules


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
    with pytest.raises(UnknownGameError, match=f"^game: must be one of .* did you mean '{meant}'[?]$"):
        get_game(typed)


def test_connect_four_has_a_name_of_its_own() -> None:
    assert (get_game("connect4").name, get_game("connect4").grid) == ("connect4", get_game("connect 7x6x4").grid)
    with pytest.raises(UnknownGameError, match=r"Connect Four is connect4$"):
        get_game("connect four")
