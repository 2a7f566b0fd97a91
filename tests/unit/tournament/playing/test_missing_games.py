"""What is played and stored, with a referee that answers at once; real processes are in tests/e2e."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from quietmove.referee.config.model import EngineConfig, GameSpec
from quietmove.referee.errors import ShortageError
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match.running import Pool
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import TournamentError
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import game_spec
from quietmove.tournament.playing.backends import Threads
from quietmove.tournament.playing.missing_games import play_missing
from quietmove.tournament.playing.watchers import LiveTable, display
from quietmove.tournament.store.store import Store

OPENINGS = (("f5", "d6"), ("f5", "f6"), ("f5", "f4"))


def tournament(**changes: object) -> Tournament:
    engines = tuple(
        EngineConfig(name, ("engine", "--seed={seed}"), options=(("Seed", "{seed}"), ("Plain", "x"))) for name in "abcd"
    )
    fields = {"name": "t", "game": "othello", "seed": 1, "openings": OPENINGS, "engines": engines}
    return Tournament(**{**fields, "settings": (("rounds", 2),), **changes})  # type: ignore[arg-type]


def answer(spec: GameSpec) -> GameRecord:
    points = 1.0 if spec.black.name < spec.white.name else 0.0
    return GameRecord(spec, (), "finished", None, points, round(20 * points) - 10, "made up")


def pool_of(executor: Executor, size: int, referee: Callable[[GameSpec], GameRecord]) -> Pool:
    return Pool(size, lambda spec, *_: executor.submit(referee, spec))


def play(store: Store, referee: Callable[[GameSpec], GameRecord], size: int = 2) -> list[int]:
    with ThreadPoolExecutor(2 * size) as executor:
        return [game.number for game, _ in play_missing(store, pool_of(executor, size, referee))]


def test_no_more_games_are_out_than_asked_for(tmp_path: Path) -> None:
    lock = threading.Lock()
    running, most = [0], [0]
    together = threading.Barrier(3)

    def referee(spec: GameSpec) -> GameRecord:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        together.wait(timeout=60)
        with lock:
            running[0] -= 1
        return answer(spec)

    with Store.create(tmp_path / "t.sqlite", tournament()) as store:
        play(store, referee, size=3)
    assert most == [3]


def test_what_went_wrong_outside_the_engines_is_told_and_loses_no_game(tmp_path: Path) -> None:
    def referee(spec: GameSpec) -> GameRecord:
        if spec.black.name == "c":
            raise MemoryError("no room")
        return answer(spec)

    with Store.create(tmp_path / "t.sqlite", tournament()) as store:
        with pytest.raises(TournamentError, match=r"game \d+, c - \w, could not be played: MemoryError: no room"):
            play(store, referee)
        before = len(store.results())
        assert len(play(store, answer)) == 24 - before


def test_a_gap_is_filled_and_no_stored_game_is_played_again(tmp_path: Path) -> None:
    """Games end in another order than they begin, so a run that was killed leaves gaps."""
    with Store.create(tmp_path / "t.sqlite", tournament()) as store:
        games = list(plan_of(store.tournament).next_games([]))
        for game in (games[0], games[1], games[3]):
            store.add(game, answer(game_spec(store.tournament, game)))
        missing = [game.number for game in (games[2], *games[4:])]
        assert sorted(play(store, answer)) == missing
        assert len(store.results()) == len(games)


def test_the_seed_of_the_game_reaches_the_engines() -> None:
    plan = tournament()
    game = list(plan_of(plan).next_games([]))[3]
    spec = game_spec(plan, game)
    assert (spec.black.name, spec.white.name, spec.opening) == (game.id.black, game.id.white, game.opening)
    assert spec.black.command == ("engine", f"--seed={game.seed}")
    assert spec.white.options == (("Seed", str(game.seed)), ("Plain", "x"))


def test_a_thread_pool_has_at_most_a_place_for_every_processor() -> None:
    notices = list[str]()
    processors = len(os.sched_getaffinity(0))
    for concurrency, configured, size in ((None, None, processors), (None, 1, 1), (1, 300, 1), (300, 1, processors)):
        with Threads(concurrency).pool(tournament(concurrency=configured), notices.append) as pool:
            assert pool.size == size
    assert len(notices) == 1
    assert f"{processors} game" in notices[0]
    assert notices[0].endswith("--force-concurrency plays 300")
    with Threads(300, forced=True).pool(tournament(), notices.append) as pool:
        assert (pool.size, len(notices)) == (300, 1)


def console(width: int = 80, *, terminal: bool = True) -> Console:
    return Console(file=StringIO(), width=width, force_terminal=terminal, color_system=None, height=40)


def picture(out: Console, table: LiveTable) -> list[str]:
    with out.capture() as capture:
        out.print(table.picture())
    return capture.get().splitlines()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_live_table_follows_the_games(tmp_path: Path, width: int) -> None:
    out = console(width)
    with Store.create(tmp_path / "t.sqlite", tournament()) as store:
        table = display(out, store)
        assert isinstance(table, LiveTable)
        before = picture(out, table)
        with table.displaying(), ThreadPoolExecutor(1) as executor:
            for game, record in play_missing(store, pool_of(executor, 1, answer)):
                table.game_finished(game, record)
        after = picture(out, table)
    assert isinstance(out.file, StringIO)
    assert "t: 24 of 24 games" in out.file.getvalue()
    assert (before[0].strip(), before[1].strip()) == ("t: 0 of 24 games", "0:00 elapsed")
    assert (before[2].count("━"), before[2].strip()) == (0, "0%")
    assert after[0].startswith("t: 24 of 24 games")
    assert (after[2].count("━"), after[2].strip()[-4:]) == (width - 6, "100%")
    assert after[-1].startswith("game 24/24")
    assert max(map(len, before + after)) <= width


def test_the_live_table_shows_what_the_format_adds(tmp_path: Path) -> None:
    two = tournament(engines=tournament().engines[:2], format="sprt", settings=(("elo1", 100.0), ("most_games", 6)))
    out = console(120)
    with Store.create(tmp_path / "t.sqlite", two) as store:
        table = display(out, store)
        assert isinstance(table, LiveTable)
        assert "LLR +0.00 between -2.94 and +2.94 after 0 pairs: no decision yet" in picture(out, table)
        play(store, answer, size=1)
        after = picture(out, LiveTable(out, store))
    assert after[0].startswith("t: 6 of 6 games")
    assert any("after 3 pairs: no decision within most_games = 6" in line for line in after)


def test_a_game_without_room_is_played_later_and_nothing_false_is_stored(tmp_path: Path) -> None:
    """There is room for one game less each time that one has no room."""
    left, notices = [3], list[str]()

    def referee(spec: GameSpec) -> GameRecord:
        if left[0]:
            left[0] -= 1
            raise ShortageError("too many open files")
        return answer(spec)

    with Store.create(tmp_path / "t.sqlite", tournament()) as store, ThreadPoolExecutor(4) as executor:
        played = [game.number for game, _ in play_missing(store, pool_of(executor, 4, referee), notices.append)]
        assert sorted(played) == list(range(1, 25))
        assert {result.reason for result in store.results()} == {"finished"}
    assert notices


def test_no_room_at_all_is_one_error_and_the_rest_can_be_played(tmp_path: Path) -> None:
    def referee(spec: GameSpec) -> GameRecord:
        raise ShortageError("too many open files")

    with Store.create(tmp_path / "t.sqlite", tournament()) as store:
        with pytest.raises(ShortageError, match="too many open files"):
            play(store, referee)
        assert store.results() == []
        assert len(play(store, answer)) == 24
