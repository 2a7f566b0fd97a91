"""The journal beside a stranger's database deletes no other file, whichever part of the program reads it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from quietmove.addons.shared.work_file import WorkFile
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.errors import BookError
from quietmove.tournament.store.store import Store
from tests.fakes.journals import plant_journal
from tests.fakes.tournament_store import a_tournament

GameDatabase = pytest.importorskip("quietmove.addons.library.database.store").GameDatabase
open_hall = pytest.importorskip("quietmove.addons.web.database").open_hall
Use = Callable[[Path], object]
KINDS: dict[str, tuple[str, Use, Use]] = {  # a name, and functions that create and read such a file in a folder
    "store": (
        "x.sqlite",
        lambda folder: Store.create(folder / "x.sqlite", a_tournament("x", ("a", "b"))).close(),
        lambda folder: Store.open_to_read(folder / "x.sqlite"),
    ),
    "database of games": (
        "x.sqlite",
        lambda folder: GameDatabase(folder / "x.sqlite", create=True).close(),
        lambda folder: GameDatabase(folder / "x.sqlite").count,
    ),
    "class": (
        "hall.sqlite",
        lambda folder: open_hall(folder, make=True).close(),
        open_hall,
    ),
    "work file": (
        "x",
        lambda folder: WorkFile(folder / "x", "book work", {}, BookError).__exit__(),
        lambda folder: WorkFile(folder / "x", "book work", None, BookError),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_journal_deletes_no_other_file(kind: str, tmp_path: Path) -> None:
    name, make, read = KINDS[kind]
    make(tmp_path)
    other = tmp_path / "other"
    other.touch()
    plant_journal(tmp_path / name, other)
    with pytest.raises(QuietmoveError, match="must have no journal that names another file"):
        read(tmp_path)
    assert other.exists()


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_waits_for_a_pipe_in_place_of_a_journal(kind: str, tmp_path: Path) -> None:
    name, make, read = KINDS[kind]
    make(tmp_path)
    os.mkfifo(tmp_path / f"{name}-journal")
    with pytest.raises(QuietmoveError, match="must have no journal that names another file"):
        read(tmp_path)
