"""What the seats write, line by line; what they read is tested on real processes."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

import quietmove
from quietmove.engine.errors import GameError
from quietmove.engine.games.registry import get_game
from quietmove.referee.arguments.engine_args import parse_engine
from quietmove.referee.clock import Clock
from quietmove.referee.config.model import Color, EngineConfig, TimeControl
from quietmove.referee.process.line_process import Inbox
from quietmove.referee.seats import Answer, Seat, Turn, create_seat, named_protocol
from quietmove.referee.seats.json_seat import read_answer
from quietmove.referee.seats.process_seat import debug_hint
from tests.fakes.addons import needs_dialects, needs_games


class ProcessStub:
    """Keeps what is sent to it and answers with the end of its output."""

    is_closed = True
    processor_time = None

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.inbox = Inbox()
        self.inbox.feed(b"what there is no time to read\n", 0.0)

    def send(self, *lines: str) -> None:
        self.sent += lines

    async def read_line(self, deadline: float) -> None:
        return None

    async def wait_read(self, deadline: float) -> bool:
        return True


def lines_sent(seat: Seat, color: Color, moves: tuple[str, ...], black: Clock, white: Clock) -> list[str]:
    seat.color = color
    process: Any = ProcessStub()
    seat._process = process
    answer = asyncio.run(seat.think(Turn(moves, {"black": black, "white": white})))
    assert isinstance(answer, Answer)
    assert answer.line is None
    return list(process.sent)


def clock(limit: str, used_ms: float = 0) -> Clock:
    made = Clock(TimeControl.parse(limit), margin_ms=100)
    if used_ms:
        made.charge(used_ms)
    return made


@pytest.mark.parametrize(
    ("color", "black", "white", "go"),
    [
        ("black", "depth=3", "nodes=9", "go depth 3"),
        ("white", "depth=3", "nodes=9", "go nodes 9"),
        ("white", "tc=1+0", "movetime=50", "go movetime 50"),
        ("black", "tc=1.5+0.1", "tc=2+0", "go wtime 2000 btime 1500 binc 100"),
        ("white", "tc=40/5+0", "tc=2+0", "go wtime 2000 btime 5000"),
        ("black", "tc=40/5+0", "depth=3", "go btime 5000 movestogo 40"),
    ],
)
def test_limits_of_a_uci_engine(color: Color, black: str, white: str, go: str) -> None:
    limits = {"black": black, "white": white}
    config = EngineConfig("alpha", ("alpha",), limit=TimeControl.parse(limits[color]))
    seat = create_seat(config, "othello")
    sent = lines_sent(seat, color, ("d3", "c3"), clock(black), clock(white))
    assert sent == ["position startpos moves 4 6 3 6", go]


PAGE = (Path(__file__).parents[4] / "protocol.md").read_text(encoding="utf-8")
LIMIT_ROWS = re.findall(r"^\| `(\w+=[^`]*)` \| `(go [^`]*)` \|", PAGE, re.MULTILINE)


def test_protocol_page_lists_every_kind_of_limit() -> None:
    assert {limit.partition("=")[0] for limit, _ in LIMIT_ROWS} == {"depth", "nodes", "movetime", "tc"}


@pytest.mark.parametrize(("limit", "go"), LIMIT_ROWS)
def test_go_lines_of_the_protocol_page(limit: str, go: str) -> None:
    """In the rows with a clock, White has used 1.75 s."""
    seat = create_seat(EngineConfig("alpha", ("alpha",), limit=TimeControl.parse(limit)), "othello")
    increment = TimeControl.parse(limit).increment_ms
    sent = lines_sent(seat, "black", (), clock(limit), clock(limit, used_ms=1750 + increment))
    assert sent == ["position startpos", go]


def test_first_move_and_a_clock_that_has_run_out() -> None:
    """The margin still runs then, and a clock of zero is none to some engines."""
    seat = create_seat(EngineConfig("alpha", ("alpha",), limit=TimeControl(base_ms=500)), "othello")
    sent = lines_sent(seat, "black", (), clock("tc=0.5+0", used_ms=550), clock("tc=0.2", used_ms=300))
    assert sent == ["position startpos", "go wtime 1 btime 1"]


@pytest.mark.parametrize(
    ("limit", "unit", "line"),
    [
        ("depth=4", "s", "game B 4 0 0"),
        ("movetime=3000", "s", "game B 0 3 0"),
        ("movetime=200", "s", "game B 0 0.2 0"),
        ("movetime=30", "ms", "game B 0 30 0"),
        ("tc=60", "s", "game B 0 0 60"),
        ("tc=0.5", "ms", "game B 0 0 500"),
    ],
)
def test_line_one_of_the_project(limit: str, unit: str, line: str) -> None:
    """It is sent before the game begins, and Black's first turn sends nothing."""
    config = EngineConfig("c", ("c",), protocol="project", limit=TimeControl.parse(limit), settings=(("unit", unit),))
    seat: Any = create_seat(config, "othello")
    assert lines_sent(seat, "black", (), clock(limit), clock("depth=1")) == []
    assert asyncio.run(seat._begin_first_game()) is None
    assert seat.process.sent == [line]


