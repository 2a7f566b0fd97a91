"""The seats of GTP and NBoard, without a process."""

from __future__ import annotations

import pytest

from quietmove.addons.dialects.nboard_seat import read_report
from quietmove.engine.games.base import DECISIVE
from quietmove.engine.values import Info, Score
from quietmove.referee.config.model import EngineConfig, GameSpec
from quietmove.referee.errors import SetupError
from quietmove.referee.seats import check_game
from tests.unit.referee.config.test_openings import PLACED


@pytest.mark.parametrize("value", ["inf", "-inf", "nan", "1e400", "1e300", "many"])
def test_no_report_of_nboard_is_a_fault_of_the_referee(value: str) -> None:
    """A record with a number beyond the limit could not be read again."""
    report = read_report(["search", "D3", value, "0", "10"])
    assert report is None or abs(report.score.value) <= DECISIVE
    assert read_report(["search", "D3", "-2.5", "0", "10"]) == Info(Score(-250), depth=10)


def test_gtp_plays_othello_and_cannot_set_up_a_position() -> None:
    ours, gtp = EngineConfig("a", ("a",)), EngineConfig("b", ("b",), protocol="gtp")
    with pytest.raises(SetupError, match="engine b: opening: must contain only moves with protocol=gtp"):
        check_game(GameSpec("othello", (PLACED,), ours, gtp))
    with pytest.raises(SetupError, match="game: must be othello in this protocol, not tictactoe"):
        check_game(GameSpec("tictactoe", (), ours, gtp))
    assert check_game(GameSpec("othello", ("f5",), ours, gtp)).position == ""
