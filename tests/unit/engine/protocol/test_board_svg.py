"""Boards as pictures: what is on them, and what notebooks ask objects for."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest

import quietmove
from quietmove.engine.protocol.pictures import BOARD, CELL, DARK, EDGE, LAST, LEGAL, LIGHT
from quietmove.referee.game.transcript import Transcript, read_transcript
from tests.fakes.addons import needs_games

HEXAPAWN = Path(__file__).parents[3] / "example_games" / "hexapawn" / "hexapawn.py"
NAMESPACE = "{http://www.w3.org/2000/svg}"


def circles(picture: str | None) -> dict[str, list[str]]:
    """Return the squares of the circles of each color; ``ring`` is what has no filling."""
    assert picture is not None
    found: dict[str, list[str]] = {}
    for each in ET.fromstring(picture).iter(f"{NAMESPACE}circle"):
        column, row = ((float(each.attrib[axis]) - EDGE) / CELL - 0.5 for axis in ("cx", "cy"))
        assert column == int(column)
        assert row == int(row)
        color = "ring" if each.attrib["fill"] == "none" else each.attrib["fill"]
        found.setdefault(color, []).append(f"{chr(ord('a') + int(column))}{int(row) + 1}")
    return found


def texts(picture: str | None) -> list[str]:
    assert picture is not None
    return [each.text or "" for each in ET.fromstring(picture).iter(f"{NAMESPACE}text")]


def test_a_board_shows_discs_legal_moves_and_the_last_move() -> None:
    position = quietmove.Position(moves="f5 d6")
    before = (position.fen, position.moves)
    found = circles(position.svg())
    assert found[DARK] == ["e4", "e5", "f5"]
    assert found[LIGHT] == ["d4", "d5", "d6"]
    assert found[LAST] == ["d6"]
    assert found["ring"] == ["d5"]
    assert sorted(found[LEGAL]) == sorted(position.legal_moves)
    assert (position.fen, position.moves) == before
    assert "ring" not in circles(quietmove.Position().svg())
    assert "ring" not in circles(quietmove.Position(fen=position.fen).svg())


def test_a_board_names_each_row_and_column_once_and_says_who_is_to_move() -> None:
    picture = quietmove.Position("othello 6x6", moves="e4").svg()
    assert picture is not None
    labels = [(float(each.attrib["x"]), each.text) for each in ET.fromstring(picture).iter(f"{NAMESPACE}text")]
    assert [text for x, text in labels if x < EDGE] == list("123456")
    found = Counter(texts(picture))
    assert found == {**dict.fromkeys("abcdef123456", 1), "O (White) to move; X 4, O 1 discs": 1}


def test_a_move_of_a_column_is_where_the_disc_falls() -> None:
    found = circles(quietmove.Position("connect 7x6x4", moves="d d c").svg())
    assert sorted(found[LEGAL]) == ["a6", "b6", "c5", "d4", "e6", "f6", "g6"]
    assert found[LAST] == ["c6"]


@needs_games
def test_pieces_that_are_not_alike_have_their_letters() -> None:
    position = quietmove.Position("einstein", moves="1 1s 2")
    found = circles(position.svg())
    assert (len(found[DARK]), len(found[LIGHT])) == (5, 6)  # the first player captured one of its own pieces
    assert (found["ring"], found[LAST]) == (["a2", "e3", "d4"], ["a1"])  # White may capture on e3 and d4
    assert found[LEGAL] == ["d3"]
    assert set("13456abcdef") <= set(texts(position.svg()))
    assert Counter(texts(position.svg()))["1"] == 2  # a row name and a piece


@pytest.mark.parametrize("name", quietmove.games())
def test_every_game_is_shown_in_a_notebook(name: str) -> None:
    position = quietmove.Position(name)
    picture, page = position.svg(), position._repr_html_()
    assert position._repr_svg_() == picture
    if picture is None:
        assert page.startswith("<pre>")
        assert page.endswith("</pre>")
    else:
        assert page == picture
        assert (BOARD in picture) == (name not in ("nim", "subtraction", "tree", "whist"))
    ET.fromstring(page)


def test_a_game_is_shown_with_its_players_its_result_and_its_moves() -> None:
    game = read_transcript("f5d6c3", black="<ann>", white="bob")
    page = game._repr_html_()
    assert page.startswith("<p>&lt;ann&gt; (Black) - bob (White): *</p><input ")
    assert page.endswith("<summary>3 moves</summary>f5 d6 c3</details>")
    shown = ET.fromstring(f"<div>{page}</div>")
    slider, boards = shown.find("input"), shown.find("div")
    assert slider is not None
    assert boards is not None
    assert (slider.get("max"), slider.get("value")) == ("3", "3")
    assert [board.get("hidden") for board in boards] == ["", "", "", None]
    assert [ET.tostring(board[0], encoding="unicode").count("circle") for board in boards] == [
        game.svg(plies).count("<circle") for plies in range(4)
    ]
    assert circles(game.svg())[LAST] == ["c3"]
    assert circles(game.svg(1))[LAST] == ["f5"]
    assert LAST not in circles(game.svg(0))


@needs_games
def test_a_tree_and_the_piles_of_nim_are_pictures() -> None:
    tree = quietmove.Position("tree", moves="2").svg()
    assert sorted(each for each in texts(tree) if each.isdigit()) == sorted("356120978123")
    assert texts(tree)[-1] == "min (Min) to move; depth 1"
    piles = quietmove.Position("nim 3,4,5", moves="1-2").svg()
    assert piles.count("stroke-dasharray") == 2  # the stones just taken
    assert Transcript("whist").svg() is not None
