"""Files of games: what is written is read again, what is lost is counted, what is damaged is named."""

from __future__ import annotations

import io
import json
import os
import random
import signal
import struct
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quietmove.commands import run_command
from quietmove.engine.errors import GameFileError
from quietmove.engine.files import written_whole
from quietmove.engine.games.othello.game_files import READERS, complete_games, flipello, read_game_file
from quietmove.engine.games.othello.game_files.conversion import WRITERS, convert
from quietmove.engine.games.othello.game_files.game import FINISHED, INITIAL, Losses, PlayedGame, complete
from quietmove.engine.games.registry import get_game
from quietmove.engine.values import SCORE_WIN
from quietmove.referee.config.model import EngineConfig, GameSpec
from quietmove.referee.game.record import GameRecord, MoveRecord
from tests.fakes.games import play_at_random

OTHELLO = get_game("othello")
WITH_PASS = "f5f6e6f4e3c5c4e7c6e2"  # White has no move at the end


def random_moves(seed: int, plies: int, board: tuple[str, str] = INITIAL) -> tuple[int, ...]:
    return tuple(play_at_random(OTHELLO.parse_position(board), random.Random(seed), plies))


def game_of(moves: tuple[int, ...], **values: Any) -> PlayedGame:
    return complete(PlayedGame("here", values.pop("board", INITIAL), moves, **values))


def later_board(seed: int) -> tuple[str, str]:
    position = OTHELLO.initial()
    for move in random_moves(seed, 6):
        position.play(move)
    squares, side = OTHELLO.format_position(position).split()
    return squares, side


NAMES = st.text("aZ0é\xff .,'\"\\(){}<>&#-", max_size=19)  # "?" means "unknown" in PGN and WTHOR
TEXTS = NAMES.map(str.strip)
NUMBERS = st.none() | st.integers(-6400, 6400)


@st.composite
def games(draw: Callable[..., Any]) -> PlayedGame:
    board = draw(st.just(INITIAL) | st.integers(0, 99).map(later_board))
    moves = random_moves(draw(st.integers(0, 9999)), draw(st.sampled_from((1, 9, 40, 99))), board)
    each = st.lists(NUMBERS, min_size=len(moves), max_size=len(moves)).map(tuple)
    unfinished = st.tuples(st.sampled_from(("", "resign", "timeout", "adjudicated")), st.integers(-32, 32))
    ending, half = draw(unfinished)
    return game_of(
        moves,
        board=board,
        players=(draw(TEXTS), draw(TEXTS)),
        event=draw(TEXTS),
        date=draw(st.sampled_from(("", "2010", "2010.11.05"))),
        scores=draw(st.just(()) | each),
        elapsed_ms=tuple(None if time is None else abs(time) for time in draw(st.just(()) | each)),
        **({} if game_of(moves, board=board).ending == FINISHED else {"ending": ending, "margin": 2 * half}),
    )


def written(folder: Path, ending: str, played: list[PlayedGame]) -> tuple[list[PlayedGame], Losses]:
    """Return the games as they come back from a file, their places left out, and what was counted."""
    path, losses = folder / f"games{ending}", Losses()
    names = [path, path.with_suffix(".jou"), path.with_suffix(".trn")] if ending == ".wtb" else [path]
    with written_whole(names) as files:
        WRITERS[ending](files, played, losses)
    return [replace(game, place="here") for game in complete_games(path, Losses())], losses


quick = settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quick
@given(st.lists(games(), min_size=1, max_size=3))
@pytest.mark.parametrize("ending", [".jsonl", ".ggf"])
def test_json_lines_and_ggf_hold_all_of_a_game(tmp_path: Path, ending: str, played: list[PlayedGame]) -> None:
    found, losses = written(tmp_path, ending, played)
    assert found == played
    assert not +losses.not_kept
    assert not losses.left_out


@quick
@given(st.lists(games(), min_size=1, max_size=3))
def test_transcripts_hold_the_moves_from_the_initial_position(tmp_path: Path, played: list[PlayedGame]) -> None:
    found, losses = written(tmp_path, ".txt", played)
    kept = [game for game in played if game.board == INITIAL]
    assert found == [game_of(game.moves) for game in kept]
    assert losses.left_out.total() == len(played) - len(kept)
    for what, has in (
        ("players", lambda game: any(game.players)),
        ("times", lambda game: game.elapsed_ms),
        ("results of games that stopped early", lambda game: game.ending != FINISHED),
    ):
        assert losses.not_kept[what] == sum(bool(has(game)) for game in kept), what


