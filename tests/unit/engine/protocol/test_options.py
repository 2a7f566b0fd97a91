"""The option table: what it declares it parses, and a refused value changes nothing."""

import sys
from pathlib import Path

import pytest

from quietmove.engine.errors import OptionError, UnknownGameError
from quietmove.engine.games.registry import game_names
from quietmove.engine.memory import free_megabytes
from quietmove.engine.protocol.dialect import set_option
from quietmove.engine.protocol.options import (
    OPTIONS,
    Button,
    Combo,
    DialectSettings,
    GameChoice,
    Option,
    UciSettings,
    apply_option,
    find_option,
)
from quietmove.engine.protocol.uci import Uci
from quietmove.engine.search.table import Table
from quietmove.engine.session import Options, Session
from quietmove.engine.values import Limits
from tests.fakes.processes import WAIT, wait_until


@pytest.fixture
def uci() -> Uci:
    return Uci(print)


@pytest.fixture
def session(uci: Uci) -> Session:
    return uci.session


def chosen(uci: Uci, option: Option) -> object:
    """Return the value that an option has now."""
    holder: Options | DialectSettings = uci.session.options if option.holder is Options else uci.settings
    return holder.get(option.field)


@pytest.mark.parametrize("option", [row for row in OPTIONS if not isinstance(row, Button)], ids=lambda row: row.name)
def test_the_default_is_allowed_and_is_what_a_session_begins_with(option: Option, uci: Uci) -> None:
    assert option.parse(option.default) == chosen(uci, option)


def test_the_game_is_a_combo_of_all_games_and_takes_parameters(session: Session) -> None:
    option = find_option("Game")
    assert isinstance(option, GameChoice)
    assert option.declare() == f"option name Game type combo default othello var {' var '.join(game_names())}"
    for text, name in (("Connect 7X6x4", "connect 7x6x4"), ("connect 4x4x3", "connect"), ("TICTACTOE", "tictactoe")):
        apply_option(session, option, text)
        assert session.options.game == session.game.name == name
    with pytest.raises(UnknownGameError, match="a size like 7x6x4"):
        apply_option(session, option, "connect four")
    assert session.game.name == "tictactoe"


def test_the_evaluator_is_one_of_the_game(session: Session) -> None:
    option = find_option("Evaluation")
    first = session.position.legal_moves()[0]
    session.position.play(first)
    default = session.position.static_value()
    apply_option(session, option, "Discs")
    assert session.options.settings.evaluation == "discs"
    assert session.position.static_value() == -300 != default  # White is three discs behind after the first move
    with pytest.raises(
        OptionError, match=r"^option Evaluation: must be network, classic, discs or default, not 'line-score'"
    ):
        apply_option(session, option, "line-score")
    with pytest.raises(
        OptionError, match=r"^option Evaluation: must be open-lines, line-score or default, not 'discs'"
    ):
        apply_option(session, find_option("Game"), "tictactoe")
    assert (session.options.game, session.game.name, session.position.static_value()) == ("othello", "othello", -300)
    session.new_game()
    session.position.play(first)
    assert session.position.static_value() == -300
    apply_option(session, option, "default")
    assert session.position.static_value() == default
    with pytest.raises(OptionError, match=r"not without a value"):
        apply_option(session, option, "")


@pytest.mark.parametrize("option", [row for row in OPTIONS if isinstance(row, Combo)], ids=lambda row: row.name)
def test_each_choice_is_taken_in_any_case(option: Combo, uci: Uci) -> None:
    for choice in option.choices:
        set_option(uci, ["setoption", "name", option.name, "value", choice.upper()])
        assert chosen(uci, option) == choice


@pytest.mark.parametrize(
    ("line", "changes"),
    [
        ("name algorithm value MINIMAX", {"algorithm": "minimax"}),
        ("name Quiescence value on", {"quiescence": True}),
        ("quickly name hash value 0", {"hash": 0}),
        ("name clear hash", {}),
    ],
)
def test_setoption_sets_one_thing(uci: Uci, session: Session, line: str, changes: dict[str, object]) -> None:
    set_option(uci, ["setoption", *line.split()])
    expected = Options()
    for field, value in changes.items():
        expected = expected.changed(field, value)
    assert session.options == expected
    assert all(expected.get(field) == value for field, value in changes.items())
    assert uci.settings == UciSettings()


