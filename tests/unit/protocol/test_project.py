"""The Othello-project player, without its process: coordinates, terms, turns and what it refuses."""

from collections.abc import Callable, Sequence

import pytest

from quietmove.engine.errors import IllegalMoveError, LimitsError, NotationError
from quietmove.engine.games.base import Position, get_game
from quietmove.engine.protocol.coordinates import PROGRAMS
from quietmove.engine.protocol.project import UNLIMITED_DEPTH, Player, Terms, parse_terms, run
from quietmove.engine.values import Limits

GAME = get_game("othello")


class Table:
    """A player that makes the first legal move, a hand-wound clock, and what was sent."""

    def __init__(self, coordinates: str = "slide", cost: float = 0.0) -> None:
        self.now = 0.0
        self.cost = cost
        self.limits: list[Limits] = []
        self.sent: list[str] = []
        self.player = Player(GAME, PROGRAMS[coordinates], self.sent.append, self.think, lambda: self.now)

    def think(self, position: Position, limits: Limits) -> int:
        self.limits.append(limits)
        self.now += self.cost
        return min(position.legal_moves())

    def play(self, terms: Terms | None, lines: Sequence[str], unit: int = 1000) -> list[str]:
        self.player.play(terms, ((line, self.now) for line in lines), unit)
        return self.sent


def read(coordinates: str, text: str) -> str:
    return PROGRAMS[coordinates].read(GAME.grid, text) or text


def test_black_moves_at_once_and_white_waits() -> None:
    assert Table().play(None, ["game B 3 0 0"]) == ["4 6"]
    assert Table().play(None, ["game W 3 0 0"]) == []
    assert Table().play(None, ["game W 3 0 0", "4 6"]) == ["3 6"]
    assert Table("zero").play(None, ["  game\tB 3 0 0\r", "", " 2  2\r", "   "]) == ["3 2", "1 2"]


def test_terms_may_come_from_the_command_line() -> None:
    assert Table().play(Terms(0, depth=4), []) == ["4 6"]
    assert Table().play(Terms(1, depth=4), ["d3"]) == ["3 6"]


def test_no_input_is_no_game() -> None:
    assert Table().play(None, []) == []


@pytest.mark.parametrize("coordinates", PROGRAMS)
def test_a_whole_game_is_played_to_its_end_and_what_comes_later_is_ignored(coordinates: str) -> None:
    position = GAME.initial()
    lines: list[str] = []
    while not position.is_over():
        side = position.side_to_move
        sent = Table(coordinates).play(Terms(side, depth=1), lines[1 - side :: 2])
        lines.append(sent[-1])
        position.play(GAME.parse_move(position, read(coordinates, sent[-1])))
    assert Table(coordinates).play(Terms(0, depth=1), [*lines[1::2], "9 9", "game over"]) == lines[::2]


@pytest.mark.parametrize(
    ("coordinates", "line", "error", "message"),
    [
        ("slide", "1 8", IllegalMoveError, "opponent's move: '1 8' is not legal here; legal: 3 6, 5 6, 3 4"),
        ("zero", "0 0", IllegalMoveError, "opponent's move: '0 0' is not legal here; legal: 2 2, 4 2, 2 4"),
        ("slide", "pass", IllegalMoveError, "'pass' is not legal here"),
        ("slide", "0 3", NotationError, "'x y' with 1-8 each, row from the bottom, or pass, is allowed; '0 3' came"),
        ("zero", "8 3", NotationError, "'x y' with 0-7 each, row from the top, or pass, is allowed; '8 3' came"),
        ("zero", "3 2 1", NotationError, "'3 2 1' came"),
        ("slide", "garbage", NotationError, "'garbage' came"),
        ("slide", "36", NotationError, "'36' came"),
        ("slide", "x" * 1000, NotationError, "x' came"),
    ],
)
def test_what_the_opponent_may_not_send(coordinates: str, line: str, error: type[Exception], message: str) -> None:
    table = Table(coordinates)
    with pytest.raises(error) as caught:
        table.play(Terms(0, depth=1), [line])
    assert message in str(caught.value)
    assert len(str(caught.value)) < 250
    assert len(table.sent) == 1


def test_a_forced_pass_is_sent_at_once_and_a_pass_of_the_opponent_is_taken() -> None:
    table = Table()
    table.player._position = GAME.parse_position(["XO" + "-" * 62, "O"])  # White passes, Black takes c1
    assert table.play(Terms(1, depth=1), []) == ["pass"]
    assert table.limits == []
    other = Table()
    other.player._position = GAME.parse_position(["XO" + "-" * 62, "O"])
    assert other.play(Terms(0, depth=1), ["pass"]) == ["3 8"]


