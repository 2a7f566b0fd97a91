from __future__ import annotations

import pytest

from quietmove.addons.check.uci import read_option


@pytest.mark.parametrize(
    ("line", "faults"),
    [
        ("option name A type spin default 3 min 1 max 5", []),
        ("option name A type spin default 3", ["default of option 'A': must be from '' to '', not '3'"]),
        ("option name A B type check default true", []),
        ("option name A type check", ["default of option 'A': must be true or false, not ''"]),
        ("option name A type combo default two words var one var two words", []),
        ("option name A type combo default x var y", ["default of option 'A': must be one of y, not 'x'"]),
        ("option name type type button", []),
        (
            "option type string default",
            ["type of option 'type string': must be one of check, spin, combo, button, string, not ''"],
        ),
        (
            "option name A type text",
            ["type of option 'A': must be one of check, spin, combo, button, string, not 'text'"],
        ),
    ],
)
def test_an_option_line_is_well_formed(line: str, faults: list[str]) -> None:
    assert list(read_option(line).faults()) == faults
