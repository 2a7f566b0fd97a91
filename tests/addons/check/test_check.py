"""`quietmove-referee check`: every examination is passed by an engine with good manners and failed by a rude one."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from quietmove.addons.check import common
from quietmove.addons.check.examination import PROTOCOLS, Outcome, examine, results
from quietmove.addons.check.subject import Subject
from quietmove.addons.check.talk import name_of
from quietmove.engine.games.registry import get_game
from quietmove.referee.cli import main, referee
from quietmove.referee.config.model import EngineConfig, TimeControl
from quietmove.referee.process import sandbox
from quietmove.referee.seats.process_seat import COMPUTING, ELSEWHERE, debug_hint
from tests.e2e.test_planted_modules import mark, run_among_planted  # noqa: F401 (a fixture)
from tests.fakes import othello
from tests.fakes.addons import needs_dialects, present_protocols

FAKE = str(Path(__file__).parents[2] / "fakes" / "rude_engine.py")
FOREIGN = Path(FAKE).with_name("foreign_text.py")
PATIENT = 60_000  # milliseconds to wait for a reply that arrives
IMPATIENT = 200  # milliseconds to wait for a reply that never arrives
START = 3000  # milliseconds to wait for a process that is still starting

# The check that each fault fails, and its message.
FAULTS = {
    "uci": [
        ("no-name", "handshake", "sent no 'id name' before uciok"),
        ("bad-option", "handshake", "default of option 'Speed': must be from '1' to '5', not '9'"),
        ("deaf", "isready-thinking", f"did not send the answer to 'isready' within {IMPATIENT} ms"),
        ("answers-twice", "stop-races", "answer to go: must be one bestmove line, not 2: …"),
        ("answers-stop", "bad-lines", "sent 'bestmove none' after 'stop', which does not ask for a move"),
        ("answers-each-go", "go-after-go", "answers to three go commands: must be at most 3 bestmove lines, not 5"),
        ("hurries", "infinite-holds", "sent 'bestmove …' before stop"),
        ("hurries", "isready-thinking", "ended go infinite with a bestmove before stop"),
        ("old-position", "position-asked", "answered 'bestmove …' after …: … is not legal here; legal: …"),
        ("ends-on-junk", "junk-lines", "ended with status 1 before the answer to 'isready'"),
        ("keeps-cr", "crlf", f"did not send the answer to 'isready' within {IMPATIENT} ms"),
        ("a-line-a-read", "split-line", f"did not send the answer to 'isready' within {IMPATIENT} ms"),
        ("a-line-at-once", "joined-lines", "ended with status 1 before the answer to 'isready'"),
        ("believes-all", "bad-lines", "ended with status 1 before the answer to 'isready'"),
        ("short-lines", "long-line", "ended with status 1 before the answer to 'isready'"),
        ("strict-bytes", "bytes", "ended with status 1 before the answer to 'isready'; … UnicodeDecodeError: …"),
        ("few-games", "new-games", "ended with status 1 before the answer to 'isready'"),
        ("ignores-quit", "quit", f"is still running {IMPATIENT} ms after quit"),
        ("ignores-quit", "quit-thinking", f"is still running {IMPATIENT} ms after quit in a search"),
        ("outlives-input", "end-of-input", "is still running … ms after the end of its input"),
        ("outlives-input", "end-of-input-thinking", "is still running … ms after the end of its input in a search"),
        ("outlives-input", "closed-output", "is still running … ms after the end of its input, its output closed"),
        ("illegal", "legal-moves", "answered 'bestmove …' after …: … is not legal here; legal: …"),
        ("no-pass", "forced-pass", "answered 'bestmove 1 1' after …: … is not legal here; legal: pass"),
        ("illegal", "whole-games", "answered 'bestmove …' (…), which is not legal here; legal: … (…)…"),
        ("ignores-searchmoves", "searchmoves", "answer to go searchmoves …: must be this move, not 'bestmove …'"),
        ("deep", "depth", "reported depth: must be at most 3, not 9"),
        ("many-nodes", "nodes", "reported nodes: must be at most 6500, not 9000"),
        ("late", "move-time", "takes … s, allowed 0.10 s"),
        ("late", "game-time", "takes … s for … moves, allowed 1.00 s a game (tc=1+0)"),
        (
            "chatters",
            "reports",
            f"wrote 'thinking hard', which is not a line of the protocol{debug_hint(('python3',))}",
        ),
        ("bad-number", "reports", "time in 'info …': must be a whole number, not 'lots'"),
        ("illegal-line", "reports", "wrote 'info …' after …: move 1 '1 1': 'a8' is not legal here; legal: …"),
        ("no-hash", "hash", "ended with status 1 before the answer to 'isready'"),
        ("no-ponder", "ponder", "sent 'bestmove …' before ponderhit"),
    ],
    "gtp": [
        ("no-numbers", "handshake", f"did not send the answer to '1 name' within {START} ms"),
        ("version-1", "handshake", "protocol_version: must be 2, not '1'"),
        ("lists-few", "handshake", "does not list protocol_version, name"),
        ("takes-all", "errors", "answer to 'xyzzy': must begin with '?', not '= '"),
        ("no-comments", "comments", "answer to '…': must begin with '=7', not '?…'"),
        ("plays-on", "finished-game", "answered '= d3' although the game is over"),
        ("wrong-score", "final-score", "final_score: must begin with …, not '…'"),
        ("ends-on-junk", "junk-lines", "ended with status 1 before the answer to …"),
        ("illegal", "legal-moves", "answered '=… …' …: … is not legal here; legal: …"),
    ],
    "nboard": [
        ("deaf", "ping-thinking", f"did not send the answer to 'ping 2' within {IMPATIENT} ms"),
        ("answers-late", "ping-thinking", "sent '=== …' after pong, which does not ask for a move"),
        ("ends-on-junk", "junk-lines", "ended with status 1 before the answer to …"),
        ("makes-its-move", "board-stays", "answered '=== …' after …: … is not legal here; legal: …"),
        ("deep", "lines", "reported depth: must be at most 2, not 5"),
        ("chatters", "lines", f"wrote 'thinking hard', which is not a line of the protocol{debug_hint(('python3',))}"),
    ],
    "json": [
        ("illegal", "first-move", "answered '…' in the initial position, which is not legal here; legal: …"),
        ("chatters", "first-move", "answered 'thinking hard' …, which is not a move: must be a line of JSON such as …"),
        ("no-pass", "forced-pass", "answered '…' after …, which is not legal here: it had no move, and had to pass"),
        ("late", "move-time", "takes … s, allowed 0.10 s"),
        ("outlives-input", "end-of-input", "is still running … ms after the end of its input"),
    ],
    "project": [
        ("zero", "first-move", "answered '3 2', a move in other coordinates; set coordinates=zero"),
        ("white-moves", "white-waits", "wrote '4 6' as White, before Black had moved"),
        ("chatters", "only-moves", f"wrote 'thinking hard' after its move{debug_hint(('python3',))}"),
        ("chatters", "whole-games", "answered 'thinking hard', which is not a move: must be …"),
    ],
}
ROWS = [(protocol, *row) for protocol in present_protocols(*FAULTS) for row in FAULTS[protocol]]
OWN = {  # the checks of this engine
    "uci": "stop-races infinite-holds ponder",
    "ugi": "joined-lines",
    "gtp": "errors queued final-score",
    "nboard": "ping-thinking board-stays",
    "project": "first-move opening",
}
SILENT = {"white-waits", "only-moves"}  # checks that wait to confirm that no reply arrives
NO_FAULT = {"finished-game", "same-answer"}  # UCI checks without a required reply


def subject_of(protocol: str, fault: str = "", within: int = PATIENT, code: str = "", **keys: Any) -> Subject:
    """Return the fake engine with a fault, or a program with this code.

    :param keys: settings of the engine.
    """
    program = ("-c", code) if code else (FAKE, protocol, fault)
    keys = {"command": (sys.executable, "-S", *program), "margin_ms": PATIENT, "start_timeout_ms": PATIENT} | keys
    config = EngineConfig("fake", protocol=protocol, **keys)
    return Subject(config, get_game("othello"), within, quick=True, at_most_ms=10 * PATIENT)


def run(subject: Subject, *names: str) -> list[Outcome]:
    rows = [row for row in PROTOCOLS[subject.config.protocol].examinations if name_of(row) in names]
    assert len(rows) == len(names)
    return list(examine(subject, rows))


@pytest.mark.parametrize("protocol", present_protocols(*FAULTS))
def test_an_engine_with_good_manners_passes(protocol: str) -> None:
    names = dict.fromkeys(name for _, name, _ in FAULTS[protocol])
    waiting = [name for name in names if name in SILENT]
    outcomes = run(subject_of(protocol), *(name for name in names if name not in SILENT))
    outcomes += run(subject_of(protocol, within=IMPATIENT), *waiting)
    assert [outcome for outcome in outcomes if outcome.status != "ok"] == []


@pytest.mark.parametrize("protocol", present_protocols(*OWN))
def test_our_engine_has_good_manners(protocol: str) -> None:
    """Checks that keep a clock are left out."""
    settings = (("openings", "line"),) if protocol == "project" else ()
    subject = subject_of(protocol, command=("quietmove", "--protocol", protocol), settings=settings)
    assert [outcome for outcome in run(subject, *OWN[protocol].split()) if outcome.status != "ok"] == []


@pytest.mark.parametrize(("protocol", "fault", "name", "text"), ROWS, ids=lambda value: value[:25])
def test_a_fault_fails_its_examination(
    protocol: str, fault: str, name: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common, "BETWEEN_WRITES", 1.0 if name == "split-line" else 0.0)
    never_comes = str(IMPATIENT) in text or fault == "outlives-input"
    keys = {"no-numbers": {"start_timeout_ms": START}, "late": {"margin_ms": 0}}.get(fault, {})
    (outcome,) = run(subject_of(protocol, fault, IMPATIENT if never_comes else PATIENT, **keys), name)
    optional = [name_of(row) for row, needed in PROTOCOLS[protocol].optional.items() if row is needed]
    assert outcome.status == ("skip" if name in optional else "FAIL")
    assert re.fullmatch(re.escape(text).replace("…", ".*"), outcome.text.removeprefix("optional: ")), outcome.text


def test_a_search_that_does_not_read_its_input_lacks_an_optional_ability() -> None:
    names = ("isready-thinking", "stop-races", "go-after-go", "infinite-holds", "position-asked", "legal-moves")
    *optional, moves = run(subject_of("uci", "simple", IMPATIENT), *names)
    assert [each.status for each in optional] == ["skip"] * 5
    assert all(each.text.startswith("optional: ") for each in optional)
    assert not any(each.applies for each in optional)
    assert moves.status == "ok"


@pytest.mark.parametrize(
    ("protocol", "fault", "names", "statuses"),
    [
        ("uci", "illegal", "legal-moves forced-pass whole-games depth", "FAIL skip skip skip"),
        ("uci", "outlives-input", "end-of-input closed-output", "FAIL skip"),
        ("uci", "ends-on-junk", "junk-lines bytes legal-moves", "FAIL skip ok"),
        ("project", "chatters", "only-moves whole-games", "FAIL skip"),
    ],
)
def test_one_cause_is_one_failure(protocol: str, fault: str, names: str, statuses: str) -> None:
    within = IMPATIENT if fault == "outlives-input" else PATIENT
    outcomes = run(subject_of(protocol, fault, within), *names.split())
    assert " ".join(outcome.status for outcome in outcomes) == statuses, outcomes
    failed, *others = outcomes
    assert all(each.text.startswith(f"fails as {failed.name} does: ") for each in others if each.status == "skip")


def test_a_program_that_answers_by_a_letter_fails_once_and_is_told_so() -> None:
    subject = subject_of("project", code="while input(): print('d3', flush=True)")
    outcomes = run(subject, "first-move", "no-limit", "crlf", "whole-games")
    assert [outcome.status for outcome in outcomes] == ["FAIL", "skip", "ok", "skip"], outcomes
    assert outcomes[0].text == (
        "answered 'd3', which is not a move: must be 'column row' with 1-8 each, row from the bottom, such as '4 6', "
        "or 'pass'; "
        "it would be legal as '4 6', numbers instead of a letter and a number"
    )


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("while True: pass", COMPUTING),
        (
            "from sys import stdin; stdin.readline(); print('4 6'); x, y = stdin.readline().split()",
            "; it wrote only after an empty line: it must flush its output after each line, in Python print(...",
        ),
        (
            "from sys import stdin; stdin.readline(); print('4 6'); stdin.read()",
            "; it wrote only when its input ended: it must flush its output after each line",
        ),
        (
            "from sys import stdin; stdin.readline(); stdin.readline(); print('4 6', flush=True); stdin.readline()",
            "; it had read its input and was waiting for another line, which does not come before its answer",
        ),
        ("input(); input()", "; it had read its input and was waiting for another line"),
        ("import time; input(); time.sleep(60)", ELSEWHERE),
        ("input(); print('4 6', end='', flush=True); input()", "; it wrote '4 6' without a line end"),
    ],
)
def test_a_silent_program_is_told_what_it_did(code: str, hint: str) -> None:
    subject = subject_of("project", code=code, start_timeout_ms=1500, env=(("PYTHONUNBUFFERED", ""),))
    (outcome,) = run(subject, "first-move")
    assert (outcome.status, outcome.text.partition("within 1500 ms")[2][: len(hint)]) == ("FAIL", hint)
    assert ("print(..., flush=True)" in outcome.text) == ("flush" in hint)


@pytest.mark.parametrize(
    ("timeout", "code", "hint"),
    [
        (1500, "read x; read y || :", "did not flush its answer, in C fflush(stdout), in C++ std::cout << std::flush"),
        (PATIENT, "read x; echo thinking; read y", "standard error, in C fprintf(stderr, ...), in C++ std::cerr"),
        (PATIENT, "kill -SEGV $$", "ended with status 139 (signal 11, SIGSEGV) before its first move"),
        (PATIENT, "(echo 'Exception: x < 0'; echo '  at A.b(A.java:1)') >&2; exit 1", "ends with: Exception: x < 0"),
    ],
)
def test_advice_is_for_the_language_of_the_program(timeout: int, code: str, hint: str) -> None:
    command = ("sh", "-c", f"sh -c {shlex.quote(code)}; exit $?")
    subject = subject_of("project", command=command, start_timeout_ms=timeout)
    (outcome,) = run(subject, "first-move")
    assert (outcome.status, hint in outcome.text) == ("FAIL", True), outcome.text


def test_a_program_that_fails_has_as_many_checks_as_one_that_passes() -> None:
    subject = replace(subject_of("project", code="input()"), limit=TimeControl(movetime_ms=300))
    rows = [row for row in PROTOCOLS["project"].examinations if name_of(row) in ("first-move", "opening", "game-time")]
    outcomes = list(examine(subject, rows))
    assert [(each.status, each.applies) for each in outcomes] == [("FAIL", True), ("skip", False), ("skip", False)]
    assert [test.get("max_score") for test in results(subject.game, outcomes)["tests"]] == [1, None, None]


def test_a_program_that_has_answered_once_is_not_told_to_flush() -> None:
    first, second = run(subject_of("project", "late", margin_ms=0), "first-move", "move-time")
    assert (first.status, second.status) == ("ok", "FAIL")
    assert "flush" not in second.text
    silent = subject_of("project", code="import sys; sys.stdin.read()", margin_ms=0)
    (alone,) = run(silent, "move-time")
    assert "it must flush its output after each line" in alone.text


ANSWER = 'print(f"{move[0]} {move[1]}" if move else "pass", flush=True)'
STUDENT = """
import sys
rules, color = Board(), {{"B": "X", "W": "O"}}[input().split()[1]]
board = rules.discs
while True:
    if rules.side == color:
        moves = sorted(rules.moves(color))
        if moves:
            {code}
        move = moves[0] if moves else None
        {answer}
    else:
        line = sys.stdin.readline()
        if not line:
            break
        move = read_move(line)
    rules.play(move)
