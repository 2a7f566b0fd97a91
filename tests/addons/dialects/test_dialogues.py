"""The dialogues of the add-on's guide."""

from pathlib import Path

import pytest

from tests.e2e.engine.test_dialogues import dialogues_in, replay

GUIDE = Path(__file__).parents[3] / "addons" / "dialects" / "README.md"
DIALOGUES = dialogues_in(GUIDE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("index", range(len(DIALOGUES)))
def test_dialogue(index: int) -> None:
    replay(*DIALOGUES[index])
