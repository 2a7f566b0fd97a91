"""The database of games: what it counts is what the games say, and nothing is lost by damage or by a kill."""

from __future__ import annotations

import gzip
import json
import os
import random
import sqlite3
import subprocess
import sys
import time
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from quietmove.addons.library.database.add import BLOCK, FileRead, default_database
from quietmove.addons.library.database.contents import years_of
from quietmove.addons.library.database.questions import Filter, MoveCount, ask, played
from quietmove.addons.library.database.store import Copies, GameDatabase
from quietmove.addons.web.imports import imported
from quietmove.commands import run_command
from quietmove.engine.errors import DatabaseError, PositionError
from quietmove.engine.files import written_whole
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.game_files import PlayedGame, replay
from quietmove.engine.games.othello.game_files.game import INITIAL, Losses, complete
from quietmove.engine.games.othello.game_files.wthor import NAME_FILES
from quietmove.engine.games.othello.game_files.wthor import write as write_wthor
from quietmove.engine.games.othello.notation import format_square
from quietmove.engine.games.othello.symmetry import Board, board_of, images
from quietmove.engine.games.registry import get_game
from tests.fakes.games import play_at_random
from tests.fakes.processes import WAIT, wait_until
from tests.fakes.schemas import check_refusals

OTHELLO = get_game("othello")
DATA = Path(os.environ.get("QUIETMOVE_DATA") or Path(__file__).parents[4] / "shared" / "data")
SAME_START = (0, 3, 4, 7)  # the symmetries that preserve the four initial discs


def position_after(moves: str = "") -> OthelloPosition:
    position = OTHELLO.initial()
    for at in range(0, len(moves), 2):
        position.play(OTHELLO.parse_move(position, moves[at : at + 2]))
    assert isinstance(position, OthelloPosition)
    return position


def random_games(count: int, plies: int = 99, seed: int = 1) -> list[PlayedGame]:
    """Return games whose first moves are few, so that many positions are shared, some by transposition."""
    chance = random.Random(seed)
    openings = [play_at_random(OTHELLO.initial(), random.Random(each), 8) for each in range(6)]
    found = []
    for number in range(count):
        start = list(chance.choice(openings))[: chance.randrange(9)]
        position = OTHELLO.initial()
        for move in start:
            position.play(move)
        moves = (*start, *play_at_random(position, chance, plies))
        found.append(complete(PlayedGame(f"game {number}", INITIAL, tuple(moves))))
    return found


