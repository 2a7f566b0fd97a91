"""The Python examples of the add-on's guide run as they are printed."""

from __future__ import annotations

import doctest
from pathlib import Path

GUIDE = Path(__file__).parents[3] / "addons" / "agents" / "README.md"


def test_the_python_of_the_guide_runs() -> None:
    result = doctest.testfile(str(GUIDE), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
    assert result.attempted > 5
