"""Keys that the command line sets."""

from __future__ import annotations

from typing import Any

import pytest

from quietmove.tournament.config.config import apply_overrides
from quietmove.tournament.errors import ConfigFileError

DATA: dict[str, Any] = {
    "name": "t",
    "defaults": {"limit": "depth=1"},
    "engine": [{"name": "a"}, {"name": "a.b", "options": {"Hash": 1}}],
}


@pytest.mark.parametrize(
    ("setting", "path", "value"),
    [
        ("rounds=7", ("rounds",), 7),
        ("name=late night", ("name",), "late night"),
        ('name="7"', ("name",), "7"),
        ("name=7\nseed = 8", ("name",), "7\nseed = 8"),  # only one key per override
        ("keep_dialogue=true", ("keep_dialogue",), True),
        ("defaults.limit=nodes=100", ("defaults", "limit"), "nodes=100"),
        ("defaults.options.Move Overhead=3", ("defaults", "options", "Move Overhead"), 3),
        ("engine.a.limit=tc=1+0.1", ("engine", 0, "limit"), "tc=1+0.1"),
        ("engine.a.b.options.Hash=4", ("engine", 1, "options", "Hash"), 4),
        ("engine.a.options.x.y=on", ("engine", 0, "options", "x.y"), "on"),
        ('engine.a.command=["x", "y z"]', ("engine", 0, "command"), ["x", "y z"]),
    ],
)
def test_one_key_is_set(setting: str, path: tuple[Any, ...], value: object) -> None:
    changed, places = apply_overrides(DATA, [setting])
    found: Any = changed
    for part in path:
        found = found[part]
    assert found == value
    assert places == {path: setting}
    assert changed != DATA
    assert DATA["engine"] == [{"name": "a"}, {"name": "a.b", "options": {"Hash": 1}}]


def test_each_is_every_engine_and_later_settings_win() -> None:
    changed, places = apply_overrides(DATA, ["each.limit=depth=2", "engine.a.limit=depth=3"])
    assert [engine["limit"] for engine in changed["engine"]] == ["depth=3", "depth=2"]
    assert places == {("engine", 0, "limit"): "engine.a.limit=depth=3", ("engine", 1, "limit"): "each.limit=depth=2"}


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("rounds", "--set rounds: must be KEY=VALUE"),
        ("=3", "--set =3: must be KEY=VALUE"),
        ("engin.a.limit=x", "must be KEY, defaults.KEY, each.KEY or engine.NAME.KEY, not 'engin.a.limit'"),
        ("engine.c.limit=x", "must be engine.NAME.KEY with one of a, a.b, not 'c.limit'"),
        ("engine.a=x", "must be engine.NAME.KEY with one of a, a.b"),
        ("defaults.limit.x=1", "limit: must be a table"),
        ("name.x=1", "not 'name.x'"),
    ],
)
def test_a_place_that_is_none_is_refused(setting: str, message: str) -> None:
    with pytest.raises(ConfigFileError) as caught:
        apply_overrides(DATA, ["seed=3", setting, "no equals"])
    first, second = caught.value.problems
    assert message in first
    assert second == "--set no equals: must be KEY=VALUE"


def test_tables_that_are_none_are_no_traceback() -> None:
    for data in ({"engine": 3}, {"engine": [3]}, {}):
        with pytest.raises(ConfigFileError):
            apply_overrides(data, ["engine.a.limit=1"])
        changed, _ = apply_overrides(data, ["seed=" + 3000 * "["])
        assert changed["seed"] == 3000 * "["
    with pytest.raises(ConfigFileError, match="must be a table"):
        apply_overrides({"engine": [3]}, ["each.limit=1"])
