"""The list of the games that are kept."""

from __future__ import annotations

from pathlib import Path

from quietmove.referee.web.kept import KeptGames

GAME = '{"moves": [{"move": "d3", "by": "black"}]}\n'


def test_no_file_of_the_folder_keeps_the_others_from_the_list(tmp_path: Path) -> None:
    for name, text in (("good", GAME), ("odd\udcff", GAME), ("bad", "hello")):
        (tmp_path / f"{name}.jsonl").write_text(text)
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "deleted")
    games = KeptGames(tmp_path).listed()["games"]
    listed = {game["name"]: game.get("error") for game in games}
    assert listed == {
        "good": None,
        "odd\\udcff": "the name of this file is not UTF-8",
        "bad": "this file holds no game",
    }
    assert [game["players"] for game in games if "players" in game] == [["Black", "White"]]


def test_two_people_are_listed_as_the_sides_of_their_game(tmp_path: Path) -> None:
    for name, game in (("one", "tictactoe"), ("two", f"{tmp_path}/mine.py:Mine"), ("three", "chess")):
        (tmp_path / f"{name}.jsonl").write_text(f'{{"spec": {{"game": "{game}"}}, "moves": []}}\n')
    players = {game["name"]: game["players"] for game in KeptGames(tmp_path).listed()["games"]}
    assert players == {"one": ["X", "O"], "two": ["Black", "White"], "three": ["Black", "White"]}
