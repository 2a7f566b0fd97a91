"""The stores that a server of tournaments shows."""

from __future__ import annotations

from pathlib import Path

from quietmove.addons.runner.watch.pages import stores_at


def test_stores_are_those_that_were_named_and_those_in_folders(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside.sqlite"
    inside.mkdir()
    for name in ("b.sqlite", "a.sqlite", "a.sqlite-wal", "notes.txt"):
        (inside / name).touch()
    stores = stores_at([outside, inside, inside / "a.sqlite"])
    assert list(stores.values()) == [outside, inside / "a.sqlite", inside / "b.sqlite"]
    assert stores == stores_at([outside, inside])  # names are the same after a restart
