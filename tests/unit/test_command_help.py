"""The help of every command fits 80 columns, its examples are accepted, and a shell can complete what is typed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from quietmove import cli
from quietmove.commands import quietmove, run_command
from quietmove.engine.common.addons import AddonError
from quietmove.engine.common.command_line import exit_status
from quietmove.referee.cli import referee
from quietmove.tournament.cli import commands as tournament
from tests.fakes.addons import command_is_deleted, needs_deleted_addon, needs_games
from tests.fakes.processes import WAIT, run_module

GROUPS = {"quietmove": quietmove, "quietmove-referee": referee, "quietmove-tournament": tournament}


def contexts(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[click.Context]:
    """Yield a command and all that it has below it."""
    context = click.Context(command, parent, name, terminal_width=78, max_content_width=78)
    yield context
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            try:
                found = command.get_command(context, each)
            except AddonError as error:
                if not needs_deleted_addon(error):
                    raise
                continue
            assert found is not None
            yield from contexts(found, each, context)


ALL = [context for name, group in GROUPS.items() for context in contexts(group, name)]


def test_a_word_instead_of_a_number_is_told_the_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["play", "--level", "three"]) == 2
    assert "--level': 'three' is not a whole number from 0 to 20." in capsys.readouterr().err


def test_a_range_of_numbers_does_not_let_nan_through() -> None:
    ranges = [each for context in ALL for each in context.command.params if isinstance(each.type, click.FloatRange)]
    for each in ranges:
        with pytest.raises(click.BadParameter, match="'nan' is not in the range"):
            each.type.convert("nan", each, None)


def examples() -> list[str]:
    found = []
    for context in ALL:
        _, heading, text = context.get_help().replace("\\\n", " ").partition("Example")
        if heading:
            found += re.findall(r"^ +(quietmove.*?)(?: > .*)?$", text, re.MULTILINE)
    return found


@pytest.mark.parametrize("line", examples())
def test_an_example_is_a_command_line_that_is_allowed(line: str) -> None:
    program, *arguments = shlex.split(line)
    command: click.Command = GROUPS[program]
    context = click.Context(command, info_name=program)
    while isinstance(command, click.Group):
        _, found, arguments = command.resolve_command(context, arguments)
        assert found is not None
        command = found
    try:
        command.make_context(program, arguments, context)
    except click.BadParameter as error:
        if not error.message.endswith("does not exist."):  # the files in an example need not exist
            raise


def lines_of(text: str) -> Iterator[list[str]]:
    """Yield the words of each command line of ours in a document, up to a pipe, a redirection or a gap."""
    blocks = "".join(re.findall(r"^```(?:sh|text)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)).replace("\\\n", " ")
    lines = re.findall(r"^(?:\$ |.*&& )?(?:\S*/)?(quietmove(?:-referee|-tournament)? .*)$", blocks, re.MULTILINE)
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for line in [*lines, *re.findall(r"`(quietmove(?:-referee|-tournament)? [^`]*)`", prose)]:
        words = shlex.split(line, comments=True)
        yield words[: next((place for place, word in enumerate(words) if word in ("|", ">", "&", "…")), len(words))]


def wrong_lines(text: str) -> list[str]:
    """Return what is wrong with the command lines of a document: commands and options that do not exist."""
    wrong = []
    for program, *arguments in lines_of(text):
        command: click.Command = GROUPS[program]
        context = click.Context(command, info_name=program)
        if arguments and command_is_deleted(program, arguments[0]):
            continue
        if arguments[:1] == ["toss"]:  # the example in the add-ons' guide, which has its own test
            continue
        try:
            while isinstance(command, click.Group) and arguments and re.match("[a-z]", arguments[0]):
                name, found, arguments = command.resolve_command(context, arguments)
                assert found is not None
                command, context = found, click.Context(found, context, name)
            if not isinstance(command, click.Group):
                command.make_parser(context).parse_args(list(arguments))
        except click.UsageError as error:
            wrong.append(f"{program}: {error.format_message()}")
        except AddonError as error:
            if not needs_deleted_addon(error):
                raise
    return wrong


def test_the_documents_name_commands_and_options_that_exist(documents: dict[str, str]) -> None:
    # The changelog mentions old options too.
    today = [text for name, text in documents.items() if name != "CHANGELOG.md"]
    assert [line for text in today for line in wrong_lines(text)] == []
    assert len([line for text in documents.values() for line in lines_of(text)]) > 100
    assert len(wrong_lines("`quietmove analyse f5` `quietmove play --leve 3` `quietmove play --level 3`")) == 2


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("quietmove con", ["convert"]),
        ("quietmove perft 3 --div", ["--divide"]),
        ("quietmove perft 3 --game tic", ["tictactoe"]),
        ("quietmove --protocol u", ["uci", "ugi"]),
        pytest.param("quietmove play --game tree --color m", ["Max", "Min"], marks=needs_games),
        ("quietmove-referee match --engine prot", ["protocol="]),
        ("quietmove-referee match --engine cmd=x protocol=j", ["protocol=json"]),
        ("quietmove-referee match --each protocol = j", ["json"]),  # split as by bash
        ("quietmove-tournament run --see", ["--seed"]),
    ],
)
def test_what_is_typed_is_completed(words: str, offered: list[str]) -> None:
    program, *typed, incomplete = words.split(" ")
    complete = ShellComplete(GROUPS[program], {}, program, "")
    assert [each.value for each in complete.get_completions(typed, incomplete)] == offered


def test_a_shell_is_answered() -> None:
    asked = {"_QUIETMOVE_REFEREE_COMPLETE": "bash_complete", "COMP_CWORD": "1"}
    done = run_module(Path(), "quietmove.referee", COMP_WORDS="quietmove-referee --hel", **asked)
    assert (done.stdout, done.stderr) == ("plain,--help\n", "")


WITHOUT = """
import sys
finders = sys.meta_path[:]
class Finder:
    def find_spec(self, name, path=None, target=None):
        absent = name in sys.argv[1].split()
        return None if absent else next(filter(None, (each.find_spec(name, path, target) for each in finders)), None)
