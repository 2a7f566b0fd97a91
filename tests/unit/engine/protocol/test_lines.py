"""The lines that engine and referee share: every value survives the wire, and nothing that comes in breaks a parser."""

import contextlib
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quietmove.engine.errors import LimitsError
from quietmove.engine.games.base import DECISIVE, WIN
from quietmove.engine.protocol.lines import (
    GO_WORDS,
    INFO_WORDS,
    BestMove,
    OptionLine,
    format_bestmove,
    format_go,
    format_info,
    parse_bestmove,
    parse_go,
    parse_info,
    parse_integer,
    parse_option,
)
from quietmove.engine.values import Bound, Info, Limits, Score

MOVE_TOKENS = st.sampled_from(["1", "4", "8", "d3", "h8", "pass"])
quick = settings(max_examples=40)
COUNT = st.none() | st.integers(1, 10**15 - 1)
CLOCK = st.none() | st.integers(0, 10**15 - 1)
INCREMENT = st.integers(0, 10**15 - 1)
WORDS = st.sampled_from(
    [
        *(*GO_WORDS, *sorted(INFO_WORDS), "info", "go", "bestmove", "ponder", "cp", "mate", "win", "loss"),
        *("lowerbound", "upperbound", "4", "6", "d3", "pass", "-1", "+", "-", "007", "١"),
    ]
)
INFOS = st.builds(
    Info,
    st.builds(Score, st.integers(-WIN, WIN), st.sampled_from(Bound.__args__)),
    st.integers(0, 10**15 - 1),
    COUNT,
    st.integers(1, 10**15 - 1),
    *[COUNT] * 3,
    st.lists(MOVE_TOKENS).map(tuple),
    confidence=st.integers(1, 100),
)
LIMITS = st.builds(
    Limits,
    *[COUNT] * 3,
    *(CLOCK, INCREMENT, COUNT, CLOCK, INCREMENT),
    *[st.booleans()] * 2,
    st.lists(st.integers(0, 63)).map(tuple),
    st.sampled_from(("move", "solve", "wld")),
) | st.builds(Limits, st.integers(0, 99), goal=st.just("perft"))


@quick
@given(INFOS)
def test_an_info_line_survives_the_wire(info: Info[str]) -> None:
    assert parse_info(format_info(info)) == info


@quick
@given(LIMITS, st.integers(0, 1))
def test_a_go_line_survives_the_wire(limits: Limits, side: int) -> None:
    word, *tokens = format_go(limits, side, str).split()
    assert word == "go"
    assert parse_go(tokens, side, read_numbers) == limits


def read_numbers(words: Sequence[str]) -> tuple[int, ...]:
    return tuple(int(word) for word in words if word.isdecimal())


def parsed(text: str, side: int = 0) -> Limits:
    return parse_go(text.split(), side, read_numbers)


@pytest.mark.parametrize("best", [BestMove("4 6"), BestMove("d3", "c5"), BestMove("pass", "3 5"), BestMove("none")])
def test_a_bestmove_line_survives_the_wire(best: BestMove) -> None:
    assert parse_bestmove(format_bestmove(best)) == best


@quick
@given(st.lists(WORDS).map(" ".join) | st.text("ab1 -+\t\n\x00\x85\xa0²١\ud800"))
def test_no_text_breaks_the_parsers(text: str) -> None:
    parse_info(text)
    parse_info("info " + text)
    parse_bestmove(text)
    parse_bestmove("bestmove " + text)
    parse_option("option " + text)
    with contextlib.suppress(LimitsError):
        parsed(text)


def test_info_is_written_in_the_documented_order() -> None:
    info = Info(Score(-150, "lower"), 9, 12, 1, 1000, 200, 3, ("4 6", "3 5"), confidence=95)
    assert format_info(info) == (
        "info depth 9 seldepth 12 multipv 1 confidence 95 score cp -150 lowerbound"
        " nodes 1000 nps 5000 hashfull 3 time 200 pv 4 6 3 5"
    )


@pytest.mark.parametrize(("word", "bound"), [("lowerbound", "lower"), ("upperbound", "upper"), ("nodes", "exact")])
def test_the_bound_follows_the_score(word: str, bound: Bound) -> None:
    line = parse_info(f"info score cp 7 {word} 5")
    assert line is not None
    assert line.score == Score(7, bound)


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("cp 31000", DECISIVE),
        ("cp -29500", -DECISIVE),
        ("win 3", WIN - 3),
        ("mate 1", WIN - 1),
        ("mate 3", WIN - 5),
        ("mate -3", 6 - WIN),
        ("mate 0", -WIN),
    ],
)
def test_points_however_many_prove_no_win(text: str, score: int) -> None:
    line = parse_info(f"info score {text}")
    assert line is not None
    assert line.score.value == score


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (WIN - 3, "win 3"),
        (3 - WIN, "loss 3"),
        (WIN, "win 0"),
        (-WIN, "loss 0"),
        (DECISIVE + 1, "win 999"),
        (DECISIVE, "cp 29000"),
        (-DECISIVE, "cp -29000"),
    ],
)
def test_a_decided_game_is_written_with_the_plies_to_its_end(score: int, text: str) -> None:
    assert format_info(Info(Score(score))) == f"info multipv 1 score {text}"
    assert parse_info(f"info score {text} lowerbound nodes 2") == Info(Score(score, "lower"), nodes=2)


