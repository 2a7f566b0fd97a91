"""Which technique fits a game: a table of cases, the numbers that decide, and the command's two kinds of answers."""

from __future__ import annotations

from math import log10
from typing import Any

import pytest
from click.testing import CliRunner

from quietmove.addons.lab.classify import NOT_APPLICABLE, USED_BY, GameFacts, recommend, report
from quietmove.addons.lab.command import EXPERIMENTS
from quietmove.commands import quietmove
from quietmove.engine.protocol.options import find_option, read_setoption

SAMPLED = "information-set Monte Carlo tree search"
CASES = [
    # facts, technique, the decisive count and its decimal logarithm
    (GameFacts(4, 9), "minimax", "b^d", 9 * log10(4)),
    (GameFacts(10, 8), "minimax", "b^d", 8),
    (GameFacts(10, 9), "alpha-beta", "b^(d/2)", 4.5),
    (GameFacts(35, 80), "alpha-beta", "b^(d/2)", 40 * log10(35)),
    (GameFacts(10, 60, evaluation=False), "Monte Carlo tree search", "b^(d/2)", 30),
    (GameFacts(10, 60, nodes=1e3), "Monte Carlo tree search", "b^(d/2)", 30),
    (GameFacts(250, 150), "Monte Carlo tree search", "b^(d/2)", 75 * log10(250)),
    (GameFacts(3, 21, closed_form=True), "Sprague-Grundy", "d·b", log10(63)),
    (GameFacts(3, 6, outcomes=6), "expectiminimax", "(b·n)^d", 6 * log10(18)),
    (GameFacts(2000, 55, outcomes=21), "Monte Carlo tree search", "(b·n)^d", 55 * log10(42000)),
    (GameFacts(20, 55, outcomes=21, evaluation=False), "Monte Carlo tree search", "(b·n)^d", 55 * log10(420)),
]
OVER_DEALS = "minimax over all deals"
DRAWN = "Monte Carlo over sampled deals"
HIDDEN = [
    # facts, technique, remark on the search, and the decimal logarithm of the count to the end
    (GameFacts(4, 8, deals=924), OVER_DEALS, "search all of them", log10(924 * 256)),
    (GameFacts(4, 6, deals=10, outcomes=2), OVER_DEALS, "to the end", log10(10 * 8**6)),
    (GameFacts(10, 10, deals=999), OVER_DEALS, "to the end", log10(999e5)),
    (GameFacts(10, 10, deals=1001), DRAWN, "about 1000 of them", log10(1001e5)),
    (GameFacts(4, 20, deals=1e9), DRAWN, "about 95 of them", log10(4**10 * 1e9)),
    (GameFacts(35, 80, deals=2), OVER_DEALS, "reach 9 of 80 plies", log10(2 * 35**40)),
    (GameFacts(20, 55, deals=2, outcomes=5), OVER_DEALS, "reach 3 of 55", log10(2 * 100**55)),
    (
        GameFacts(13, 26, deals=8e6),
        DRAWN,
        "reach 12 of 26 plies, then evaluation, in 20",
        log10(8e6 * 13**13),
    ),
    (GameFacts(250, 150, deals=2), SAMPLED, "too few to search each of them", log10(2) + 75 * log10(250)),
    (GameFacts(13, 26, deals=8e6, evaluation=False), SAMPLED, "too few", log10(8e6 * 13**13)),
    (GameFacts(35, 80, deals=1e9, nodes=1e3), SAMPLED, "too few", log10(1e9 * 35**40)),
]
BROKEN = [
    (GameFacts(4, 9, players=1), "assumption of an opponent"),
    (GameFacts(4, 9, players=3), "assumption of exactly two players"),
    (GameFacts(4, 9, zero_sum=False), "assumption of zero sum"),
    (GameFacts(4, 9, simultaneous=True), "assumption of alternating moves"),
    (GameFacts(4, 9, zero_sum=False, closed_form=True, outcomes=6), "assumptions of zero sum and determinism"),
    (
        GameFacts(4, 9, players=4, zero_sum=False, simultaneous=True, deals=9, outcomes=6),
        "assumptions of exactly two players, zero sum, alternating moves, perfect information and determinism",
    ),
]


@pytest.mark.parametrize(("problem", "technique", "formula", "exponent"), CASES)
def test_the_technique_and_the_count_that_decides(
    problem: GameFacts, technique: str, formula: str, exponent: float
) -> None:
    advice = recommend(problem)
    assert advice.technique == technique
    assert advice.broken == (("determinism",) if problem.outcomes > 1 else ())
    assert advice.why
    assert advice.costs[-1].formula == formula
    assert advice.costs[-1].log10 == pytest.approx(exponent)


