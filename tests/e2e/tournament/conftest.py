from __future__ import annotations

import pytest

from quietmove.tournament import comparing


@pytest.fixture(autouse=True)
def few_openings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a comparison look for a few random openings only."""
    monkeypatch.setattr(comparing, "RANDOM_OPENINGS", 4)
