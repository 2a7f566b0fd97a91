"""Reviews that are quick."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _short_searches_for_reasons() -> Iterator[None]:
    """Let a search for the reason of a mistake visit fewer nodes; tests/unit/engine/tools checks the reasons."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("quietmove.engine.tools.analysis.reasons.NODES", 2_000)
        yield
