"""Engines that are kept from game to game: when they are, when they are not, and that it changes no game."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quietmove.referee.config.model import OWN_ENGINE, EngineConfig, GameSpec, TimeControl
from quietmove.referee.game.host import GameHost
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match.running import play_series
from quietmove.referee.match.setup import pair_games
from quietmove.referee.seats.pool import check_engines
from tests.e2e.conftest import SHORT


def short_games(first: EngineConfig, second: EngineConfig, count: int) -> list[GameSpec]:
    return pair_games(first, second, count, adjudication=SHORT)


def played(record: GameRecord) -> tuple[Any, ...]:
    """Return what a game was, without what the clock of this machine said."""
    return record.reason, record.margin_black, tuple((move.move, move.score, move.nodes) for move in record.moves)


def test_restart_starts_it_for_each_game(fakes: Any) -> None:
    fresh = fakes.config("sane", settings=(("restart", True),))
    list(play_series(short_games(fresh, fakes.config("sane", "--seed", "1"), 2), 1))
    assert len(fakes.pids) == 2 + 1


def test_closing_a_series_ends_its_games(fakes: Any, tmp_path: Path) -> None:
    hangs = fakes.config("silence", "--once", str(tmp_path / "once"), stall_timeout_ms=600_000)
    series = play_series(short_games(hangs, fakes.config("sane"), 4), concurrency=2)
    _, record = next(series)
    assert record.reason == "adjudicated"
    series.close()
    fakes.wait_until_gone()


FAULTS = [
    ("crash", {}, "crash"),
    ("illegal", {}, "illegal"),
    ("late", {"limit": TimeControl(movetime_ms=500)}, "timeout"),
]


@pytest.mark.parametrize(("behaviour", "limits", "reason"), FAULTS)
def test_after_a_fault_an_engine_is_started_anew(
    fakes: Any, tmp_path: Any, behaviour: str, limits: dict[str, Any], reason: str
) -> None:
    """The first process misbehaves once; the second one plays on, with the opponent's process of before."""
    bad = fakes.config(behaviour, "--once", str(tmp_path / "once"))
    first, second = short_games(bad, fakes.config("sane"), 2)
    hurried = replace(first, black=replace(bad, **limits))  # only the first game depends on time
    records = dict(play_series([hurried, second], 1))
    assert [records[index].reason for index in range(2)] == [reason, "adjudicated"]
    assert len(fakes.pids) == 3


def test_a_kept_engine_that_has_gone_costs_no_game(fakes: Any) -> None:
    """It ends when it is asked for a second game, after it has said that it is ready for one."""
    quits, sane = fakes.config("crash-at-second-game"), fakes.config("sane")
    records = dict(play_series(short_games(quits, sane, 2), 1))
    assert [records[index].reason for index in range(2)] == ["adjudicated"] * 2
    assert len(fakes.pids) == 2 + 1


def test_an_engine_that_failed_to_start_is_not_kept(fakes: Any, tmp_path: Path) -> None:
    """Both engines do not start once; the one that is not charged was never told the game."""
    slow, other = (fakes.config("silent-at-start", "--once", str(tmp_path / each), name=each) for each in "ab")
    second = fakes.game(slow, other, adjudication=SHORT)
    first = replace(second, black=replace(slow, start_timeout_ms=300), white=replace(other, start_timeout_ms=300))
    with GameHost() as host:
        assert [host.play(spec).reason for spec in (first, second)] == ["stall", "adjudicated"]


def test_each_game_has_the_errors_of_its_own(fakes: Any) -> None:
    quiet, talks = fakes.config("sane"), fakes.config("writes-a-log")
    with GameHost() as host:
        first, second = (host.play(fakes.game(talks, quiet, adjudication=SHORT)) for _ in range(2))
    assert len(fakes.pids) == 2
    assert first.black_stderr == second.black_stderr == "fake: game begins\n"


def test_no_more_engines_are_kept_than_allowed(fakes: Any) -> None:
    with GameHost(kept=2) as host:
        for seed in "12":
            player = fakes.config("sane", "--seed", seed)
            host.play(fakes.game(player, player, adjudication=SHORT))
        assert len(fakes.living()) == 2
        assert len(fakes.pids) == 4
    assert fakes.living() == set()


def test_changed_options_reach_a_kept_engine(fakes: Any) -> None:
    with GameHost() as host:
        lines = []
        for value in ("1", "2", "2"):
            black = fakes.config("sane", options=(("Known", value),))
            white = fakes.config("sane", "--seed", "1")
            record = host.play(fakes.game(black, white, keep_dialogue=True, adjudication=SHORT))
            lines.append([line.partition(" > ")[2] for line in record.dialogue if "black > setoption" in line])
    assert lines == [["setoption name Known value 1"], ["setoption name Known value 2"], []]
    assert len(fakes.pids) == 2


def test_node_limited_games_are_the_same_kept_or_not_at_any_concurrency() -> None:
    options = (("Hash", "1"),), (("Hash", "1"), ("Ordering", "history"))
    pair = [EngineConfig(str(each), (OWN_ENGINE,), options=each, limit=TimeControl(nodes=700)) for each in options]
    games: list[dict[int, Any]] = []
    for restart, concurrency in ((True, 2), (False, 1)):
        first, second = (replace(config, settings=(("restart", restart),)) for config in pair)
        specs = pair_games(first, second, 2, [("f5", "d6")])
        games.append({index: played(record) for index, record in play_series(specs, concurrency)})
    assert games[0] == games[1]
    assert len(set(games[0].values())) == 2


def test_a_check_starts_one_process_for_engines_that_differ_only_in_option_values(fakes: Any) -> None:
    engines = [fakes.config("sane", name=value, options=(("Known", value),)) for value in "abc"]
    unknown = [fakes.config("sane", name=value, options=(("Unknown", value),)) for value in "de"]
    problems = check_engines([engines[0], unknown[0], *engines[1:], unknown[1]], "othello")
    assert [len(each) for each in problems] == [0, 1, 0, 0, 1]
    assert "it has no option 'Unknown'" in problems[4][0].text
    assert len(fakes.pids) == 2


def test_each_engine_of_a_shared_process_gets_the_errors_of_its_own_values() -> None:
    own = EngineConfig("own", (OWN_ENGINE,))
    engines = [replace(own, options=(("Hash", value),)) for value in ("1", "none", "2", "none")]
    for each in (engines, [replace(engine, protocol="in-process", command=()) for engine in engines]):
        problems = check_engines(each, "othello")
        assert [len(texts) for texts in problems] == [0, 1, 0, 1]
        assert "Hash" in problems[1][0].text


def test_a_check_starts_an_engine_again_that_ended_during_the_check(fakes: Any) -> None:
    engines = [fakes.config("crash-at-option", name=value, options=(("Known", value),)) for value in "ab"]
    assert check_engines(engines, "othello") == [[], []]
    assert len(fakes.pids) == 2


def test_a_late_error_is_not_that_of_the_next_engine(fakes: Any) -> None:
    values = "late", "early"
    engine = fakes.config("refuse-late", "--delay", "1.5", start_timeout_ms=1000)
    engines = [replace(engine, name=value, options=(("Known", value),)) for value in values]
    assert check_engines(engines, "othello") == [[], []]
    assert len(fakes.pids) == 2