def turned(moves: str, number: int) -> str:
    """Return one of the eight images of a line of moves."""
    squares = [8 * (int(moves[at + 1]) - 1) + "abcdefgh".index(moves[at]) for at in range(0, len(moves), 2)]
    return "".join(format_square(images(1 << square)[number].bit_length() - 1) for square in squares)


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def filled(*games: PlayedGame) -> GameDatabase:
    database = GameDatabase(None)
    database.add(games, Copies())
    return database


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    capsys.readouterr()
    assert run_command(["database", "show", *arguments, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert isinstance(document, dict)
    return document


def test_every_position_is_counted_as_the_games_say() -> None:
    games = random_games(60)
    database = filled(*games[:25])
    database.add(games[25:45], Copies())
    database.add(games[45:], Copies())
    reached: dict[Board, Counter[tuple[Board, int]]] = defaultdict(Counter)
    asked: dict[Board, OthelloPosition] = {}
    for game in games:
        for position, move in replay(game):
            if (position.black | position.white).bit_count() <= 44 and move != PASS:
                board = board_of(position)
                asked[board] = position.copy()
                side = position.side_to_move
                end = 0 if game.margin is None else (game.margin > 0) - (game.margin < 0)
                position.play(move)
                reached[board][board_of(position), -end if side else end] += 1
                position.undo()
    assert len(asked) > 1000
    assert sum(1 for counts in reached.values() if sum(counts.values()) > 1) > 10
    for board, counts in reached.items():
        answer = ask(database, asked[board])
        assert answer.games == len(answer.numbers) == sum(counts.values())
        found: Counter[tuple[Board, int]] = Counter()
        for row in answer.moves:
            assert row.games == row.wins + row.draws + row.losses > 0
            after = asked[board].copy()
            after.play(row.move)
            found.update({(board_of(after), 1): row.wins, (board_of(after), 0): row.draws})
            found.update({(board_of(after), -1): row.losses})
        assert +found == counts


def test_the_eight_images_are_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = "f5d6c3d3c4f4f6"
    path = write(tmp_path / "images.txt", *(turned(line, number) for number in SAME_START))
    file = str(tmp_path / "x.sqlite")
    assert run_command(["database", "add", "--database", file, str(path)]) == 0
    unknown = {"games": 4, "wins": 0, "draws": 0, "losses": 0}  # unfinished games have no result
    assert shown(capsys, "--database", file) == {"games": 4, "moves": [{"move": "f5", **unknown}]}
    position = position_after("f5d6c3d3")
    for number in range(8):
        board = OthelloPosition(images(position.black)[number], images(position.white)[number], 0)
        moves = [{"move": turned("c4", number), **unknown}]
        fields = OTHELLO.format_position(board)
        assert shown(capsys, "--position", fields, "--database", file) == {"games": 4, "moves": moves}
    assert shown(capsys, turned("f5d6c3d3", 4), "--database", file)["games"] == 4
    assert shown(capsys, line, "--database", file) == {"games": 4, "moves": []}  # the position in which the games end


def test_a_game_is_added_once_and_a_line_that_stands_twice_is_two_games(tmp_path: Path) -> None:
    first = write(tmp_path / "first.txt", "f5d6c3", "f5f6", "f5d6c3")
    second = write(tmp_path / "second.txt", "f5d6c3", "f5d6c5", "f5f6")
    with GameDatabase(tmp_path / "x.sqlite", create=True) as database:
        for path, new, count in ((first, 3, 3), (first, 0, 3), (second, 1, 4), (first, 0, 4), (second, 0, 4)):
            found = FileRead(lambda: database, path)
            assert list(found) == [3]
            assert (found.new, database.count) == (new, count)
        assert ask(database, position_after("f5d6")).games == 3


@pytest.mark.soak
def test_many_games_that_end_in_one_position_are_added_in_linear_time(tmp_path: Path) -> None:
    """Comparing each game with all that end as it does would take minutes."""
    copies = write(tmp_path / "copies.txt", *["f5d6c3"] * (2 * BLOCK))
    start = "---------------------------O*------*O--------------------------- *"
    ggf = f"(;GM[Othello]PB[{{}}]PW[b]TY[8]BO[8 {start}]B[F5]W[D6];)"
    names = write(tmp_path / "names.ggf", *map(ggf.format, range(2 * BLOCK)))
    began = time.process_time()
    with GameDatabase(tmp_path / "x.sqlite", create=True) as database:
        for path, new in ((copies, 2 * BLOCK), (names, 2 * BLOCK), (copies, 0), (names, 0)):
            found = FileRead(lambda: database, path)
            assert list(found) == [BLOCK, 2 * BLOCK]
            assert found.new == new
    assert time.process_time() - began < 30


def test_a_game_that_another_run_adds_meanwhile_is_not_added_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quietmove.addons.library.database.add.BLOCK", 5)
    games, path = write(tmp_path / "g.txt", *["f5d6c3"] * 10), tmp_path / "x.sqlite"
    with GameDatabase(path, create=True) as database, GameDatabase(path, create=True) as other:
        ours, theirs = iter(FileRead(lambda: database, games)), iter(FileRead(lambda: other, games))
        for each in (ours, theirs, ours, theirs):
            next(each)
        assert database.count == 10


def test_games_are_chosen_by_player_colour_and_year() -> None:
    moves = tuple(play_at_random(OTHELLO.initial(), random.Random(5), 99))
    names = [("Ann", "Bob"), ("bob", "Cid"), ("Cid", "ANNA"), ("50%", "_x_")]
    games = [
        complete(PlayedGame("here", INITIAL, moves, players=pair, date=date, event="Club"))
        for pair, date in zip(names, ("1999", "2003.12.15_12:33:18.MST", "2010", ""), strict=True)
    ]
    database = filled(*games)
    position = position_after()
    for wanted, numbers in (
        (Filter(), [4, 3, 2, 1]),
        (Filter("ann"), [3, 1]),
        (Filter("ann", side=1), [3]),
        (Filter("BOB", years=(2000, 2020)), [2]),
        (Filter(years=(1999, 2003)), [2, 1]),
        (Filter("%"), [4]),
        (Filter("_"), [4]),
        (Filter("nobody"), []),
    ):
        answer = ask(database, position, wanted)
        assert list(answer.numbers) == numbers
        assert answer.games == len(numbers) == sum(row.games for row in answer.moves)
        some = ask(database, position, wanted, 2)
        assert (some.numbers, some.games, some.moves) == (numbers[:2], answer.games, answer.moves)
    (game,) = played(database, [2])
    assert game == {
        "black": "bob",
        "white": "Cid",
        "result": f"{(64 + int(games[0].margin or 0)) // 2}-{(64 - int(games[0].margin or 0)) // 2}",
        "event": "Club",
        "date": "2003.12.15_12:33:18.MST",
        "moves": "".join(map(format_square, (move for move in moves if move != PASS))),
        "start": "",
    }


def test_a_forced_pass_is_a_move() -> None:
    lines = (tuple(play_at_random(OTHELLO.initial(), random.Random(seed))) for seed in range(10_000))
    game = complete(PlayedGame("here", INITIAL, next(line for line in lines if PASS in line[:40])))
    database, position = filled(game), OTHELLO.initial()
    assert isinstance(position, OthelloPosition)
    for move in game.moves[: game.moves.index(PASS)]:
        position.play(move)
    ends = [int((game.margin or 0) > 0), int(game.margin == 0), int((game.margin or 0) < 0)]
    if position.side_to_move:
        ends.reverse()
    assert ask(database, position).moves == (MoveCount(PASS, 1, *ends),)
    position.play(PASS)
    (row,) = ask(database, position).moves
    assert (row.games, row.wins, row.draws, row.losses) == (1, *reversed(ends))
    assert row.move == game.moves[game.moves.index(PASS) + 1]


def test_positions_are_kept_up_to_forty_moves() -> None:
    (game,) = random_games(1)
    database, position = filled(game), OTHELLO.initial()
    assert isinstance(position, OthelloPosition)
    for move in game.moves:
        discs = (position.black | position.white).bit_count()
        if discs > 44:
            break
        assert ask(database, position).games == 1
        position.play(move)
    with pytest.raises(PositionError, match="reached within 40 moves, not 41"):
        ask(database, position)


def test_what_is_damaged_is_named_and_the_rest_is_added(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [
        write(tmp_path / "a.txt", "f5d6c3", "f5d6a1", "not a game", "f5f6"),
        write(tmp_path / "b.pdf", "f5d6"),
        tmp_path / "missing.txt",
        tmp_path / "cut.txt.gz",
        write(tmp_path / "c.ggf", "(;GM[Othello]TY[8]BO[8]B[d3];)", "(;GM[Othello]"),
        write(tmp_path / "d.txt", "f5d6c5", "f5d6c6"),
    ]
    files[3].write_bytes(gzip.compress(b"f5f4\n" * 999)[:-9])
    file = str(tmp_path / "x.sqlite")
    assert run_command(["database", "add", "--database", file, *map(str, files)]) == 2
    errors = capsys.readouterr().err.splitlines()
    for path, place in zip(
        files[:5], ("line 2: move 3, a1", "must end in", "No such file", "byte", "line 1"), strict=True
    ):
        assert sum(str(path) in error and place in error for error in errors) == 1, (path, errors)
    assert errors.count("left out: damaged (2 games)") == 2
    assert not any(str(files[5]) in error for error in errors)
    with GameDatabase(Path(file)) as database:
        assert ask(database, position_after("f5d6")).games >= 3


def test_a_file_without_games_makes_no_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.sqlite"
    for path in (tmp_path / "missing.wtb", write(tmp_path / "bad.txt", "f5f5")):
        assert run_command(["database", "add", "--database", str(file), str(path)]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert f"error: {path}: " in said.err
        assert said.err.count("error: ") == 1
        assert not file.exists()
    assert run_command(["database", "add", "--database", str(file), str(write(tmp_path / "a.txt", "f5d6"))]) == 0
    assert capsys.readouterr().out.endswith(f"{file}: 1 game\n")


def test_a_file_of_another_kind_is_left_as_it_is(tmp_path: Path) -> None:
    games = write(tmp_path / "a.txt", "f5d6c3")
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    with GameDatabase(tmp_path / "cut.sqlite", create=True) as database:
        database.add(random_games(40), Copies())
    cut = tmp_path / "cut.sqlite"
    cut.write_bytes(cut.read_bytes()[:9000])
    for path in (games, other, cut, tmp_path):
        before = path.read_bytes() if path.is_file() else b""
        for command in (["add", str(games)], ["show", "f5"]):
            assert run_command(["database", *command, "--database", str(path)]) == 2
        assert (path.read_bytes() if path.is_file() else b"") == before
    assert run_command(["database", "show", "--database", str(tmp_path / "none.sqlite")]) == 2
    assert not (tmp_path / "none.sqlite").exists()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["--years", "85"], "expected a year, or a range such as 1985-2010, not '85'"),
        (["--years", "2010-1985"], "the first year must not be after the second: '2010-1985'"),
        (["--color", "black"], "--player"),
        (["--games", "-1"], "--games"),
        (["f5f5"], "f5"),
    ],
)
def test_a_wrong_question_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: list[str], said: str
) -> None:
    assert run_command(["database", "show", "--database", str(tmp_path / "x.sqlite"), *wrong]) == 2
    assert said in capsys.readouterr().err


