"""Games in which time is what the test says: the referee's event loop has a clock that jumps from event to event.

Seats, processes, clocks and verdicts are the real ones; only the pipes and the engines behind them are scripted. All
times are sums of powers of two, so that they are exact.
"""

from __future__ import annotations

import asyncio
import re
import selectors
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from quietmove.referee.config.model import EngineConfig, GameSpec, TimeControl
from quietmove.referee.game.judged_game import JudgedGame
from quietmove.referee.game.record import GameRecord
from quietmove.referee.process import line_process as process_module
from quietmove.referee.process.line_process import LineProcess
from quietmove.referee.seats.pool import SeatPool
from quietmove.referee.seats.process_seat import UNFLUSHED
from tests.fakes.addons import present_protocols

CLOSE = None  # in place of a move: the engine closes its output
TICK = 2**-20  # seconds: less than a microsecond, but more than the event loop's resolution
MARGIN = 250
PROTOCOLS = present_protocols("uci", "ugi", "gtp", "nboard", "json", "project")
GAME = ("f5", "d6", "c3", "d3", "c4")  # legal from the start position

Event = tuple[float, str | None]  # seconds since the request, and a move or CLOSE
Script = list[list[Event]]  # one list per turn of the engine


class VirtualSelector(selectors.SelectSelector):
    """Waits for nothing but the time, which passes at once."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        assert timeout is not None, "the referee waits for what will never come"
        self.now += max(0.0, timeout)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.selector = VirtualSelector()
        super().__init__(self.selector)

    def time(self) -> float:
        return self.selector.now


class Pipe:
    """An end of a pipe, or the channel to an engine's supervisor."""

    def is_closing(self) -> bool:
        return False

    def write(self, data: bytes) -> None:
        pass


class ScriptedProcess(LineProcess):
    """An engine that answers each request for a move by the events of its script, and everything else at once."""

    def __init__(self, protocol: str, script: Script, listener: Any, started_after: float) -> None:
        super().__init__(listener)
        pipe: Any = Pipe()
        self.input = self.output = self._error = pipe
        self._channel = pipe
        self._respond = getattr(self, f"_{protocol}")
        self._script: Iterator[list[Event]] = iter(script)
        self._has_read = started_after == 0
        self._color = ""
        if not self._has_read:
            asyncio.get_running_loop().call_at(started_after, self._read)

    def send(self, *lines: str) -> None:
        for line in lines:
            self._respond(line)

    async def end(self, quit_line: str = "", *, patient: bool = True) -> None:
        pass

    def _read(self) -> None:
        """Read line one, and think if it says Black."""
        self._has_read = True
        if self._color == "B":
            self._think("{}")

    def has_read_input(self) -> bool:
        return self._has_read

    def _say(self, text: str) -> None:
        self.data_received(f"{text}\n".encode())

    def _think(self, form: str, spell: Callable[[str], str] = str) -> None:
        for seconds, move in next(self._script, []):
            act: Any = self._close if move is CLOSE else lambda move=move: self._say(form.format(spell(move)))
            loop = asyncio.get_running_loop()
            loop.call_at(loop.time() + seconds, act)

    def _close(self) -> None:
        self._how_ended = "ended with status 3"
        self.output_closed()

    def _uci(self, line: str) -> None:
        word = line.split()[0]
        if word in ("uci", "ugi", "isready"):
            self._say({"uci": "uciok", "ugi": "ugiok", "isready": "readyok"}[word])
        elif word == "go":
            self._think("bestmove {}")

    _ugi = _uci

    def _gtp(self, line: str) -> None:
        if line.startswith("genmove"):
            self._think("= {}\n")
        elif line.startswith("known_command"):
            self._say("= false\n")
        else:
            self._say("=\n")

    def _nboard(self, line: str) -> None:
        if line.startswith("ping"):
            self._say(f"pong {line.split()[1]}")
        elif line == "go":
            self._think("=== {}")

    def _json(self, line: str) -> None:
        self._think('{{"move": "{}"}}')

    def _project(self, line: str) -> None:
        if line.startswith("game"):
            self._color = line.split()[1]
            if self._has_read:
                self._read()
        else:
            self._think("{}")


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Callable[..., GameRecord]:
    """Return what plays a game of ``black`` and ``white`` scripts; a color's limit and protocol are its own."""
    monkeypatch.setattr(process_module, "LOOK_SECONDS", 2**-10)

    def play(black: Script, white: Script, /, **fields: Any) -> GameRecord:
        scripts, configs, after = {"black": black, "white": white}, {}, fields.pop("started_after", {})
        played = fields.pop("played", ())
        for color in scripts:
            own = {"limit": "tc=1", "protocol": "uci", "margin_ms": MARGIN, **fields, **fields.get(color, {})}
            limit = TimeControl.parse(own["limit"])
            settings = (("unit", "ms"),) if own["protocol"] == "project" else ()
            timeouts = {key: own[key] for key in ("stall_timeout_ms", "start_timeout_ms") if key in own}
            configs[color] = EngineConfig(
                color, (color,), own["protocol"], (), limit, own["margin_ms"], settings=settings, **timeouts
            )

        async def start(launch: Any, listener: Any = None) -> LineProcess:
            (color,) = launch.arguments
            return ScriptedProcess(configs[color].protocol, scripts[color], listener, after.get(color, 0.0))

        monkeypatch.setattr(LineProcess, "start", start)
        spec = GameSpec("othello", (), configs["black"], configs["white"])
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            return runner.run(JudgedGame(spec, played=played).play(SeatPool(0)))

    return play


