"""The list of the games that are kept."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from quietmove.addons.web.kept import KeptGames, downloaded
from quietmove.addons.web.requests import ChangeRequest, DownloadRequest, ListRequest, RecordRequest
from quietmove.engine.tools.analysis.reviews import Review, ReviewedMove
from quietmove.referee.errors import SetupError
from quietmove.referee.game.saved import MAX_BYTES, SavedGame, SavedPlayer, Spec, TreeLine, read_game, write_game
from quietmove.referee.game.transcript import MoveRecord

GAME = '{"moves": [{"move": "d3", "by": "black"}]}\n'


def test_no_file_of_the_folder_keeps_the_others_from_the_list(tmp_path: Path) -> None:
    for name, text in (("good", GAME), ("odd\udcff", GAME), ("bad", "hello")):
        (tmp_path / f"{name}.jsonl").write_text(text)
    (tmp_path / "long.jsonl").write_bytes(b" " * MAX_BYTES + GAME.encode())
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "deleted")
    games = KeptGames(tmp_path).listed()["games"]
    listed = {game["name"]: game.get("error") for game in games}
    assert listed == {
        "good": None,
        "odd\\udcff": "the name of this file is not UTF-8",
        "bad": "this file contains no game",
        "long": "this file contains no game",
    }
    assert [game["players"] for game in games if "players" in game] == [["Black", "White"]]


def test_two_people_are_listed_as_the_sides_of_their_game(tmp_path: Path) -> None:
    for name, game in (("one", "tictactoe"), ("two", f"{tmp_path}/mine.py:Mine"), ("three", "chess")):
        (tmp_path / f"{name}.jsonl").write_text(f'{{"spec": {{"game": "{game}"}}, "moves": []}}\n')
    players = {game["name"]: game["players"] for game in KeptGames(tmp_path).listed()["games"]}
    assert players == {"one": ["X", "O"], "two": ["Black", "White"], "three": ["Black", "White"]}


def test_a_reviewed_game_is_listed_with_its_marks_by_grade(tmp_path: Path) -> None:
    """Of Black's moves, one lost 20 discs and one half a disc; White had one choice, and lost 3 discs."""
    moves = tuple(MoveRecord(move, "opening") for move in ("f5", "d6", "c3"))
    found = [(0, -2000, 0), (1, -300, 0), (0, 0, 50)]
    review = Review(tuple(ReviewedMove(side, value=value, best_value=best, line="f5") for side, value, best in found))
    write_game(SavedGame(moves=moves, review=review), tmp_path / "one.jsonl", replaces=False)
    [game] = KeptGames(tmp_path).listed()["games"]
    assert game["marks"] == [[0, 0, 1], [1, 0, 0]]
    write_game(SavedGame(moves=moves), tmp_path / "one.jsonl", replaces=True)
    assert KeptGames(tmp_path).listed()["games"][0]["marks"] is None


def test_games_are_searched_filtered_and_sorted(tmp_path: Path) -> None:
    for name, game, moves, date, title in (
        ("one", "othello 6x6", "f5", "2024-01-01", "Zoë's first"),
        ("two", "othello", "f5 d6 c3", "2023-01-01", ""),
        ("three", "nim 1,2", "1-1 2-1", "2025-01-01", "a lesson"),
    ):
        records = tuple(MoveRecord(move, "black") for move in moves.split())
        saved = SavedGame(spec=Spec(game=game, black=SavedPlayer(name="you")), moves=records, date=date, event=title)
        write_game(saved, tmp_path / f"{name}.jsonl", replaces=False)
    (tmp_path / "odd.jsonl").write_text("hello")

    def names(**asked: str) -> list[str]:
        found = KeptGames(tmp_path).listed(asked=ListRequest.model_validate(asked))
        assert found["kinds"] == ["nim", "othello"]
        assert found["count"] == len(found["games"])
        return [game["name"] for game in found["games"]]

    assert names() == ["three", "one", "two", "odd"]
    assert names(sort="oldest") == ["two", "one", "three", "odd"]
    assert names(sort="longest") == ["two", "three", "one", "odd"]
    assert names(sort="title") == ["three", "two", "one", "odd"]
    assert names(game="othello") == ["one", "two"]
    assert names(search="YOU zoë") == ["one"]
    assert names(search="2023") == ["two"]
    assert names(search="odd") == ["odd"]
    assert names(search="othello", game="nim") == []
    tiger = "f5 d6 c3 d3 c4 f4"  # one move more than the named opening
    finished = {"margin_black": -4.0, "reason": "finished", "people": ("white",)}
    for name, moves in (("four", tiger), ("five", f"{tiger} f6 zz")):
        records = tuple(MoveRecord(move, "black") for move in moves.split())
        saved = SavedGame(spec=Spec(black=SavedPlayer(name="Ann")), moves=records, date="2026-11-02", **finished)
        write_game(saved, tmp_path / f"{name}.jsonl", replaces=False)
    assert sorted(names(search="tiger")) == ["five", "four"]
    assert sorted(names(search="tiger ANN 2026-11 won")) == ["five", "four"]
    assert names(search="tiger lost") == names(search="tiger 2023") == []
    (tmp_path / "five.jsonl").unlink()
    assert names(search="tiger") == ["four"]
    write_game(saved.model_copy(update={"event": "named"}), tmp_path / "four.jsonl", replaces=True)
    assert names(search="tiger named") == ["four"]  # changes are visible immediately
    with pytest.raises(SetupError, match=r"^sort: must be 'newest', 'oldest', 'longest' or 'title', not 'best'"):
        ListRequest.read('{"sort": "best"}')