@quick
@given(st.lists(games(), min_size=1, max_size=3))
@pytest.mark.parametrize("ending", [".sgf", ".pgn"])
def test_sgf_and_pgn_hold_the_moves_the_names_and_the_result(
    tmp_path: Path, ending: str, played: list[PlayedGame]
) -> None:
    found, losses = written(tmp_path, ending, played)
    for game, back in zip(played, found, strict=True):
        same = ("board", "moves", "players", "event", "date")
        assert [getattr(back, name) for name in same] == [getattr(game, name) for name in same]
        if game.ending in ("", FINISHED) and not (game.margin or 0) % 2:
            assert back.margin == game.margin
    assert losses.not_kept["scores of moves"] == sum(bool(game.scores) for game in played)


QUARRY = r"""(;FF[4]GM[2]CA[UTF-8]AP[Quarry:0.2.0]SZ[8]
AB[ed][de]AW[dd][ee]PL[B]
PB[Ann \] Lee]PW[bob]EV[Cup]DT[2004-05-01]RE[W+6]C[a game; with (brackets) ]
;B[fe]BL[299.5];W[df]C[why?]
(;B[cc];W[dc](;B[cd])(;B[ce]))
(;B[cd]))
(;GM[1];B[aa])
"""
THOR = """[Event "Paris"]
[Date "1985.??.??"]
[Black "Tastet \\"Marc\\""]
[White "?"]
[Result "1-0"]

1. f5 d6 {the usual} 2. C3 d3 (2... c5 3. f6) 3. c4! $1 *

[Event "Second"]
[Black "a"]
[White "b"]
1. f5 f6 2. e6 f4 3. e3 c5 4. c4 e7 5. c6
"""


def test_a_file_of_quarry_is_read(tmp_path: Path) -> None:
    path, losses = tmp_path / "quarry.txt", Losses()
    path.write_text(QUARRY)
    (found,) = read_game_file(path, losses)
    assert [OTHELLO.format_move(move) for move in found.moves] == ["f5", "d6", "c3", "d3", "c4"]
    assert (found.players, found.event, found.date, found.margin) == (("Ann ] Lee", "bob"), "Cup", "2004-05-01", -6)
    assert found.board == INITIAL
    assert losses.not_kept == {"variations and comments": 1}
    assert losses.left_out == {"another game or board size": 1}
    convert(path, tmp_path / "again.sgf")
    assert "]GM[2]CA[UTF-8]PB[Ann \\] Lee]PW[bob]EV[Cup]" in (tmp_path / "again.sgf").read_text()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("(;GM[2];B[z9])", "line 1: move 1: 'z9' is not a move"),
        ("(;GM[2]RE[B+x];B[f5])", "line 1: RE: expected B.12"),
        ("(;GM[2]AB[pass]AW[e5];B[f5])", "line 1: move 1: AB: 'pass' is not a square"),
        ("(;GM[2];B[f5]", "line 1: a game has no closing"),
        ("(;GM[2];B[f5])\nrest", "must be an SGF game tree"),
        ("(;GM[1];B[aa])", "no Othello games"),
        ('[Event "x"]\n1. f5 z9', "line 1: move 2: 'z9' is not a move"),
    ],
)
def test_damaged_sgf_and_pgn_are_one_clear_error(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "games.txt"
    path.write_text(text)
    with pytest.raises(GameFileError, match=what):
        list(read_game_file(path))


def test_a_pgn_of_othello_is_read(tmp_path: Path) -> None:
    path, losses = tmp_path / "thor.txt", Losses()
    path.write_text(THOR)
    first, second = complete_games(path, losses)
    assert [OTHELLO.format_move(move) for move in first.moves] == ["f5", "d6", "c3", "d3", "c4"]
    assert (first.players, first.event, first.date, first.margin) == (('Tastet "Marc"', ""), "Paris", "1985", None)
    assert second.players == ("a", "b")
    assert losses.not_kept["variations and comments"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "1. f5 d6 (1... f4) 2. c3 (2. c4 d3) d3",
        "1. f5 (1. d3 c5 (1... c3 (1... e3) 2. d2) 2. d6) d6 2. c3 d3",
        "1. f5 (1. d3) (1. c4) d6 2. c3 (2. g5 (2. f4)) (2. f3) d3",
    ],
)
def test_variations_of_a_pgn_are_left_out_however_many_and_nested(tmp_path: Path, text: str) -> None:
    path, losses = tmp_path / "thor.txt", Losses()
    path.write_text(f'[Event "x"]\n{text} *\n')
    (game,) = read_game_file(path, losses)
    assert [OTHELLO.format_move(move) for move in game.moves] == ["f5", "d6", "c3", "d3"]
    assert losses.not_kept["variations and comments"] == 1


