"""Readers of games: what they read, and what they say of a file that is damaged."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from quietmove.addons.train.positions import NO_RESULT, NO_VALUE, Records, read_games, read_source
from quietmove.engine.errors import TrainingError
from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.othello.notation import format_square
from quietmove.engine.games.registry import get_game

OTHELLO = get_game("othello")


def finished() -> list[tuple[str, int]]:
    """Return two finished games, as moves without passes, and Black's margin."""
    games = []
    for choose in (min, max):
        position, moves = OTHELLO.initial(), []
        position.play(37)
        moves.append(37)
        while legal := position.legal_moves():
            moves.append(choose(legal))
            position.play(moves[-1])
        text = "".join(format_square(move) for move in moves if move != PASS)
        games.append((text, position.result() // 100))
    return games


GAMES = finished()
SQUARES = {format_square(square): square for square in range(64)}


def squares(game: str) -> list[str]:
    return [game[i : i + 2] for i in range(0, len(game), 2)]


def wthor(games: list[tuple[str, int]]) -> bytes:
    data = struct.pack("<BBBBIHHBBBx", 20, 26, 1, 1, len(games), 0, 2026, 8, 0, 24)
    for game, margin in games:
        codes = [10 * (SQUARES[name] // 8 + 1) + SQUARES[name] % 8 + 1 for name in squares(game)]
        data += struct.pack("<HHHBB60s", 0, 1, 2, (64 + margin) // 2, 32, bytes(codes))
    return data


def ggf(games: list[tuple[str, int]]) -> bytes:
    start = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"
    lines = []
    for game, margin in games:
        position, moves = OTHELLO.initial(), ""
        for name in squares(game):
            if position.legal_moves() == [PASS]:
                moves += f"{'BW'[position.side_to_move]}[pass]"
                position.play(PASS)
            moves += f"{'BW'[position.side_to_move]}[{name.upper()}/1.5/0.01]"
            position.play(SQUARES[name])
        lines.append(f"1 (;GM[Othello]PC[here]PB[a]PW[b]TY[8]RE[{margin:+}.000]{start}{moves};)")
    lines.append("1 (;GM[Othello]TY[4]BO[4 ---- -O*- -*O- ---- *]B[A2]W[A1];)")
    return "\n".join(lines).encode()


def transcripts(games: list[tuple[str, int]]) -> bytes:
    return "\n".join(["# two games", "", *(game for game, _ in games)]).encode()


WRITERS: dict[str, Callable[[list[tuple[str, int]]], bytes]] = {".wtb": wthor, ".ggf": ggf, ".txt": transcripts}


def check_records(records: Records) -> None:
    """Compare with the positions that the rules give."""
    found = iter(records.tolist())
    for number, (game, margin) in enumerate(GAMES):
        position = OTHELLO.initial()
        for name in squares(game):
            if position.legal_moves() == [PASS]:
                position.play(PASS)
            text, side = OTHELLO.format_position(position).split()
            own = sum(1 << i for i, letter in enumerate(text) if letter == side)
            opp = sum(1 << i for i, letter in enumerate(text) if letter not in (side, "-"))
            result = margin if side == "X" else -margin
            assert next(found) == (own, opp, number, NO_VALUE, result, 0)
            position.play(SQUARES[name])
    assert next(found, None) is None


@pytest.mark.parametrize("ending", WRITERS)
def test_a_reader_replays_each_game(tmp_path: Path, ending: str) -> None:
    assert any(len(game) < 120 or margin for game, margin in GAMES)
    path = tmp_path / f"games{ending}"
    path.write_bytes(WRITERS[ending](GAMES))
    check_records(read_games(path))
    check_records(read_source(path))


@pytest.mark.parametrize("result", ["RE[+64.00:r]", "RE[?]", "", "RE[{less:+}]KM[+2.5]"])
def test_a_result_that_is_not_of_the_board_alone_is_no_contradiction(tmp_path: Path, result: str) -> None:
    path = tmp_path / "games.ggf"
    game, margin = GAMES[0]
    written = result.format(less=margin - 2.5)
    data = ggf([(game, margin)]).replace(f"RE[{margin:+}.000]".encode(), written.encode())
    path.write_bytes(data)
    assert len(read_games(path)) == len(squares(game))
    if "KM" in written:
        path.write_bytes(data.replace(b"KM[+2.5]", b"KM[-2.5]"))
        with pytest.raises(TrainingError, match="recorded margin for Black is"):
            read_games(path)


def test_a_game_that_was_not_ended_has_no_result(tmp_path: Path) -> None:
    path = tmp_path / "open.txt"
    path.write_text("f5d6c3\n")
    assert read_games(path)["result"].tolist() == [NO_RESULT] * 3


@pytest.mark.parametrize(
    ("ending", "spoil", "message"),
    [
        (".wtb", lambda data: data[:9], "header: .* not 9"),
        (".wtb", lambda data: data[:-1], "2 games: must be 152 bytes, not 151"),
        (".wtb", lambda data: data[:8] + b"\1" + data[9:], "header: .* got 1 names, board 8, type 0"),
        (".wtb", lambda data: data[:24] + b"\x09" + data[25:], "game 1, at byte 16: move: .* not 9"),
        (".wtb", lambda data: data[:92] + b"\x0b" + data[93:], "game 2, at byte 84: move 1, a1, is not legal"),
        (
            ".wtb",
            lambda data: data[:90] + b"\x3f" + data[91:],
            "game 2, at byte 84: the recorded margin for Black is \\+62, but",
        ),
        (".ggf", lambda data: data.replace(b"[F5", b"[Z5", 1), "line 1: 'Z5' is not a move"),
        (".ggf", lambda data: data.replace(b"BO[8 --", b"BO[8 -", 1), "line 1: squares: must be 64 characters from"),
        (".ggf", lambda data: data[: data.rindex(b";)")], "line 3: a game has no closing ;\\): "),
        (".ggf", lambda data: data.replace(b"B[F5", b"b[F5", 1), "line 1: expected properties .* got 'b\\[F5"),
        (".ggf", lambda data: data.replace(b".000]", b".500]", 1), "line 1: the recorded margin for Black is .*5, but"),
        (".ggf", lambda data: re.sub(rb"RE\[.*?\]", b"RE[b]", data, count=1), "line 1: RE: .* not 'b'"),
        (
            ".ggf",
            lambda data: data.replace(b"]W[", b"]B[", 1),
            "line 1: move 2, .., is recorded for Black, who is not to",
        ),
        (".ggf", lambda data: b"f5d6c3", "it contains no GGF games"),
        (".txt", lambda data: data.replace(b"f5", b"f5pass", 1), "line 3: move 2, pass, is not legal"),
        (".txt", lambda data: data.replace(b"f5", b"f 5", 1), "line 3: move 1: 'f' is not a move"),
        (".txt", lambda data: data[:-1], "line 4: move .*: '.' is not a move"),
        (".TXT", lambda data: b"\x00\xff" * 40, "line 1: .* is not a move"),
    ],
)
def test_a_damaged_file_is_named_with_the_place(
    tmp_path: Path, ending: str, spoil: Callable[[bytes], bytes], message: str
) -> None:
    path = tmp_path / f"games{ending}"
    path.write_bytes(spoil(WRITERS[ending.lower()](GAMES)))
    with pytest.raises(TrainingError, match=f"^games: {path}: {message}"):
        read_games(path)


def test_a_file_of_no_known_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "games.pdf").write_text("f5d6")
    with pytest.raises(TrainingError, match=r"ending in \.wtb, \.ggf, \.sgf, \.pgn, \.txt, \.jsonl, not .*games\.pdf'"):
        read_source(tmp_path / "games.pdf")
    with pytest.raises(TrainingError, match=r"nothing\.txt: No such file or directory"):
        read_source(tmp_path / "nothing.txt")
    (tmp_path / "empty.txt").write_text("# nothing\n")
    with pytest.raises(TrainingError, match=r"empty\.txt: contains no positions"):
        read_source(tmp_path / "empty.txt")