def test_a_packed_file_with_columns_is_read_into_the_default_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    packed_file = tmp_path / "g.txt.gz"
    packed_file.write_bytes(gzip.compress(b"# columns\n1977\t0\tx\tf5d6c3\n1999\t1\ty\tf5d6c5\n"))
    assert run_command(["database", "add", str(packed_file)]) == 0
    assert (tmp_path / "quietmove" / "database.sqlite").exists()
    assert shown(capsys, "f5d6", "--years", "1990-2000")["games"] == 1
    document = shown(capsys, "f5d6", "--games", "9")
    assert [game["date"] for game in document["played"]] == ["1999", "1977"]  # type: ignore[attr-defined]


def test_a_run_that_is_killed_goes_on(tmp_path: Path) -> None:
    chance, lines = random.Random(3), []
    for _ in range(BLOCK + 999):
        lines.append("".join(map(format_square, play_at_random(OTHELLO.initial(), chance, 5))))
    games, path, whole = write(tmp_path / "g.txt", *lines), tmp_path / "x.sqlite", tmp_path / "whole.sqlite"
    command = [sys.executable, "-m", "quietmove", "database", "add", "--database", str(path), str(games)]

    def count() -> int:
        try:
            with GameDatabase(path) as database:
                return database.count
        except DatabaseError:  # the database is still being created
            return 0

    with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as process:
        wait_until(lambda: count() >= BLOCK)
        process.kill()
    assert BLOCK <= count() <= len(lines)
    subprocess.run(command, check=True, timeout=WAIT * 4, stdout=subprocess.DEVNULL)
    with GameDatabase(whole, create=True) as again:
        list(FileRead(lambda: again, games))
        with GameDatabase(path) as database:
            assert database.count == again.count == len(lines)
            for line in ("", *lines[:3], *lines[-3:]):
                for at in range(0, len(line) + 1, 2):
                    position = position_after(line[:at])
                    assert ask(database, position) == ask(again, position)


