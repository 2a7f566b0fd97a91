"""`quietmove-referee check` on this engine, in every protocol that it speaks; what keeps a clock is left out here."""

from __future__ import annotations

import pytest

from quietmove.engine.games.registry import get_game
from quietmove.referee.check import PROTOCOLS
from quietmove.referee.check.examination import examine
from quietmove.referee.check.subject import Subject
from quietmove.referee.check.talk import name_of
from quietmove.referee.config.model import EngineConfig

PATIENT = 120_000  # milliseconds, of which a machine that is not very slow needs few

EXAMINED = {
    "uci": "stop-races go-after-go infinite-holds position-asked bad-lines ponder",
    "ugi": "joined-lines",
    "gtp": "errors queued final-score",
    "nboard": "ping-thinking board-stays",
    "project": "first-move crlf",
}


@pytest.mark.parametrize("protocol", EXAMINED)
def test_the_engine_has_good_manners(protocol: str) -> None:
    command = ("quietmove", "--protocol", protocol)
    config = EngineConfig("own", command, protocol, margin_ms=PATIENT, start_timeout_ms=PATIENT)
    subject = Subject(config, get_game("othello"), PATIENT, quick=True)
    names = EXAMINED[protocol].split()
    rows = [row for row in PROTOCOLS[protocol].examinations if name_of(row) in names]
    assert len(rows) == len(names)
    assert [outcome for outcome in examine(subject, rows) if outcome.status != "ok"] == []
