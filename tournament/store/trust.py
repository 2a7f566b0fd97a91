"""Whether a store was begun by this user: what it says is run when it is played on, so a stranger's is not trusted.

A store carries a mark that follows from its configuration and from a secret of the user. Whoever changes the
configuration, or comes from elsewhere, cannot make it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from shlex import join

from quietmove.engine.printable import printable
from quietmove.tournament.config.definition import Tournament

__all__ = ["game_file", "make_mark", "programs"]

KEY_BYTES = 32


def make_mark(config: str) -> str | None:
    """Return the mark of this user for a configuration; None where there is no place for a secret."""
    try:
        return hmac.new(_secret(), config.encode(), hashlib.sha256).hexdigest()
    except (OSError, RuntimeError):  # a home that cannot be read, or is not known
        return None


def game_file(tournament: Tournament) -> str:
    """Return the Python file that the game comes from, which runs when it is looked at; "" where there is none."""
    return tournament.game if ".py:" in tournament.game else ""


def programs(tournament: Tournament) -> Iterator[str]:
    """Yield, a line each, what is run if the tournament is played on."""
    if file := game_file(tournament):
        yield printable(f"the game: {file}")
    for engine in tournament.engines:
        words = [f"{name}={value}" for name, value in engine.env]
        words.append(join(engine.command) or engine.protocol)
        words += [f"{name}={value}" for name, value in engine.options]
        yield printable(f"{engine.name}: {' '.join(words)}" + (f" (in {engine.cwd})" if engine.cwd else ""))


def _secret() -> bytes:
    """Return the user's secret, which is made when it is first needed; no one else may read it."""
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    path = Path(data) / "quietmove" / "store-key"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f"{path.name}-{os.getpid()}")
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "wb") as file:  # noqa: PTH123 (a descriptor)
            file.write(secrets.token_bytes(KEY_BYTES))
        try:
            os.link(new, path)  # another process may have made one meanwhile: that stays
        except FileExistsError:
            pass
        finally:
            new.unlink()
    key = path.read_bytes()
    if len(key) != KEY_BYTES:
        raise OSError(f"{path} is damaged")
    return key