"""


def student(code: str = "pass", answer: str = ANSWER, limit: str = "", **keys: Any) -> Subject:
    """Return a student's program, which runs ``code`` and plays its first legal move."""
    program = Path(othello.__file__).read_text(encoding="utf-8") + STUDENT.format(code=code, answer=answer)
    return replace(subject_of("project", code=program, margin_ms=300, **keys), limit=TimeControl.parse(limit))


@pytest.mark.parametrize(
    ("limit", "code", "name", "status", "text"),
    [
        ("movetime=300", "time.sleep(0.32)", "move-time", "FAIL", r"takes \d\.\d\d s, allowed 0\.30 s"),
        ("movetime=20000", "time.sleep(0.32)", "move-time", "ok", r"movetime=20000: 3 moves, \d+ to \d+ ms"),
        ("tc=1", "time.sleep(0.2)", "game-time", "FAIL", r"takes \d.* s for \d+ moves, allowed 1\.00 s a game \(tc.*"),
        ("tc=60", "pass", "game-time", "ok", r"tc=60\+0: \d+ ms for \d+ moves"),
        ("depth=3", "time.sleep(9)", "move-time", "skip", "does not apply to games with the limit depth=3"),
        ("movetime=300", "time.sleep(9)", "game-time", "skip", "does not apply to games with the limit movetime=300"),
        # A think time of 0.3 s keeps whole games short; the limit decides the verdict.
        ("movetime=20000", "time.sleep(0.5 * (len(board) < 8))", "whole-games", "ok", r"\d+ moves in 2 games, .* ms"),
        ("movetime=300", "time.sleep(0.5)", "whole-games", "FAIL", r"takes \d\.\d\d s, allowed 0\.30 s"),
    ],
)
def test_a_program_is_examined_by_the_limit_of_its_games(
    limit: str, code: str, name: str, status: str, text: str
) -> None:
    (outcome,) = run(student(f"import time; {code}", limit=limit), name)
    assert (outcome.status, outcome.applies) == (status, status != "skip"), outcome.text
    assert re.fullmatch(text, outcome.text), outcome.text