@pytest.mark.parametrize("text", ["win", "win x", "win -1", "loss 1000", "mate x", "mate 500", "draw 3"])
def test_what_is_no_score_is_skipped(text: str) -> None:
    assert parse_info(f"info score cp 1 score {text} nodes 2") == Info(Score(1), nodes=2)
    assert parse_info(f"info score {text} nodes 2") is None


def test_info_skips_what_it_does_not_know() -> None:
    line = parse_info(" info  currmove d3 depth x nodes 12 score cp 3 tbhits 0 pv d3 c5 time 4 string depth 99\r\n")
    assert line == Info(Score(3), nodes=12, pv=("d3", "c5"), time=4)


def test_no_count_is_negative() -> None:
    """A store with a negative number of nodes could not be read again."""
    assert parse_info("info depth 3 score cp -5 nodes -2147483000 time 4") == Info(Score(-5), depth=3, time=4)


def test_what_is_no_info_or_bestmove_line_is_none() -> None:
    for text in ("", "info string depth 3", "bestmove d3", "information depth 3", "uciok", "info depth 3"):
        assert parse_info(text) is None
    for text in ("", "info depth 3", "bestmoved3", "readyok"):
        assert parse_bestmove(text) is None


def test_bestmove_keeps_what_it_cannot_judge() -> None:
    assert parse_bestmove("bestmove\t4  6 ponder 3 5\r") == BestMove("4 6", "3 5")
    assert parse_bestmove("bestmove 4 6 7") == BestMove("4 6 7")
    assert parse_bestmove("bestmove") == BestMove("")
    assert parse_bestmove("bestmove ponder d3") == BestMove("", "d3")
    assert parse_bestmove("bestmove d3 ponder") == BestMove("d3")


def test_go_skips_unknown_words_and_takes_the_last_of_two() -> None:
    assert parsed("mate 3 depth 2 quickly depth 5") == Limits(depth=5)
    assert parsed("") == Limits()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("depth", "token 1 'depth': must be followed by a whole number from 1"),
        ("infinite depth x", "token 3: depth: must be a whole number from 1 to 1000000000000000, not 'x'"),
        ("depth 1.5", "not '1.5'"),
        ("nodes -1", "not '-1'"),
        ("wtime ١", "not '١'"),
        ("movetime 9999999999999999", "not '9999999999999999'"),
        ("searchmoves", "token 1 'searchmoves': must be followed by at least one move"),
        ("wld depth 3 solve", "token 4 'solve': 'solve' and 'wld' cannot be combined"),
    ],
)
def test_go_names_the_token_it_cannot_read(text: str, message: str) -> None:
    with pytest.raises(LimitsError) as caught:
        parsed(text)
    assert message in str(caught.value)


def test_a_clock_may_have_run_out() -> None:
    assert parsed("wtime -20 btime 1", side=1) == Limits(time=0, opponent_time=1)


def test_a_fraction_of_a_millisecond_is_left_out() -> None:
    words = "wtime 2000.0 btime -0.5 winc 99.9 p1inc 7.25 movetime 1500.75"
    assert parsed(words) == Limits(None, None, 1500, 0, 7, opponent_time=2000, opponent_increment=99)
    for text in ("nodes 5.0", "movetime 5.", "movetime 1e3", "movetime .5"):
        with pytest.raises(LimitsError):
            parsed(text)


@pytest.mark.parametrize(("token", "number"), [("12", 12), ("-3", -3), ("+4", 4), ("007", 7)])
def test_integers(token: str, number: int) -> None:
    assert parse_integer(token) == number


@pytest.mark.parametrize("token", ["", "-", "1_000", " 1", "1e3", "²", "1" * 17, "--1"])
def test_what_is_no_integer(token: str) -> None:
    assert parse_integer(token) is None


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("option name Hash type spin default 16 min 1 max 4096", OptionLine("Hash", "spin", "16", "1", "4096")),
        ("option name Clear  Hash type button", OptionLine("Clear Hash", "button")),
        ("option name Book File type string default <empty>", OptionLine("Book File", "string", "")),
        (
            "option name Style type combo default very slow var very slow var fast",
            OptionLine("Style", "combo", "very slow", choices=("very slow", "fast")),
        ),
        ("option name Evaluation type string default default", OptionLine("Evaluation", "string", "default")),
        ("option name Bare", OptionLine("Bare")),
        ("option name", OptionLine("")),
        ("option name X type", OptionLine("X")),
        ("option name type type check default true", OptionLine("type", "check", "true")),
        ("option type string default", OptionLine("type string")),
    ],
)  # fmt: skip
def test_an_option_line_is_read_as_uci_writes_it(line: str, option: OptionLine) -> None:
    assert parse_option(line) == option