def test_moves_of_flipello_are_those_of_othello(tmp_path: Path) -> None:
    """Its ranks are counted from the other side, and its white moves first."""
    position = OTHELLO.initial()
    legal = {OTHELLO.format_move(move) for move in position.legal_moves()}
    assert {flipello.moves_text(f"P@{square}") for square in ("c5", "d6", "e3", "f4")} == legal
    path = tmp_path / "games.txt"
    path.write_text("P@f4 P@d3 P@c6\n")
    (found,) = read_game_file(path)
    assert [OTHELLO.format_move(move) for move in found.moves] == ["f5", "d6", "c3"]
    assert flipello.moves_text("P@f4 e1e1") == "f5 pass"


@quick
@given(st.lists(games(), min_size=1, max_size=3))
def test_wthor_holds_the_moves_the_names_and_the_result(tmp_path: Path, played: list[PlayedGame]) -> None:
    found, losses = written(tmp_path, ".wtb", played)
    kept = [game for game in played if game.board == INITIAL]
    assert losses.left_out.total() == len(played) - len(kept)
    years = {game.date[:4] for game in kept}
    for game, back in zip(kept, found, strict=True):
        assert (back.players, back.event, back.margin) == (game.players, game.event, game.margin)
        assert back.date == (game.date[:4] if len(years) == 1 else "")
        assert OTHELLO.format_move(back.moves[0]) == "f5"
        assert canonical(back.moves) == canonical(game.moves)
    assert losses.not_kept["the years"] == (len(kept) if len(years) > 1 else 0)
    assert losses.not_kept["times"] == sum(bool(game.elapsed_ms) for game in kept)


def canonical(moves: tuple[int, ...]) -> list[str]:
    position, texts = OTHELLO.initial(), []
    for move in moves:
        position.play(move)
        texts.append(OTHELLO.canonical(position))
    return texts


