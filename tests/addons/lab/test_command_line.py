"""The group ``quietmove lab`` on the command line."""

from __future__ import annotations

import click
import pytest
from click.shell_completion import ShellComplete

from quietmove.commands import quietmove
from quietmove.engine.common.command_line import exit_status


def test_an_experiment_is_completed() -> None:
    complete = ShellComplete(quietmove, {}, "quietmove", "")
    assert [each.value for each in complete.get_completions(["lab"], "pr")] == ["pruning"]


def test_a_misspelt_experiment_is_told_the_nearest() -> None:
    with pytest.raises(click.UsageError, match=r"^no command 'orderng'; did you mean 'ordering'\?$"):
        quietmove.main(["lab", "orderng"], "quietmove", standalone_mode=False)


def test_without_an_experiment_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_status(lambda: quietmove.main(["lab"], "quietmove", standalone_mode=False)) == 2
    shown = capsys.readouterr().err.splitlines()
    assert shown[0].startswith("Usage: quietmove lab ")
    assert len(shown) > 5
