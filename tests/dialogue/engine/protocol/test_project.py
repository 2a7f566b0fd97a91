"""The Othello-project player, without its process: coordinates, terms, turns and what it refuses."""

import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from queue import SimpleQueue
from typing import Any

import pytest

from quietmove.engine.errors import IllegalMoveError, LimitsError, NotationError, OptionError
from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.dialects import find_dialect
from quietmove.engine.protocol.notation import PROGRAMS
from quietmove.engine.protocol.project import GameConditions, Project, ProjectSettings, parse_terms
from quietmove.engine.protocol.runner import run
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.values import Info, Limits, Settings
from tests.fakes.processes import WAIT
from tests.fakes.talk import ClockedTalk

GAME = get_game("othello")
Seat = Callable[..., ClockedTalk]


@pytest.fixture
def seat(monkeypatch: pytest.MonkeyPatch) -> Seat:
    def begin(coordinates: str = "slide", **chosen: Any) -> ClockedTalk:
        return ClockedTalk(monkeypatch, Project, ProjectSettings(coordinates, **chosen))

    return begin


def read(coordinates: str, text: str) -> str:
    return PROGRAMS[coordinates].read(GAME.grid, text) or text


def test_black_moves_at_once_and_white_waits(seat: Seat) -> None:
    assert seat().play("game B 3 0 0") == ["4 6"]
    assert seat().play("game W 3 0 0") == []
    assert seat().play("game W 3 0 0", "4 6") == ["3 6"]
    assert seat("zero").play("  game\tB 3 0 0\r", "", " 2  2\r", "   ") == ["3 2", "1 2"]
    assert seat().play("# line one:", "game b 3 0 0", "#", " # White:", "3 6", "") == ["4 6", "2 6"]


def test_terms_may_come_from_the_command_line(seat: Seat) -> None:
    assert seat(color="B", depth=4).play() == ["4 6"]
    assert seat(color="W", depth=4).play("d3") == ["3 6"]


@pytest.mark.parametrize(
    ("settings", "terms"),
    [
        (ProjectSettings(), None),
        (ProjectSettings(color="B"), GameConditions(0, 4)),
        (ProjectSettings(color="W", depth=6), GameConditions(1, 6)),
        (ProjectSettings(color="W", move_time="1.5"), GameConditions(1, None, 1500)),
        (ProjectSettings(color="B", game_time="60", depth=9), GameConditions(0, 9, None, 60_000)),
        (ProjectSettings(color="B", move_time="0"), GameConditions(0, 4)),
        (ProjectSettings(color="B", move_time="50", milliseconds=True), GameConditions(0, None, 50)),
        (
            ProjectSettings(color="B", move_time="2s", game_time="500ms", milliseconds=True),
            GameConditions(0, None, 2000, 500),
        ),
    ],
)
def test_the_settings_stand_for_line_one(settings: ProjectSettings, terms: GameConditions | None) -> None:
    settings.check()
    assert settings.terms() == terms


def test_a_reserve_has_a_most() -> None:
    ProjectSettings(reserve="10s").check()
    with pytest.raises(OptionError, match="--reserve: must be at most 10000 ms, not"):
        ProjectSettings(reserve="10.1s").check()


def test_the_first_move_is_timed_from_when_it_was_asked_for(seat: Seat) -> None:
    """That is the start of the process, for Black without line one and for lines that came while it started."""
    black, line_one, white = (seat(color="B", move_time="1"), seat(), seat())
    for table in (black, line_one, white):
        table.now, table.player.arrival = 0.4, 0.0
    black.play()
    line_one.play("game B 0 1 60")
    white.play("game W 0 1 60", "4 6")
    assert black.limits == [Limits(movetime=550)]
    assert line_one.limits == white.limits == [Limits(movetime=550, time=59_400)]


def test_a_comment_behind_a_move_or_line_one_is_passed_over(seat: Seat) -> None:
    assert len(seat().play("game W 3 0 0 # phase I", "4 6 # best", "2 6# b3")) == 2


def test_the_time_of_all_moves_so_far_is_deducted(seat: Seat) -> None:
    table = seat(color="B", game_time="60")
    table.cost = 7.0
    table.play("3 6", "2 7")
    left = [limits.time for limits in table.limits]
    assert len(left) > 2
    assert [before - after for before, after in pairwise(left)] == [7000] * (len(left) - 1)


def test_line_one_is_refused_where_the_command_line_stands_for_it(seat: Seat) -> None:
    with pytest.raises(
        LimitsError, match=r"line one: cannot be combined with --color, got 'game B 0 1 0'; quietmove-referee"
    ):
        seat(color="W", depth=4).play("game B 0 1 0")