@pytest.mark.parametrize(
    ("coordinates", "move", "line"),
    [
        ("slide", "a1", "1 8"),
        ("zero", "d3", "3 2"),
        ("zero", "pass", "pass"),
    ],
)
def test_moves_of_the_project(coordinates: str, move: str, line: str) -> None:
    config = EngineConfig("c", ("c",), protocol="project", settings=(("coordinates", coordinates),))
    seat = create_seat(config, "othello")
    assert lines_sent(seat, "white", ("e6", move), clock("depth=1"), clock("depth=1")) == [line]


@pytest.mark.parametrize(
    ("answer", "position", "detail"),
    [
        ("4 3", "", "legal: 4 6 (d3), 3 5 (c4), 6 4 (f5), 5 3 (e6); it would be legal with rows from the top"),
        ("d4", "", "legal: 4 6 (d3), 3 5 (c4), 6 4 (f5), 5 3 (e6)"),
        ("a1", f"XO{'-' * 62} O", "which is not legal here: it had no move, and had to answer 'bestmove pass'"),
    ],
)
def test_the_objection_to_a_move_of_a_uci_engine(answer: str, position: str, detail: str) -> None:
    game = get_game("othello")
    seat: Any = create_seat(EngineConfig("c", ("c",)), "othello")
    board = game.parse_position(position.split()) if position else game.initial()
    move = seat.from_wire(answer)
    with pytest.raises(GameError) as caught:
        game.parse_move(board, move)
    told = Answer(f"bestmove {answer}", move, 0.0)
    assert seat.objection(board, told, caught.value).endswith(detail)
    lines_sent(seat, "black", ("f5", "f6", "e6"), clock("depth=1"), clock("depth=1"))
    assert "it would be legal" not in seat.objection(board, told, caught.value), "it has moved: a coincidence"


@pytest.mark.parametrize(
    ("line", "coordinates", "detail"),
    [
        (
            "3 2",
            "slide",
            "which is not legal here; legal: 4 6 (d3), 3 5 (c4), 6 4 (f5), 5 3 (e6); "
            "it would be legal with coordinates=zero",
        ),
        (
            "4 6",
            "zero",
            "which is not legal here; legal: 3 2 (d3), 2 3 (c4), 5 4 (f5), 4 5 (e6); "
            "it would be legal with coordinates=slide",
        ),
        ("4 3", "slide", "legal: 4 6 (d3), 3 5 (c4), 6 4 (f5), 5 3 (e6); it would be legal with rows from the top"),
        ("d3", "slide", "or 'pass'; it would be legal as '4 6', numbers instead of a letter and a number"),
        ("(4, 6)", "slide", "row from the bottom, such as '4 6', or 'pass'; it would be legal as '4 6' alone"),
        ("best 4, 6!", "slide", "or 'pass'; it would be legal as '4 6' alone"),
        ("thinking of 4 moves", "slide", debug_hint(("c",))),
        ("9 9", "slide", "such as '4 6', or 'pass'"),
        (
            "3 2 # best",
            "slide",
            "legal: 4 6 (d3), 3 5 (c4), 6 4 (f5), 5 3 (e6); it would be legal with coordinates=zero",
        ),
        ("5 5", "slide", "which is not legal here; legal: 4 6 (d3), 3 5 (c4), 6 4 (f5), 5 3 (e6)"),
    ],
)
def test_an_objection_speaks_the_coordinates_of_the_program(line: str, coordinates: str, detail: str) -> None:
    config = EngineConfig("c", ("c",), protocol="project", settings=(("coordinates", coordinates),))
    seat: Any = create_seat(config, "othello")
    seat.color = "black"
    position, move, error = get_game("othello").initial(), seat.from_wire(line), None
    if move is not None:
        with pytest.raises(GameError) as caught:
            get_game("othello").parse_move(position, move)
        error = caught.value
    assert seat.objection(position, Answer(line, move, 0.0), error).endswith(detail)


