"""Hints for a word that is nearly a known one."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["did_you_mean", "nearest", "one_of"]


def nearest(text: str, names: Iterable[str]) -> str:
    """Return the name that is nearest to ``text`` in any case, or nothing if none is near."""
    from difflib import get_close_matches  # imported only for a mistyped word

    by_lower = {name.lower(): name for name in names}
    near = get_close_matches(text.lower()[:40], by_lower, n=1)
    return by_lower[near[0]] if near else ""


def one_of(what: str, names: Iterable[str], came: object) -> str:
    """Return that ``what`` must be one of the names, and not what came."""
    allowed = tuple(names)
    return f"{what}: must be one of {', '.join(allowed)}, not {came!r}{did_you_mean(str(came), allowed)}"


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """Return ``; did you mean 'X'?`` for the name nearest to ``text``, or nothing if none is near."""
    name = nearest(text, names)
    return f"; did you mean {name!r}?" if name else ""