def test_each_position_of_a_game_is_a_line_of_obf_with_its_move(tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text(f"f5d6\n{WITH_PASS}\n")
    done = convert(tmp_path / "games.txt", tmp_path / "games.obf")
    lines = (tmp_path / "games.obf").read_text().splitlines()
    assert (done.count, done.unit, len(lines)) == (12, "position", 12)
    assert lines[1] == f"{OTHELLO.format_position(after('f5'))}; % d6, game 1, move 2"
    assert lines[-1].endswith("; % e2, game 2, move 10")
    for target in ("again.ggf", "again.txt"):
        with pytest.raises(
            GameFileError, match=r"games\.obf: OBF contains positions; expected a file of games ending in .*$"
        ):
            convert(tmp_path / "games.obf", tmp_path / target)


def after(moves: str) -> Any:
    position = OTHELLO.initial()
    for at in range(0, len(moves), 2):
        position.play(OTHELLO.parse_move(position, moves[at : at + 2]))
    return position


def test_the_record_of_the_referee_is_a_json_line(tmp_path: Path) -> None:
    engines = [EngineConfig(name, ("engine", "--quiet")) for name in ("é", "b")]
    moves = (MoveRecord("f5", "opening"), MoveRecord("d6", "white", 12, 900, 250, 8, 1000))
    record = GameRecord(
        GameSpec("othello", (), *engines), moves, "timeout", "black", 0, -64, "late", dialogue=("a line",)
    )
    other = record.to_json().replace('"game":"othello"', '"game":"connect"')
    (tmp_path / "store.jsonl").write_text(f"{record.to_json()}\n\n{other}\n", encoding="utf-8")
    losses = Losses()
    (found,) = read_game_file(tmp_path / "store.jsonl", losses)
    assert (found.players, found.margin, found.ending) == (("é", "b"), -64, "timeout")
    assert (found.elapsed_ms, found.scores, found.sides) == ((None, 12), (None, 250), (None, 1))
    assert losses.left_out == {"another game or board size": 1}
    convert(tmp_path / "store.jsonl", tmp_path / "store.ggf")
    text = (tmp_path / "store.ggf").read_text(encoding="utf-8")
    assert "PB[é]PW[b]TY[8]RE[-64.000:t]" in text
    assert text.endswith("B[F5]W[D6/2.50/0.012];)\n")


def test_a_letter_that_ggf_lacks_is_counted_and_the_file_is_whole(tmp_path: Path) -> None:
    game = game_of(random_moves(1, 5), players=("a]b;)c\nd", "B"), ending="crash", margin=-64)
    (found,), losses = written(tmp_path, ".ggf", [game])
    assert found.players == ("a b c d", "B")
    assert set(losses.not_kept) == {"characters that the format cannot represent", "reasons why games ended"}


def test_ggf_has_no_number_for_a_proven_win(tmp_path: Path) -> None:
    game = game_of(random_moves(1, 3), scores=(150, SCORE_WIN - 3, None), ending="resign", margin=2)
    (found,), losses = written(tmp_path, ".ggf", [game])
    assert (found.scores, dict(losses.not_kept)) == ((150, None, None), {"proven wins": 1})


def test_names_that_wthor_lacks_are_counted(tmp_path: Path) -> None:
    game = game_of(random_moves(1, 99), players=("Ł" * 3, "x" * 30), event="e" * 25)
    (found,), losses = written(tmp_path, ".wtb", [game])
    assert (found.players, found.event) == (("", "x" * 19), "e" * 25)
    assert losses.not_kept["names in full"] == 2
    unfinished = game_of(random_moves(1, 9))
    odd = game_of(random_moves(1, 9), margin=3)
    _, losses = written(tmp_path, ".wtb", [game, unfinished, odd])
    assert losses.left_out.total() == 2


WTHOR = struct.Struct("<BBBBIHHBBBx")


@pytest.mark.parametrize("name", ["games.jou", "GAMES.JOU", "WTHOR.JOU"])
def test_names_are_found_beside_a_wthor_file(tmp_path: Path, name: str) -> None:
    written(tmp_path, ".wtb", [game_of(random_moves(1, 99), players=("ann", "bob"), event="cup")])
    (tmp_path / "games.jou").rename(tmp_path / name)
    (tmp_path / "games.trn").unlink()
    losses = Losses()
    (found,) = read_game_file(tmp_path / "games.wtb", losses)
    assert (found.players, found.event) == (("ann", "bob"), "")
    assert losses.not_kept["tournaments, because there is no .trn file"] == 1
    (tmp_path / name).rename(tmp_path / "other.jou")
    (tmp_path / "another.jou").touch()
    (found,) = read_game_file(tmp_path / "games.wtb", losses)
    assert losses.not_kept["players, because none of the 2 .jou files has the same name as the games"] == 1
    (tmp_path / "other.jou").unlink()
    (tmp_path / "another.jou").unlink()
    (found,) = read_game_file(tmp_path / "games.wtb", losses)
    assert losses.not_kept["players, because there is no .jou file"] == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"short", r"games\.jou: header: must be 16 bytes, not 5"),
        (WTHOR.pack(20, 26, 1, 1, 0, 3, 0, 0, 0, 0) + bytes(59), r"games\.jou: 3 names: must be 76 bytes, not 75"),
        (
            WTHOR.pack(20, 26, 1, 1, 0, 2, 0, 0, 0, 0) + bytes(40),
            r"game 1, at byte 16: player: must be .* 0 to 1, not 2",
        ),
    ],
)
def test_damaged_names_are_named(tmp_path: Path, data: bytes, message: str) -> None:
    written(tmp_path, ".wtb", [game_of(random_moves(1, 99), players=("ann", "bob"))])
    (tmp_path / "games.jou").write_bytes(data)
    with pytest.raises(GameFileError, match=rf"games\.wtb: {message}(\n|$)"):
        convert(tmp_path / "games.wtb", tmp_path / "out.txt")
    assert not list(tmp_path.glob("*out*"))


def test_more_than_64_discs_are_damage(tmp_path: Path) -> None:
    path = tmp_path / "games.wtb"
    written(tmp_path, ".wtb", [game_of(random_moves(seed, 99)) for seed in (1, 2)])
    data = bytearray(path.read_bytes())
    data[16 + 6] = 65
    path.write_bytes(data)
    losses = Losses(problems=[])
    assert len(list(read_game_file(path, losses))) == 1
    assert losses.problems == ["game 1, at byte 16: score: must be 0 to 64 discs, not 65"]


BOARD = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"


def ggf_of(properties: str) -> str:
    return f"(;GM[Othello]TY[8]{BOARD}{properties};)"


def test_a_comment_does_not_end_a_game(tmp_path: Path) -> None:
    (tmp_path / "games.ggf").write_text(f"2 {ggf_of('B[f5]C[thanks ;) bye]W[d6]')}{ggf_of('B[e6]C[(;]')}\n")
    assert [len(game.moves) for game in read_game_file(tmp_path / "games.ggf")] == [2, 1]