def test_the_notation_is_chosen_for_the_conversation_alone(uci: Uci, session: Session) -> None:
    set_option(uci, ["setoption", "name", "Notation", "value", "Algebraic"])
    assert uci.settings == UciSettings("algebraic")
    assert uci.spell(session.position.legal_moves()[0]) == "d3"
    assert session.options == Options()
    with pytest.raises(OptionError, match="option Notation: only available in the UCI-style protocol"):
        apply_option(session, find_option("Notation"), "project")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "expected 'name N value V', or 'name N' for a button"),
        ("name", "'name N'"),
        ("name xyzzy value 3", "no option 'xyzzy'; the options are Algorithm, "),
        ("name Hash value -1", "option Hash: must be a whole number from 0 to 65536, not '-1'"),
        ("name Hash", "not without a value"),
        ("name Quiescence value maybe", "option Quiescence: must be one of true, false, on, off, not 'maybe'"),
        ("name Clear Hash value now", "option Clear Hash: must be no value, not 'now'"),
        (
            "name Game value xyzzy",
            "option Game: must be a game or path/file.py:Class, optionally followed by parameters, not 'xyzzy'; ",
        ),
        ("name Game value connetc 7x6x4", "not 'connetc 7x6x4'; did you mean 'connect'?"),
    ],
)
def test_what_is_not_allowed_is_named_and_changes_nothing(uci: Uci, session: Session, line: str, message: str) -> None:
    before = session.options, session.table, session.position, uci.settings
    with pytest.raises(OptionError) as caught:
        set_option(uci, ["setoption", *line.split()])
    assert message in str(caught.value)
    assert (session.options, session.table, session.position, uci.settings) == before


@pytest.mark.parametrize("name", ["EvalFile", "BookFile"])
def test_no_path_has_a_nul(session: Session, name: str) -> None:
    with pytest.raises(OptionError, match=f"^option {name}: must be `default` or the path of a file, not "):
        apply_option(session, find_option(name), "a\0b")


def test_memory_that_is_not_there_is_refused(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(megabytes: int) -> Table:
        if megabytes > 16:
            raise MemoryError
        return Table(megabytes)

    monkeypatch.setattr("quietmove.engine.session.Table", no_memory)
    monkeypatch.setattr("quietmove.engine.session.free_megabytes", lambda: 60_000)
    with pytest.raises(OptionError, match="Hash: not enough memory for 60000 MB"):
        apply_option(session, find_option("Hash"), "60000")
    assert session.options.hash == 16
    assert session.table is not None


def test_more_memory_than_is_free_is_refused_with_what_fits(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table that is replaced gives its memory back, if it has taken any."""
    monkeypatch.setattr("quietmove.engine.session.free_megabytes", lambda: 100)
    with pytest.raises(OptionError, match=r"^option Hash: must be at most 116 \(the free memory in MB\), not 117$"):
        apply_option(session, find_option("Hash"), "117")
    apply_option(session, find_option("Hash"), "116")
    with pytest.raises(OptionError, match=r"^option Hash: must be at most 100 \(the free memory in MB\), not 115$"):
        apply_option(session, find_option("Hash"), "115")
    session.get_ready(lambda: None)
    assert session.wait(WAIT)
    apply_option(session, find_option("Hash"), "115")
    monkeypatch.setattr("quietmove.engine.session.free_megabytes", lambda: 0)
    apply_option(session, find_option("Hash"), "16")


def test_a_search_that_is_over_holds_no_table(session: Session) -> None:
    """What replaces the table needs its memory."""
    before = sys.getrefcount(session.table)
    session.go(Limits(depth=6), lambda _: None, lambda _: None, lambda _: None)
    assert session.wait(WAIT)
    session.close()
    wait_until(lambda: sys.getrefcount(session.table) == before)  # the thread has left the search


def test_free_memory_is_what_the_system_has_and_the_control_groups_allow(tmp_path: Path) -> None:
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/meminfo").write_text("MemTotal: 9000000 kB\nMemAvailable: 2097152 kB\n")
    assert free_megabytes(tmp_path) == 2048
    (tmp_path / "proc/self/cgroup").write_text("0::/a/b\n")
    for name, most, used in (("a", "1073741824", "1048576"), ("a/b", "max", "1048576")):
        group = tmp_path / "sys/fs/cgroup" / name
        group.mkdir(parents=True)
        (group / "memory.max").write_text(most)
        (group / "memory.current").write_text(used)
        (group / "memory.stat").write_text("anon 0\nfile 1048576\ninactive_file 262144\nactive_file 262144\n")
    assert free_megabytes(tmp_path) == 1023
    (tmp_path / "sys/fs/cgroup/a/memory.current").write_text(str(1 << 30))
    (tmp_path / "sys/fs/cgroup/a/memory.stat").write_text(f"inactive_file {256 << 20}\nactive_file {128 << 20}\n")
    assert free_megabytes(tmp_path) == 384  # file pages can be reclaimed
