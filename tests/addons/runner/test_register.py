"""The register of engines, changed by a form and by hand."""

from __future__ import annotations

import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from quietmove.addons.runner.register import REGISTER, Register
from quietmove.addons.shared.toml_text import toml_text
from quietmove.referee.errors import SetupError
from quietmove.tournament.errors import RefusedError

BY_HAND = """# my engines

[defaults]
limit = "nodes=100" # for all

# the old one
[[engine]] # it stays
name = "old"
command = "./old/engine --fast"
[engine.options]
Hash = 16 # MiB

# the new one
[[ engine ]]
name = "new"

# the end
"""


def names(folder: Path) -> list[str]:
    return [each.name for each in Register(folder).engines]


def test_no_file_is_an_empty_register_and_the_first_engine_makes_it(tmp_path: Path) -> None:
    assert Register(tmp_path).engines == []
    table = {
        "name": 'a "b" \\ \u00e9',
        "command": "quietmove",
        "options": {"Hash table": "4", "Own": True},
        "cpus": [0],
    }
    Register(tmp_path).put(table)
    (found,) = Register(tmp_path).engines
    assert found.table == table
    assert found.config is not None
    assert found.config.options == (("Hash table", "4"), ("Own", "true"))
    assert (tmp_path / REGISTER).read_text().startswith("# The engines of this folder.")


def test_a_change_leaves_all_other_lines_as_they_are(tmp_path: Path) -> None:
    (tmp_path / REGISTER).write_text(BY_HAND)
    register = Register(tmp_path)
    assert [str(each.config.limit) for each in register.engines if each.config] == ["nodes=100", "nodes=100"]
    assert register.engine("old").config.command[0] == str(tmp_path / "old" / "engine")  # type: ignore[union-attr]
    register.put({"name": "older", "limit": "depth=2"}, "old")
    text = (tmp_path / REGISTER).read_text()
    before, _, after = BY_HAND.partition("[[engine]] # it stays")
    rest = after.partition("# the new one")[2]
    assert text == f'{before}[[engine]]\nname = "older"\nlimit = "depth=2"\n\n# the new one{rest}'
    Register(tmp_path).put({"name": "third"})
    assert names(tmp_path) == ["older", "new", "third"]
    Register(tmp_path).remove("older")
    Register(tmp_path).remove("third")
    assert names(tmp_path) == ["new"]
    assert "# the end" in (tmp_path / REGISTER).read_text()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"name": "new"}, "name: 'new' is already registered"),
        ({"name": ""}, "name: must have at least 1 character, not ''"),
        ({"command": "x"}, "name: must be given"),
        ({"name": "x", "limit": "fast", "optons": {}}, "did you mean options"),
        ({"name": "x", "protocol": "uic"}, "protocol: must be one of uci"),
        ({"name": "x", "options": {"Hash": 1.5}}, "options.Hash: must be a string, an integer, true or false"),
    ],
)
def test_a_wrong_engine_is_refused_and_nothing_is_written(tmp_path: Path, table: dict[str, object], said: str) -> None:
    (tmp_path / REGISTER).write_text(BY_HAND)
    with pytest.raises(SetupError) as refused:
        Register(tmp_path).put(table)
    assert said in str(refused.value)
    assert (tmp_path / REGISTER).read_text() == BY_HAND


def test_what_only_a_person_can_change_is_left_to_a_person(tmp_path: Path) -> None:
    for source in ('engine = [{ name = "a" }]\n', '[[engine]]\nname = "a"\nenv = { X = """\n[[engine]]\n""" }\n'):
        (tmp_path / REGISTER).write_text(source)
        with pytest.raises(SetupError, match="must be edited by hand"):
            Register(tmp_path).put({"name": "b"}, "a")
        assert (tmp_path / REGISTER).read_text() == source


def test_a_file_with_mistakes_names_their_lines_and_keeps_the_others(tmp_path: Path) -> None:
    (tmp_path / REGISTER).write_text('colour = 1\n[[engine]]\nname = "a"\nlimt = "depth=1"\n[[engine]]\nname = "b"\n')
    register = Register(tmp_path)
    assert [text.partition(": ")[0].rpartition(":")[2] for text in register.problems] == ["1", "4"]
    assert names(tmp_path) == ["a", "b"]
    with pytest.raises(RefusedError, match="must be one of a, b, not 'c'"):
        register.engine("c")
    (tmp_path / REGISTER).write_text("engine = [")
    with pytest.raises(SetupError, match=r"engines\.toml: must be TOML"):
        Register(tmp_path)


def test_what_is_written_as_toml_is_read_the_same() -> None:
    data = {
        "name": "a\tb\u007f\u20ac\"'",
        "openings": False,
        "elo1": 2.5,
        "defaults": {"limit": "tc=1+0.1", "options": {"a b": "c", "d": 3}},
        "engine": [{"name": "x", "command": ["./y", "z w"]}, {"name": "q", "env": {}}],
    }
    assert tomllib.loads(toml_text(data)) == data


def test_an_engine_after_one_without_a_name_is_changed_and_removed_itself(tmp_path: Path) -> None:
    nameless = "[[engine]]\ncommand = 'cat'\n"
    file = tmp_path / "engines.toml"
    file.write_text(f"{nameless}\n[[engine]]\nname = 'b'\ncommand = 'old'\n")
    Register(tmp_path).put({"name": "b", "command": "new"}, "b")
    assert nameless in file.read_text()
    assert "old" not in file.read_text()
    Register(tmp_path).remove("b")
    assert file.read_text().strip() == nameless.strip()


def test_two_servers_of_a_folder_lose_no_change(tmp_path: Path) -> None:
    """Each change uses a register of its own, as the requests to two servers do."""
    added = {f"e{number}" for number in range(40)}
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda name: Register(tmp_path).put({"name": name, "command": "quietmove"}), sorted(added)))
        assert set(names(tmp_path)) == added
        list(pool.map(lambda name: Register(tmp_path).remove(name), sorted(added)[::2]))
    assert set(names(tmp_path)) == set(sorted(added)[1::2])