def test_ggf_counts_the_properties_that_are_dropped(tmp_path: Path) -> None:
    text = ggf_of("PB[ann]RB[1720.5]RW[1800]TI[15:00//02:00]B[f5]C[hello]W[d6]C[hi]KB[]")
    (tmp_path / "games.ggf").write_text(f"{text}\n{ggf_of('B[f5]TI[05:00]')}\n{ggf_of('RB[1]B[z1]')}\n")
    done = convert(tmp_path / "games.ggf", tmp_path / "games.jsonl")
    counts = {"the property RB": 1, "the property RW": 1, "the property TI": 2, "the property C": 1}
    assert done.losses.not_kept == counts


def test_a_player_who_left_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / "games.ggf").write_text(ggf_of("RE[-64.00:l]B[f5]"))
    (found,) = complete_games(tmp_path / "games.ggf", Losses())
    assert (found.ending, found.margin) == ("abandoned", -64)
    (back,), losses = written(tmp_path, ".ggf", [found])
    assert back.ending == "abandoned"
    assert not +losses.not_kept


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("games.txt", "f5d6", "f5f5"),
        ("games.txt", "f5d6", "# none\nf5zz"),
        ("games.ggf", ggf_of("B[f5]W[d6]"), ggf_of("B[f5]W[f5]")),
        ("games.ggf", ggf_of("B[f5]W[d6]"), ggf_of("B[f5]W[d6]")[:-2]),
        ("games.ggf", ggf_of("B[f5]W[d6]"), "(;GM[Othello]TY[8r14]B[f5];)"),
        ("games.jsonl", '{"moves":[{"move":"f5"},{"move":"d6"}]}', '{"moves":[{"move":"f5"},{"move":"f5"}]}'),
        ("games.jsonl", '{"moves":[{"move":"f5"},{"move":"d6"}]}', "{"),
    ],
)
def test_convert_skips_damaged_games(tmp_path: Path, name: str, good: str, bad: str) -> None:
    (tmp_path / name).write_text(f"{good}\n{bad}\n{good}\n{bad}")
    done = convert(tmp_path / name, tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "f5d6\nf5d6\n"
    lines = 1 + bad.count("\n")
    places = [problem.partition(":")[0] for problem in done.losses.problems or ()]
    assert places == [f"line {1 + lines}", f"line {2 + 2 * lines}"]
    assert done.losses.left_out == {"damaged": 2}


WIPEOUT = ("e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5")  # White has lost all discs
AFTER = (*WIPEOUT, "pass", "pass", "pass")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("games.txt", "".join(AFTER)),
        ("games.ggf", ggf_of("".join(f"{'BW'[number % 2]}[{move}]" for number, move in enumerate(AFTER)))),
        ("games.jsonl", json.dumps({"moves": [{"move": move, "elapsed_ms": 3} for move in AFTER]})),
    ],
)
def test_passes_after_the_end_are_dropped(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    (found,) = complete_games(tmp_path / name, Losses())
    assert [OTHELLO.format_move(move) for move in found.moves] == list(WIPEOUT)
    assert (found.ending, found.margin, len(found.elapsed_ms)) == (FINISHED, 64, 9 if name == "games.jsonl" else 0)
    (tmp_path / name).write_text(text.replace("e6", "pass"))
    with pytest.raises(GameFileError, match="move 1, pass, is not legal"):
        list(complete_games(tmp_path / name, Losses()))


LINE = '{"spec":{"game":"othello"},"moves":[{"move":"f5","by":"black"}]}'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("f5d6", "must be a JSON object, not 'f5d6'"),
        ('{"moves":[],"event":"\\ud800"}', "must be a JSON object"),
        ("{}", "moves: must be a list"),
        ('{"moves":["f5"]}', 'move 1: must be an object, not "f5"'),
        ('{"moves":[{"move":"f5"},{}]}', "move 2: '' is not a move"),
        (LINE.replace("f5", "a1"), "move 1, a1, is not legal"),
        (LINE.replace("black", "white"), "move 1, f5, is recorded for White, who is not to move"),
        (LINE.replace("}]}", ',"elapsed_ms":true}]}'), "move 1: elapsed_ms: must be a whole number, not true"),
        (
            LINE.replace('"spec"', '"reason":"finished","spec"'),
            "recorded as finished, but its 1 moves do not end the game",
        ),
        (LINE.replace('"spec"', '"start":"X O","spec"'), "start: squares: must be 64 characters from X, O and -"),
        (LINE.replace('"spec"', '"lines":[{"comment":3}],"spec"'), "line 1: comment: must be a string, not 3"),
    ],
)
def test_a_damaged_json_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "games.jsonl").write_text(f"{LINE}\n\n{line}\n")
    with pytest.raises(GameFileError, match=rf"^line 3: {message}"):
        list(complete_games(tmp_path / "games.jsonl", Losses()))


