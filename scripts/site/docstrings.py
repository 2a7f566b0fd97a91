"""A griffe extension for this project's docstrings: Sphinx roles become code, and one line may name several errors."""

from __future__ import annotations

import re
from typing import Any

import griffe

__all__ = ["Docstrings"]

ROLE = re.compile(r":(?:attr|class|data|func|meth|mod):`~?")
RAISES = re.compile(r":raises ([\w, ]+):")


class Docstrings(griffe.Extension):
    """Rewrites docstrings before they are parsed."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of a module, a class, a function or an attribute."""
        if obj.docstring is not None:
            text = ROLE.sub("`", obj.docstring.value.replace("``", "`"))
            obj.docstring.value = RAISES.sub(lambda found: f":raises {found[1].replace(', ', '|')}:", text)