def test_changes_at_once_are_all_made(tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text(GAME)
    kept, lines = KeptGames(tmp_path), (TreeLine(moves="d3"), TreeLine(moves="d3 c3", comment="a line"))

    def change(number: int) -> None:
        kept.change("one", ChangeRequest(title="named") if number % 2 else ChangeRequest(lines=lines))
        if number % 20 == 0:  # both files are deleted again
            kept.change("one", ChangeRequest(title=""))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(change, range(200)))
    kept.change("one", ChangeRequest(title="named"))
    saved = read_game(tmp_path / "one.jsonl")
    assert (saved.event, saved.lines) == ("named", lines)
    assert [path.name for path in tmp_path.iterdir()] == ["one.jsonl"]


def test_two_servers_keep_a_game_from_elsewhere_once(tmp_path: Path) -> None:
    """Each request has a list of its own, as in two servers; half of them send a game that is already there."""
    servers = [KeptGames(tmp_path), KeptGames(tmp_path)]

    def add(number: int) -> None:
        record = SavedGame(moves=(MoveRecord("d3", "black"),), event=str(number // 4), date=str(number // 4))
        servers[number % 2].add(RecordRequest(record=record))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(60)))
    assert sorted(int(read_game(path).event) for path in tmp_path.iterdir()) == list(range(15))


def test_a_game_without_names_is_saved_as_ggf() -> None:
    record = {
        "spec": {"game": "othello", "black": {"name": ""}, "white": {"name": ""}},
        "moves": [{"move": "d3", "by": "black"}],
    }
    request = DownloadRequest.model_validate_json(json.dumps({"kind": "ggf", "record": record}))
    assert "]B[D3];)" in downloaded(request)["text"]


def test_a_game_from_elsewhere_is_kept_once_and_its_moves_have_players(tmp_path: Path) -> None:
    """What was pasted says nobody's moves; kept with a side, its mistakes can be practised."""
    moves = [MoveRecord(move, "opening") for move in ("f5", "d6", "c3", "d3", "c4")]
    players = {"black": SavedPlayer(name="Ann"), "white": SavedPlayer(name="Bob")}
    saved = SavedGame(spec=Spec(**players), moves=tuple(moves), people=("white",), date="1985", event="Cup")
    games = KeptGames(tmp_path)
    name = games.add(RecordRequest(record=saved))["name"]
    assert games.add(RecordRequest(record=saved))["name"] == name
    kept = read_game(tmp_path / f"{name}.jsonl")
    assert {move.by for move in kept.moves[::2]} == {"black"}
    assert kept.moves[1].by == "white"
    assert (kept.players, kept.event, kept.date, kept.people) == (["Ann", "Bob"], "Cup", "1985", ("white",))
    other = saved.model_copy(update={"date": "1986"})
    assert games.add(RecordRequest(record=other))["name"] != name
    over = SavedGame(moves=tuple(moves[:0]), start="X" + "-" * 63 + " X")
    kept = read_game(tmp_path / f"{games.add(RecordRequest(record=over))['name']}.jsonl")
    assert (kept.margin_black, kept.reason) == (64, "finished")
    with pytest.raises(SetupError, match="saves none"):
        KeptGames(None).add(RecordRequest(record=saved))


@pytest.mark.parametrize(("kind", "head"), [("sgf", "(;FF[4]GM[2]"), ("pgn", '[Event "?"]'), ("svg", "<svg")])
def test_a_game_is_downloaded(kind: str, head: str) -> None:
    saved = SavedGame(moves=(MoveRecord("f5", "black"),))
    request = DownloadRequest.model_validate({"kind": kind, "record": saved.model_dump()}, strict=False)
    assert downloaded(request)["text"].startswith(head)