@pytest.mark.parametrize(
    ("limit", "line"),
    [
        ("", "game B 1 0 0"),
        ("depth=4", "game B 4 0 0"),
        ("movetime=200", "game B 0 0.2 0"),
        ("movetime=1000", "game B 0 0.3 0"),
        ("tc=60", "game B 0 0 9"),
    ],
)
def test_line_one_has_the_limit_of_the_games_but_is_brisk(limit: str, line: str) -> None:
    subject = subject_of("project", code=f"assert input() == {line!r}; print('4 6', flush=True); input()")
    (outcome,) = run(replace(subject, limit=TimeControl.parse(limit) if limit else None), "split-line")
    assert outcome.status == "ok", outcome.text


def test_nodes_are_the_limit_of_a_players_games() -> None:
    subject = replace(subject_of("json"), limit=TimeControl(nodes=50))
    outcomes = run(subject, "first-move", "move-time", "whole-games", "game-time")
    assert [outcome.name for outcome in outcomes if outcome.status == "ok"] == ["first-move", "whole-games"], outcomes
    assert [outcome.applies for outcome in outcomes] == [True, True, False, False]


def test_a_slow_program_keeps_its_limit_although_there_is_no_time_for_its_games() -> None:
    subject = student("import time; time.sleep(0.25)", limit="movetime=20000")
    (outcome,) = run(replace(subject, at_most_ms=6000), "whole-games")
    assert (outcome.status, outcome.evidence) == ("ok", None), outcome.text
    assert outcome.text.endswith("; aborted, because its time was up")


