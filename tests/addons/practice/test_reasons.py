"""Each sentence about a move in an endgame to practise is true."""

from __future__ import annotations

import random
from collections import Counter

from quietmove.addons.practice.problems import endgames
from tests.unit.engine.tools.test_reasons import check_all

EVERY = 20  # check one endgame in 20


def test_each_sentence_about_an_endgame_is_true_on_its_line() -> None:
    counts: Counter[str] = Counter()
    for each in endgames()[::EVERY]:
        position = each.position()
        wrong = [move for move in position.legal_moves() if move != each.move]
        check_all(position, [random.Random(position.key).choice(wrong)], [each.move], counts)
    assert counts["positions"] == 100
    assert counts["without"] < 10
    assert min(counts[kind] for kind in ("corner", "pass", "parity", "region", "mobility", "stable", "wedge")) >= 5
    assert counts["quiet"] + counts["edge"] >= 5
