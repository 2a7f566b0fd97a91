from __future__ import annotations

import pytest

from quietmove.referee.check.uci_options import read_options


@pytest.mark.parametrize(
    ("line", "faults"),
    [
        ("option name A type spin default 3 min 1 max 5", []),
        ("option name A type spin default 3", ["declares option 'A' with default '3' from '' to ''"]),
        ("option name A B type check default true", []),
        ("option name A type check", ["declares option 'A' with default ''; allowed: true, false"]),
        ("option name A type combo default two words var one var two words", []),
        ("option name A type combo default x var y", ["declares option 'A' with default 'x', which is none of ('y',)"]),
        ("option name type type button", []),
        ("option type string default", ["declares an option without a name"]),
        (
            "option name A type text",
            ["declares option 'A' of type 'text'; allowed: check, spin, combo, button, string"],
        ),
    ],
)
def test_an_option_line_is_well_formed(line: str, faults: list[str]) -> None:
    (row,) = read_options([line, "uciok"])
    assert list(row.faults()) == faults
