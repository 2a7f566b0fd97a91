"""The command loop in process: clocks, words that nobody knows, errors that stay one line, a game that misbehaves."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quietmove.engine.protocol.lines import parse_go, parse_info
from quietmove.engine.protocol.runner import run
from quietmove.engine.protocol.uci import COMMANDS, ERROR_LENGTH, Uci, use_known_clock
from quietmove.engine.values import Limits
from tests.fakes.talk import Talk

WORDS = ("startpos", "fen", "moves", "name", "value", "Hash", "Clear", "Notation", "4", "6", "d3", "pass", "X", "-1")
TOKENS = st.sampled_from([*COMMANDS, *WORDS])


@pytest.fixture
def talk() -> Talk:
    return Talk(Uci)


def test_a_search_is_reported_and_answered(talk: Talk) -> None:
    *infos, best = talk.say("position startpos moves 4 6 c3", "go depth 4 nodes 100000")
    lines = [parse_info(info) for info in infos]
    assert [line.depth for line in lines if line is not None] == [1, 2, 3, 4]
    last = lines[-1]
    assert last is not None
    assert last.pv[:4] == tuple(best.replace("bestmove ", "").replace(" ponder", "").split())


POSITION = "position startpos moves 4 6 3 4"


def board(talk: Talk) -> str:
    """Return the text of the current position."""
    return talk.say("d")[-1]


@pytest.mark.parametrize(
    ("start", "moves"), [("startpos", "4 6 3 4 4 3"), (f"fen {'-' * 27}OX{'-' * 6}XO{'-' * 27} X", "d3c5 D6")]
)
def test_a_position_that_goes_on_is_what_it_would_be_by_itself(start: str, moves: str) -> None:
    """All that changes the position in between is seen too."""
    tokens = moves.split()
    changes = (
        "",
        "",
        "undo",
        "ucinewgame",
        "position startpos moves f5",
        "setoption name Game value tictactoe",
        "go depth 1",
    )
    for change in changes:
        talk = Talk(Uci)
        for count in (*range(len(tokens) + 1), 1, len(tokens), len(tokens)):
            line = f"position {start} moves {' '.join(tokens[:count])}"
            refused = talk.say(line)
            assert refused == Talk(Uci).say(line)
            if not refused:
                assert board(talk) == Talk(Uci).say(line, "d")[-1]
            talk.say(change)
            talk.say("setoption name Game value othello")


def test_only_the_end_of_a_position_that_goes_on_is_read(talk: Talk) -> None:
    for before in ("position startpos", "position startpos moves", POSITION):
        talk.say(before)
        position = talk.dialect.session.position
        assert talk.say(POSITION) == []
        assert talk.dialect.session.position is position
        assert position.ply == 2


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (f"{POSITION} 4 3 1 1", "move 4 '1 1': 'a8' is not legal here"),
        (f"{POSITION} d6 here", "move 4: 'here'"),
        (f"{POSITION} moves d6", "move 3: 'moves'"),
        ("position startpos d3", "token 2 'd3': only 'moves' may follow 'startpos'"),
        ("position d3", "token 1: must be 'startpos' or 'fen', not 'd3'"),
        ("position startpos moves d3 zz", "move 2: 'zz' is not a move"),
        (f"position fen {'-' * 63} X", f"token 2 '{'-' * 63}'"),
        (f"position fen {'-' * 64} Z", "token 3 'Z': side to move: must be X or O, not 'Z'"),
    ],
)
def test_a_position_that_goes_on_wrongly_changes_nothing(talk: Talk, line: str, error: str) -> None:
    talk.say("position startpos" if line.startswith("position startpos d3") else POSITION)
    before = board(talk)
    [refused] = talk.say(line)
    assert refused.startswith(f"info string error: position: {error}")
    assert [refused] == Talk(Uci).say(line)
    assert board(talk) == before
    assert talk.say(f"{POSITION} d6") == []
    assert board(talk) == Talk(Uci).say(f"{POSITION} d6", "d")[-1]


@pytest.mark.parametrize(
    ("line", "side", "limits", "note"),
    [
        ("", 0, Limits(), ""),
        ("btime 1000 wtime 2000 binc 10 winc 20", 0, Limits(None, None, None, 1000, 10, None, 2000, 20), ""),
        ("btime 1000 wtime 2000 binc 10 winc 20", 1, Limits(None, None, None, 2000, 20, None, 1000, 10), ""),
        ("btime -5 movestogo 3", 0, Limits(time=0, movestogo=3), ""),
        ("wtime 5 depth 3", 0, Limits(depth=3, opponent_time=5), ""),
        ("btime 5 infinite", 1, Limits(opponent_time=5, infinite=True), ""),
        ("btime 5 movetime 0", 1, Limits(movetime=0, opponent_time=5), ""),
        ("solve", 0, Limits(goal="solve"), ""),
        ("wld nodes 9", 1, Limits(nodes=9, goal="wld"), ""),
        ("wtime 5", 0, Limits(time=5, opponent_time=5), "Black is to move but btime is missing; using wtime"),
        ("wtime 5 winc 2", 0, Limits(None, None, None, 5, 2, None, 5, 2), "Black is to move"),
        (
            "btime 5 binc 1",
            1,
            Limits(None, None, None, 5, 1, None, 5, 1),
            "White is to move but wtime is missing; using ",
        ),
        ("btime 5 wtime 7", 1, Limits(time=7, opponent_time=5), ""),
        ("wtime 5 ponder", 0, Limits(time=5, opponent_time=5, ponder=True), "Black is to move"),
    ],
)
def test_the_side_to_move_has_its_own_clock_or_the_only_one(line: str, side: int, limits: Limits, note: str) -> None:
    used, said = use_known_clock(parse_go(line.split(), side, lambda _: ()), side)
    assert used == limits
    assert said.startswith(note)
    assert bool(said) == bool(note)


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        (["go searchmoves"], "token 1 'searchmoves': must be followed by"),
        (["go nodes"], "token 1 'nodes': must be followed by a whole number from 1"),
        (["go perft"], "token 1 'perft': "),
        (["go dept 4"], "token 1 'dept': unknown parameter; did you mean 'depth'?"),
        (["go mate 3"], "token 1 'mate': unknown parameter; must be one of depth, nodes,"),
        (["setoption name Trace value on", "go depth 20"], "Trace: the tree must have at most"),
    ],
)
def test_every_go_is_answered(talk: Talk, lines: list[str], error: str) -> None:
    complaint, answer = talk.say(*lines)
    assert complaint.startswith(f"info string error: go: {error}")
    assert answer == "bestmove none"
    assert not talk.dialect.session.thinking
    assert talk.say("setoption name Game value tictactoe", "setoption name Trace value off", "go depth 1")[-1] == (
        "bestmove 2 2"
    )


def test_a_go_while_a_search_runs_is_refused_without_an_answer_of_its_own(talk: Talk) -> None:
    talk.dialect.handle("go infinite")
    talk.dialect.handle("go depth x")
    talk.dialect.handle("stop")
    assert talk.said.count("info string error: go: a search is running; 'stop' ends it") == 1
    assert sum(line.startswith("bestmove") for line in talk.said) == 1


def test_a_move_without_a_name_is_answered(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(move: int) -> str:
        raise ZeroDivisionError("no name")

    monkeypatch.setattr(talk.dialect.session.game, "format_move", fail)
    lines = talk.say("go depth 1")
    assert lines[-2:] == ["info string error: go: ZeroDivisionError: no name", "bestmove none"]
    assert sum(line.startswith("bestmove") for line in lines) == 1


def test_a_count_that_raises_says_so_and_ends(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        next_player = 0

        def copy(self) -> Broken:
            return self

        def legal_moves(self) -> list[int]:
            raise ZeroDivisionError("broken")

    monkeypatch.setattr(talk.dialect.session, "position", Broken())
    assert talk.say("go perft 3") == [
        "info string error: go: ZeroDivisionError: broken",
        "info string perft stopped",
    ]
    assert not talk.dialect.session.thinking


def test_what_is_done_by_hand_takes_no_argument(talk: Talk) -> None:
    talk.say("position startpos moves f5d6c3d3")
    assert talk.say("undo 2") == ["info string error: undo: takes no arguments, got '2'"]
    assert talk.dialect.session.position.ply == 4


@pytest.mark.parametrize("line", ["please undo", "positoin startpos moves d3", "what d", "not eval"])
def test_what_is_done_by_hand_begins_its_line(talk: Talk, line: str) -> None:
    talk.say("position startpos moves d3")
    assert talk.say(line) == []
    assert talk.dialect.session.position.ply == 1


def test_help_names_every_command_and_every_limit(talk: Talk) -> None:
    text = "\n".join(talk.say("help"))
    for word in (*COMMANDS, "movestogo", "searchmoves", "infinite"):
        assert word in text


@pytest.mark.parametrize("token", ["x" * 100_000, "\x1b[2J", "1 " * 5000])
def test_an_error_is_one_line_of_bounded_length(talk: Talk, token: str) -> None:
    for line in (
        f"position startpos moves {token}",
        f"position fen {token}",
        f"setoption name {token}",
        f"go depth x{token}",
    ):
        error, *answer = talk.say(line)
        assert answer == (["bestmove none"] if line.startswith("go") else [])
        assert error.startswith("info string error: ")
        assert len(error) < ERROR_LENGTH + 50
        assert error.isprintable()


def test_a_line_that_was_too_long_is_reported_and_the_loop_goes_on(
    pipes: Callable[[str], tuple[int, int, Callable[[], str]]],
) -> None:
    source, sink, written = pipes("uci" + "x" * 1_100_000 + "\nisready\nquit\nisready\n")
    assert run(source=source, sink=sink) == 0
    assert written() == "info string error: a line of more than 1048576 bytes was skipped\nreadyok\n"


def test_a_game_that_raises_does_not_end_the_conversation(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(position: object) -> None:
        raise ZeroDivisionError("a user's own")

    monkeypatch.setattr(talk.dialect.session.game, "explain", fail)
    assert talk.say("eval", "isready") == ["info string error: eval: ZeroDivisionError: a user's own", "readyok"]


@settings(max_examples=30)
@given(st.lists(st.lists(TOKENS, max_size=8).map(" ".join) | st.text("ab 0-\t\x00\x85²١é", max_size=20), max_size=12))
def test_no_line_breaks_the_loop(lines: list[str]) -> None:
    talk = Talk(Uci)
    for line in lines:
        if "perft" not in line:
            talk.dialect.handle(line)
            talk.dialect.handle("stop")
    assert talk.dialect.session.close()
    assert sum(line.startswith("bestmove") for line in talk.said) <= len(lines)
    talk.said.clear()
    assert talk.say("setoption name Notation value project", "position startpos", "go depth 1")[-1] == "bestmove 4 6"


def test_a_search_that_does_not_stop_does_not_keep_the_process(
    pipes: Callable[[str], tuple[int, int, Callable[[], str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[int] = []
    monkeypatch.setattr("quietmove.engine.session.Session.close", lambda session: False)
    monkeypatch.setattr("os._exit", ended.append)
    source, sink, _ = pipes("quit\n")
    assert run(source=source, sink=sink) == 0
    assert ended == [0]


@pytest.mark.parametrize(
    ("discs", "outcome"), [(("X" * 32 + "O" * 32), "a draw"), ("O" * 63 + "-", "White wins by 64 discs")]
)
def test_the_outcome_of_a_game_that_is_over(talk: Talk, discs: str, outcome: str) -> None:
    for question in ("moves", "eval"):
        assert talk.say(f"position fen {discs} X", question) == [f"the game is over: {outcome}"]
    assert talk.say("go depth 3") == ["bestmove none"]


def test_perft(talk: Talk) -> None:
    assert talk.say("go perft 2") == ["4 6: 3", "3 5: 3", "6 4: 3", "5 3: 3", "Nodes searched: 12"]
    talk.dialect.handle("go perft 50")
    assert talk.say("stop")[-1] == "info string perft stopped"
