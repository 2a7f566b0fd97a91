from __future__ import annotations

import re

import pytest

from quietmove.referee.config.settings import Setting, SettingValue

SWITCH = Setting("restart", False, "whether it is started anew")
WHOLE = Setting("rounds", 1, "how often", least=1, required=True)
NUMBER = Setting("lead", 2.5, "how far", least=-1)
CHOICE = Setting("unit", "s", "of times", ("s", "ms"))
TEXT = Setting("cwd", "", "where")
WHOLES = Setting("cpus", (), "which", items=int, most=9)
TEXTS = Setting("paths", (), "what may be read")


@pytest.mark.parametrize(
    ("row", "text", "value"),
    [
        (SWITCH, "on", True),
        (WHOLE, "7", 7),
        (NUMBER, "-0.5", -0.5),
        (NUMBER, "3", 3.0),
        (CHOICE, "ms", "ms"),
        (TEXT, "a b", "a b"),
        (WHOLES, "0,7", (0, 7)),
        (WHOLES, "", ()),
        (TEXTS, "/a,b", ("/a", "b")),
    ],
)
def test_a_word_of_the_command_line_gives_a_value(row: Setting, text: str, value: SettingValue) -> None:
    found = row.parse(text)
    assert (found, type(found)) == (value, type(value))
    assert row.check(value) == value


@pytest.mark.parametrize(
    ("row", "came", "message"),
    [
        (SWITCH, "yes", "allowed: on, off; got 'yes'"),
        (WHOLE, "0", "allowed: a whole number from 1 to 1000000000000; got 0"),
        (WHOLE, "1_0", "allowed: a whole number from 1 to 1000000000000; got '1_0'"),
        (NUMBER, "-2", "allowed: a number from -1 to 1000000000000; got -2.0"),
        (NUMBER, "nan", "allowed: a number from -1 to 1000000000000; got 'nan'"),
        (TEXT, "a\n", "allowed: printable characters; got 'a\\n'"),
        (WHOLES, "0,10", "allowed: whole numbers from 0 to 9, with commas between them; got [0, 10]"),
        (WHOLES, "0-1", "allowed: whole numbers from 0 to 9, with commas between them; got ['0-1']"),
        (TEXTS, "a,,b", "allowed: texts of printable characters, with commas between them; got ['a', '', 'b']"),
        (CHOICE, "m", "did you mean ms? allowed: s, ms; got 'm'"),
    ],
)
def test_a_value_that_is_not_allowed_is_named(row: Setting, came: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        row.parse(came)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("row", "came"),
    [
        *[(SWITCH, 1), (WHOLE, True), (WHOLE, 1.0), (NUMBER, True), (NUMBER, 1e99)],
        *[(TEXT, 1), (WHOLES, [True]), (WHOLES, 1), (WHOLES, ["1"]), (TEXTS, [1]), (TEXTS, "a")],
    ],
)
def test_a_value_of_a_file_has_the_type_of_its_setting(row: Setting, came: object) -> None:
    with pytest.raises(ValueError, match=re.escape(f"got {came!r}")):
        row.check(came)


def test_the_help_says_the_default_of_what_need_not_be_given() -> None:
    assert [row.explanation for row in (SWITCH, WHOLE, NUMBER)] == [
        "whether it is started anew (off)",
        "how often",
        "how far (2.5)",
    ]
