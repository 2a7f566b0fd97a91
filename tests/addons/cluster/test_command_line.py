"""The options of this add-on on the command line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from quietmove.engine.common.origin import install_command
from quietmove.tournament.cli import run_command_line


def test_without_dask_a_cluster_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "quietmove.addons.cluster.cluster", raising=False)
    config = tmp_path / "c.toml"
    config.write_text('name = "two"\nrounds = 1\n[[engine]]\nname = "a"\n[[engine]]\nname = "b"\n')
    assert run_command_line(["run", str(config), "--cluster", "tcp://127.0.0.1:1"]) == 2
    said = f"error: --cluster needs Dask and cryptography: {install_command('cluster')}\n"
    assert capsys.readouterr().err == said
