"""Games by hand, in this process: turns, taking back, what is drawn, what is saved, and bad usage."""

from __future__ import annotations

import io
import json
import os
import random
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import quietmove
from quietmove.commands import run_command
from quietmove.engine.api import Position
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.errors import GameError, GameFileError, IllegalMoveError, NotationError
from quietmove.engine.games.base import NATURE
from quietmove.engine.games.othello.game_files import read_game_file
from quietmove.engine.games.registry import game_names, get_game
from quietmove.engine.levels import DEFAULT_LEVEL, FULL_STRENGTH
from quietmove.engine.protocol.notation import PROGRAMS, play_moves
from quietmove.engine.protocol.pictures import Marks, last_marks, marks_between
from quietmove.engine.protocol.wire import LineWriter
from quietmove.referee.api import Engine
from quietmove.referee.config.model import COLORS
from quietmove.referee.game.saved import (
    SavedGame,
    SavedPlayer,
    Spec,
    TreeLine,
    games_folder,
    new_path,
    read_game,
    saved_files,
    write_game,
)
from quietmove.referee.game.transcript import MoveRecord
from quietmove.referee.game.usual_level import usual_level
from quietmove.referee.play.commands import complete, obey
from quietmove.referee.play.console import can_color, draw_board
from quietmove.referee.play.game import GameInProgress
from quietmove.referee.play.opponents import Opponent
from quietmove.referee.play.play_session import BOTH, PlaySession, Start
from tests.fakes.addons import needs_games, present_games

Say = Callable[[str, list[str]], tuple[int, str]]
FIRST = frozenset((0,))
FAKE_ENGINE = Path(__file__).parents[2] / "fakes" / "fake_engine.py"
HEXAPAWN = Path(__file__).parents[2] / "example_games" / "hexapawn" / "hexapawn.py"
ANNOUNCED = re.compile(r"^\w+ (?:plays|must|rolls) ([^\s,]+)", re.MULTILINE)


class Script:
    """A console whose lines are written by a function that sees what has been said."""

    def __init__(self, answer: Callable[[str], str]) -> None:
        self.said: list[str] = []
        self._answer = answer

    def read(self, prompt: str) -> str:
        return self._answer(prompt)

    def write(self, *lines: str) -> None:
        self.said += lines


