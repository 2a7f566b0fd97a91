"""The engine in the referee's own process plays the same games as in one of its own."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from quietmove.engine.games.base import NATURE
from quietmove.engine.games.optional import HiddenCards
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.player import Player
from quietmove.engine.values import Limits
from quietmove.referee.clock import Clock
from quietmove.referee.config.model import COLORS, EngineConfig, GameSpec, TimeControl
from quietmove.referee.errors import SetupError, ShortageError
from quietmove.referee.game.host import GameHost, play_game
from quietmove.referee.seats import Answer, Listener, Turn, check_config, create_seat, in_process
from quietmove.referee.seats.pool import check_engine
from tests.fakes.addons import needs_games, present_games


def engine(protocol: str = "in-process", limit: str = "nodes=60", **fields: Any) -> EngineConfig:
    command = () if protocol == "in-process" else ("quietmove",)
    return EngineConfig(protocol, command, protocol, limit=TimeControl.parse(limit), **fields)


def test_it_plays_the_moves_of_the_engine_in_a_process() -> None:
    with GameHost() as host:
        mixed = host.play(GameSpec("othello", ("f5", "d6"), engine(), engine("uci")))
        own = [
            host.play(GameSpec("othello", ("f5", "d6"), engine(), engine(limit=limit))) for limit in ("nodes=60",) * 2
        ]
    assert {move.nodes for move in mixed.moves[2:12]} == {60}, "also those of the iteration that the limit cuts off"
    played = [[(move.move, move.score, move.depth, move.nodes) for move in record.moves] for record in (mixed, *own)]
    assert played[0] == played[1] == played[2]
    assert mixed.reason == "finished"


@pytest.mark.parametrize("game", present_games("einstein", "whist"))
def test_it_plays_games_with_chance_and_hidden_cards(game: str) -> None:
    record = play_game(GameSpec(game, (), engine(limit="depth=1"), engine(limit="depth=1"), seed=3))
    assert record.reason == "finished"


def test_a_longer_search_leaves_the_other_games_their_turn() -> None:
    """The first search ends only when the second has been made, which needs the event loop."""

    async def play() -> None:
        seats = [create_seat(engine(limit=limit), "othello") for limit in ("movetime=1000000", "nodes=60")]
        for seat in seats:
            assert await seat.start("black", Listener()) is None
        long = asyncio.create_task(seats[0].think(first_turn(engine(limit="movetime=1000000"))))
        await asyncio.sleep(0)
        assert (await seats[1].think(first_turn(engine()))).move is not None
        assert not long.done()
        long.cancel()  # this stops the search
        with pytest.raises(asyncio.CancelledError):
            await long
        for seat in seats:
            await seat.end()

    asyncio.run(play())


@pytest.mark.parametrize(("game", "is_here"), [("othello", True), pytest.param("whist", False, marks=needs_games)])
def test_only_a_search_that_is_short_is_made_in_the_thread_of_the_games(
    monkeypatch: pytest.MonkeyPatch, game: str, is_here: bool
) -> None:
    choose, found = Player.choose, set[threading.Thread]()

    def choose_and_tell(player: Player, limits: Limits) -> object:
        found.add(threading.current_thread())
        return choose(player, limits)

    async def play() -> Answer:
        seat = create_seat(engine(limit="depth=1"), game)
        assert await seat.start("black", Listener()) is None
        return await seat.think(first_turn(engine(limit="depth=1"), game))

    monkeypatch.setattr(Player, "choose", choose_and_tell)
    assert asyncio.run(play()).move is not None
    assert (found == {threading.main_thread()}) is is_here


def test_to_wait_for_a_thread_is_no_time_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The only thread is taken; when it is given back, more time has passed than the move may take."""
    now, gate = [0.0], threading.Event()
    monkeypatch.setattr(in_process, "time", SimpleNamespace(monotonic=lambda: now[0]))
    config = engine(limit="movetime=1000000")

    async def play() -> Answer:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        seat = create_seat(config, "othello")
        assert await seat.start("black", Listener()) is None
        taken = asyncio.create_task(asyncio.to_thread(gate.wait))
        await asyncio.sleep(0)
        thinking = asyncio.create_task(seat.think(first_turn(config)))
        await asyncio.sleep(0)
        now[0] = 2000.0
        gate.set()
        await taken
        return await thinking

    monkeypatch.setattr(Player, "choose", lambda *_: ("f5", None))
    assert asyncio.run(play()) == Answer("f5", "f5", 0.0)


def first_turn(config: EngineConfig, game: str = "othello") -> Turn:
    rules, view = get_game(game), None
    if isinstance(rules, HiddenCards):
        position = rules.initial()
        while position.side_to_move == NATURE:
            position.play(position.outcomes()[0][0])
        view = rules.view(position, position.side_to_move)
    return Turn((), {color: Clock(config.limit, 100) for color in COLORS}, view)


def test_a_search_that_fails_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("a game of one's own")

    monkeypatch.setattr(Player, "choose", fail)
    record = play_game(GameSpec("othello", (), engine(), engine()))
    assert (record.reason, record.loser) == ("crash", "black")
    assert record.detail == "in-process (black) failed: ZeroDivisionError: a game of one's own"


@pytest.mark.parametrize(("seconds", "reason"), [(1000.0, "finished"), (1000.125, "finished"), (1000.25, "timeout")])
def test_a_search_is_late_by_its_own_clock(monkeypatch: pytest.MonkeyPatch, seconds: float, reason: str) -> None:
    """The first may take 1000 s, with a margin of 125 ms; the clock stands still but for it."""
    now = [0.0]
    choose = Player.choose

    def choose_slowly(player: Player, limits: Limits) -> object:
        move = choose(player, Limits(depth=1))
        now[0] = max(now[0], seconds)
        return move

    monkeypatch.setattr(in_process, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(Player, "choose", choose_slowly)
    long = engine(limit="movetime=1000000", margin_ms=125)
    record = play_game(GameSpec("tictactoe", (), long, long))
    assert (record.reason, record.loser) == (reason, "black" if reason == "timeout" else None)


def test_no_memory_is_no_fault_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Player, "choose", fail)
    for limit in ("nodes=60", "nodes=60000"):
        with pytest.raises(ShortageError, match="no room for a game: Cannot allocate memory"):
            play_game(GameSpec("othello", (), engine(limit=limit), engine()))


def test_its_options_and_its_command_are_checked() -> None:
    found = check_engine(engine(options=(("Hash", "1"), ("Hush", "2"), ("Ordering", "best"))), "othello")
    assert [objection.option for objection in found] == ["Hush", "Ordering"]
    with pytest.raises(SetupError, match="must be quietmove or empty"):
        check_config(EngineConfig("a", ("other",), "in-process"))
    with pytest.raises(SetupError, match="sandbox: must not be given with protocol=in-process"):
        check_config(EngineConfig("a", (), "in-process", sandbox=True))
