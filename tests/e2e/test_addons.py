"""Add-ons of other packages that are wrong: each is named once, and everything else works."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from quietmove.engine.common.addons import GROUP, Addon, installed
from tests.fakes.addons import is_deleted
from tests.fakes.packages import describe
from tests.fakes.processes import run_module

EXAMPLE = Path(__file__).parents[1] / "example_games" / "hexapawn"
GOOD = """
from quietmove.engine.common.addons import Addon

ADDON = Addon(commands={"quietmove": {"hello": ("hello:hello", "Say hello.")}}, names={"greeting": "hello:TEXT"})
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of packages, with one whose add-on is right if its text is GOOD and its command ``hello`` is there."""
    add(tmp_path / "site", "hello")
    return tmp_path / "site"


def add(site: Path, name: str, text: str = GOOD, point: str = "") -> None:
    describe(site, name, {GROUP: {point or name: f"{name}_addon:ADDON"}})
    (site / f"{name}_addon.py").write_text(text, encoding="utf-8")


def run(site: Path, *words: str, status: int = 0, given: str = "") -> tuple[str, str]:
    """Run ``python -m`` and return its output and its errors."""
    done = run_module(site.parent, *words, status=status, said=given, PYTHONPATH=str(site), PYTHONSAFEPATH="1")
    return done.stdout, done.stderr


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import nothing_of_the_kind", "ModuleNotFoundError: No module named 'nothing_of_the_kind'"),
        ("def", "SyntaxError: invalid syntax (hello_addon.py, line 1)"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("raise OSError('two\\nlines')", "OSError: two\\nlines"),
        ("", "AttributeError: module 'hello_addon' has no attribute 'ADDON'"),
        ("ADDON = {}", "TypeError: hello_addon:ADDON: expected an Addon, got dict"),
        (GOOD.replace('"quietmove"', '"quitmove"'), "ValueError: commands: expected one of quietmove, quietmove-"),
        (GOOD.replace(', "Say hello."', ""), "ValueError: commands: hello: expected (location, line of help), got"),
        (
            GOOD.replace("hello:TEXT", "hello"),
            "ValueError: expected a location such as 'module:attribute', got 'hello'",
        ),
    ],
)
def test_an_add_on_that_cannot_be_imported_is_named_once(
    site: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str, reason: str
) -> None:
    (site / "hello_addon.py").write_text(text, encoding="utf-8")
    assert "hello" not in look_for_addons(site, monkeypatch)
    note, *others = capsys.readouterr().err.splitlines()
    assert note.startswith(f"note: add-on hello is skipped: {reason}")
    assert others == []


def look_for_addons(site: Path, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, Addon]:
    """Look for add-ons in this process, as each program does once."""
    monkeypatch.syspath_prepend(str(site))
    for name in ("hello_addon", "other_addon"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return installed.__wrapped__()


def expect_note(site: Path, reason: str, *words: str) -> None:
    """Expect one line about the add-on, and all that the command writes without it."""
    output, errors = run(site, *words)
    assert errors.startswith(f"note: add-on hello is skipped: {reason}")
    assert errors.count("\n") == 1
    assert len(output.splitlines()) > 7


def test_only_what_lists_add_ons_names_one_that_cannot_be_imported(site: Path) -> None:
    (site / "hello_addon.py").write_text("import nothing_of_the_kind", encoding="utf-8")
    for words in (("quietmove.referee", "--help"), ("quietmove", "doctor")):
        expect_note(site, "ModuleNotFoundError: No module named 'nothing_of_the_kind'", *words)
    (site / "script.py").write_text("import quietmove\nprint(quietmove.Position().fen, dir(quietmove))")
    output, errors = run(site, "script")
    assert "'analyse'" in output
    assert errors.count("note: add-on hello is skipped: ") == 1
    assert run(site, "quietmove", "perft", "2")[1] == ""  # a command of the core
    output, errors = run(site, "quietmove", given="position startpos\ngo depth 1\nquit\n")
    assert ("bestmove" in output, errors) == (True, "")
    output, errors = run(site, "quietmove", given="uci\nquit\n")  # lists all games
    assert ("uciok" in output, errors.count("\n")) == (True, 1)


def test_two_add_ons_with_one_command_are_an_error_that_names_both(site: Path) -> None:
    text = GOOD.replace(', names={"greeting": "hello:TEXT"}', "")
    (site / "hello_addon.py").write_text(text, encoding="utf-8")
    add(site, "other", text)
    error = "error: commands: both the add-on hello and the add-on other add 'hello'; uninstall one of them\n"
    assert run(site, "quietmove", "hello", status=2)[1].endswith(error)
    assert run(site, "quietmove", "--help", status=2)[1].endswith(error)
    assert run(site, "quietmove", "perft", "2")[1] == ""  # a command of the core


def test_a_command_of_the_core_is_not_replaced(site: Path) -> None:
    (site / "hello_addon.py").write_text(GOOD.replace('"hello":', '"perft":'), encoding="utf-8")
    error = "error: commands: both Quietmove itself and the add-on hello add 'perft'; uninstall one of them\n"
    assert run(site, "quietmove", "--help", status=2)[1].endswith(error)
    assert run(site, "quietmove", "perft", "2")[1] == ""


def test_a_game_of_an_add_on_is_played_by_its_name(site: Path) -> None:
    """It can be a class in plain Python, or a function that makes a compiled game from the parameters."""
    games = {"hello": "hello:Hello", "row": "quietmove.engine.games.in_a_row.game:make_connect", "gone": "hello:Gone"}
    (site / "hello_addon.py").write_text(GOOD.replace("Addon(", f"Addon(games={games}, "))
    (site / "hello.py").write_text((EXAMPLE / "hexapawn.py").read_text().replace("class Hexapawn", "class Hello"))
    lines = ["uci", "setoption name Game value row 3x3x3", "position startpos moves c", "d"]
    lines += ["setoption name Game value hello 4", "moves", "setoption name Game value gone", "quit"]
    output, errors = run(site, "quietmove", given="\n".join(lines))
    assert errors == ""
    assert " var connect4 var " in output
    assert " var row var " in output
    assert "position fen --------X O" in output
    assert "4 legal: " in output
    assert "error: setoption: game gone: cannot be created from hello:Gone: AttributeError" in output


def test_two_add_ons_with_one_game_are_an_error_that_names_both(site: Path) -> None:
    text = GOOD.replace("Addon(", "Addon(games={'hello': 'hello:Hello'}, ").replace("greeting", "{0}")
    (site / "hello_addon.py").write_text(text)
    add(site, "other", text.replace("{0}", "farewell").replace('"hello":', '"other":'))
    error = "games: both the add-on hello and the add-on other add 'hello'; uninstall one of them"
    output, errors = run(site, "quietmove", given="uci\nsetoption name Game value hello\ngo depth 1\nquit\n")
    assert (output.count(error), errors) == (1, "")
    assert "uciok" in output
    assert "bestmove" in output  # the core's games still work


def test_of_two_add_ons_with_one_name_the_second_is_left_out(
    site: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    add(site, "other", GOOD.replace('"hello":', '"other":').replace("greeting", "farewell"), point="hello")
    assert "hello" in look_for_addons(site, monkeypatch)
    errors = capsys.readouterr().err
    assert errors.startswith("note: add-on hello is skipped: ValueError: ")
    assert errors.endswith("_addon:ADDON: another add-on has this name\n")


def test_a_command_or_a_name_that_cannot_be_imported_is_one_error(site: Path) -> None:
    (site / "hello.py").write_text("import nothing_of_the_kind", encoding="utf-8")
    reason = "add-on hello cannot be used: ModuleNotFoundError: No module named 'nothing_of_the_kind'\n"
    assert run(site, "quietmove", "hello", status=2) == ("", f"error: {reason}")
    script = (
        "import quietmove\ntry:\n    quietmove.greeting\nexcept quietmove.QuietmoveError as error:\n    print(error)\n"
    )
    (site / "script.py").write_text(script)
    assert run(site, "script") == (reason, "")
    assert "hello" in run(site, "quietmove", "--help")[0]


@pytest.mark.parametrize(
    ("source", "said", "status"),
    [
        ("from quietmove.addons.nowhere.server import run", "hello", 2),
        (
            "import click\n\n\n@click.command()\ndef hello():\n    import quietmove.addons.nowhere.server",
            "this command",
            1,
        ),
    ],
)
def test_a_command_that_needs_a_deleted_add_on_names_it(site: Path, source: str, said: str, status: int) -> None:
    (site / "hello.py").write_text(source, encoding="utf-8")
    _, errors = run(site, "quietmove", "hello", status=status)
    name = "quietmove.addons" if is_deleted("addons") else "nowhere"
    assert errors.endswith(f"{said} needs the add-on {name}, which is not installed\n")
