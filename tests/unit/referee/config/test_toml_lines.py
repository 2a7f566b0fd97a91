"""The line of every key, counted by hand, and the structure of the text as tomllib sees it."""

from __future__ import annotations

import tomllib

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quietmove.referee.config.toml_lines import key_lines, line_of

SOURCE = """\
# a comment with [brackets] and = signs
name = "a # is no comment"     # this is one
"quoted key" = '''
two = 1
lines ]'''
a.b.c = 3

[table]
list = [ # comment ] "
    1, "two ] # ,",
    { x = 1, 'y z' = [2,
      3] },
]
date = 1979-05-27 07:32:00
inline = { k = { deep = "}" }, n = 2 }
[[many]]
key = 1
  [many.sub]
  key = \"\"\"a \\\"\"\" b
  key = 2\"\"\"
[[many]]
other = true
[[many.sub2]]
x = -inf
"""

EXPECTED = {
    ("name",): 2,
    ("quoted key",): 3,
    ("a",): 6,
    ("a", "b", "c"): 6,
    ("table",): 8,
    ("table", "list"): 9,
    ("table", "list", 0): 10,
    ("table", "list", 1): 10,
    ("table", "list", 2): 11,
    ("table", "list", 2, "x"): 11,
    ("table", "list", 2, "y z"): 11,
    ("table", "list", 2, "y z", 0): 11,
    ("table", "list", 2, "y z", 1): 12,
    ("table", "date"): 14,
    ("table", "inline"): 15,
    ("table", "inline", "k", "deep"): 15,
    ("table", "inline", "n"): 15,
    ("many",): 16,
    ("many", 0): 16,
    ("many", 0, "key"): 17,
    ("many", 0, "sub"): 18,
    ("many", 0, "sub", "key"): 19,
    ("many", 1): 21,
    ("many", 1, "other"): 22,
    ("many", 1, "sub2", 0): 23,
    ("many", 1, "sub2", 0, "x"): 24,
}


def test_every_key_has_its_line() -> None:
    tomllib.loads(SOURCE)
    lines = key_lines(SOURCE)
    assert {path: lines.get(path) for path in EXPECTED} == EXPECTED


def test_windows_line_ends_change_nothing() -> None:
    assert key_lines(SOURCE.replace("\n", "\r\n")) == key_lines(SOURCE)


def test_what_the_text_does_not_spell_out_is_where_its_table_is() -> None:
    lines = key_lines(SOURCE)
    assert line_of(lines, ("many", 1, "missing")) == 21
    assert line_of(lines, ("table", "list", 7)) == 9
    assert line_of(lines, ("missing",)) == 1


keys = st.text("abc", min_size=1, max_size=3)
scalars = st.one_of(
    st.integers(-9, 9),
    st.booleans(),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=8),
)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(keys, values, max_size=4), st.lists(st.dictionaries(keys, values, max_size=3), max_size=3))
def test_the_paths_are_those_of_the_parsed_text(top: dict[str, object], tables: list[dict[str, object]]) -> None:
    rows = [f"{key} = {write(value)}" for key, value in top.items()]
    for table in tables:
        rows += ["[[zz]]", *(f"{key} = {write(value)}" for key, value in table.items())]
    source = "\n".join(rows)
    data = tomllib.loads(source)
    assert set(key_lines(source)) == set(paths(data, ()))


def write(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case str():
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        case list():
            return "[" + ", # a ] comment\n".join(map(write, value)) + "]"
        case dict():
            return "{" + ", ".join(f"{key} = {write(inner)}" for key, inner in value.items()) + "}"
    raise AssertionError(value)


def paths(value: object, path: tuple[str | int, ...]) -> list[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, inner in items for found in [(*path, key), *paths(inner, (*path, key))]]