@pytest.mark.parametrize(("problem", "technique", "said", "exponent"), HIDDEN)
def test_hidden_information_breaks_an_assumption_and_has_a_remedy(
    problem: GameFacts, technique: str, said: str, exponent: float
) -> None:
    advice = recommend(problem)
    broken = ("perfect information", *(["determinism"] if problem.outcomes > 1 else []))
    assert (advice.broken, advice.technique) == (broken, technique)
    assert said in advice.why[0]
    assert ("each deal is searched as if it were known" in advice.why[-1]) == (technique != SAMPLED)
    assert [cost.formula for cost in advice.costs] == [f"deals·{'(b·n)^d' if len(broken) > 1 else 'b^(d/2)'}"]
    assert advice.costs[0].log10 == pytest.approx(exponent)
    named = "assumptions of perfect information and determinism" if len(broken) > 1 else f"assumption of {broken[0]}"
    nevertheless = "" if technique == SAMPLED else ", nevertheless"
    assert report(advice)[:2] == [f"broken     the {named}", f"technique  {technique}{nevertheless}"]
    assert "minimax    not applicable: strategy fusion" in report(advice)[2]


@pytest.mark.parametrize(("problem", "broken"), BROKEN)
def test_all_broken_assumptions_are_named(problem: GameFacts, broken: str) -> None:
    advice = recommend(problem)
    assert (advice.technique, advice.costs) == ("not applicable", ())
    assert report(advice)[:2] == [f"broken     the {broken}", "technique  not applicable"]
    assert len(advice.why) == sum(name not in ("perfect information", "determinism") for name in advice.broken)


def test_the_depth_within_reach_is_told() -> None:
    assert "1e8 positions reach 10 of 80 plies, where the evaluation takes over" in recommend(GameFacts(35, 80)).why
    assert (
        "1e8 positions reach 6 of 150 plies, fewer than the useful minimum of 8" in recommend(GameFacts(250, 150)).why
    )
    assert "10000 positions reach 8 of 60 plies" in " ".join(recommend(GameFacts(10, 60, nodes=1e4)).why)


def test_a_closed_form_that_does_not_apply_is_reported() -> None:
    assert "its closed form does not help" in recommend(GameFacts(3, 6, outcomes=6, closed_form=True)).why[0]
    assert "its closed form does not help" in recommend(GameFacts(3, 6, deals=6, closed_form=True)).why[0]


def run(*arguments: str) -> Any:
    return CliRunner().invoke(quietmove, ["classify", *arguments])


def test_the_command_answers_in_a_few_lines() -> None:
    answer = run("-b", "35", "-d", "80")
    assert answer.exit_code == 0
    assert answer.output.splitlines() == [
        "technique  alpha-beta",
        "here       setoption name Algorithm value pvs",
        "why        pruning keeps the value, and with the best move first it doubles the depth at the same cost",
        "           1e8 positions reach 10 of 80 plies, where the evaluation takes over",
        "cost       minimax: b^d = 35^80 = 3.4e123 positions",
        "           alpha-beta, best move first: b^(d/2) = 35^(80/2) = 5.8e61 positions",
    ]


@pytest.mark.parametrize(
    ("options", "technique"),
    [
        ("-b 3 -d 21 --closed-form", "Sprague-Grundy"),
        ("-b 3 -d 6 --chance 6", "expectiminimax"),
        ("-b 4 -d 8 --hidden 924", "minimax over all deals, nevertheless"),
        ("-b 250 -d 150 --hidden 2", "information-set Monte Carlo tree search"),
        ("-b 10 -d 60 --no-evaluation", "Monte Carlo tree search"),
        ("-b 10 -d 60 --nodes 1000", "Monte Carlo tree search"),
        ("-b 3 -d 4 --players 2 --zero-sum", "minimax"),
        ("-b 3 -d 4 --players 4", "not applicable"),
        ("-b 3 -d 4 --no-zero-sum", "not applicable"),
        ("-b 3 -d 4 --simultaneous", "not applicable"),
    ],
)
def test_every_option_counts(options: str, technique: str) -> None:
    assert f"technique  {technique}" in run(*options.split()).output.splitlines()[:2]


def test_what_it_says_of_this_engine_is_true() -> None:
    """Each technique that a table of games comes to is named with what chooses it, and that can be typed."""
    assert {advice.technique for advice in map(recommend, (case[0] for case in (*CASES, *HIDDEN)))} <= {
        *USED_BY,
        NOT_APPLICABLE,
    }
    for words in map(str.split, USED_BY.values()):
        if words[0] == "setoption":
            name, value = read_setoption(words[1:])
            assert find_option(name).parse(value) is not None
        elif words[0] == "quietmove":
            assert words[1] == "lab"
            assert words[2] in EXPERIMENTS
