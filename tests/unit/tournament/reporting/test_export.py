"""Games of a store as files; the readers of these files say what is in them."""

from __future__ import annotations

import csv
import os
from dataclasses import replace
from pathlib import Path

import pytest

from quietmove.engine.games.othello.game_files import read_game_file
from quietmove.engine.games.othello.game_files.game import Losses
from quietmove.engine.games.othello.notation import parse_square
from quietmove.engine.games.registry import get_game
from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import game_spec
from quietmove.tournament.reporting.export_command import write_games as export_games
from quietmove.tournament.store.store import Store
from tests.fakes.tournament_store import a_tournament, write_games

NAMES = ("one", "=two()", "three")


def moves() -> list[MoveRecord]:
    """Return the moves of a game that is played to its end: f5, as every game of WTHOR, then the first legal ones."""
    game = get_game("othello")
    position = game.initial()
    found: list[MoveRecord] = []
    while not position.is_over():
        side = ("black", "white")[position.side_to_move]
        move = min(position.legal_moves()) if found else game.parse_move(position, "f5")
        mover = side if found else "opening"
        found.append(MoveRecord(game.format_move(move), mover, 12 * bool(found), score=150))  # type: ignore[arg-type]
        position.play(move)
    return found


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store of six games, the last of which ended by a timeout."""
    path = tmp_path_factory.mktemp("export") / "t.sqlite"
    played = moves()
    position = get_game("othello").initial()
    for move in played:
        position.play(get_game("othello").parse_move(position, move.move))
    margin = position.result() // 100
    points = 0.5 + (margin > 0) / 2 - (margin < 0) / 2
    with Store.create(path, a_tournament("an event", NAMES)) as opened:
        for game in list(plan_of(opened.tournament).next_games([]))[:5]:
            spec = game_spec(opened.tournament, game)
            opened.add(game, GameRecord(spec, tuple(played), "finished", None, points, margin, "it is over"))
        write_games(opened, 1, "timeout")
    return path


@pytest.mark.parametrize(
    ("name", "players"),
    [("x.ggf", True), ("x.pgn", True), ("x.sgf", True), ("x.wtb", True), ("x.txt", False), ("x.jsonl", True)],
)
def test_what_is_written_is_read_back(store: Path, tmp_path: Path, name: str, players: bool) -> None:
    assert run_command_line(["export", str(store), "-o", str(tmp_path / name)]) == 0
    games = list(read_game_file(tmp_path / name))
    with Store.open_to_read(store) as opened:
        written = list(opened.games())
    assert len(games) == len(written) == 6
    for game, (scheduled, record) in zip(games, written, strict=True):
        squares = [move.move for move in record.moves if move.move != "pass"]
        assert [move for move in game.moves if move >= 0 and move < 64] == [parse_square(each) for each in squares]
        if players:
            assert game.players == (scheduled.id.black, scheduled.id.white)
            if record.reason == "finished" or name != "x.sgf":  # in SGF, a game lost on time has no margin
                assert game.margin == record.margin_black
    if name in ("x.ggf", "x.jsonl"):
        assert games[-1].ending == "timeout"
        assert games[0].scores[1] == 150


@pytest.mark.parametrize("by_key", [False, True])
@pytest.mark.parametrize("name", ["x.txt", "x.jsonl", "x.csv"])
def test_moves_are_written_as_numbers_on_request(store: Path, tmp_path: Path, name: str, by_key: bool) -> None:
    """By an option or by the tournament's key; the files that the engine reads contain the same games."""
    if by_key:
        with (
            Store.open_to_read(store) as opened,
            Store.create(tmp_path / "n.sqlite", replace(opened.tournament, notation="project")) as copied,
        ):
            for game, record in opened.games():
                copied.add(game, record)
    chosen = [str(tmp_path / "n.sqlite")] if by_key else [str(store), "--notation", "project"]
    assert run_command_line(["export", *chosen, "-o", str(tmp_path / name)]) == 0
    assert run_command_line(["export", str(store), "-o", str(tmp_path / f"letters-{name}")]) == 0
    text = (tmp_path / name).read_text()
    assert ("6 4" in text, "f5" in text.replace('"opening":["f5"]', "")) == (True, False)
    if name != "x.csv":
        numbers, letters = (list(read_game_file(tmp_path / each)) for each in (name, f"letters-{name}"))
        assert [each.moves for each in numbers] == [each.moves for each in letters]