def on_time(*moves: str) -> Script:
    return [[(0.0, move)] for move in moves]


def spelled(move: str, protocol: str) -> str:
    """Return ``f5`` as the engines of ``protocol`` write it."""
    return {"f5": "6 4"}[move] if protocol == "project" else move


OTHER = on_time("d6")
FIRST_TURN = [
    # events of Black's first turn, the verdict ("" if the move is played), and what remains of the clock's 1 s
    ([(0.5, "f5")], "", 500),
    ([(1.0, "f5")], "", 0),
    ([(1.0 + TICK, "f5")], "", 0),
    ([(1.25, "f5")], "", -250),
    ([(1.25 + TICK, "f5")], "timeout", None),
    ([], "timeout", None),
    # several reasons apply: the first in the list counts
    ([(1.25, CLOSE)], "crash", None),
    ([(1.25 + TICK, CLOSE)], "timeout", None),
    ([(1.25 + TICK, "f5"), (1.25 + 2 * TICK, CLOSE)], "timeout", None),
    ([(1.25 + TICK, "a1")], "timeout", None),
    ([(1.25 + TICK, "resign")], "timeout", None),
    ([(1.25, "a1")], "illegal", None),
    ([(1.25, "resign")], "resign", None),
    ([(0.5, "a1"), (0.5, CLOSE)], "crash", None),
    ([(0.5, "a1"), (0.5625, CLOSE)], "crash", None),
    ([(0.5, "a1"), (0.625, CLOSE)], "illegal", None),  # the engine has a tenth of a second to exit
    ([(0.5, "resign"), (0.5, CLOSE)], "resign", None),
    ([(0.5, CLOSE)], "crash", None),
]


@pytest.mark.parametrize(("events", "reason", "left"), FIRST_TURN)
def test_the_first_turn(play: Any, events: list[Event], reason: str, left: int | None) -> None:
    record = play([events, [(0.0, "resign")]], OTHER)
    assert (record.reason, record.loser) == (reason or "resign", "black")
    assert [move.clock_ms for move in record.moves] == ([] if reason else [left, 1000])


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("limit", ["tc=1", "movetime=1000"])
@pytest.mark.parametrize(
    ("seconds", "reason"), [(1.0, "crash"), (1.25, "crash"), (1.25 + TICK, "timeout"), (1.0 + TICK, "crash")]
)
def test_every_seat_keeps_the_same_time(play: Any, protocol: str, limit: str, seconds: float, reason: str) -> None:
    """The one that is in time crashes in its next turn."""
    script = [[(seconds, spelled("f5", protocol))], [(0.0, CLOSE)]]
    record = play(script, OTHER, black={"protocol": protocol, "limit": limit})
    assert (record.reason, record.loser, len(record.moves)) == (reason, "black", 0 if reason == "timeout" else 2)
    if reason == "crash":
        assert record.moves[0].elapsed_ms == round(1000 * seconds)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("limit", ["nodes=5", "depth=5"])
