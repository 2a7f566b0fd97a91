"""JavaScript modules as one script, which a page can hold inside itself. Pure.

Only what the pages of this project use is understood: ``export`` before a function, a class or a constant, and
``import { names } from "path";`` on a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["bundle"]

EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) ([\w$]+))", re.MULTILINE)
IMPORT = re.compile(r'^import (\{[^}]*\}) from "[^"]*?(\w+)\.js";$', re.MULTILINE)
LEFT = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


def bundle(modules: Mapping[str, str]) -> str:
    """Return one script that runs all modules.

    :param modules: sources by their names, such as ``board`` for ``board.js``; each after those that it imports.
    """
    parts = ['"use strict";', "const modules = {};"]
    done: set[str] = set()
    for name, source in modules.items():
        for _, imported in IMPORT.findall(source):
            assert imported in done, f"{name}.js imports {imported}.js, which does not come before it"
        exports = EXPORT.findall(source)
        body = IMPORT.sub(lambda found: f"const {found[1].replace(' as ', ': ')} = modules.{found[2]};", source)
        body = EXPORT.sub("", body)
        assert (left := LEFT.search(body)) is None, f"{name}.js: this is not understood: {left[0]}"
        parts.append(f"modules.{name} = (() => {{\n{body}\nreturn {{ {', '.join(exports)} }};\n}})();")
        done.add(name)
    return "\n".join(parts)
