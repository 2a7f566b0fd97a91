"""GTP, without its process: answers, colors, clocks, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from quietmove.addons.dialects.gtp import COMMANDS, DEFAULT_DEPTH, Gtp, GtpSettings
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol import runner
from quietmove.engine.protocol.dialects import find_dialect
from quietmove.engine.values import Limits
from tests.dialogue.engine.protocol.test_no_threads import REFUSAL
from tests.fakes.talk import ClockedTalk, Talk

Pipes = Callable[[str], tuple[int, int, Callable[[], str]]]
GAME = get_game("othello")
# White has no move here, but Black does: the side to move must pass.
MUST_PASS = ["f5", "f6", "d3", "g5", "h5", "h4", "f7", "h6"]


def answers(pipes: Pipes, *lines: str) -> list[str]:
    """Return the answers to the commands, each as one text."""
    source, sink, written = pipes("\n".join(lines) + "\n")
    assert runner.run(find_dialect("gtp"), GtpSettings(depth=1), source=source, sink=sink) == 0
    text = written()
    assert text.endswith("\n\n")
    return text.removesuffix("\n\n").split("\n\n")


def timed(monkeypatch: pytest.MonkeyPatch, **chosen: int) -> ClockedTalk:
    return ClockedTalk(monkeypatch, Gtp, GtpSettings(**chosen), cost=2.0)


def test_every_command_is_answered_with_its_number_and_an_empty_line(pipes: Pipes) -> None:
    assert answers(pipes, "1 protocol_version", "name", "3 known_command play", "known_command foo", "5 foo", "6") == [
        "=1 2",
        "= Quietmove",
        "=3 true",
        "= false",
        "?5 unknown command",
        "?6 expected a command after the number",
    ]


def test_comments_empty_lines_and_control_characters_are_skipped(pipes: Pipes) -> None:
    assert answers(pipes, "# all of it", "", "  \t", "na\x07me # the rest", "\tname\t", "quit", "name") == [
        "? unknown command",  # control characters count as blanks
        "= Quietmove",
        "=",
    ]


def test_the_list_has_every_command(pipes: Pipes) -> None:
    (listed,) = answers(pipes, "list_commands")
    assert listed.removeprefix("= ").split("\n") == list(COMMANDS)


def test_reg_genmove_leaves_the_board(pipes: Pipes) -> None:
    said = answers(pipes, "gogui-rules_board", "reg_genmove b", "gogui-rules_board", "gogui-rules_side_to_move")
    assert said[0] == said[2]
    assert said[3] == "= black"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("play", "expected COLOR, MOVE, got 0"),
        ("play red f5", "colour: must be black or white, not 'red'"),
        ("play b a1", "illegal move: 'a1' is not legal here; legal: d3 c4 f5 e6"),
        ("play b z9", "illegal move: 'z9' is not a move; a move is a square a1-h8, or pass"),
        ("genmove w", "illegal move: it is Black's turn"),
        ("undo", "cannot undo"),
        ("boardsize 10", "unacceptable size"),
        ("komi x", "komi: must be a number, not 'x'"),
        ("set_game Chess", "unsupported game"),
        ("time_settings 1 -2 3", "must be a non-negative number of seconds, not '-2'"),
        ("quietmove-set_option", "expected NAME and VALUE"),
        ("quietmove-set_option Game tictactoe", "option Game: this protocol supports only othello on an 8x8 board"),
        ("quietmove-set_option Hash x", "option Hash: must be a whole number from 0 to 65536, not 'x'"),
    ],
)
def test_what_is_not_allowed_changes_nothing(pipes: Pipes, line: str, error: str) -> None:
    assert answers(pipes, line, "gogui-rules_legal_moves") == [f"? {error}", "= c4 d3 e6 f5"]


def test_a_pass_that_is_left_out_is_made(pipes: Pipes) -> None:
    """Where a side has no other move than a pass, its opponent may move at once; an illegal move takes it back."""
    position = GAME.initial()
    lines = []
    for index, text in enumerate(MUST_PASS):
        lines.append(f"play {'bw'[index % 2]} {text}")
        position.play(GAME.parse_move(position, text))
    assert [GAME.format_move(move) for move in position.legal_moves()] == ["pass"]
    said = answers(pipes, *lines, "play w a1", "gogui-rules_legal_moves", "genmove w", "gogui-rules_side_to_move")
    assert said[len(lines)].startswith("? illegal move: 'a1' is not legal here")
    assert said[len(lines) + 1] == "= pass"


def test_a_game_that_is_over_is_scored(pipes: Pipes) -> None:
    said = answers(
        pipes, *OVER, "play b c5", "final_score", "gogui-rules_final_result", "gogui-rules_legal_moves", "genmove w"
    )
    assert said[len(OVER) :] == ["=", "= B+64", "= Black wins by 64", "=", "= pass"]


OVER = ["play b e6", "play w f4", "play b e3", "play w f6", "play b g5", "play w d6", "play b e7", "play w f5"]


@pytest.mark.parametrize("ending", [["genmove w"], ["play w pass"], ["genmove w", "play b PASS", "reg_genmove w"]])
def test_undo_takes_back_a_pass_after_the_end_before_any_move(pipes: Pipes, ending: list[str]) -> None:
    undone = ["undo"] * sum(not line.startswith("reg_") for line in ending)
    said = answers(pipes, *OVER, "play b c5", *ending, *undone, "final_score", "undo", "gogui-rules_legal_moves")
    assert not any(text.startswith("?") for text in said)
    assert said[-3] == "= B+64"
    assert "c5" in said[-1]


def test_undo_takes_back_an_implied_pass_with_its_move(pipes: Pipes) -> None:
    """The controller does not know of the pass, so one ``undo`` is one of its moves; without moves, it is refused."""
    lines = [f"play {'bw'[index % 2]} {text}" for index, text in enumerate(MUST_PASS)]
    side = "gogui-rules_side_to_move"
    said = answers(pipes, *lines, side, "genmove w", side, "undo", side, "reg_genmove w", side, *["undo"] * 9)
    assert [said[len(lines) + index] for index in (0, 2, 4, 6)] == ["= black"] * 4
    assert said[-2:] == ["=", "? cannot undo"]


def test_the_clock_of_the_game_is_kept_where_the_controller_does_not_say(monkeypatch: pytest.MonkeyPatch) -> None:
    table = timed(monkeypatch)
    table.play("time_settings 10 0 0", "genmove b", "play w c3", "genmove b", "time_left b 3.25 0", "play w e3")
    assert [limits.time for limits in table.limits] == [9950, 7950]
    table.play("genmove b")
    assert table.limits[-1] == Limits(time=3200)


def test_periods_follow_the_main_time(monkeypatch: pytest.MonkeyPatch) -> None:
    table = timed(monkeypatch)
    table.play("time_settings 1 5 2", "genmove b", "undo", "genmove b", "undo", "genmove b", "undo", "genmove b")
    assert [(limits.time, limits.movestogo) for limits in table.limits] == [
        (950, None),
        (4950, 2),
        (2950, 1),
        (4950, 2),
    ]


def test_without_any_limit_the_depth_is_the_usual_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert timed(monkeypatch).play("genmove b") == ["= d3"]
    table = timed(monkeypatch)
    table.play("time_settings 10 5 0", "genmove b")  # in GTP, this means no time limit
    assert table.limits == [Limits(depth=DEFAULT_DEPTH)]
    table = timed(monkeypatch, nodes=77)
    table.play("genmove b")
    assert table.limits == [Limits(nodes=77)]


def test_commands_that_come_while_the_engine_thinks_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    table = timed(monkeypatch)
    held: list[Callable[[], None]] = []
    table.player._post = held.append
    assert table.play("1 genmove b", "2 name") == []
    held.pop()()
    assert table.play() == ["=1 d3", "=2 Quietmove"]


def test_gtp_plays_the_move_that_fewer_threads_found(
    allow: Callable[[str, int], None], capsys: pytest.CaptureFixture[str]
) -> None:
    allow("search helper", 0)
    sent = Talk(Gtp, GtpSettings(depth=8)).say("quietmove-set_option Threads 2", "genmove black", "1 genmove white")
    assert [line[:2] for line in sent if line] == ["=", "= ", "=1"]
    assert f"error: option Threads: only 1 of 2 threads could be started: {REFUSAL}\n" in capsys.readouterr().err


def test_gtp_refuses_a_move_without_a_thread(allow: Callable[[str, int], None]) -> None:
    allow("search", 0)
    assert Talk(Gtp, GtpSettings(depth=8)).say("genmove black", "name") == [
        f"? cannot start a thread: {REFUSAL}",
        "",
        "= Quietmove",
        "",
    ]