@pytest.fixture
def say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Say:
    """Return a function that runs ``quietmove play`` on some lines of input; it returns the status and the output."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    def play(lines: str, arguments: list[str]) -> tuple[int, str]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
        status = run_command(["play", *arguments])
        return status, "".join(capfd.readouterr())

    return play


def played(name: str, moves: str = "", seed: int = 0) -> GameInProgress:
    game = GameInProgress(get_game(name), seed)
    for move in play_moves(game.game, game.begin(), moves.split()):
        game.play(move)
    return game


def saved(moves: str = "f5 d6", seed: int = 1) -> SavedGame:
    return played("othello", moves, seed).saved(("you", "Quietmove"), FIRST, Opponent(3).strength)


@pytest.mark.parametrize("name", present_games("einstein", "whist", "tree", "othello 4x4", f"{HEXAPAWN}:Hexapawn"))
@pytest.mark.parametrize("humans", [FIRST, BOTH])
def test_a_whole_game(name: str, humans: frozenset[int]) -> None:
    game = get_game(name)

    def answer(prompt: str) -> str:
        if prompt == "game over> ":
            return "quit"
        assert prompt == f"{game.players[talk.game.side]}> "
        assert talk.game.side in humans
        return game.format_move(talk.game.position.legal_moves()[-1])

    script = Script(answer)
    talk = PlaySession(Start(game, humans, Opponent(0), 7), script, color=False)
    while not talk.over:
        talk.turn(lambda line: obey(talk, line))
    assert talk.game.is_over
    assert script.said[-1].startswith("the game is over: ")
    rolls = [line for line in script.said if line.startswith("nature rolls ")]
    assert bool(rolls) == (name == "einstein")
    hidden = [line for line in script.said if line.startswith(("  Black ", "  White ")) and "?" in line]
    assert bool(hidden) == (name == "whist")
    announced = ANNOUNCED.findall("\n".join(script.said))
    moves = iter(talk.game.texts())
    assert all(move in moves for move in announced), "each announced move was played, in this order"
    assert max(map(len, script.said)) <= 80
    if humans == FIRST:
        assert announced
        assert not [line for line in hidden if line.startswith("  Black ")]
    talk.close()


def test_two_squares_are_not_a_move() -> None:
    talk = PlaySession(Start(get_game("othello"), FIRST, Opponent(0), 7), Script(lambda _: ""), color=False)
    with pytest.raises(NotationError, match="'e2e4' is not a square of this board: expected one move, got 2"):
        talk.make(["e2e4"])
    talk.close()


def test_numbers_may_be_read_from_zero() -> None:
    script = Script(lambda _: "3 2")
    start = Start(get_game("othello"), FIRST, Opponent(0), 7, numbers=PROGRAMS["zero"])
    talk = PlaySession(start, script, color=False)
    talk.greet()
    assert script.said[-1].endswith("Numbers are 'column row' with 0-7 each, row from the top.")
    talk.turn(lambda line: obey(talk, line))
    assert talk.game.texts() == ["d3"]
    with pytest.raises(
        NotationError, match=r"'9 9' is not a move; .*, or 'column row' with 0-7 each, row from the top"
    ):
        talk.make(["9", "9"])
    board = [line for line in script.said if line.startswith(("   1", "     0"))]
    assert board[0].endswith(" 0")
    assert board[1].split() == list("01234567")
    talk.close()


@pytest.mark.parametrize("level", [DEFAULT_LEVEL, 15, 20])
def test_an_opponent_plays_another_game_with_another_seed(level: int) -> None:
    def line(seed: int) -> list[str]:
        with Engine(Opponent(level, "nodes=500").config(seed)) as engine:
            position = Position("othello")
            for _ in range(6):
                position = position.push(engine.best_move(position).move)
        return list(position.moves)

    assert line(3) == line(3)
    assert len({tuple(line(seed)) for seed in range(4)}) > 1


def test_a_forced_pass_is_made_and_undone_with_the_move_before_it() -> None:
    game = played("othello 4x4")
    while not game.must_pass or len(game.moves) < 3:
        game = played("othello 4x4", seed=game.seed + game.is_over) if game.is_over else game
        game.play(game.any_move())
    side, count = game.side, len(game.moves)
    game.play(game.position.legal_moves()[0])
    assert game.undo(frozenset((side,))) > 2
    assert game.side == side
    assert not game.must_pass
    assert len(game.moves) < count


def test_undo_and_redo_stop_at_ones_own_turns() -> None:
    game = played("othello", "f5 d6 c3 d3 c4")
    assert [game.undo(FIRST), game.undo(FIRST), game.undo(FIRST)] == [1, 2, 2]
    assert game.texts() == []
    with pytest.raises(IllegalMoveError, match="you have made no move yet"):
        game.undo(FIRST)
    assert [game.redo(FIRST), game.redo(FIRST), game.redo(FIRST)] == [2, 2, 1]
    assert game.texts() == ["f5", "d6", "c3", "d3", "c4"]
    with pytest.raises(IllegalMoveError, match="you have made no move yet"):
        played("othello", "f5").undo(frozenset((1,)))
    game.undo(FIRST)
    game.play(game.position.legal_moves()[0])
    with pytest.raises(IllegalMoveError, match="there is nothing to redo"):
        game.redo(FIRST)


@pytest.mark.parametrize("moves", [[], ["f5", "d6"]])
def test_a_resignation_alone_is_taken_back(moves: list[str]) -> None:
    lines = iter([*moves, "resign", "undo", "quit"])
    script = Script(lambda prompt: next(lines))
    played_by(script, talk := PlaySession(Start(get_game("othello"), BOTH, Opponent(), 0), script, color=False))
    assert "the resignation is undone" in script.said
    assert (talk.game.texts(), talk.game.is_over) == (moves, False)


@needs_games
def test_chance_follows_from_the_seed_and_the_ply() -> None:
    game = played("einstein", seed=3)
    first = game.roll()
    assert first == played("einstein", seed=3).roll()
    game.play(first)
    game.play(game.position.legal_moves()[0])
    second = game.roll()
    assert game.undo(FIRST) == 1
    game.play(game.position.legal_moves()[-1])
    assert (game.side, game.roll()) == (NATURE, second)
    assert len({played("einstein", seed=seed).roll() for seed in range(40)}) == 6
    deals = {get_game("whist").format_position(played("whist", seed=seed).position) for seed in range(5)}
    assert len(deals) == 5


def test_the_last_move_and_what_it_turned_are_marked() -> None:
    game = get_game("othello")
    position = game.initial()
    before = game.squares(position)
    play_moves(game, position, ["f5"])
    marks = marks_between(before, game.squares(position))
    assert marks == Marks(frozenset((37,)), frozenset((36,)))
    lines = draw_board(game, position, marks, color=False)
    assert lines[5] == "   5 - - - X x(X)- -  4"
    assert lines[4] == "   4 - - - O X . - -  5"
    assert lines[0].split() == list("abcdefgh")
    assert lines[9].split() == list("12345678")
    colored = draw_board(game, position, marks, color=True)
    assert "\x1b[41;30m●" in colored[5]
    assert "\x1b[100;30m●" in colored[5]
    assert sum(line.count("·") for line in colored) == 3


def test_a_legal_column_is_marked_where_the_disc_falls() -> None:
    game = played("connect", "a a a a b")
    lines = draw_board(game.game, game.position, Marks(), color=False)
    assert [line.split()[1:5] for line in lines[1:5]] == [
        ["O", "-", "-", "-"],
        ["X", "-", "-", "-"],
        ["O", ".", "-", "-"],
        ["X", "X", ".", "."],
    ]


@needs_games
def test_a_roll_alone_is_no_game_to_keep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    talk = PlaySession(Start(get_game("einstein"), FIRST, Opponent(0), 3), Script(lambda _: "moves"), color=False)
    talk.game.play(talk.game.roll())
    talk.save_begun()
    assert not list(tmp_path.rglob("*.jsonl"))
    talk.game.play(talk.game.position.legal_moves()[0])
    talk.save_begun()
    assert len(list(tmp_path.rglob("*.jsonl"))) == 1


def test_a_game_of_ones_own_has_marks_where_it_has_squares(tmp_path: Path) -> None:
    source = tmp_path / "wrong.py"
    source.write_text(
        f"{HEXAPAWN.read_text()}\n\nclass Wrong(Hexapawn):\n    def squares(self, state):\n"
        "        return ['bbb', 'xx']\n"
    )
    game = get_game(f"{HEXAPAWN}:Hexapawn 4")
    position = game.initial()
    moves = play_moves(game, position, ["a1a2"])
    assert draw_board(game, position, last_marks(game, position, moves), color=False) == [
        "     a b c d",
        "   4 b b b b",
        "   3 . . . .",
        "   2(w)- - -",
        "   1 - w w w",
        "  b (Black) to move",
    ]
    assert "<circle" in str(quietmove.Position(f"{HEXAPAWN}:Hexapawn").svg())
    wrong = get_game(f"{source}:Wrong")
    with pytest.raises(GameError, match=r"the game's squares\(\): must be rows of equal length"):
        draw_board(wrong, wrong.initial(), Marks(), color=False)


@needs_games
def test_a_long_row_has_its_numbers_above_it() -> None:
    game = played("capture", "1-2 4-3")
    lines = draw_board(game.game, game.position, Marks(frozenset((2,)), frozenset((3,))), color=False)
    assert lines == [
        "      1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16",
        "      .  X (O) -  -  .  X  .  -  O  -  .  X  .  -  O",
        "  X (Black) to move; plies since the last capture: 2 of 20",
    ]


def test_what_a_person_types_is_answered_in_few_words() -> None:
    script = Script(str)
    talk = PlaySession(Start(get_game("tictactoe"), FIRST, Opponent(1), 1), script, color=False)
    obey(talk, "moves")
    assert script.said[0].startswith("9 legal: a1 (1 3), a2 (1 2), a3 (1 1), b1 (2 3), ")
    assert max(map(len, script.said)) <= 80
    obey(talk, "a" * 300)
    assert any(line.startswith(f"'{'a' * 60}' is not a move") for line in script.said)
    for words in (
        "load no/such/file of a name with blanks " * 3,
        "hint 99999999",
        "undo " * 9,
        "b9 or a word and more",
    ):
        obey(talk, words)
    assert max(map(len, script.said)) <= 80
    assert any(line.startswith("hint: must be") and line.endswith("not '99999999'") for line in script.said)
    talk = PlaySession(Start(get_game(f"{HEXAPAWN}:Hexapawn 4"), FIRST, Opponent(1), 1), script, color=False)
    talk.greet()
    assert script.said[-2].startswith(
        "hexapawn.py:Hexapawn 4: White (you) against Black (Quietmove, level 1, beginner)."
    )


@needs_games
def test_a_piece_that_may_be_taken_is_shown() -> None:
    position = (game := get_game("einstein")).parse_position(["1------a-----------------", "B", "1"])
    assert draw_board(game, position, Marks(), color=False)[1:3] == ["   1 1 . - - -", "   2 . . a - -"]
    position = game.parse_position(["1-----a------------------", "B", "1"])
    assert draw_board(game, position, Marks(), color=False)[1:3] == ["   1 1 . - - -", "   2 . a - - -"]
    assert str(quietmove.Position("einstein", "1-----a------------------ B 1").svg()).count('r="16.56"') == 1


def test_a_line_is_completed_with_moves_commands_and_levels() -> None:
    script = Script(str)
    talk = PlaySession(Start(get_game("othello"), FIRST, Opponent(1), 1), script, color=False)
    assert complete(talk, "")[:4] == ["c4", "d3", "e6", "f5"]
    assert complete(talk, "E") == ["e6", "eval"]
    assert complete(talk, "level 1") == ["level 1", *(f"level {n}" for n in range(10, 20))]
    assert complete(talk, "zz") == []


def test_a_game_comes_back_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "a game.jsonl"
    game = saved("f5 d6")
    write_game(game, path, replaces=False)
    assert read_game(path) == game
    write_game(saved("f5 d6 c3"), path, replaces=True)
    assert GameInProgress.of(read_game(path)).texts() == ["f5", "d6", "c3"]
    (folder := tmp_path / "folder.jsonl").mkdir()
    for there in (path, folder):
        with pytest.raises(GameFileError, match="must be a new file or the file of this game"):
            write_game(saved(), there, replaces=False)
    with pytest.raises(GameFileError, match="No such file"):
        write_game(saved(), tmp_path / "none" / "game.jsonl", replaces=False)
    assert {each.name for each in tmp_path.iterdir()} == {"a game.jsonl", "folder.jsonl"}


def test_a_new_file_is_in_the_folder_for_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("time.strftime", lambda form: "now")
    first = new_path(games_folder(), "connect 7x6x4")
    assert first == tmp_path / "quietmove" / "games" / "connect-7x6x4-now.jsonl"
    first.touch()
    assert new_path(games_folder(), "connect 7x6x4").name == "connect-7x6x4-now-2.jsonl"
    assert new_path(games_folder(), "some/where/pawns.py:Pawns 4").name == "pawns-now.jsonl"
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", "relative")  # ignored: the XDG specification requires an absolute path
    assert games_folder() == tmp_path / "home/.local/share/quietmove/games"
    monkeypatch.setenv("XDG_DATA_HOME", str(first))
    with pytest.raises(GameFileError, match="no folder for games"):
        games_folder()


def test_a_game_is_written_at_each_move_with_what_its_file_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    lines = (TreeLine(moves="f5 d6"), TreeLine(moves="f5 f6", comment="the diagonal"))
    first, named = tmp_path / "first.jsonl", tmp_path / "named.jsonl"
    write_game(saved().model_copy(update={"event": "my first", "lines": lines}), first, replaces=False)

    def found() -> list[tuple[str, int]]:
        paths = [path for path in tmp_path.rglob("*") if path.is_file()]
        return sorted((path.name if path.parent == tmp_path else "", len(read_game(path).moves)) for path in paths)

    talk = PlaySession(Start(get_game("othello"), BOTH, Opponent(), 0), Script(str), color=False)
    for line, files in (
        ("f5", [("", 1), ("first.jsonl", 2)]),
        ("d6", [("", 2), ("first.jsonl", 2)]),
        (f"save {named}", [("first.jsonl", 2), ("named.jsonl", 2)]),
        ("undo", [("first.jsonl", 2), ("named.jsonl", 1)]),
        ("new", [("first.jsonl", 2), ("named.jsonl", 1)]),
        ("c4", [("", 1), ("first.jsonl", 2), ("named.jsonl", 1)]),
        (f"load {first}", [("", 1), ("first.jsonl", 2), ("named.jsonl", 1)]),
        ("c3", [("", 1), ("first.jsonl", 3), ("named.jsonl", 1)]),
    ):
        obey(talk, line)
        assert found() == files, line
    talk.close()
    assert (read_game(first).event, read_game(first).lines) == ("my first", lines)


def test_a_game_is_saved_in_ggf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    file = tmp_path / "game.ggf"
    talk = PlaySession(Start(get_game("othello"), FIRST, Opponent(3), 0), Script(str), color=False)
    for line in ("f5", f"save {file}"):
        obey(talk, line)
    (game,) = read_game_file(file)
    assert (game.players[0], get_game("othello").format_move(game.moves[0])) == ("you", "f5")
    assert [len(read_game(path).moves) for path in saved_files(games_folder())] == [1]
    with pytest.raises(GameFileError, match=r"game\.ggf: already exists"):
        talk.save(file)
    talk = PlaySession(Start(get_game("connect4"), BOTH, Opponent(), 0), Script(str), color=False)
    with pytest.raises(GameFileError, match="connect4"):
        talk.save(tmp_path / "other.ggf")


@pytest.mark.parametrize(
    ("command", "given", "was_helped"),
    [("moves", 0, False), ("hint 1ms", 0, True), ("undo", 0, True), ("switch", 2, False)],
)
def test_a_saved_game_tells_whose_moves_it_has(tmp_path: Path, command: str, given: int, was_helped: bool) -> None:
    opponent = Opponent(limit="depth=1")
    game = PlaySession(Start(get_game("othello"), FIRST, opponent, 0), Script(str), color=False)
    for line in ("f5", "d6"):
        game.make([line])
    for line in (command, f"save {tmp_path / 'game.jsonl'}"):
        obey(game, line)
    saved = read_game(tmp_path / "game.jsonl")
    assert (saved.given, saved.was_helped) == (given, was_helped)


def test_saved_games_are_listed_by_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder = tmp_path / "quietmove" / "games"
    folder.mkdir(parents=True)
    for number, moves in enumerate(("f5 d6 c3 d3 c4 f4 f6", "f5 f6", "f5 d6 c3 d3 c4 f4")):
        records = tuple(MoveRecord(move, "black") for move in moves.split())
        game = SavedGame(moves=records, date=f"2026-11-0{number + 1} 10:00:00")
        write_game(game, folder / f"game-{number}.jsonl", replaces=False)
        os.utime(folder / f"game-{number}.jsonl", (number, number))
    said = list[str]()
    script = Script(str)
    talk = PlaySession(Start(get_game("othello"), BOTH, Opponent(), 0), script, color=False)
    for words, numbers in (("", ["1", "2", "3"]), ("TIGER", ["1", "3"]), ("tiger 2026-11-01", ["3"])):
        script.said.clear()
        obey(talk, f"load {words}")
        listed = [line for line in script.said if "game-" in line]
        assert [line.split()[0] for line in listed] == numbers
        said += listed
    assert script.said[-2:] == ["their files, which you can rename and delete, are in", f"  {folder}"]
    assert "Stephenson  2026-11-01" in said[-1]  # the opening's name has changed from Tiger to Stephenson
    obey(talk, "load nobody")
    wanted = "load: must be a number from the list, words that occur in a saved game, or a file that ends in .jsonl, "
    wanted += "not 'nobody'"
    assert wanted in " ".join(script.said)
    obey(talk, "load 3")
    assert len(talk.game.moves) == 7
    talk.close()


def test_a_resignation_is_kept_also_where_all_moves_were_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    talk = PlaySession(Start(get_game("othello"), BOTH, Opponent(), 0), Script(str), color=False)
    for line in ("f5", "undo", "resign"):
        obey(talk, line)
    talk.save_begun()
    talk.close()
    [path] = (tmp_path / "quietmove" / "games").iterdir()
    assert (read_game(path).moves, read_game(path).result) == ((), "0-1")


def test_a_game_that_is_looked_at_once_more_stays_as_it_was_kept(tmp_path: Path) -> None:
    moves = tuple(MoveRecord(move, color, 70) for move, color in zip(("f5", "d6"), COLORS, strict=True))
    names = Spec(black=SavedPlayer(name="ann"), white=SavedPlayer(name="her engine, level 7"))
    old = saved().model_copy(update={"spec": names, "moves": moves, "date": "1999-12-31 23:59:59"})
    over = old.model_copy(update={"reason": "resign", "detail": "Black resigns", "margin_black": -64.0})
    for name, game in (("old", old), ("over", over)):
        write_game(game, tmp_path / f"{name}.jsonl", replaces=False)
    talk = PlaySession(Start(get_game("othello"), BOTH, Opponent(), 0), Script(str), color=False)
    for line in ("load {}/over.jsonl", "save {}/copy.jsonl", "load {}/old.jsonl", "c3"):
        obey(talk, line.format(tmp_path))
    talk.close()
    assert read_game(tmp_path / "over.jsonl") == read_game(tmp_path / "copy.jsonl") == over
    after = read_game(tmp_path / "old.jsonl")
    assert (after.date, after.moves[:2], len(after.moves)) == (old.date, moves, 3)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("spec", {"game": 3}, "spec.game: must be a valid string, not 3"),
        ("spec", {"seed": -1}, "spec.seed: must be greater than or equal to 0, not -1"),
        ("moves", "f5", "moves: must be an array"),
        ("moves", [{"move": "xx", "by": "black"}], "'xx' is not a move"),
        ("start", "XO", r"must have 2 fields \(64 squares and the side to move\), not 1"),
    ],
)
def test_a_file_that_holds_no_game_is_refused(tmp_path: Path, key: str, value: object, message: str) -> None:
    path = tmp_path / "game.jsonl"
    write_game(saved(), path, replaces=False)
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, key: value}))
    with pytest.raises(GameFileError, match=message):
        read_game(path)


def test_a_file_runs_no_program_that_the_person_has_not_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "pawns.py"
    program.write_text(f"{HEXAPAWN.read_text()}\nfrom pathlib import Path\nPath({str(tmp_path / 'ran')!r}).touch()\n")
    name = f"{program}:Hexapawn"
    path = tmp_path / "game.jsonl"
    for written in (f" {name}", name):
        path.write_text(json.dumps({**json.loads(saved("").model_dump_json()), "spec": {"game": written}}))
        for arguments, came in (([], "nothing"), (["--game", "connect"], "connect")):
            assert run_command(["play", "--load", str(path), *arguments]) == 2
            message = f"its game is a program; to run it, pass --game {written}, not {came}"
            assert message in capsys.readouterr().err
    assert run_command(["play", "--load", str(path), "--game", "connect"]) == 2
    assert not (tmp_path / "ran").exists()
    monkeypatch.setattr("sys.stdin", None)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    monkeypatch.setattr("quietmove.referee.play.console.LineWriter", lambda: LineWriter(nowhere))
    assert run_command(["play", "--load", str(path), "--game", f"{program}:Hexapawn"]) == 0
    os.close(nowhere)
    assert (tmp_path / "ran").exists()
    write_game(saved(), tmp_path / "othello.jsonl", replaces=False)
    assert run_command(["play", "--load", str(tmp_path / "othello.jsonl"), "--game", "connect"]) == 2
    assert "--game: must be othello, the game in " in capsys.readouterr().err


@pytest.mark.parametrize("data", [b"", b"\xff", b"[1]", b"[" * 100_000, b" " * (1 << 20) + b"{}"])
def test_a_file_of_anything_else_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "game.jsonl").write_bytes(data)
    with pytest.raises(GameFileError, match=r"a saved game: must be a|must be at most 1,048,576 bytes"):
        read_game(tmp_path / "game.jsonl")


def test_what_a_game_raises_is_said_and_the_game_goes_on() -> None:
    script = Script(str)
    talk = PlaySession(Start(get_game("othello"), FIRST, Opponent(1), 1), script, color=False)

    def fail(words: list[str]) -> None:
        raise ZeroDivisionError("of a game")

    talk.make = fail  # type: ignore[method-assign]
    obey(talk, "f5")
    assert script.said == ["f5: ZeroDivisionError: of a game"]
    obey(talk, "save \0.jsonl")
    assert "null byte" in script.said[-1]
    obey(talk, "load \0.jsonl")
    assert "null byte" in script.said[-1]


def played_by(script: Script, talk: PlaySession) -> list[str]:
    """Play until the person leaves, and return what was said."""
    while not talk.over:
        talk.turn(lambda line: obey(talk, line))
    talk.close()
    return script.said


def fake_engine(*words: str) -> str:
    return shlex.join([sys.executable, "-S", str(FAKE_ENGINE), *words])


@pytest.mark.parametrize(("side", "seed"), [(0, 12), (1, 23)])  # games in which each side must pass
def test_a_whole_game_against_a_program_of_the_othello_project(side: int, seed: int) -> None:
    choices = random.Random(seed)
    lines = iter(["undo", "switch"])

    def answer(prompt: str) -> str:
        moves = talk.game.position.legal_moves()
        if not moves:
            return "quit"
        if len(talk.game.moves) > 1 and (line := next(lines, "")):
            return line
        return talk.game.game.format_move(choices.choice(moves))

    engine = Opponent(limit="depth=1", engine=fake_engine("sane", "--protocol", "project"))
    script = Script(answer)
    talk = PlaySession(Start(get_game("othello"), frozenset((side,)), engine, 1), script, color=False)
    said = played_by(script, talk)
    refused = r"(undo|switch): not possible, because .*? only plays whole games; 'new' starts another one"
    assert re.findall(refused, " ".join(said)) == ["undo", "switch"]
    passes = [line for line in said if re.search(r" plays pass,| must pass", line)]
    assert {line.split()[1] for line in passes} == {"plays", "must"}
    assert said[-1].startswith("the game is over: ")
    with pytest.raises(QuietmoveError, match="its first move would be random"):
        PlaySession(Start(get_game("othello"), BOTH - {0}, engine, 1, random_first=True), script, color=False)
    with pytest.raises(
        QuietmoveError, match="it plays only whole games from their start, but this game has already started"
    ):
        PlaySession(Start(get_game("othello"), FIRST, engine, 1), script, color=False, game=played("othello", "f5"))


def test_an_engine_resigns_and_the_person_goes_on() -> None:
    lines = iter(["f5", "hint", "d6", "undo", "f5", "switch", "c3", "quit"])
    engine = Opponent(limit="depth=1", engine=fake_engine("resign", "--ply", "1"))
    script = Script(lambda prompt: next(lines))
    talk = PlaySession(Start(get_game("othello"), FIRST, engine, 1), script, color=False)
    while not talk.game.is_over:
        talk.turn(lambda line: obey(talk, line))
    talk.turn(lambda line: obey(talk, line))
    assert script.said[-14].startswith("White (")
    assert script.said[-14].endswith("depth 1) resigns")
    assert script.said[-3:] == [
        "  game over; X 4, O 1 discs",
        "the game is over: White resigned, Black wins",
        "there is no move to choose: the game is over",
    ]
    talk.turn(lambda line: obey(talk, line))
    assert script.said[-1] == "the game is over: White has resigned"
    talk.turn(lambda line: obey(talk, line))
    assert (script.said[-1], talk.game.is_over) == ("1 move undone", False)
    played_by(script, talk)
    assert talk.game.texts()[0] == "f5"


@pytest.mark.parametrize("name", game_names())
def test_after_a_resignation_nobody_is_to_move(name: str) -> None:
    game = get_game(name)
    script = Script(
        lambda prompt: "resign" if prompt != "game over> " else "quit" if "none" in script.said else "moves"
    )
    played_by(script, talk := PlaySession(Start(game, BOTH, Opponent(), 0), script, color=False))
    end = next(at for at, line in enumerate(script.said) if line.endswith(" resigns"))
    shown = script.said[end + 1 : -1]
    assert shown[-2].startswith("  game over")
    assert "to move" not in " ".join(shown)
    assert talk.game.is_over
    assert script.said[-1] == "none"


def test_an_output_that_is_full_is_an_error_and_the_game_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sink = os.open("/dev/full", os.O_WRONLY)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"f5\nd6\n")))
    monkeypatch.setattr("quietmove.referee.play.console.LineWriter", lambda: LineWriter(sink))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert run_command(["play", "--random-first-move", "--two"]) == 1
    assert capsys.readouterr().err == "error: standard output: No space left on device\n"
    os.close(sink)
    assert len(list((tmp_path / "quietmove" / "games").iterdir())) == 1


def test_the_example_of_the_guide(say: Say, documents: dict[str, str]) -> None:
    example = r"^\$ quietmove play (.*)\n((?:.*\n)*?)Black> f5\n((?:.*\n)*?)Black> hint\n"
    match = re.search(example, documents["referee/play/README.md"], re.MULTILINE)
    assert match is not None
    _, said = say("f5\n", match[1].split())
    assert re.sub(r"[\d.]+ m?s\n", "", said).startswith(re.sub(r"[\d.]+ m?s\n", "", match[2] + match[3]))


def test_two_people_and_a_pipe(say: Say) -> None:
    lines = "a1\nb2\na2\nundo\na2\nc3\na3\nanalyze\nswitch\n"
    status, said = say(lines, ["--two", "--game", "tictactoe"])
    assert "game over\nthe game is over: X wins\n" in said
    assert "this game: X - O, 5 moves" in said
    assert "switch: two people play" in said
    assert "> " not in said
    [file] = games_folder().iterdir()
    assert (status, f"the game is saved: {file}\n" in said) == (0, True)
    assert json.loads(file.read_text())["reason"] == "finished"


def test_another_engine_that_crashes(say: Say) -> None:
    crash = fake_engine("crash")
    status, said = say("f5\n", ["--engine", crash, "--nodes", "5"])
    assert (status, "ended with status 3" in said) == (1, True)
    command = re.search(r"quietmove play (--load .*)", said)
    assert command is not None
    assert shlex.split(command[1])[2:] == ["--engine", crash, "--nodes", "5"]
    assert not [file for file in games_folder().iterdir() if str(FAKE_ENGINE) in file.read_text()]


@pytest.mark.parametrize(
    ("no_color", "kind", "encoding", "expected"),
    [
        ("", "xterm", "utf-8", True),
        ("1", "xterm", "utf-8", False),
        ("", "dumb", "utf-8", False),
        ("", "xterm", "ascii", False),
    ],
)
def test_color_where_the_terminal_has_it(
    monkeypatch: pytest.MonkeyPatch, no_color: str, kind: str, encoding: str, expected: bool
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", kind)
    terminal, other = os.openpty()
    with os.fdopen(terminal, "w", encoding=encoding) as out:
        assert can_color(out) is expected
    os.close(other)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--color", "red"], "--color: must be one of first, second, random, Black, White, not 'red'"),
        (["--two", "--level", "3"], "--two cannot be combined with --engine, --level"),
        (["--engine", "x", "--level", "3"], "--level cannot be combined with --engine"),
        (["--depth", "3", "--time", "1"], "--depth, --nodes and --time cannot be combined"),
        (["--engine", " "], "--engine: must be an engine's command, not ' '"),
        (["--engine", "./nowhere"], "there is no program './nowhere'"),
        (["--engine-setting", "protocol=uci"], "--engine-setting needs --engine"),
        (["--load", "none.jsonl"], "none.jsonl: No such file or directory"),
        (["--load", "none.jsonl", "--seed", "1"], "--seed cannot be combined with --load"),
        (["--engine", "x", "--engine-setting", "unit=x"], "engine: unit: applies only to protocol project"),
    ],
)
def test_what_cannot_be_played_is_one_error(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["play", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "level"),
    [
        (name, FULL_STRENGTH)
        for name in present_games("tictactoe", "connect", "nim 7,9,11", "nim 30,30,5", "subtraction 100 1,3,4")
    ]
    + [(name, DEFAULT_LEVEL) for name in present_games("othello", "connect 7x6x4", "einstein", "whist")],
)
def test_a_game_that_is_solved_at_once_is_played_without_a_mistake(name: str, level: int) -> None:
    assert usual_level(get_game(name)) == level
