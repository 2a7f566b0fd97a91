"""The dialogues of the guide to the small games."""

from __future__ import annotations

import pytest

from tests.e2e.engine.test_dialogues import ROOT, dialogues_in, replay

DIALOGUES = dialogues_in((ROOT / "addons" / "games" / "README.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("index", range(len(DIALOGUES)))
def test_dialogue(index: int) -> None:
    replay(*DIALOGUES[index])
