"""Hints for a word that is nearly a known one."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["did_you_mean", "nearest"]


def nearest(text: str, names: Iterable[str]) -> str:
    """Return the name that is nearest to ``text`` in any case, or nothing if none is near."""
    from difflib import get_close_matches  # imported only for a mistyped word

    by_lower = {name.lower(): name for name in names}
    near = get_close_matches(text.lower()[:40], by_lower, n=1)
    return by_lower[near[0]] if near else ""


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """Return ``; did you mean 'X'?`` for the name nearest to ``text``, or nothing if none is near."""
    name = nearest(text, names)
    return f"; did you mean {name!r}?" if name else ""