@pytest.mark.parametrize(
    ("line", "unit", "terms"),
    [
        ("game B 0 0 0", 1000, Terms(0)),
        ("game W 6 0 0", 1000, Terms(1, 6)),
        ("game B 0 5 0", 1000, Terms(0, None, 5000)),
        ("game B 0 0.5 90", 1000, Terms(0, None, 500, 90_000)),
        ("game W 9 500 90000", 1, Terms(1, 9, 500, 90_000)),
        ("game W 99999 0 0.0001", 1000, Terms(1, 256, None, 1)),
    ],
)
def test_line_one(line: str, unit: int, terms: Terms) -> None:
    assert parse_terms(line, unit) == terms


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("4 6", "line one: 'game COLOR DEPTHLIMIT TIMELIMIT1 TIMELIMIT2' is allowed; '4 6' came"),
        ("game B 1 0", "line one: 'game "),
        ("game B 1 0 0 0", "line one: 'game "),
        ("game X 1 0 0", "COLOR: B or W is allowed; 'X' came"),
        ("game b 1 0 0", "COLOR"),
        ("game B -1 0 0", "DEPTHLIMIT: a whole number of at least 0 is allowed; '-1' came"),
        ("game B 1.5 0 0", "DEPTHLIMIT"),
        ("game B 1 soon 0", "TIMELIMIT1: a number of at least 0 is allowed; 'soon' came"),
        ("game B 1 0 1e3", "TIMELIMIT2"),
        ("game B 1 0 .", "TIMELIMIT2"),
        ("game B 1 0 nan", "TIMELIMIT2"),
        ("game B 1 0 1.2.3", "TIMELIMIT2"),
        ("game B 1 0 9999999999999", "TIMELIMIT2"),
    ],
)
def test_a_line_one_that_says_nothing_is_named(line: str, message: str) -> None:
    with pytest.raises(LimitsError) as caught:
        parse_terms(line, 1000)
    assert message in str(caught.value)


def test_no_limit_at_all_is_a_fixed_depth() -> None:
    assert Terms(0).limits(5, 5) == Limits(depth=UNLIMITED_DEPTH)
    assert UNLIMITED_DEPTH == 8  # as protocol.md says


def test_each_limit_keeps_a_reserve() -> None:
    assert Terms(0, None, 1000).limits(500, 10) == Limits(movetime=940)
    assert Terms(0, 7, None, 10_000).limits(500, 10) == Limits(depth=7, time=9290)
    assert Terms(0, None, 40, 100).limits(0, 0) == Limits(movetime=30, time=75)


def test_the_limit_of_the_game_outranks_that_for_a_move() -> None:
    limits = Terms(0, None, 5000, 10_000).limits(9700, 0)
    assert limits == Limits(movetime=4950, time=100)
    assert Terms(0, None, 5000, 10_000).limits(11_000, 0).time == 1


def test_the_games_time_runs_from_the_opponents_line_to_the_answer() -> None:
    table = Table(cost=2.0)
    table.play(None, ["game B 0 0 60", "3 6"])
    assert [limits.time for limits in table.limits] == [59_800, 57_800]


def played(pipes: Callable[[str], tuple[int, int, Callable[[], str]]], terms: Terms | None, text: str) -> str:
    source, sink, written = pipes(text)
    run(terms, "zero", 1, source, sink)
    return written()


def test_a_real_search_plays_within_its_terms(pipes: Callable[..., tuple[int, int, Callable[[], str]]]) -> None:
    sent = played(pipes, None, "game W 3 0 20000\n3 2\n").splitlines()
    assert sent[0] in ("2 2", "4 2", "2 4")
    assert len(sent) == 1
    assert played(pipes, Terms(0, depth=2), "") in ("3 2\n", "2 3\n", "5 4\n", "4 5\n")
    assert played(pipes, None, "") == ""


def test_a_line_without_end_is_no_move(pipes: Callable[..., tuple[int, int, Callable[[], str]]]) -> None:
    with pytest.raises(NotationError, match="'a line of more than 1048576 bytes' came"):
        played(pipes, Terms(1), "7" * 1_100_000)


def test_a_search_that_fails_is_reported_and_plays_on(
    pipes: Callable[..., tuple[int, int, Callable[[], str]]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(self: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("quietmove.engine.session.Deepening.iterations", fail)
    assert played(pipes, Terms(0, depth=2), "") in ("3 2\n", "2 3\n", "5 4\n", "4 5\n")
    assert capsys.readouterr().err == "quietmove: search: RuntimeError: broken\n"
