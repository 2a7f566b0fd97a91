from __future__ import annotations

import pytest

from quietmove.addons.check.uci import option_fault
from quietmove.engine.protocol.lines import OptionLine


@pytest.mark.parametrize(
    ("option", "fault"),
    [
        (OptionLine("A", "spin", "3", "1", "5"), None),
        (OptionLine("A", "spin", "3"), "default of option 'A': must be from '' to '', not '3'"),
        (OptionLine("A B", "check", "true"), None),
        (OptionLine("A", "check"), "default of option 'A': must be true or false, not ''"),
        (OptionLine("A", "combo", "two words", choices=("one", "two words")), None),
        (OptionLine("A", "combo", "x", choices=("y",)), "default of option 'A': must be one of y, not 'x'"),
        (OptionLine("A", "button"), None),
        (OptionLine("A"), "type of option 'A': must be one of check, spin, combo, button, string, not ''"),
        (OptionLine("A", "text"), "type of option 'A': must be one of check, spin, combo, button, string, not 'text'"),
    ],
)
def test_an_option_is_well_formed(option: OptionLine, fault: str | None) -> None:
    assert option_fault(option) == fault
