"""Engines that think on their opponent's time, as real processes: what they are told, and how they fail."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from quietmove.referee.config.model import OWN_ENGINE, Adjudication, EngineConfig, TimeControl
from quietmove.referee.game.host import play_game
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match.running import play_series
from quietmove.referee.match.setup import pair_games
from quietmove.referee.process import line_process
from quietmove.referee.seats.pool import check_engine
from tests.e2e.conftest import SHORT

PONDER = (("ponder", True),)
PATIENCE = {"stall_timeout_ms": 3000}  # enough for the moves before the fault


def said(record: GameRecord, color: str, direction: str = ">") -> list[str]:
    """Return the lines that went to one side, or came from it with ``<``."""
    rows = (re.fullmatch(rf"\s*[\d.]+ {color} {direction} (.*)", line) for line in record.dialogue)
    return [row[1] for row in rows if row]


def ponders(fakes: Any, behaviour: str = "sane", *arguments: str, guess: str = "first", **fields: Any) -> EngineConfig:
    config: EngineConfig = fakes.config(behaviour, "--guess", guess, *arguments, **{"settings": PONDER, **fields})
    return config


def test_an_engine_whose_guess_was_right_is_told_so(fakes: Any) -> None:
    """The opponent always plays its first legal move."""
    control = TimeControl.parse("tc=600+1")
    rules = Adjudication(max_plies=20)
    black = ponders(fakes, limit=control)
    record = play_game(fakes.game(black, fakes.config("sane"), keep_dialogue=True, adjudication=rules))
    assert record.reason == "adjudicated"
    sent = said(record, "black")
    assert sent[1] == "setoption name Ponder value true"
    pondered = [index for index, line in enumerate(sent) if line.startswith("go ponder")]
    assert len(pondered) == 10
    assert re.fullmatch(r"go ponder btime (59|60)\d{4} binc 1000", sent[pondered[0]])
    own_moves = [move for move in record.moves if move.by == "black"]
    assert sent.count("ponderhit") == len(own_moves) - 1
    assert sum(line.startswith("go") for line in sent) == 1 + len(pondered)
    for index in pondered[:-1]:  # the end of the game stops the last one
        assert sent[index + 1] == "ponderhit"
        before, after = sent[index - 1].split(), sent[index + 2].split()
        assert after[: len(before)] == before
    assert sum(line.startswith("bestmove") for line in said(record, "black", "<")) == len(own_moves) + 1


def test_an_engine_whose_guess_was_wrong_is_stopped_and_asked_anew(fakes: Any) -> None:
    wrong = ponders(fakes, guess="last")
    game = fakes.game(wrong, fakes.config("sane"), keep_dialogue=True, adjudication=Adjudication(max_plies=20))
    record = play_game(game)
    plain = play_game(replace(game, black=replace(wrong, settings=())))
    assert [move.move for move in record.moves] == [move.move for move in plain.moves]
    assert [move.score for move in record.moves] == [move.score for move in plain.moves]
    sent = said(record, "black")
    stops = [index for index, line in enumerate(sent) if line == "stop"]
    assert len(stops) > 5
    for index in stops[:-1]:  # the last stop belongs to the end of the game
        assert sent[index - 1].startswith("go ponder")
        assert [line.split()[0] for line in sent[index + 1 : index + 3]] == ["position", "go"]
    answers = sum(line.startswith("bestmove") for line in said(record, "black", "<"))
    assert answers == sum(move.by == "black" for move in record.moves) + len(stops)


@pytest.mark.parametrize(("guess", "settings"), [("first", ()), (None, PONDER)])
def test_only_an_engine_that_is_set_to_ponder_and_can_does_so(
    fakes: Any, guess: str | None, settings: tuple[tuple[str, bool], ...]
) -> None:
    arguments = () if guess is None else ("--guess", guess)
    config = fakes.config("sane", *arguments, settings=settings)
    record = play_game(fakes.game(config, fakes.config("sane"), keep_dialogue=True, adjudication=SHORT))
    assert not [line for line in said(record, "black") if "ponder" in line.lower()]


def test_an_engine_that_cannot_ponder_is_refused_before_the_first_game(fakes: Any) -> None:
    assert check_engine(ponders(fakes), "othello") == []
    objections = check_engine(fakes.config("sane", settings=PONDER), "othello")
    assert [each.text for each in objections] == ["it has no option Ponder, so it cannot ponder"]


FAULTS = [
    ("crash", "first", {}, "crash", "ended with status 3"),
    ("close-output", "last", {}, "crash", "closed its output but is still running"),
    ("silence", "last", PATIENCE, "stall", "did not answer within 3000 ms"),
    ("flood", "first", {}, "illegal", "more than 1 MiB without an answer"),
]


@pytest.mark.parametrize(("behaviour", "guess", "limits", "reason", "words"), FAULTS)
def test_a_fault_while_it_ponders_is_found_when_it_must_answer(
    fakes: Any,
    monkeypatch: pytest.MonkeyPatch,
    behaviour: str,
    guess: str,
    limits: dict[str, Any],
    reason: str,
    words: str,
) -> None:
    monkeypatch.setattr(line_process, "MAX_TURN_BYTES", line_process.MEBIBYTE)
    bad = ponders(fakes, f"ponder-{behaviour}", "--ply", "6", guess=guess, **limits)
    record = play_game(fakes.game(bad, fakes.config("sane")))
    assert (record.reason, record.loser) == (reason, "black")
    assert words in record.detail
    assert len(record.moves) == 8  # the opponent has replied to the move that started the pondering


@pytest.mark.parametrize(("guess", "reason", "plies"), [("first", "illegal", 2), ("last", "adjudicated", 6)])
def test_an_answer_before_the_ponder_hit_stands_if_the_guess_was_right(
    fakes: Any, guess: str, reason: str, plies: int
) -> None:
    """It says 1 1, which is not legal; thrown away, it leaves the engine ready for the next request."""
    hasty = ponders(fakes, "ponder-answer", guess=guess)
    records = dict(play_series(pair_games(hasty, fakes.config("sane"), 2, adjudication=SHORT), 1))
    assert (records[0].reason, len(records[0].moves)) == (reason, plies)
    assert len(fakes.pids) == (3 if reason == "illegal" else 2)


def test_time_to_stop_is_charged(fakes: Any) -> None:
    control = TimeControl.parse("tc=60")
    late = ponders(fakes, "ponder-late", "--delay", "0.05", guess="last", limit=control)
    rules = Adjudication(max_plies=20)
    record = play_game(fakes.game(late, fakes.config("sane"), opening=("f5", "d6"), adjudication=rules))
    assert record.reason == "adjudicated"
    slow = [move for move in record.moves if move.by == "black" and (move.elapsed_ms or 0) >= 50]
    assert len(slow) > 5
    clocks = [move.clock_ms for move in record.moves if move.by == "black" and move.clock_ms is not None]
    assert clocks[-1] < 60_000 - 50 * len(slow)


def test_an_engine_that_ponders_when_a_game_ends_plays_the_next(fakes: Any) -> None:
    """Also if it is its opponent that ends the game by a fault."""
    pair = ponders(fakes), ponders(fakes, guess="last")
    records = dict(play_series(pair_games(*pair, 3, adjudication=SHORT), 1))
    assert [records[index].reason for index in range(3)] == ["adjudicated"] * 3
    assert len(fakes.pids) == 2
    records = dict(play_series(pair_games(ponders(fakes), fakes.config("crash", "--ply", "3"), 2), 1))
    assert {records[index].reason for index in range(2)} == {"crash"}
    assert len(fakes.pids) == 2 + 1 + 2
    fakes.wait_until_gone()


def test_an_engine_that_does_not_stop_at_the_end_of_a_game_is_not_kept(fakes: Any) -> None:
    """Its opponent ends the game while it hangs."""
    hangs = ponders(fakes, "ponder-silence", "--ply", "4")
    record = play_game(fakes.game(fakes.config("crash", "--ply", "4"), hangs))
    assert (record.reason, record.loser) == ("crash", "black")
    fakes.wait_until_gone()


def test_our_engine_ponders_a_whole_game(fakes: Any) -> None:
    """The players see different depths, so that both guess right and wrong; two that are alike may guess all moves."""
    own = EngineConfig("own", (OWN_ENGINE,), limit=TimeControl(depth=4), settings=PONDER)
    other = replace(own, name="other", limit=TimeControl(depth=2))
    record = play_game(fakes.game(own, other, opening=("f5", "d6"), keep_dialogue=True))
    assert record.reason == "finished", record.detail
    for color in ("black", "white"):
        sent = said(record, color)
        assert sent.count("ponderhit") > 5
        assert sent.count("stop") > 0
        assert not [line for line in said(record, color, "<") if "error" in line]