@pytest.mark.parametrize("ending", [each for each in READERS if each in WRITERS])
def test_a_file_is_worked_through_game_by_game(tmp_path: Path, ending: str) -> None:
    path, game = tmp_path / f"long{ending}", game_of(random_moves(3, 9), margin=0)
    names = [path, path.with_suffix(".jou"), path.with_suffix(".trn")] if ending == ".wtb" else [path]
    sizes = []
    with written_whole(names) as files:
        # Type: ignore[func-returns-value].
        WRITERS[ending](files, (sizes.append(files[0].tell()) or game for _ in range(1000)), Losses())
    assert sizes == sorted(set(sizes))
    data = path.read_bytes()
    assert len(data) > 2 << 13
    path.write_bytes(data[: 16 if ending == ".wtb" else 1 << 13] + b"\n(" * ((len(data) - 16) // 2))
    found = read_game_file(path)
    if ending != ".wtb":
        assert len([next(found) for _ in range(10)]) == 10
    with pytest.raises(GameFileError):
        list(found)


# The conversion command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games.txt").write_text(f"f5d6\n{WITH_PASS}\n")
    return tmp_path


def test_the_command_says_what_was_written_and_what_was_lost(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["convert", "games.txt", "games.jsonl"]) == 0
    assert capsys.readouterr() == ("games.jsonl: 2 games\n", "")
    first, second = (folder / "games.jsonl").read_text().splitlines()
    (folder / "games.jsonl").write_text(json.dumps({**json.loads(first), "event": "cup"}) + f"\n{second}\n")
    assert run_command(["convert", "games.jsonl", "games.txt", "--force"]) == 0
    assert capsys.readouterr() == ("games.txt: 2 games\n", "not kept: events (1 game)\n")
    assert run_command(["convert", "games.txt", "games.wtb"]) == 2
    reason = "contains no game that can be written to games.wtb: 2: stopped early, without a result"
    assert capsys.readouterr() == ("", f"error: games.txt: {reason}\n")
    assert sorted(each.name for each in folder.iterdir()) == ["games.jsonl", "games.txt"]


def test_variations_and_comments_are_kept_or_their_loss_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [{"moves": "f5 d6", "comment": ""}, {"moves": "f5 f6", "comment": "the diagonal"}]
    beside = {"people": ["black"], "opponent": {"level": 3, "limit": ""}, "detail": "White lost on time"}
    moves = [{"move": "f5", "by": "black", "clock_ms": 900}, {"move": "d6", "by": "white"}]
    record = {"spec": {"game": "othello"}, "moves": moves, "lines": lines, **beside}
    (folder / "games.jsonl").write_text(json.dumps(record))
    assert run_command(["convert", "games.jsonl", "kept.jsonl"]) == 0
    assert capsys.readouterr() == ("kept.jsonl: 1 game\n", "")
    assert json.loads((folder / "kept.jsonl").read_text()) == record
    for target in ("games.ggf", "other.txt"):
        assert run_command(["convert", "kept.jsonl", target]) == 0
        assert capsys.readouterr() == (f"{target}: 1 game\n", "not kept: variations and comments (1 game)\n")


def test_a_request_to_end_leaves_nothing_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(files: object, games: object, losses: object) -> int:
        os.kill(os.getpid(), signal.SIGTERM)
        return 1

    monkeypatch.setitem(WRITERS, ".ggf", interrupt)
    assert run_command(["convert", "games.txt", "games.ggf"]) == 130
    assert [each.name for each in folder.iterdir()] == ["games.txt"]


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("games.txt", "games.txt", "games.txt: must not be one of the input files"),
        ("games.txt", "link.txt", "link.txt: must not be one of the input files"),
        ("games.wtb", "names.wtb", "names.jou: must not be one of the input files"),
        ("games.txt", "there.ggf", "there.ggf: already exists; use --force to overwrite it"),
        ("games.txt", "folder.ggf", "folder.ggf: must be a regular file, not a folder, a pipe or a device"),
        ("games.txt", "games.pdf", "games.pdf: must end in .wtb, .ggf, .sgf, .pgn, .txt, .jsonl, .obf"),
        ("none.txt", "x.ggf", "none.txt: No such file or directory"),
        ("pipe.txt", "x.ggf", "pipe.txt: must be a regular file, not a folder, a pipe or a device"),
        ("games.txt", "no/x.ggf", "no/x.ggf: No such file or directory"),
        ("empty.txt", "x.ggf", "empty.txt: contains no game that can be written to x.ggf"),
    ],
)
def test_what_cannot_be_converted_is_named_and_nothing_is_changed(
    folder: Path, capsys: pytest.CaptureFixture[str], source: str, target: str, message: str
) -> None:
    written(folder, ".wtb", [game_of(random_moves(1, 99), players=("ann", "bob"))])
    (folder / "games.jou").rename(folder / "names.jou")
    (folder / "link.txt").symlink_to("games.txt")
    (folder / "there.ggf").touch()
    (folder / "empty.txt").write_text("# none\n")
    (folder / "folder.ggf").mkdir()
    os.mkfifo(folder / "pipe.txt")
    before = {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}
    assert run_command(["convert", source, target, *["--force"] * (target != "there.ggf")]) == 2
    assert capsys.readouterr() == ("", f"error: {message}\n")
    assert {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()} == before


