"""Reviews and openings that are searched quickly."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def _short_searches() -> Iterator[None]:
    """Let searches visit fewer nodes; tests/unit/engine/tools checks what reviews and their reasons find."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("quietmove.engine.tools.analysis.reasons.NODES", 2_000)
        patch.setattr("quietmove.addons.practice.openings.NODES", 5_000)
        patch.setattr("quietmove.addons.practice.training.NODES", 100_000)
        yield
