"""Files of games that a page hands in."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from quietmove.addons.web.imports import MOST_GAMES, imported, imported_apart, replayed
from quietmove.addons.web.kept import KeptGames
from quietmove.addons.web.requests import RecordRequest, ReplayRequest
from quietmove.engine.errors import GameError, GameFileError
from quietmove.engine.games.othello.game_files.conversion import convert
from quietmove.engine.games.registry import get_game
from quietmove.engine.tools.analysis.records import read_records
from quietmove.referee.errors import SetupError
from quietmove.referee.game.saved import SavedGame, TreeLine, read_game, write_game
from quietmove.referee.play.game import GameInProgress
from tests.fakes.processes import WAIT

SHORTEST = "e6 f4 e3 f6 g5 d6 e7 f5 c5"  # White has lost all discs
START = "---------------------------OX------XO--------------------------- X"


def games_in(name: str, text: str) -> tuple[list[str], bool]:
    """Return the beginnings and moves of the games that the page gets, and whether there are more."""
    found = imported(name, text.encode())
    return [written(game["record"]) for game in found["games"]], found["more"]


def written(record: dict[str, Any]) -> str:
    """Return where a game begins, and its moves."""
    return " ".join([record.get("start", START), *(each["move"] for each in record["moves"])])


def test_positions_may_have_comments_and_values() -> None:
    text = f"\ufeff# a set of problems\n\n{START}; F5:+4; D6:-2; % the usual beginning\n{START} # again\n"
    assert games_in("problems.obf", text) == ([START, START], False)


def test_of_many_games_the_first_are_taken_and_it_is_said() -> None:
    games, more = games_in("many.txt", "f5d6\n" * MOST_GAMES)
    assert (len(games), games[-1], more) == (MOST_GAMES, f"{START} f5 d6", False)
    games, more = games_in("many.txt", "f5d6\n" * (MOST_GAMES + 1))
    assert (len(games), more) == (MOST_GAMES, True)


@pytest.mark.parametrize(
    ("moves", "written", "shown"),
    [
        (
            "f5",
            {"margin_black": -6},
            {"reason": "", "detail": "the file gives only the result, \N{MINUS SIGN}6", "margin": -6},
        ),
        ("f5", {"margin_black": -6, "reason": "timeout"}, {"reason": "timeout", "detail": "timeout", "margin": -6}),
        (SHORTEST, {}, {"reason": "finished", "detail": "", "margin": 64}),
        (SHORTEST, {"reason": "finished", "margin_black": 13}, {"reason": "finished", "detail": "", "margin": 64}),
        ("f5", {}, None),
    ],
)
def test_a_file_need_not_say_how_its_game_ended(moves: str, written: Any, shown: Any) -> None:
    line = json.dumps({"moves": [{"move": move} for move in moves.split()], **written})
    [found] = imported("games.jsonl", line.encode())["games"]
    assert opened(found)["verdict"] == (shown and {**shown, "result": "1-0" if shown["margin"] > 0 else "0-1"})


def opened(found: dict[str, Any]) -> dict[str, Any]:
    """Return a game of a file as the page shows it."""
    return KeptGames(None).described(RecordRequest.read(json.dumps({"record": found["record"]})))


def test_a_line_of_moves_may_have_numbers_and_a_result() -> None:
    text = "f5d6c3\n1. f5 d6 2. c3 33-31\n1.f5 2.d6 3.c3 *\n"
    assert games_in("games.txt", text) == ([f"{START} f5 d6 c3"] * 3, False)
    with pytest.raises(SetupError, match="line 1: contains no moves"):
        games_in("games.txt", "33-31\n")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("games.txt", "f5d6\nf5a1\nf5f6\n"),
        ("games.sgf", "(;GM[2];B[f5];W[d6])(;GM[2];B[f5];W[zz])(;GM[2];B[f5];W[f6])"),
        ("games.jsonl", '{"moves":[{"move":"f5"}]}\n{"moves":5}\n{"spec":{"game":"x"}}\n{"moves":[{"move":"f5"}]}\n'),
        ("games.obf", f"{START}\n{START[:-3]}\n{START}\n"),
    ],
)
def test_a_damaged_game_does_not_block_the_others(name: str, text: str) -> None:
    found = imported(name, text.encode())
    assert len(found["games"]) == 2
    assert found["problems"]
    assert all(problem.startswith(f"{name}: line ") for problem in found["problems"])
    assert imported_apart(name, text.encode()) == found


def test_reading_an_upload_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SetupError, match="must end in"):
        imported_apart("games.exe", b"")
    monkeypatch.setattr("quietmove.addons.web.imports.READING_SECONDS", 0.01)
    with pytest.raises(SetupError, match=r"games\.txt: reading the file takes longer than"):
        imported_apart("games.txt", b"f5d6\n")
    monkeypatch.undo()
    assert len(imported_apart("a\0b.txt", b"f5d6\n")["games"]) == 1
    monkeypatch.setattr(sys, "executable", "/bin/false")  # as if the process ran out of memory
    with pytest.raises(SetupError, match=r"games\.txt: reading the file ended with status 1"):
        imported_apart("games.txt", b"f5d6\n")


def test_reading_an_upload_ends_without_a_server() -> None:
    program = "from quietmove.addons.web import imports as it; it.READING_SECONDS = 0; it.main()"
    with subprocess.Popen([sys.executable, "-P", "-c", program], stdin=subprocess.PIPE) as reading:
        assert reading.wait(WAIT) == -signal.SIGALRM


def test_a_game_that_is_kept_is_read_by_the_page_by_analyze_and_by_convert(tmp_path: Path) -> None:
    for name, moves in (("connect", "b a c"), ("othello", "f5 d6"), ("whist", "")):
        game = GameInProgress(get_game(name), 3)
        for move in moves.split() or map(game.game.format_move, game.position.legal_moves()[:1]):
            game.play(game.game.parse_move(game.position, move))
        path = tmp_path / f"{name}.jsonl"
        lines = (TreeLine(moves=" ".join(game.texts()), comment="all of it"),)
        ended = {"reason": "resign", "detail": "Black resigned", "margin_black": -64}
        saved = game.saved(("you", "Quietmove"), frozenset((0,)), None).model_copy(update={"lines": lines, **ended})
        write_game(saved, path, replaces=False)
        [found] = imported(path.name, path.read_bytes())["games"]
        assert found["title"].startswith("1. you - Quietmove, ")
        back = SavedGame.read(json.dumps(found["record"]))
        assert back.model_copy(update={"spec": saved.spec}) == saved  # Othello's file formats have no seed
        shown = opened(found)
        assert (shown["game"], [each["moves"] for each in shown["lines"]]) == (name, [lines[0].moves])
        assert shown["verdict"] == {"reason": "resign", "detail": "Black resigned", "result": "0-1", "margin": -64}
        [record] = read_records(str(path), game.game)
        assert (record.moves, record.players) == (game.numbers(), ("you", "Quietmove"))
        with pytest.raises(GameFileError, match=f"contains games of {name}, not of nim; choose the game with --game"):
            read_records(str(path), get_game("nim"))
    convert(tmp_path / "othello.jsonl", tmp_path / "there.ggf")
    convert(tmp_path / "there.ggf", tmp_path / "back.jsonl")
    back = read_game(tmp_path / "back.jsonl")
    assert ([each.move for each in back.moves], back.players) == (["f5", "d6"], ["you", "Quietmove"])


GGF = f"(;GM[Othello]PB[ann]TY[8]BO[8 {START.replace('X', '*')}]B[F5]W[D6]RB[1720];)"
AFTER = "-------------------X-------OX------XO--------------------------- O"


@pytest.mark.parametrize("name", ["games.txt", "games.ggf", "games.obf", "games.jsonl"])
def test_a_text_is_read_as_what_it_is_whatever_its_ending(name: str) -> None:
    assert games_in(name, f"\n1 {GGF}\n{GGF}\n") == ([f"{START} f5 d6"] * 2, False)
    assert games_in(name, '{"moves":[{"move":"f5"}]}\n') == ([f"{START} f5"], False)
    assert games_in(name, f"{START}; F5:+4;\n") == ([START], False)


def shown(start: str = "", moves: str = "", game: str = "othello") -> list[str]:
    """Return the first position that the page shows, and the moves after it."""
    first, *others = replayed(ReplayRequest(game=game, start=start, moves=moves))["steps"]
    return [first["position"], *(step["move"] for step in others)]


def test_a_position_and_a_game_are_read_in_the_field_of_the_other() -> None:
    assert shown(moves=AFTER) == shown(start=AFTER) == [AFTER]
    assert shown(start="f5d6") == shown(moves="f5d6") == [START, "f5", "d6"]
    assert shown(start="e3", moves=AFTER) == shown(start=AFTER, moves="e3") == [AFTER, "e3"]
    heaps = shown(game="nim")[0]
    assert shown(moves=heaps, game="nim") == [heaps]


@pytest.mark.parametrize(
    ("start", "moves", "message"),
    [
        ("f5d6a1", "", r"move 3: 'a1' is not legal.*"),
        ("hello", "", r"position: must have 2 fields .*; moves belong in the field Moves"),
        (START[1:], "", r"position: squares: must be 64 .*; moves belong in the field Moves"),
        ("", "hello", r"move 1: 'hello' is not a move; .*; a position belongs in the field Position"),
        ("", START[1:], r"move 1: .*; .*; a position belongs in the field Position"),
        (AFTER, START, r"move 1: .*; .*; a position belongs in the field Position"),
        ("", "f5 hello", r"move 2: 'hello' is not a move; a move is a square a1-h8, or pass, or .*"),
    ],
)
def test_an_error_names_the_field_that_would_take_it(start: str, moves: str, message: str) -> None:
    with pytest.raises(GameError, match=f"^{message}$"):
        shown(start, moves)


@pytest.mark.parametrize("ending", [".ggf.gz", ".TXT.GZ", ".jsonl.gz"])
def test_a_packed_file_becomes_no_gigabyte(ending: str) -> None:
    with pytest.raises(SetupError, match="must be at most 16,000,000 bytes unpacked"):
        imported(f"a{ending}", gzip.compress(bytes(16_000_001)))


def test_moves_and_positions_of_flipello_are_replayed() -> None:
    found = replayed(ReplayRequest(moves="1. P@f4 P@d3 2. P@c6"))
    assert [step["move"] for step in found["steps"][1:]] == ["f5", "d6", "c3"]
    for fen, position in (
        ("8/8/8/3pP3/3Pp3/8/8/8[PPPPpppp] w 0 1", START),
        ("8/8/8/3pP3/3PPP2/8/8/8[PPp] b 0 1", START.replace("XO--", "XXX-").replace(" X", " O")),
    ):
        assert replayed(ReplayRequest(moves=fen))["steps"][0]["position"] == position


@pytest.mark.parametrize("link", ["start", "moves"])
def test_a_link_that_holds_moves_is_replayed(link: str) -> None:
    for text, moves in (
        ("http://127.0.0.1:8000/play#game=othello&moves=f5+d6+c3&at=2", ["f5", "d6", "c3"]),
        ("http://127.0.0.1:8000/play#replay=%2Fapi%2Fkept%2Fa&game=connect4&moves=d+d+e", ["d", "d", "e"]),
        ("https://example.org/board?x=1&amp;m=F5D6C3D3", ["f5", "d6", "c3", "d3"]),
        ("https://example.org/d3c5/F5%20D6%20C3%20D3#top", ["f5", "d6", "c3", "d3"]),
    ):
        found = replayed(ReplayRequest(**{link: text}))
        assert [step["move"] for step in found["steps"][1:]] == moves
    with pytest.raises(GameError, match=r"^link: contains no moves, such as f5d6c3: 'https"):
        replayed(ReplayRequest(**{link: "https://example.org/"}))
    for text in ("http://[::1/f5d6c3", "https://a\N{FULLWIDTH SOLIDUS}b/f5d6c3"):
        with pytest.raises(GameError, match=r"^link: is not valid \("):
            replayed(ReplayRequest(**{link: text}))


@pytest.mark.parametrize("field", ["start", "moves"])
def test_the_side_is_asked_for_if_it_is_missing(field: str) -> None:
    squares = AFTER.split()[0]
    rows = [squares[at : at + 8] for at in range(0, 64, 8)]
    bars = "\n".join(f"|{'|'.join(row)}|" for row in rows).replace("-", " ").replace("X", "B").replace("O", "W")
    for text in (squares, "\n".join(rows), bars, squares.replace("-", "0").replace("X", "1").replace("O", "2")):
        found = replayed(ReplayRequest(**{field: text}))
        assert (found["steps"][0]["position"], found["asks"]) == (f"{squares} X", True)
    assert not replayed(ReplayRequest(**{field: f"{squares}O;"}))["asks"]
    only_white = f"OX{'-' * 62}".replace("OX", "XO")[::-1]  # Black has no move
    assert replayed(ReplayRequest(**{field: only_white}))["steps"][0]["position"].endswith(" X")


def test_the_lines_of_a_list_of_openings_have_names() -> None:
    found = imported("openings.txt", b"C4c3D3c5B3\tInterlude\nC4e3\tDiagonal, no name\nf5\td6\tc3\n")
    assert [game["title"] for game in found["games"]] == ["Interlude", "Diagonal, no name", "3. Black - White"]
    assert [len(game["record"]["moves"]) for game in found["games"]] == [5, 2, 3]


def test_the_names_of_a_wthor_file_are_in_the_files_chosen_with_it(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    players = {"black": {"name": "Ann"}, "white": {"name": "Bob"}}
    source.write_text(
        json.dumps({"spec": players, "event": "Club", "moves": [{"move": move} for move in SHORTEST.split()]}) + "\n"
    )
    convert(source, tmp_path / "out.wtb")
    games, names, events = ((tmp_path / f"out{ending}").read_bytes() for ending in (".wtb", ".jou", ".trn"))
    for data, sizes, title in (
        (games + names + events, f"{len(names)} {len(events)}", "1. Ann - Bob, 64\u20130, Club"),
        (games + names, f"{len(names)} 0", "1. Ann - Bob, 64\u20130"),
        (games, "", "1. Black - White, 64\u20130"),
    ):
        found = imported_apart("WTH_2020.WTB", data, sizes)
        assert [game["title"] for game in found["games"]] == [title]
    for wrong in ("x 0", f"{10**9} 0"):
        with pytest.raises(SetupError, match="sizes: must be two numbers of bytes"):
            imported("games.wtb", games, wrong)