def test_a_late_engine_that_finished_its_game_fails_with_evidence() -> None:
    """Its process could play another game, and has left this one."""
    subject = replace(subject_of("uci", "late", margin_ms=0), limit=TimeControl.parse("movetime=1400"))
    (outcome,) = run(subject, "move-time")
    assert outcome.status == "FAIL", outcome
    assert outcome.text.endswith(" s, allowed 1.40 s")
    assert outcome.evidence is not None
    assert outcome.evidence.dialogue


SILENT_PASS = 'moves and print(f"{move[0]} {move[1]}", flush=True)'


@pytest.mark.parametrize(
    ("limit", "answer", "text"),
    [
        ("movetime=1000", SILENT_PASS, "did not answer within 4.30 s, allowed 1.00 s; {}"),
        ("depth=1", SILENT_PASS, "did not answer within 3000 ms; {}"),
        ("depth=1", ANSWER.replace('"pass"', '"0 0"'), "answered '0 0', which is not legal here: {}"),
    ],
)
def test_a_program_that_does_not_pass_is_told_to(limit: str, answer: str, text: str) -> None:
    (outcome,) = run(student(answer=answer, limit=limit, stall_timeout_ms=3000), "whole-games")
    assert outcome.status == "FAIL"
    assert outcome.text == text.format("it had no move, and had to write 'pass'")
    assert outcome.evidence is not None
    assert outcome.evidence.legal == ("pass",)