def test_silence_without_a_clock_has_its_own_limit(play: Any, protocol: str, limit: str) -> None:
    if (protocol, limit) == ("project", "nodes=5"):
        pytest.skip("its line one has no nodes")
    fields = {"protocol": protocol, "limit": limit, "stall_timeout_ms": 2000}
    answer = spelled("f5", protocol)
    in_time = play([[(2.0, answer)], [(0.0, CLOSE)]], OTHER, black=fields)
    assert (in_time.reason, len(in_time.moves)) == ("crash", 2)
    late = play([[(2.0 + TICK, answer)]], OTHER, black=fields)
    assert (late.reason, late.loser, late.moves) == ("stall", "black", ())
    assert play([[(2.0, CLOSE)]], OTHER, black=fields).reason == "crash"
    assert play([[(2.0 + TICK, CLOSE)]], OTHER, black=fields).reason == "stall"


@pytest.mark.parametrize("protocol", PROTOCOLS[:-1])
@pytest.mark.parametrize(
    ("limit", "seconds"),
    [
        ("tc=1", (0.5, 0.25, 0.5 + TICK)),
        ("tc=1.001", (0.3125, 0.25, 1.0)),  # 312.5 ms are recorded as 312 ms, and the 688.5 ms left as 688 ms
        ("tc=2/1", (1.0, 0.25, 1.0 + TICK)),  # 1 s is added after the second move
        ("movetime=1000", (1.125, 1.0, 1.125 + TICK)),
    ],
)
def test_a_game_goes_on_anywhere_with_the_clocks_as_they_stood(
    play: Any, protocol: str, limit: str, seconds: tuple[float, ...]
) -> None:
    black: Script = [[(each, move)] for each, move in zip(seconds, GAME[::2], strict=True)]
    white: Script = [[(0.125, move)] for move in GAME[1::2]]
    whole = play(black, white, protocol=protocol, limit=limit)
    assert (whole.reason, whole.loser, len(whole.moves)) == ("timeout", "black", 4)
    for plies in range(1, 5):
        rest = black[(plies + 1) // 2 :], white[plies // 2 :]
        record = play(*rest, protocol=protocol, limit=limit, played=whole.moves[:plies])
        if protocol == "json":  # a JSON player gets no greeting, so a silent one gets advice
            record = replace(record, detail=record.detail.partition(UNFLUSHED)[0])
        assert record == whole


def test_an_increment_is_for_a_move_that_is_played(play: Any) -> None:
    """It pays back what was overdrawn: 1 s - 1.125 s + 0.5 s, then 0.375 s - 0.5 s + 0.5 s."""
    script = [[(1.125, "f5")], [(0.5, "c3")], [(0.625 + TICK, "d3")]]
    record = play(script, on_time("d6", "d3"), black={"limit": "tc=1+0.5"})
    assert [move.clock_ms for move in record.moves if move.by == "black"] == [375, 375]
    assert (record.reason, len(record.moves)) == ("timeout", 4)
    assert "within 375 ms and a margin of 250 ms" in record.detail


def test_a_debt_leaves_less_of_the_margin(play: Any) -> None:
    script = [[(1.125, "f5")], [(0.125, "c3")]]
    record = play([*script, [(0.0, "resign")]], on_time("d6", "d3"))
    assert [move.clock_ms for move in record.moves if move.by == "black"] == [-125, -250]
    assert record.reason == "resign"
    late = play([[(1.125, "f5")], [(0.125 + TICK, "c3")]], on_time("d6", "d3"))
    assert late.reason == "timeout"
    assert late.detail == (
        "black (black) did not answer within 0 ms and a margin of 250 ms, of which earlier moves used 125 ms"
    )


def test_a_refill_pays_the_debt_first(play: Any) -> None:
    """Two moves a second: the second ends with 0.25 s of debt, which the next second lacks."""
    script = [[(0.5, "f5")], [(0.75, "c3")], [(1.0, "c4")], [(0.0, "resign")]]
    record = play(script, on_time("d6", "d3", "b3"), black={"limit": "tc=2/1"})
    assert [move.clock_ms for move in record.moves if move.by == "black"] == [500, 750, -250]
    assert record.reason == "resign"


def test_delays_of_single_moves_add_up(play: Any) -> None:
    """Each is within the margin; quick moves between them pay nothing back."""
    script = [[(1.125, "f5")], [(0.0, "c3")], [(1.125, "c4")], [(1.0 + TICK, "b4")]]
    record = play(script, on_time("d6", "d3", "b3"), black={"limit": "movetime=1000"})
    assert (record.reason, record.loser, len(record.moves)) == ("timeout", "black", 6)
    assert "within 1000 ms and a margin of 250 ms, of which earlier moves used 250 ms" in record.detail


def test_only_the_side_to_move_can_lose(play: Any) -> None:
    """White has closed its output while Black overstepped its time, or crashed, or resigned, or answered."""
    for events, reason in [([], "timeout"), ([(0.5, CLOSE)], "crash"), ([(0.5, "resign")], "resign")]:
        gone = [[(0.25, "d6"), (0.25, CLOSE)]]
        record = play([[(0.0, "f5")], events], gone)
        assert (record.reason, record.loser) == (reason, "black")
    record = play([[(0.0, "f5")], [(0.5, "c3")]], [[(0.25, "d6"), (0.25, CLOSE)]])
    assert (record.reason, record.loser) == ("crash", "white")


@pytest.mark.parametrize("color", ["black", "white"])
def test_the_start_of_a_project_program_is_not_its_first_move(play: Any, color: str) -> None:
    """It reads line one after 4 s; its first move may take what any move may."""
    answer = {"black": "6 4", "white": "4 3"}[color]
    for seconds, reason in [(0.25, "resign"), (1.25, "resign"), (1.25 + 2**-9, "timeout")]:
        own = [[(seconds, answer)]]
        scripts = (own, OTHER) if color == "black" else (on_time("f5", "resign"), own)
        if color == "black":
            scripts = (own, on_time("resign"))
        record = play(*scripts, started_after={color: 4.0}, **{color: {"protocol": "project"}})
        assert record.reason == reason, record.detail
        assert record.loser == (color if reason == "timeout" else {"black": "white", "white": "black"}[color])
        spent = [move.elapsed_ms for move in record.moves if move.by == color]
        assert spent == ([] if reason == "timeout" else [pytest.approx(1000 * seconds, abs=1)])


def test_a_project_program_that_does_not_start(play: Any) -> None:
    fields = {"protocol": "project", "start_timeout_ms": 2000}
    for color in ("black", "white"):
        record = play(on_time("f5"), on_time("d6"), started_after={color: 5.0}, **{color: fields})
        assert (record.reason, record.loser, record.moves) == ("stall", color, ())
        assert record.detail == f"{color} ({color}) did not read line one within 2000 ms"


def test_an_engine_that_does_not_get_ready(play: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def greet(self: ScriptedProcess, line: str) -> None:
        if line == "uci":
            self._say("uciok")

    monkeypatch.setattr(ScriptedProcess, "_uci", greet)
    record = play([], [], start_timeout_ms=2000)
    assert (record.reason, record.loser, record.moves) == ("stall", "black", ())
    assert record.detail == "black (black) did not send readyok within 2000 ms"


def test_two_that_do_not_start(play: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The graver reason is taken; of two that are alike, Black's."""
    project = {"protocol": "project", "start_timeout_ms": 2000}
    record = play([], [], started_after={"black": 9.0, "white": 9.0}, **project)
    assert (record.reason, record.loser) == ("stall", "black")
    crash = re.compile("ended with status 3")

    def close_at_once(self: ScriptedProcess, line: str) -> None:
        self._close()

    monkeypatch.setattr(ScriptedProcess, "_uci", close_at_once)
    record = play([], [], started_after={"black": 9.0}, black=project)
    assert (record.reason, record.loser) == ("crash", "white")
    assert crash.search(record.detail)
    record = play([], [])
    assert (record.reason, record.loser) == ("crash", "black")
