from __future__ import annotations

import json
from dataclasses import replace

import pytest

from quietmove.engine.games.registry import get_game
from quietmove.referee.config.model import EngineConfig, GameSpec, TimeControl
from quietmove.referee.config.validation import adapter
from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.referee.match.output import document, game_line, score_lines

BLACK = EngineConfig("alpha", ("alpha", "-x"), options=(("Hash", "16"),), limit=TimeControl(base_ms=1000))
WHITE = EngineConfig("beta", ("beta",))
RECORD = GameRecord(
    spec=GameSpec("othello", ("f5",), BLACK, WHITE),
    moves=(
        MoveRecord("f5", "opening"),
        MoveRecord("f6", "white", 12, None, -150, 8, 4321),
        MoveRecord("e6", "black", 7, 993),
    ),
    reason="crash",
    loser="white",
    points_black=1.0,
    margin_black=64,
    detail="beta (white) ended with status 1",
    black_stderr="",
    white_stderr="warning: ä\nend",
    dialogue=("0.1 black > uci",),
)


def test_json_both_ways() -> None:
    assert adapter(GameRecord).validate_json(RECORD.to_json(), strict=True) == RECORD
    assert "\n" not in RECORD.to_json()
    assert RECORD.to_json() == json.dumps(RECORD.as_dict(), separators=(",", ":"))
    assert json.loads(RECORD.to_json())["result"] == "1-0"


def test_unknown_keys_of_a_later_version_are_ignored() -> None:
    assert adapter(GameRecord).validate_json(json.dumps({**RECORD.as_dict(), "weather": "fine"}), strict=True) == RECORD


def test_transcript() -> None:
    assert RECORD.text() == (
        "Game     othello\n"
        "Black    alpha  tc=1+0  alpha -x\n"
        "         option Hash = 16\n"
        "White    beta  depth=6  beta\n"
        "Result   1-0  +64 for Black\n"
        "Verdict  crash: beta (white) ended with status 1\n"
        "\n"
        " ply by      move           seconds     clock     score     depth     nodes\n"
        "   1 opening f5 (6 4)\n"
        "   2 white   f6 (6 3)         0.012         -     -1.50         8      4321\n"
        "   3 black   e6 (5 3)         0.007     0.993         -         -         -\n"
        "\n"
        "Standard error of White\n"
        "warning: ä\n"
        "end\n"
        "\n"
        "Dialogue\n"
        "0.1 black > uci\n"
    )


@pytest.mark.parametrize(("score", "text"), [(29_997, "win 3"), (-29_998, "loss 2"), (29_000, ""), (-6400, "")])
def test_a_proven_win_is_written_in_plies(score: int, text: str) -> None:
    record = replace(RECORD, moves=(MoveRecord("f5", "black", 12, None, score, 8, 4321),))
    (row,) = [line for line in record.text().splitlines() if "4321" in line]
    assert row.split("-", 1)[1].split()[:-2] == (text.split() or [f"{score / 100:.2f}"])
    assert record.as_dict()["moves"][0].get("proven", "") == text
    assert adapter(GameRecord).validate_json(record.to_json(), strict=True) == record


def test_a_transcript_in_one_notation() -> None:
    assert "   3 black   5 3         0.007" in RECORD.text(["project"])
    assert "   3 black   e6          0.007" in RECORD.text(["algebraic"])
    assert "   3 black   5 3 (e6)         0.007" in RECORD.text(["project", "algebraic"])
    passed = replace(RECORD, moves=(MoveRecord("pass", "black"),))
    assert "black   pass  " in passed.text()
    unknown = replace(RECORD, spec=replace(RECORD.spec, game="mine.py:Mine"))
    assert "   1 opening f5\n" in unknown.text()  # whose file is not run
    assert "   1 opening d\n" in replace(unknown, moves=(MoveRecord("d", "opening"),)).text(["project"])


ILLEGAL = replace(RECORD, reason="illegal", detail="...", answer="6 6 # best", dialogue=(), white_stderr="")