def test_damaged_games_are_counted_and_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.txt").write_text("f5\nf5f5\nf5d6\n" + "f5a1\n" * 30)
    assert run_command(["convert", "bad.txt", "x.ggf"]) == 2
    said = capsys.readouterr()
    assert said.out == "x.ggf: 2 games\n"
    first, second, *_, last = said.err.splitlines()
    assert first == "left out: damaged (31 games)"
    assert second == "error: bad.txt: line 2: move 2, f5, is not legal"
    assert last == "error: bad.txt: more damaged games: 11"
    assert said.err.count("\n") == 22
    assert run_command(["convert", "bad.txt", "x.wtb"]) == 2
    no_game = "bad.txt: contains no game that can be written to x.wtb: 2: stopped early, without a result; 31: damaged"
    assert capsys.readouterr().err.endswith(f"error: {no_game}\n")
    assert not (folder / "x.wtb").exists()


STREAMS = {
    "f5 d6\n6 4 4 3\n": "f5d6\nf5d6\n",
    f"{ggf_of('B[f5]W[d6]')}\n": "f5d6\n",
    '{"moves":[{"move":"f5"},{"move":"d6"}]}\n': "f5d6\n",
}
Convert = Callable[..., tuple[int, str, str]]


@pytest.fixture
def convert_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Convert:
    """Return a function that converts a text on standard input, and returns the status, the output and the errors."""
    monkeypatch.chdir(tmp_path)

    def convert_text(text: str, *words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        status = run_command(["convert", *words])
        return status, *capsys.readouterr()

    return convert_text


def test_streams_are_read_and_written(tmp_path: Path, convert_stream: Convert) -> None:
    for text, transcripts in STREAMS.items():
        count = transcripts.count("\n")
        said = f"-: {count} game{'s' * (count > 1)}\n"
        assert convert_stream(text, "-", "-") == (0, transcripts, said)
    _, ggf, _ = convert_stream("f5d6\n", "-", "-", "--to", "ggf")
    assert ggf == f"(;GM[Othello]TY[8]RE[?]{BOARD}B[F5]W[D6];)\n"
    assert convert_stream(ggf, "-", "games.txt") == (0, "games.txt: 1 game\n", "")
    _, lines, _ = convert_stream("", "games.txt", "-", "--to", "jsonl")
    assert [each["move"] for each in json.loads(lines)["moves"]] == ["f5", "d6"]
    assert [each.name for each in tmp_path.iterdir()] == ["games.txt"]


ILLEGAL = "move 2, f5, is not legal"
NO_GAME = "contains no game that can be written to -"


@pytest.mark.parametrize(
    ("text", "words", "out", "errors"),
    [
        ("f5\nf5f5\n", ("-", "-"), "f5\n", ["-: 1 game", "left out: damaged (1 game)", f"error: -: line 2: {ILLEGAL}"]),
        ("f5f5\n", ("-", "-"), "", [f"error: -: line 1: {ILLEGAL}", f"error: -: {NO_GAME}: 1: damaged"]),
        ("", ("-", "-"), "", [f"error: -: {NO_GAME}"]),
        (f"{'-' * 64} X\n", ("-", "-"), "", ["error: -: it contains positions, not games"]),
        (
            "f5\n",
            ("-", "x.txt", "--to", "ggf"),
            "",
            ["error: --to: only allowed if OUT is -, not x.txt"],
        ),
    ],
)
def test_what_is_wrong_with_a_stream_is_named(
    tmp_path: Path, convert_stream: Convert, text: str, words: tuple[str, ...], out: str, errors: list[str]
) -> None:
    assert convert_stream(text, *words) == (2, out, "".join(f"{line}\n" for line in errors))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("ending", "unit"),
    [
        (".sgf", "()"),
        (".pgn", "{c "),
        (".pgn", "(a)"),
        (".ggf", "(;"),
        (".ggf", "B["),
        (".ggf", " "),
        (".txt", "pass"),
    ],
)
def test_reading_takes_time_in_proportion_to_the_file(tmp_path: Path, ending: str, unit: str) -> None:
    """Each file is large enough that quadratic time would exceed the time limit of a test."""
    path = tmp_path / f"large{ending}"
    head = {".sgf": "(;GM[2];B[f5])", ".pgn": '[Event "x"]\n\n', ".ggf": "(;GM[Othello]", ".txt": ""}
    path.write_text(head[ending] + unit * (2_000_000 // len(unit)))
    losses = Losses(problems=[])
    assert sum(1 for _ in complete_games(path, losses)) + len(losses.problems or ()) > 0


@pytest.mark.parametrize(
    ("name", "text", "moves"),
    [
        ("long.sgf", "(;GaMe[2]PlayerBlack[ann];Black[f5];White[d6])", "f5d6"),
        ("long.txt", "(;FileFormat[3]GaMe[2];Black[f5])", "f5"),
        ("usual.ggf", "(;GM[Othello]TY[8]B[F5]W[D6];)", "f5d6"),
        ("usual.ggf", "(;GM[Othello]B[F5];)", "f5"),
    ],
)
def test_older_spellings_of_a_game_are_read(tmp_path: Path, name: str, text: str, moves: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert [format_moves(game) for game in read_game_file(path)] == [moves]


def test_a_game_of_ggf_without_the_board_that_it_needs_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "games.ggf"
    path.write_text("(;GM[Othello]TY[8r14]B[F5];)\n(;GM[Othello]TY[10]B[F5];)\n")
    losses = Losses(problems=[])
    assert not list(read_game_file(path, losses))
    assert losses.problems == ["line 1: BO is missing: only games of the type 8 have the usual board, not '8r14'"]
    assert losses.left_out == {"another game or board size": 1, "damaged": 1}


WRAPPED = "f5 d6 c3 d3 c4 f4 f6 f3 e6 e7 f7 c5 b6 g5 e3 d7 c6"


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("1. f5 d6 2. c3 d3\n3. c4 e3\n", ["f5d6c3d3c4e3"]),  # e3 is not legal, and the whole game is damaged
        ("1. f5 d6 2. c3 d3\n3. c4 f4\n", ["f5d6c3d3c4f4"]),
        ("1. f5 d6\n2. c3 d3 33-31\n1. f5 f6\n", ["f5d6c3d3", "f5f6"]),
        (f"{WRAPPED[:24]}\n{WRAPPED[24:36]}\n\n{WRAPPED[36:]}\n*\n{WRAPPED}\n", [WRAPPED.replace(" ", "")] * 2),
        ("f5d6\nf5f6\nc4e3\n", ["f5d6", "f5f6", "c4e3"]),
        ("f5d6 *\n2. c3 d3\n", ["f5d6", "c3d3"]),
        ("1985\tann\tf5d6\n1986\tann\tc3d3\n", ["f5d6", "c3d3"]),
    ],
)
def test_a_game_may_be_wrapped_over_lines(tmp_path: Path, text: str, moves: list[str]) -> None:
    path = tmp_path / "games.txt"
    path.write_text(text)
    assert [format_moves(game) for game in read_game_file(path)] == moves


def format_moves(game: PlayedGame) -> str:
    return "".join(get_game("othello").format_move(move) for move in game.moves)


@pytest.mark.parametrize("moves", ["{f5 d6", "f5 (d6", "f5 (d6 (c3) c4"])
def test_an_unclosed_comment_or_variation_of_pgn_is_damage(tmp_path: Path, moves: str) -> None:
    path = tmp_path / "open.pgn"
    path.write_text(f'[Event "x"]\n\n1. {moves}\n')
    with pytest.raises(GameFileError, match=r"line 1: .* no closing"):
        list(read_game_file(path))


@pytest.mark.parametrize("ending", [".txt", ".sgf", ".pgn", ".ggf", ".jsonl"])
def test_an_error_quotes_only_the_start_of_a_long_move(tmp_path: Path, ending: str) -> None:
    move = "d" + "1" * 10_000
    path = tmp_path / f"long{ending}"
    start = "---------------------------O*------*O--------------------------- *"
    ggf = f"(;GM[Othello]PB[a]PW[b]TY[8]BO[8 {start}]B[{move}];)"
    texts = {".txt": f"f5 {move}", ".sgf": f"(;GM[2];B[{move}])", ".pgn": f'[Event "x"]\n\n1. {move}', ".ggf": ggf}
    path.write_text(texts.get(ending, f'{{"moves":[{{"move":"{move}"}}]}}'))
    with pytest.raises(GameFileError) as caught:
        list(read_game_file(path))
    assert len(str(caught.value)) < 300