def test_what_an_engine_does_not_report_is_not_examined() -> None:
    outcomes = run(subject_of("uci", "quiet"), "depth", "nodes", "reports", "same-answer")
    assert [(each.status, each.text, each.applies) for each in outcomes] == [
        ("skip", f"the engine reports {text}", False) for text in ("no depth", "no nodes", "nothing", "nothing")
    ]


def test_a_move_that_takes_thought_may_take_longer_than_an_answer() -> None:
    (outcome,) = run(subject_of("project", "late", IMPATIENT), "split-line")
    assert outcome.status == "ok"


def test_examinations_end_when_their_time_is_up() -> None:
    code = "import sys; input(); print('4 6', flush=True); sys.stdin.read()"  # plays one move and keeps running
    subject = replace(subject_of("project", code=code), at_most_ms=1000)
    outcomes = run(subject, "only-moves", "whole-games", "move-time")
    assert {outcome.status for outcome in outcomes} == {"skip"}
    assert re.fullmatch(r"not finished within 0\.\d s, its share of the 1 s for all checks", outcomes[0].text)


def test_the_start_of_an_engine_is_a_part_of_the_time_for_all_examinations() -> None:
    subject = subject_of("uci", code="import sys; sys.stdin.read()")  # never replies to the greeting
    (outcome,) = run(replace(subject, at_most_ms=1000), "handshake")
    assert (outcome.status, outcome.text[:22]) == ("skip", "not finished within 0.")