def test_a_line_that_comes_while_we_think_waits_for_its_turn(seat: Seat) -> None:
    table = seat()
    table.held = []
    assert table.play("game B 0 0 60", "3 6", "1 1") == []
    table.now = 2.0
    table.held.pop()()  # our first move is sent; the search after 3 6 is running, and 1 1 is queued
    assert table.sent == ["4 6"]
    assert [limits.time for limits in table.limits] == [59_800, 57_800]  # no time is counted twice
    with pytest.raises(IllegalMoveError, match="'1 1' is not legal here"):
        table.held.pop()()
    assert len(table.sent) == 2


def test_what_waits_at_the_end_of_input_is_answered_by_whole_searches(seat: Seat) -> None:
    table = seat()
    table.held = []
    table.play("game B 9 0 0", "3 6")
    table.player.end()
    assert (table.sent, table.player.over) == ([], False)
    table.held.pop()()
    assert (table.sent, table.player.over) == (["4 6"], False)
    table.held.pop()()
    assert (table.sent, table.player.over) == (["4 6", "2 6"], True)
    waiting = seat(color="W")
    waiting.play()
    waiting.player.end()
    assert waiting.player.over


@pytest.mark.parametrize("coordinates", PROGRAMS)
def test_a_whole_game_is_played_to_its_end_and_what_comes_later_is_ignored(coordinates: str, seat: Seat) -> None:
    position = GAME.initial()
    lines: list[str] = []
    while not position.is_over():
        side = position.side_to_move
        sent = seat(coordinates, color="BW"[side]).play(*lines[1 - side :: 2])
        lines.append(sent[-1])
        position.play(GAME.parse_move(position, read(coordinates, sent[-1])))
    assert seat(coordinates, color="B").play(*lines[1::2], "9 9", "game over") == lines[::2]


@pytest.mark.parametrize(
    ("coordinates", "line", "error", "message"),
    [
        ("slide", "1 8", IllegalMoveError, "opponent's move: '1 8' is not legal here; legal: 3 6, 5 6, 3 4"),
        ("zero", "0 0", IllegalMoveError, "opponent's move: '0 0' is not legal here; legal: 2 2, 4 2, 2 4"),
        ("slide", "0 3", NotationError, "must be 'column row' with 1-8 each, row from the bottom, or pass, not '0 3'"),
        ("slide", "garbage", NotationError, "not 'garbage'"),
        ("slide", "x" * 1000, NotationError, "xxx'"),
    ],
)
def test_what_the_opponent_may_not_send(
    coordinates: str, line: str, error: type[Exception], message: str, seat: Seat
) -> None:
    table = seat(coordinates, color="B")
    with pytest.raises(error) as caught:
        table.play(line)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 250
    assert len(table.sent) == 1


def test_a_forced_pass_is_sent_at_once_and_a_pass_of_the_opponent_is_taken(seat: Seat) -> None:
    table, other = seat(color="W"), seat(color="B")
    for each in (table, other):
        each.player.session.set_up(GAME.parse_position(["XO" + "-" * 62, "O"]))  # White passes, Black takes c1
    assert table.play() == ["pass"]
    assert table.limits == []
    assert other.play("pass") == ["3 8"]


@pytest.mark.parametrize(
    ("line", "unit", "terms"),
    [
        ("game W 6 0 0", 1000, GameConditions(1, 6)),
        ("game B 0 5 0", 1000, GameConditions(0, None, 5000)),
        ("game B 0 0.5 90", 1000, GameConditions(0, None, 500, 90_000)),
        ("game W 9 500 90000", 1, GameConditions(1, 9, 500, 90_000)),
        ("game W 99999 0 0.0001", 1000, GameConditions(1, 256, None, 1)),
    ],
)
def test_line_one(line: str, unit: int, terms: GameConditions) -> None:
    assert parse_terms(line, unit) == terms


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("4 6", "line one: must be 'game COLOR DEPTHLIMIT TIMELIMIT1 TIMELIMIT2', not '4 6'"),
        ("game B -1 0 0", "DEPTHLIMIT: must be a whole number of at least 0, not '-1'"),
        ("game B 1 soon 0", "TIMELIMIT1: must be a number of at least 0, not 'soon'"),
        ("game B 1 0 nan", "TIMELIMIT2"),
        ("game B 1 0 9999999999999", "TIMELIMIT2"),
    ],
)
def test_a_line_one_that_says_nothing_is_named(line: str, message: str) -> None:
    with pytest.raises(LimitsError) as caught:
        parse_terms(line, 1000)
    assert message in str(caught.value)


