"""How far the static evaluation is from the values of labelled positions, phase by phase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quietmove.engine.games.othello.board import OthelloPosition
from quietmove.engine.games.othello.evaluators.weights import PHASES
from quietmove.engine.tools.training.fit import in_phase
from quietmove.engine.tools.training.positions import NO_RESULT, NO_VALUE, Records, empties_of

__all__ = ["PhaseErrors", "errors_by_phase"]


@dataclass(frozen=True, slots=True)
class PhaseErrors:
    """The errors in one phase, or in all.

    :param phase: None for all.
    :param positions: how many were compared.
    :param errors: mean absolute error of each evaluator, in discs.
    """

    phase: int | None
    positions: int
    errors: tuple[float, ...]


def errors_by_phase(records: Records, evaluators: Sequence[tuple[str, str]]) -> list[PhaseErrors]:
    """Return the errors in each phase that has positions, and in all.

    A position is compared with its value, or with its result where it has no value; with neither it is left out.

    :param evaluators: the name of each and the path of its weights, "" for those of the package.
    """
    known = (records["value"] != NO_VALUE) | (records["result"] != NO_RESULT)
    chosen = records[known]
    truth = np.where(chosen["value"] != NO_VALUE, chosen["value"] / 100, chosen["result"])
    errors = [np.abs(static_values(chosen, *evaluator) - truth) for evaluator in evaluators]
    empties = empties_of(chosen)
    found = []
    for phase in range(PHASES):
        here = in_phase(empties, phase)
        if here.any():
            found.append(PhaseErrors(phase, int(here.sum()), tuple(float(each[here].mean()) for each in errors)))
    if found:
        found.append(PhaseErrors(None, len(chosen), tuple(float(each.mean()) for each in errors)))
    return found


def static_values(records: Records, evaluation: str, weights: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the static value of each position in discs."""
    position = OthelloPosition(0x810000000, 0x1008000000, 0)
    position.choose_evaluator(evaluation, weights)
    values = np.empty(len(records))
    for i, (own, opp) in enumerate(zip(records["own"].tolist(), records["opp"].tolist(), strict=True)):
        position.set_up(own, opp, 0)
        values[i] = position.static_value()
    return values / 100