def test_every_examination_of_uci_is_failed_by_some_fault() -> None:
    assert {name_of(row) for row in PROTOCOLS["uci"].examinations} - {name for _, name, _ in FAULTS["uci"]} == NO_FAULT


def test_what_an_engine_without_chance_repeats_is_information() -> None:
    (same,) = run(subject_of("uci"), "same-answer")
    assert (same.status, same.text) == ("info", "the same reports")


@pytest.mark.parametrize(
    ("code", "statuses"),
    [
        ("print('# ready\\n', flush=True); input(); print('# thinking\\n\\n3 6', flush=True); input()", "ok ok ok"),
        ("print('3 6', flush=True); input(); input()", "ok FAIL"),
        ("input(); print('3 6\\n4 6', flush=True); input()", "ok ok FAIL"),
        ("input(); print('2 2', flush=True)", "FAIL skip skip"),
    ],
)
def test_a_program_without_line_one_answers_blacks_first_move(code: str, statuses: str) -> None:
    command = (sys.executable, "-S", "-c", f"import sys; assert sys.argv[1] == 'W'; {code}", "{color}")
    names = ["first-move", "white-waits", "only-moves"][: len(statuses.split())]
    within = PATIENT if statuses == "ok FAIL" else IMPATIENT
    outcomes = run(subject_of("project", within=within, command=command, settings=(("line", "none"),)), *names)
    assert " ".join(outcome.status for outcome in outcomes) == statuses, outcomes


