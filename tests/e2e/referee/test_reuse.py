"""Engines that are kept from game to game: when they are, when they are not, and that it changes no game."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quietmove.referee.config.model import OWN_ENGINE, EngineConfig, TimeControl
from quietmove.referee.game.host import GameHost
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match.running import play_series
from quietmove.referee.match.setup import pair_games
from quietmove.referee.process.launch import resolve

OPENINGS = (("f5", "d6"), ("f5", "f6"))


def played(record: GameRecord) -> tuple[Any, ...]:
    """Return what a game was, without what the clock of this machine said."""
    return record.reason, record.margin_black, tuple((move.move, move.score, move.nodes) for move in record.moves)


def test_restart_starts_it_for_each_game(fakes: Any) -> None:
    fresh = fakes.config("sane", settings=(("restart", True),))
    list(play_series(pair_games(fresh, fakes.config("sane", "--seed", "1"), 4), 1))
    assert len(fakes.pids) == 4 + 1


def test_closing_a_series_ends_its_games(fakes: Any, tmp_path: Path) -> None:
    hangs = fakes.config("silence", "--once", str(tmp_path / "once"), stall_timeout_ms=600_000)
    series = play_series(pair_games(hangs, fakes.config("sane"), 4), concurrency=2)
    _, record = next(series)
    assert record.reason == "finished"
    series.close()
    fakes.wait_until_gone()


FAULTS = [
    ("crash", {}, "crash"),
    ("illegal", {}, "illegal"),
    ("silence", {"stall_timeout_ms": 300}, "stall"),
    ("late", {"limit": TimeControl(movetime_ms=500)}, "timeout"),
]


@pytest.mark.parametrize(("behaviour", "limits", "reason"), FAULTS)
def test_after_a_fault_an_engine_is_started_anew(
    fakes: Any, tmp_path: Any, behaviour: str, limits: dict[str, Any], reason: str
) -> None:
    """The first process misbehaves once; the second one plays on, with the opponent's process of before."""
    bad = fakes.config(behaviour, "--once", str(tmp_path / "once"))
    first, *others = pair_games(bad, fakes.config("sane"), 4)
    hurried = replace(first, black=replace(bad, **limits))  # only the first game depends on time
    records = dict(play_series([hurried, *others], 1))
    assert [records[index].reason for index in range(4)] == [reason] + ["finished"] * 3
    assert len(fakes.pids) == 3


def test_a_kept_engine_that_has_gone_costs_no_game(fakes: Any) -> None:
    """It ends when it is asked for a second game, after it has said that it is ready for one."""
    quits, sane = fakes.config("crash-at-second-game"), fakes.config("sane")
    records = dict(play_series(pair_games(quits, sane, 3), 1))
    assert [records[index].reason for index in range(3)] == ["finished"] * 3
    assert len(fakes.pids) == 3 + 1


def test_an_engine_that_failed_to_start_is_not_kept(tmp_path: Path) -> None:
    """Both engines start too slowly once; the one that is not charged was never told the game."""
    script = 'test -e "$0" || { touch "$0"; sleep 0.4; }; exec "$@"'
    own = resolve([OWN_ENGINE])[0]
    slow, other = (
        EngineConfig(name, ("sh", "-c", script, str(tmp_path / name), own), start_timeout_ms=300) for name in "ab"
    )
    first = pair_games(slow, other, 1, game="tictactoe")[0]
    second = replace(first, black=replace(slow, start_timeout_ms=60_000), white=replace(other, start_timeout_ms=60_000))
    with GameHost() as host:
        assert [host.play(spec).reason for spec in (first, second)] == ["stall", "finished"]


def test_each_game_has_the_errors_of_its_own(fakes: Any) -> None:
    quiet, talks = fakes.config("sane"), fakes.config("writes-a-log")
    with GameHost() as host:
        first, second = (host.play(fakes.game(talks, quiet)) for _ in range(2))
    assert len(fakes.pids) == 2
    assert first.black_stderr == second.black_stderr == "fake: game begins\n"


def test_no_more_engines_are_kept_than_allowed(fakes: Any) -> None:
    with GameHost(kept=2) as host:
        for seed in "1234":
            host.play(fakes.game(fakes.config("sane", "--seed", seed), fakes.config("sane", "--seed", seed)))
        assert len(fakes.living()) == 2
        assert len(fakes.pids) == 8
    assert fakes.living() == set()


def test_changed_options_reach_a_kept_engine(fakes: Any) -> None:
    with GameHost() as host:
        lines = []
        for value in ("1", "2", "2"):
            black = fakes.config("sane", options=(("Known", value),))
            record = host.play(fakes.game(black, fakes.config("sane", "--seed", "1"), keep_dialogue=True))
            lines.append([line.partition(" > ")[2] for line in record.dialogue if "black > setoption" in line])
    assert lines == [["setoption name Known value 1"], ["setoption name Known value 2"], []]
    assert len(fakes.pids) == 2


def test_node_limited_games_are_the_same_kept_or_not_at_any_concurrency() -> None:
    command = (OWN_ENGINE,)
    first = EngineConfig("first", command, options=(("Hash", "1"),), limit=TimeControl(nodes=700))
    second = EngineConfig(
        "second", command, options=(("Hash", "1"), ("Ordering", "history")), limit=TimeControl(nodes=900)
    )
    games: list[dict[int, Any]] = []
    for restart, concurrency in ((True, 1), (False, 1), (False, 3)):
        pair = [replace(config, settings=(("restart", restart),)) for config in (first, second)]
        specs = pair_games(pair[0], pair[1], 4, OPENINGS)
        games.append({index: played(record) for index, record in play_series(specs, concurrency)})
    assert games[0] == games[1] == games[2]
    assert len(set(games[0].values())) == 4