def test_a_format_with_its_own_notation_has_no_other(store: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["export", str(store), "--format", "ggf", "--notation", "project"]) == 2
    assert "--notation: cannot be combined with ggf" in capfd.readouterr().err


def test_the_transcript_of_a_game_has_both_notations(store: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for chosen, shown in (([], "f5 (6 4)"), (["--notation", "project"], "6 4"), (["--notation", "algebraic"], "f5")):
        assert run_command_line(["games", str(store), "1", *chosen]) == 0
        (line,) = (line for line in capfd.readouterr().out.splitlines() if line.startswith("   1 opening"))
        assert line == f"   1 opening {shown}"
    assert run_command_line(["games", str(store), "1", "--json", "--notation", "project"]) == 0
    assert '"moves":[{"move":"6 4"' in capfd.readouterr().out


def test_a_table_for_spreadsheets(store: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run_command_line(["export", str(store), "--format", "csv", "--engine", "one"]) == 0
    captured = capfdbinary.readouterr()
    rows = list(csv.DictReader(captured.out.decode().splitlines()))
    assert len(rows) == 4
    assert {row["black"] for row in rows} == {"one", "'=two()", "three"}  # no name becomes a formula
    assert rows[0]["moves"].startswith("f5 ")
    assert len(rows[0]["moves"].split()) == int(rows[0]["plies"])
    assert float(rows[0]["seconds_white"]) > 0
    assert captured.err == b"standard output: 4 games\n"


def test_two_engines_and_a_round_choose_games(store: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    both = ["--engine", "one", "--engine", "three"]
    for more, count in (([], 6), (both, 2), ([*both, "--round", "1"], 2), (["--round", "2"], 0)):
        assert run_command_line(["export", str(store), "--format", "json", *more]) == 0
        assert capfdbinary.readouterr().out.count(b"\n") == count


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            [],
            "--format: must be ggf, pgn, sgf, wthor, transcript, csv, json (wthor with --output), or ",
        ),
        (["-o", "x.doc"], "not none with x.doc"),
        (["--format", "wthor"], "not wthor with no --output"),
        (["--format", "csv", "--engine", "four"], "--engine: must be one of one, =two(), three, not 'four'"),
    ],
)
def test_what_is_wrong_is_said(
    store: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert run_command_line(["export", str(store), *arguments]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


def test_no_file_is_overwritten(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.jou").write_text("mine")
    assert run_command_line(["export", str(store), "-o", str(tmp_path / "x.wtb")]) == 2
    assert "x.jou: already exists; use --force to overwrite it" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["x.jou"]
    assert run_command_line(["export", str(store), "-o", str(tmp_path / "x.wtb"), "--force"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.jou", "x.trn", "x.wtb"]


def test_neither_the_store_nor_a_device_is_overwritten(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_targets(["export", "--format", "csv"], store, capsys)


def check_targets(command: list[str], store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Check that a command writes over nothing but files: a device would be replaced for everyone on the machine."""
    link = store.with_name("link")
    pipe = store.with_name("pipe")
    before = store.read_bytes()
    link.symlink_to(store)
    os.mkfifo(pipe)
    assert run_command_line([*command, str(store), "--force", "-o", str(link)]) == 2
    assert f"{link}: must not be one of the input files" in capsys.readouterr().err
    assert run_command_line([*command, str(store), "--force", "-o", str(pipe)]) == 2
    assert f"{pipe}: must be a regular file, not a folder, a pipe or a device" in capsys.readouterr().err
    assert link.is_symlink()
    assert store.read_bytes() == before


def test_a_full_output_is_left_open_for_its_owner(store: Path) -> None:
    """Its owner is standard output, which is flushed once more when the command ends."""
    with Store.open_to_read(store) as opened, Path("/dev/full").open("wb", buffering=0) as full:
        with pytest.raises(OSError, match="No space left"):
            export_games(opened, "csv", [full], opened.games(), Losses())
        assert not full.closed


def test_other_games_have_no_such_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.sqlite"
    Store.create(path, replace(a_tournament("t", "ab"), game="connect", openings=((),))).close()
    assert run_command_line(["export", str(path), "-o", str(tmp_path / "x.ggf")]) == 2
    assert "--format: must be csv or json for games of 'connect', not ggf" in capsys.readouterr().err
    assert [each.name for each in tmp_path.iterdir() if not each.name.startswith("t.sqlite")] == []