def test_an_engine_without_a_greeting_is_examined_once() -> None:
    first, second = run(subject_of("uci", code="input()"), "handshake", "quit")
    assert (first.status, first.text) == ("FAIL", "ended with status 0 before uciok")
    assert (second.status, second.text) == ("skip", "not checked, because handshake failed")


def test_an_engine_that_cannot_be_started_fails(tmp_path: Path) -> None:
    program = tmp_path / "engine"
    program.write_bytes(b"\x00no program")
    program.chmod(0o700)
    (outcome,) = run(subject_of("uci", command=(str(program),)), "handshake")
    assert outcome.text == f"cannot be started: {program}: Exec format error"


def test_what_an_engine_writes_is_shown_without_control_characters() -> None:
    code = "import sys; input(); sys.stderr.write('\x1b[31mred'); sys.exit(3)"
    (outcome,) = run(subject_of("uci", code=code), "handshake")
    assert outcome.text == r"ended with status 3 before uciok; its standard error ends with: \x1b[31mred"


def call(*arguments: str) -> Result:
    return CliRunner().invoke(referee, ["check", *arguments], catch_exceptions=False)


def test_the_command_prints_a_line_each_and_exits_with_1_after_a_failure() -> None:
    command = f"{sys.executable} -S {FAKE} uci answers-stop"
    done = call(command, "--only", "bad-lines", "--only", "quit", "--within", str(PATIENT))
    lines = done.output.splitlines()
    assert lines[0].startswith("FAIL  bad-lines  sent 'bestmove none' after 'stop'")
    assert re.fullmatch(r"ok    quit       \d+ ms", lines[1])
    assert re.fullmatch(r"2 checks in \d+ s: 1 ok, 1 FAIL", lines[2])
    assert done.exit_code == 1


@needs_dialects
def test_the_command_prints_one_document_and_exits_with_0() -> None:
    command = f"{sys.executable} -S {FAKE} gtp"
    done = call(command, "protocol=gtp", "--only", "numbers", "--json", "--within", str(PATIENT))
    document = json.loads(done.output)
    assert (document["protocol"], document["game"], done.exit_code) == ("gtp", "othello", 0)
    (row,) = document["examinations"]
    assert (row["name"], row["status"], row["text"]) == ("numbers", "ok", "0, 1, 2147483647 and none")


def test_a_failed_examination_shows_the_position_the_legal_moves_and_the_dialogue_in_the_engines_coordinates() -> None:
    code = "import sys; print('oh', file=sys.stderr)\nwhile input(): print('4 6', flush=True)"
    first, game = run(subject_of("project", code=code), "first-move", "whole-games")
    assert (first.status, first.evidence) == ("ok", None)
    evidence = game.evidence
    assert game.status == "FAIL"
    assert evidence is not None
    assert (evidence.moves[0], len(evidence.moves)) == ("d3", 2)
    position = get_game("othello").initial()
    for move in evidence.moves:
        position.play(get_game("othello").parse_move(position, move))
    squares = [get_game("othello").format_move(move) for move in position.legal_moves()]
    assert set(evidence.legal) == {f"{ord(square[0]) - 96} {9 - int(square[1])}" for square in squares}
    said = [line.partition(" ")[2] for line in evidence.dialogue]
    assert (said[:2], len(said), said[-1]) == (["> game B 1 0 0", "< 4 6"], 4, "< 4 6")
    assert evidence.stderr[0] == "oh"


def results_of(folder: Path, program: str, *words: str) -> tuple[dict[str, Any], int]:
    """Return the results that an autograder reads, and the exit status."""
    (folder / "program.py").write_text(program)
    done = call(f"{sys.executable} -S {folder}/program.py {{color}}", *words, "--results", str(folder / "results.json"))
    return json.loads((folder / "results.json").read_text()), done.exit_code


