"""Selection of the compiled Othello modules that this processor supports."""

from __future__ import annotations

import os

from cython.cimports.quietmove.engine.games.othello.cpu_header import has_v3, has_v4


def supported_builds() -> tuple[str, ...]:
    """Return the builds that this processor can run, slowest first: ``plain``, then any vector builds."""
    return ("plain", *(("v3",) if has_v3() else ()), *(("v4",) if has_v4() else ()))


def prefer_vectors(path: list[str]) -> None:
    """Add a package's supported folders ``v3`` and ``v4`` to the front of its search ``path``.

    The environment variable ``QUIETMOVE_CPU`` (``plain``, ``v3`` or ``v4``) limits the builds to this and slower ones.
    """
    package, builds = path[0], supported_builds()
    wanted = os.environ.get("QUIETMOVE_CPU")
    last = builds.index(wanted) if wanted in builds else len(builds) - 1
    for build in builds[1 : last + 1]:
        folder = os.path.join(package, build)
        if os.path.isdir(folder):
            path.insert(0, folder)