def test_each_limit_keeps_a_reserve() -> None:
    assert GameConditions(0, None, 1000).limits(500, 10) == Limits(movetime=940)
    assert GameConditions(0, 7, None, 10_000).limits(500, 10) == Limits(depth=7, time=9290)
    assert GameConditions(0, None, 1000, 10_000).limits(500, 10, 100) == Limits(movetime=890, time=9090)
    assert GameConditions(0, None, None, 1000).limits(0, 0) == Limits(time=900)  # a short game reserves less
    assert GameConditions(0, None, None, 1000).limits(0, 0, 200) == Limits(time=800)
    assert GameConditions(0, None, 40, 100).limits(0, 0) == Limits(movetime=30, time=75)


Pipes = Callable[[str], tuple[int, int, Callable[[], str]]]


def played(pipes: Pipes, text: str, status: int = 0, **chosen: object) -> str:
    source, sink, written = pipes(text)
    settings = ProjectSettings("zero", milliseconds=True, **chosen)  # type: ignore[arg-type]
    assert run(find_dialect("project"), settings, source, sink) == status
    return written()


def test_lines_that_wait_are_answered_by_real_searches_after_the_end_of_input(pipes: Pipes) -> None:
    lines = played(pipes, "game W 5 0 0\n3 2\npass\n", status=1).splitlines()
    assert len(lines) == 1  # the first line was answered; the second is illegal


def test_what_waited_before_the_first_look_was_asked_for_at_the_start_of_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (source, feeder), (reader, sink) = os.pipe(), os.pipe()
    arrivals: list[float] = []

    def take(player: Project, line: str, arrival: float) -> None:
        arrivals.append(arrival)
        if len(arrivals) == 2:
            os.write(feeder, b"# third\n")
        elif len(arrivals) == 3:
            os.close(feeder)

    monkeypatch.setattr(Project, "take", take)
    monkeypatch.setattr("quietmove.engine.protocol.runner.process_start", lambda: -1.0)
    os.write(feeder, b"# first\n# second\n")
    before = time.perf_counter()
    try:
        assert run(find_dialect("project"), source=source, sink=sink) == 0
    finally:
        for end in (source, reader, sink):
            os.close(end)
    assert arrivals[:2] == [-1.0, -1.0]
    assert before < arrivals[2] < time.perf_counter()


def test_an_illegal_line_that_waited_ends_the_process_while_its_input_is_open(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (source, feeder), (reader, sink) = os.pipe(), os.pipe()
    release = threading.Event()
    iterations = Deepening.iterations

    def held(search: Deepening) -> Iterator[Info]:
        assert release.wait(WAIT)
        return iterations(search)

    def handle(dialect: Project, line: str) -> None:
        taken(dialect, line)
        if line == "1 1":
            release.set()  # both lines have arrived, so the search may now reply to the first

    taken = Project.handle
    monkeypatch.setattr(Deepening, "iterations", held)
    monkeypatch.setattr(Project, "handle", handle)
    os.write(feeder, b"game W 1 0 0\n4 6\n1 1\n")
    try:
        assert run(source=source, sink=sink) == 1
        assert os.read(reader, 100).count(b"\n") == 1
    finally:
        for end in (source, feeder, reader, sink):
            os.close(end)
    assert capsys.readouterr().err.startswith("error: opponent's move: '1 1' is not legal here; legal: ")


def test_a_search_that_fails_is_reported_and_plays_on(
    pipes: Pipes,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(self: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("quietmove.engine.session.Deepening.iterations", fail)
    assert played(pipes, "", color="B", depth=2) in ("3 2\n", "2 3\n", "5 4\n", "4 5\n")
    assert capsys.readouterr().err == "error: search: RuntimeError: broken\n"


@pytest.mark.parametrize("line", ["game B 4 0 0", "game B 3 60 60", ""])
def test_with_a_limit_of_depth_each_move_is_that_of_alpha_beta(line: str) -> None:
    """The value of the move that is sent is the best that a search of all moves finds: nothing is left out."""
    lots = random.Random(line)
    sent: list[str] = []
    calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
    player = Project(sent.append, ProjectSettings(color=None if line else "B"), calls.put)
    player.begin()
    if line:
        player.handle(line)
    depth = int(line.split()[2]) if line else 4
    board = GAME.initial()
    while not board.is_over():
        if board.side_to_move == 0:
            while not sent:
                calls.get(timeout=WAIT)()
            move = next(each for each in board.legal_moves() if player.spell(each) == sent[0])
            values = {each: value_below(board, each, depth) for each in board.legal_moves()}
            assert values[move] == max(values.values()), GAME.format_position(board)
            sent.clear()
        else:
            move = lots.choice(board.legal_moves())
            player.handle(player.spell(move))
        board.play(move)
    player.session.close()


def value_below(board: Position, move: int, depth: int) -> int:
    """Return what a move of the root is worth by alpha-beta alone, searched to ``depth`` plies from the root."""
    search = Deepening(board.copy(), None, Settings("alphabeta"), Limits(depth=depth, searchmoves=(move,)))
    return list(search.iterations())[-1].score.value
