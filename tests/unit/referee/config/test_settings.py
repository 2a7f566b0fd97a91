from __future__ import annotations

import re

import pytest

from quietmove.referee.config.validation import Setting, SettingValue

SWITCH = Setting("restart", False, "whether it is started anew")
WHOLE = Setting("rounds", 1, "how often", least=1, most=9, required=True)
NUMBER = Setting("lead", 2.5, "how far", least=-1, most=9)
CHOICE = Setting("unit", "s", "of times", ("s", "ms"))
TEXT = Setting("cwd", "", "where")


@pytest.mark.parametrize(
    ("row", "text", "value"),
    [
        (SWITCH, "on", True),
        (WHOLE, "7", 7),
        (NUMBER, "-0.5", -0.5),
        (NUMBER, "3", 3.0),
        (CHOICE, "ms", "ms"),
        (TEXT, "a b", "a b"),
    ],
)
def test_a_word_of_the_command_line_gives_a_value(row: Setting, text: str, value: SettingValue) -> None:
    found = row.check(text, words=True)
    assert (found, type(found)) == (value, type(value))
    assert row.check(value) == value


@pytest.mark.parametrize(
    ("row", "came", "message"),
    [
        (SWITCH, "maybe", "must be a valid boolean"),
        (WHOLE, "0", "must be greater than or equal to 1, not '0'"),
        (WHOLE, "x", "must be a valid integer"),
        (NUMBER, "nan", "must be "),
        (TEXT, "a\n", "must contain only printable characters, not 'a\\n'"),
        (CHOICE, "m", "must be 's' or 'ms', not 'm'; did you mean ms?"),
    ],
)
def test_a_value_that_is_not_allowed_is_named(row: Setting, came: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        row.check(came, words=True)


@pytest.mark.parametrize(
    ("row", "came"), [(SWITCH, 1), (WHOLE, True), (WHOLE, 1.0), (WHOLE, "1"), (NUMBER, True), (NUMBER, 1e99), (TEXT, 1)]
)
def test_a_value_of_a_file_has_the_type_of_its_setting(row: Setting, came: object) -> None:
    with pytest.raises(ValueError, match=re.escape(f"not {came!r}")):
        row.check(came)