def test_a_transcript_shows_an_illegal_move_and_the_position_in_one_notation() -> None:
    assert (
        ILLEGAL.text().partition("\n\n")[2]
        == (
            " ply by      move           seconds     clock     score     depth     nodes\n"
            "   1 opening f5 (6 4)\n"
            "   2 white   f6 (6 3)         0.012         -     -1.50         8      4321\n"
            "   3 black   e6 (5 3)         0.007     0.993         -         -         -\n"
            "   4 white   6 6 # best    not played\n"
            "\n"
            "Legal    f4 (6 5), d6 (4 3)\n"
        )
        + get_game("othello").draw(ILLEGAL.transcript.position()._position)
        + "\n"
    )
    numbers = replace(BLACK, protocol="project", settings=(("coordinates", "zero"),))
    black = replace(ILLEGAL, loser="black", moves=ILLEGAL.moves[:2], spec=replace(ILLEGAL.spec, black=numbers))
    assert "   2 white   f6 (5 5)" in black.text()
    assert ", e6 (4 5), " in black.text()


def test_lines_of_a_match() -> None:
    drawn = replace(RECORD, reason="finished", loser=None, points_black=0.5, margin_black=0)
    assert game_line(0, 2, RECORD) == "game 1/2  alpha - beta  1-0 (+64)  crash: beta (white) ended with status 1"
    lines = list(score_lines(("alpha", "beta"), {0: RECORD, 1: drawn}))
    assert lines[:4] == [
        "alpha against beta: 1.5 of 2 points",
        "  won 1, drawn 1, lost 0",
        "  margin +32.00 per game",
        "  pairs 0-0-0-1-0 with 0, 1/2, 1, 3/2 and 2 points",
    ]
    assert lines[4].startswith("  Elo +190.8, 95% between -")
    assert lines[-2:] == ["  alpha used 1% of its time per game, 1% to 1%", "  beta lost 1 by crash"]


@pytest.mark.parametrize(
    ("limit", "used"), [("tc=1", 0.05), ("tc=1+0.25", 0.04), ("tc=9/1+0.25", None), ("movetime=50", None)]
)
def test_the_time_used_is_a_part_of_the_clock_with_its_increments(limit: str, used: float | None) -> None:
    """An increment that comes after the last move is none of it."""
    black = replace(BLACK, limit=TimeControl.parse(limit))
    moves = (MoveRecord("e6", "black", 20), MoveRecord("f6", "white", 70), MoveRecord("c4", "black", 30))
    record = replace(RECORD, spec=replace(RECORD.spec, black=black), moves=moves)
    assert record.time_used("black") == used
    assert record.time_used("white") is None
    assert replace(record, moves=moves[1:2]).time_used("black") is None


def test_document_is_json_even_where_elo_is_infinite() -> None:
    swapped = replace(RECORD, points_black=0.0, margin_black=-64)
    found = document(("alpha", "beta"), {1: swapped, 0: RECORD}, complete=True)
    assert json.dumps(found, allow_nan=False)
    assert found["score"]["estimate"]["elo"] is None
    assert found["score"]["margin"] == 64
    assert [game["number"] for game in found["games"]] == [1, 2]
    assert "+infinite" in "\n".join(score_lines(("alpha", "beta"), {1: swapped, 0: RECORD}))


def test_games_of_a_match_that_differ_all_count() -> None:
    swapped = replace(RECORD, points_black=0.5, margin_black=0)
    for other in (replace(RECORD, reason="timeout"), replace(RECORD, moves=()), replace(RECORD, points_black=0.0)):
        records = {0: RECORD, 1: swapped, 2: other, 3: swapped}
        assert document(("alpha", "beta"), records, complete=True)["score"]["distinct"] == 4
        assert not any("distinct" in line for line in score_lines(("alpha", "beta"), records))
    elsewhere = replace(RECORD, spec=replace(RECORD.spec, opening=("d3",)))
    assert document(("alpha", "beta"), {0: RECORD, 2: elsewhere}, complete=True)["score"]["distinct"] == 2