def test_a_game_takes_at_most_300_bytes(tmp_path: Path) -> None:
    folder = DATA / "games" / "wthor"
    if not folder.is_dir():
        pytest.skip("no games: QUIETMOVE_DATA names no folder that has them, nor are they beside the checkout")
    file = tmp_path / "x.sqlite"
    assert run_command(["database", "add", "--database", str(file), str(folder / "WTH_2010.wtb")]) == 0
    with GameDatabase(file) as database:
        assert ask(database, position_after("f5"), Filter(years=(2010, 2010))).games == 2172
    assert file.stat().st_size <= 300 * 2172


def test_a_database_with_another_schema_is_refused(tmp_path: Path) -> None:
    check_refusals(tmp_path, "games.db", "game", lambda path: GameDatabase(path, create=True), GameDatabase)


def run(*words: object) -> int:
    return run_command(["database", *map(str, words)])


def wthor(folder: Path, *lists: str) -> Path:
    """Write two games of 1985 to a WTHOR file, with these lists of names beside it."""
    folder.mkdir(exist_ok=True)
    games = [
        complete(replace(game, players=("Ann", "Bob"), event="Cup", date="1985")) for game in random_games(2, seed=3)
    ]
    files = [folder / f"WTH_1985{ending}" for ending in (".wtb", *NAME_FILES)]
    with written_whole(files) as opened:
        write_wthor(opened, games, Losses())
    for each in files[1:]:
        if each.suffix not in lists:
            each.unlink()
    return files[0]