sys.meta_path[:] = [Finder()]
"""


def in_new_process(script: str, *arguments: str, given: str = "") -> str:
    """Return what a script writes in a Python of its own, to standard error last."""
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=WAIT, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_every_command_has_its_help_without_what_extras_bring() -> None:
    """A command that an extra brings says what to install."""
    script = f"""{WITHOUT}
import click
from quietmove.commands import quietmove, run_command
from quietmove.engine.common.addons import AddonError
from quietmove.referee.cli import referee
from quietmove.tournament.cli import commands
def show(group, path):
    context = click.Context(group, info_name=path)
    for name in group.list_commands(context):
        try:
            found = group.get_command(context, name)
        except (click.UsageError, AddonError) as error:
            assert " needs " in str(error)
            continue
        assert found.get_help(click.Context(found, context, name))
        print(path, name)
        if isinstance(found, click.Group):
            show(found, name)
for group in (quietmove, referee, commands):
    show(group, group.name)
"""
    shown = in_new_process(script, "numpy matplotlib distributed").splitlines()
    assert {"quietmove perft", "referee match", "commands run"} <= set(shown)


HEAVY = (
    *("asyncio", "click", "difflib", "email", "importlib.metadata", "json", "pathlib", "prompt_toolkit", "pydantic"),
    *("rich", "sqlite3"),
)


@pytest.mark.parametrize(
    ("start", "allowed"),
    [
        ("from quietmove.cli import main; sys.argv[1:] = []; main()", ()),
        ("from quietmove.cli import main; sys.argv[1:] = ['--help']; main()", ("click", "pathlib")),
        ("from quietmove.referee.__main__ import main; sys.argv[1:] = ['--help']; main()", ("click", "pathlib")),
        (
            "from quietmove.tournament.__main__ import main; sys.argv[1:] = ['-h']; main()",
            ("click", "difflib", "pathlib"),
        ),
    ],
)
def test_a_start_imports_nothing_that_takes_long(start: str, allowed: tuple[str, ...]) -> None:
    script = f"""
import sys
before = set(sys.modules)
try:
    {start}
except SystemExit:
    pass
print("imported:", *set(sys.modules) - before, file=sys.stderr)
"""
    imported = in_new_process(script, given="uci\nquit\n").rpartition("imported:")[2].split()
    assert "dataclasses" in imported
    assert not (set(HEAVY) & set(imported)) - set(allowed)


def test_little_is_imported_before_an_interrupt_is_handled() -> None:
    assert in_new_process("import sys, quietmove.cli; print('typing' in sys.modules)") == "False\n"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("quietmove plya", "play"),
        ("quietmove-referee mtch", "match"),
        ("quietmove-tournament standing", "standings"),
    ],
)
def test_a_misspelt_command_is_told_the_nearest(words: str, meant: str) -> None:
    program, *arguments = shlex.split(words)
    with pytest.raises(click.UsageError, match=f"^no command '{arguments[-1]}'; did you mean '{meant}'\\?$"):
        GROUPS[program].main(arguments, program, standalone_mode=False)


@pytest.mark.parametrize("words", ["quietmove-referee", "quietmove-tournament"])
def test_a_group_without_a_command_shows_its_help(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    program, *arguments = shlex.split(words)
    assert exit_status(lambda: GROUPS[program].main(arguments, program, standalone_mode=False)) == 2
    shown = capsys.readouterr().err.splitlines()
    assert shown[0].startswith(f"Usage: {words} ")
    assert len(shown) > 5


@pytest.mark.parametrize(
    "error",
    [
        *(MemoryError(), ExceptionGroup("", [MemoryError()]), RuntimeError("can't start new thread")),
        ImportError("x.so: failed to map segment from shared object"),
    ],
)
def test_without_memory_there_is_one_error_line(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(cli, "run", fail)
    assert cli.main() == 1
    assert capsys.readouterr().err.startswith("error: out of memory")


def test_a_session_without_memory_for_its_table_is_one_error_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("quietmove.engine.session.Table", fail)
    monkeypatch.setattr("quietmove.engine.protocol.wire.own_output", lambda: 1)
    monkeypatch.setattr(sys, "argv", ["quietmove", "--protocol", "ugi"])
    assert cli.main() == 1
    assert capsys.readouterr().err == "error: Hash: not enough memory for 16 MB\n"