def test_an_autograder_reads_what_failed(tmp_path: Path) -> None:
    program = "input(); print('3 9', flush=True); input()"
    results, status = results_of(tmp_path, program, "protocol=project", "--only", "first-move", "--only", "only-moves")
    first, second = results["tests"]
    assert (first["name"], first["max_score"], second["max_score"]) == ("first-move", 1, 1)
    assert (results["score"], first["score"], first["status"], second["status"]) == (0, 0, "failed", "failed")
    assert "Moves so far: none" in first["output"]
    assert re.search(r"^Legal: (\d \d, ){3}\d \d$", first["output"], re.M)
    assert "> game B 1 0 0" in first["output"]
    assert status == 1


def test_an_autograder_reads_what_passed_and_what_does_not_apply(tmp_path: Path) -> None:
    """A program without line one cannot be told that it has no limit."""
    words = "protocol=project", "line=none", "--only", "first-move", "--only", "no-limit"
    results, status = results_of(tmp_path, "input(); print('3 6', flush=True); input()", *words)
    passed, skipped = results["tests"]
    assert (results["score"], passed["status"], passed["score"], status) == (1, "passed", 1, 0)
    assert not {"score", "status"} & skipped.keys()


def test_an_engine_that_is_not_there_has_results_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = tmp_path / "results.json"
    monkeypatch.setattr(sys, "argv", ["quietmove-referee", "check", "no-such-program", "--results", str(results)])
    with pytest.raises(SystemExit):
        main()
    found = json.loads(results.read_text())
    assert found["score"] == 0
    assert "no-such-program" in found["tests"][0]["output"]


@needs_dialects
def test_the_checks_are_listed_and_no_word_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = call("quietmove --protocol gtp", "--list", "--only", "numbers").output.splitlines()
    assert line.startswith("numbers  Send commands with and without a number")
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((60, 24)))
    lines = call("--list").output.splitlines()
    assert max(map(len, lines)) <= 60
    assert " ".join(" ".join(lines).split()).startswith("handshake Do the handshake; the engine must send ")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["no-such-program"], "there is no program 'no-such-program', or it is not executable"),
        (
            ["s.py B", "--protocol", "project", "line=none"],
            "engine: cmd: must contain {color} with line=none, which becomes B or W, not s.py B",
        ),
        (
            ["quietmove --project", "protocol=project", "nodes=300"],
            "engine: limit: must be depth=N, movetime=MILLISECONDS or tc=SECONDS for protocol=project, not nodes=300",
        ),
        (["quietmove", "movetime=0"], "engine: limit: "),
        (["quietmove", "--only", "stoprace"], "--only: must be one of handshake, isready-thinking, "),
        (
            ["quietmove", "protocol=in-process"],
            "protocol: must be one of uci, project, ugi, json",
        ),
        ([], "CMD: specify the command of the engine to check"),
    ],
)
def test_what_cannot_be_examined_is_one_error(
    arguments: list[str], error: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["quietmove-referee", "check", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"error: {error}")


def test_a_program_without_openings_gets_none() -> None:
    (outcome,) = run(subject_of("project"), "opening")
    assert (outcome.status, outcome.applies) == ("skip", False)


@pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement())
def test_a_program_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "engine", 0o755)
    (tmp_path / "engine").chmod(0o755)
    done = call(str(tmp_path / "engine"), "sandbox=on", "protocol=uci", "--only", "handshake")
    assert (done.exit_code, done.output.split()[0]) == (1, "FAIL")


def test_what_an_engine_writes_does_nothing_to_a_terminal() -> None:
    done = call("--only", "crlf", f"{sys.executable} -S {FOREIGN}")
    assert done.exit_code == 1
    assert "foreign" in done.output
    assert all(line.isprintable() for line in done.output.split("\n"))


@pytest.mark.soak
def test_an_examination_imports_nothing_of_the_working_folder(tmp_path: Path, mark: Path) -> None:  # noqa: F811
    run_among_planted(tmp_path, mark, ("quietmove-referee", "check", "quietmove", "--quick"))
