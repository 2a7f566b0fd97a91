"""The names that the laboratory adds to ``import quietmove``, and the Python of its guide."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any

import pytest

import quietmove
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.errors import OptionError

GUIDE = Path(__file__).parents[3] / "addons" / "lab" / "README.md"


def test_the_python_of_the_guide_runs() -> None:
    outcome = doctest.testfile(str(GUIDE), module_relative=False)
    assert outcome.failed == 0
    assert outcome.attempted > 3


def test_a_trace_holds_what_was_cut_off() -> None:
    found = quietmove.trace(quietmove.Position("tree"))
    (cut,) = found.cutoffs
    assert (cut.node, cut.alpha, cut.beta, cut.move, cut.skipped) == (("2",), 300, None, "1", ("2", "3"))
    assert [(each.move, each.value, each.bound) for each in found.moves] == [
        ("1", 300, "exact"),
        ("2", 100, "upper"),
        ("3", 700, "exact"),
    ]
    assert (found.value, found.leaves, found.saved) == (700, 7, 2)
    assert found._repr_html_().count("<tr>") == 1 + 3 + 1 + 1


@pytest.mark.parametrize(
    ("position", "options", "error"),
    [
        ("whist", {}, "game: must not have dice"),
        ("tree", {"ordering": "histry"}, "did you mean 'history'"),
        ("tree", {"depth": 0}, "depth: must be a whole number from 1"),
        ("othello", {}, "at most 10000000 positions"),
    ],
)
def test_what_cannot_be_traced_is_one_error(position: str, options: dict[str, Any], error: str) -> None:
    with pytest.raises(QuietmoveError, match=error):
        quietmove.trace(quietmove.Position(position), **options)


@pytest.mark.parametrize("experiment", ["pruning", "ordering", "branching", "budget"])
def test_an_experiment_needs_no_parameter_that_its_command_does_not_need(experiment: str) -> None:
    assert quietmove.lab(experiment, game="subtraction 5 2").rows


def test_an_experiment_is_a_value_and_a_picture() -> None:
    report = quietmove.lab("knuth-moore", size=[(3, 2)], seeds=2)
    assert report.column("perfect order") == [5, 5]
    assert report.parameters == {"seed": 1, "size": ((3, 2),), "seeds": 2}
    assert report.svg().endswith("</svg>\n")
    page = report._repr_html_()
    assert page.startswith("<table>")
    assert page.count("<svg") == 1


@pytest.mark.parametrize(
    ("experiment", "parameters", "error"),
    [
        ("prunning", {}, "did you mean 'pruning'"),
        ("pvs", {"x": 1}, "lab pvs: parameter: must be one of game"),
        ("pvs", {"dept": 1}, "did you mean 'depth'"),
        ("pruning", {"depth": 0}, "--depth"),
        ("knuth-moore", {"size": [(3,)]}, "--size"),
    ],
)
def test_what_is_no_experiment_is_one_error(experiment: str, parameters: dict[str, Any], error: str) -> None:
    with pytest.raises(OptionError, match=error):
        quietmove.lab(experiment, **parameters)