def request(game: str, moves: tuple[str, ...], color: Color = "black", **fields: Any) -> dict[str, Any]:
    seat = create_seat(EngineConfig("c", ("c",), protocol="json", limit=TimeControl.parse("tc=60+1")), game)
    seat.color = color
    process: Any = ProcessStub()
    seat._process = process  # type: ignore[attr-defined]
    asyncio.run(seat.think(Turn(moves, {"black": clock("tc=60+1", 70_000), "white": clock("depth=2")}, **fields)))
    return dict(json.loads(process.sent[0]))


def test_a_turn_as_json() -> None:
    told = request("othello", ("f5", "d6", "c3"))
    board = get_game("othello").squares(quietmove.Position(moves="f5 d6 c3")._position) or ""
    assert told["board"] == [{"-": 0, "X": 1, "O": 2}[piece] for piece in board]
    assert (told["legal_moves"], told["legalActions"]) == (["d3", "f3", "f4", "g5"], [19, 21, 29, 38])
    assert (told["moves"], told["step"], told["columns"]) == (["f5", "d6", "c3"], 3, 8)
    assert (told["currentPlayer"], told["mark"], told["position"]) == (1, 2, quietmove.Position(moves="f5 d6 c3").fen)
    assert told["clocks"]["black"] == {"left_ms": 1, "increment_ms": 1000, "moves_to_go": None}
    assert (told["clocks"]["white"]["left_ms"], told["limit"], told["remainingOverageTime"]) == (None, {}, 0.0)


@pytest.mark.parametrize(
    ("moves", "requests", "responses"),
    [
        ((), [(-1, -1)], []),
        (("f5",), [(5, 4)], []),
        (("f5", "d6"), [(-1, -1), (3, 5)], [(5, 4)]),
        (("f5", "d6", "c3"), [(5, 4), (2, 2)], [(3, 5)]),
        (("f5", "f6", "d3", "g5", "h5", "h4", "f7", "h6", "pass"), [(5, 4), (3, 2), (7, 4), (5, 6), (-1, -1)], None),
    ],
)
def test_botzone_is_told_the_moves_of_each_player(
    moves: tuple[str, ...], requests: list[tuple[int, int]], responses: list[tuple[int, int]] | None
) -> None:
    told = request("othello", moves)
    assert [(each["x"], each["y"]) for each in told["requests"]] == requests
    if responses is not None:
        assert [(each["x"], each["y"]) for each in told["responses"]] == responses


def test_no_answer_in_json_is_a_fault_of_the_referee() -> None:
    assert read_answer('{"move": "d3", "value": NaN}', {})[0] == "d3"
    for value in ("[" * 100_000, "9" * 5000, '{"response": {"x": 1, "y": %s}}' % ("9" * 4300), "[" * 500 + "]" * 500):
        assert read_answer(value, {}) == (None, {})


@needs_games
def test_a_player_of_hidden_cards_is_told_its_view_as_json() -> None:
    view = "???? s3h4h5d2d3 d5 W"
    told = request("whist", ("d5",), "white", view=view)
    assert (told["position"], told["legal_moves"]) == (view, ["d2", "d3"])
    assert "requests" not in told
    assert not {"s1", "s5", "h2", "d1"} & set(re.findall(r"[shd]\d", json.dumps(told)))


@pytest.mark.parametrize(
    ("command", "protocol"),
    [
        ("", "uci"),
        pytest.param("/usr/games/gtp-rhino", "gtp", marks=needs_dialects),
        pytest.param("quietmove --protocol nboard", "nboard", marks=needs_dialects),
        ("quietmove --protocol=ugi", "ugi"),
        ("quietmove --project --coordinates zero", "project"),
        pytest.param("gnugo --mode gtp", "gtp", marks=needs_dialects),
        pytest.param("engine -nboard", "nboard", marks=needs_dialects),
        ("./project", "uci"),
        ("engine gtp", "uci"),
        ("engine --protocol xboard", "uci"),
    ],
)
def test_a_command_may_name_the_protocol(command: str, protocol: str) -> None:
    assert named_protocol(command.split()) == protocol
    words = [f"cmd={command}"] if command else ["cmd=a"]
    assert parse_engine([*words, "depth=1"]).protocol == protocol