@pytest.mark.parametrize(
    "order",
    [((), NAME_FILES), (NAME_FILES, ()), ((), NAME_FILES, (), NAME_FILES), (NAME_FILES[:1], NAME_FILES[1:], ())],
)
def test_names_that_come_later_are_taken_and_no_game_is_counted_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], order: tuple[tuple[str, ...], ...]
) -> None:
    path = tmp_path / "games.sqlite"
    for number, lists in enumerate(order):
        assert run("add", wthor(tmp_path / str(number), *lists), "--database", path) == 0
        told = capsys.readouterr()
        assert f"2 games, {0 if number else 2} of them new" in told.out
        assert ("not known: players, because there is no .jou file (2 games)" in told.err) is (".jou" not in lists)
    with GameDatabase(path) as database:
        assert [(game["black"], game["event"]) for game in played(database, [1, 2])] == [("Ann", "Cup")] * 2
        assert [(each.year, each.games, each.nameless) for each in years_of(database)] == [(1985, 2, 0)]


def test_games_are_listed_by_year_and_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.sqlite"
    first, *others = random_games(4)
    facts = [("Ann", "Cup", "1985"), ("Bob", "Cup", "1986"), ("Ann", "Open", "1986"), ("", "", "")]
    games = [
        complete(replace(game, players=(name, ""), event=event, date=date))
        for game, (name, event, date) in zip([first, *others], facts, strict=True)
    ]
    with GameDatabase(path, create=True) as database:
        database.add(games, Copies())
    assert run("list", "--database", path) == 0
    assert capsys.readouterr().out.splitlines() == [
        "4 games",
        "no year         1; 1 without players",
        "   1985         1  Cup",
        "   1986         2  Cup, Open",
    ]
    assert run("list", "--json", "--database", path) == 0
    assert json.loads(capsys.readouterr().out)["years"][2] == {"year": 1986, "games": 2, "events": 2, "nameless": 0}
    assert run("remove", "--years", "1986", "--event", "cup", "--database", path) == 0
    assert capsys.readouterr().out == f"{path}: 1 game removed, 3 left\n"
    with GameDatabase(path) as database:
        assert [game["black"] for game in played(database, [1, 2, 3])] == ["Ann", "Ann", ""]
        answer = ask(database, position_after(), listed=None)
        assert (answer.games, sorted(answer.numbers)) == (3, [1, 2, 3])
    assert run("remove", "--player", "nobody", "--database", path) != 0
    assert "no game matches" in capsys.readouterr().err
    assert run("remove", "--database", path) != 0
    assert [each.name for each in tmp_path.iterdir()] == ["games.sqlite"]


def test_games_opened_without_names_get_those_of_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    named = [
        replace(game, players=("Ann", f"Bob {at}"), event="Club", date="1999")
        for at, game in enumerate(random_games(3))
    ]
    files = [tmp_path / f"games{ending}" for ending in (".wtb", *NAME_FILES)]
    with written_whole(files) as opened:
        write_wthor(opened, map(complete, named), Losses())
    data = files[0].read_bytes()
    titles = [game["title"].split(", ")[0] for game in imported("WTH_1999.wtb", data)["games"]]
    assert titles == [f"{number}. Black - White" for number in (1, 2, 3)]
    assert run_command(["database", "add", str(files[0])]) == 0
    found = imported("WTH_1999.wtb", data)
    assert [game["title"].split(", ")[0] for game in found["games"]] == [f"{at + 1}. Ann - Bob {at}" for at in range(3)]
    assert found["games"][0]["record"]["event"] == "Club"
    other = bytearray(data)
    other[10:12] = (2000).to_bytes(2, "little")  # the same moves in another year are another game
    assert imported("WTH_2000.wtb", bytes(other))["games"][0]["title"].startswith("1. Black - White")
    default_database().write_bytes(b"damaged")
    assert imported("WTH_1999.wtb", data)["games"][0]["title"].startswith("1. Black - White")
