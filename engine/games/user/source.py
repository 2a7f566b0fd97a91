"""Where a user's game comes from, and where in it a mistake was made."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from quietmove.engine.files import open_regular


@dataclass(frozen=True, slots=True)
class GameFile:
    """A class in a file of Python, ``path/file.py:Class``; an entry point of a package is the other source of a game.

    :param file: its absolute path.
    :param name: of the class.
    """

    file: str
    name: str

    @classmethod
    def read(cls, text: str, folder: str = ".") -> GameFile | None:
        """Return what ``text`` names, relative to ``folder``; None if it names no file."""
        file, colon, name = text.rpartition(":")
        is_file = colon and file.endswith(".py") and name and "\0" not in text  # no path has a NUL
        return cls(str(Path(folder, file).resolve()), name) if is_file else None

    @classmethod
    def of_game(cls, name: str) -> GameFile | None:
        """Return the file that is run when the game called ``name`` is opened; None if the game is no file."""
        words = name.split()  # blanks may stand before the file, and parameters after it
        return cls.read(words[0]) if words else None

    @property
    def value(self) -> str:
        """The text that names the class from any directory."""
        return f"{self.file}:{self.name}"

    @property
    def is_loaded(self) -> bool:
        """Whether this process has run the file."""
        return self._module in sys.modules

    @property
    def _module(self) -> str:
        return f"quietmove game {self.file}"

    def load(self) -> Any:
        """Run the file and return the class; raises whatever the file raises."""
        with open_regular(self.file) as file:
            source = file.read()
        module = ModuleType(self._module)
        module.__file__ = self.file
        sys.modules[module.__name__] = module  # dataclasses look their module up
        # No import: Python would run a .pyc file of __pycache__ instead, whose source nobody has seen.
        exec(compile(source, self.file, "exec", dont_inherit=True), module.__dict__)
        if not isinstance(found := getattr(module, self.name, None), type):
            classes = [name for name, each in vars(module).items() if isinstance(each, type)]
            raise LookupError(f"there is no class {self.name!r} in it; there is {', '.join(classes) or 'none'}")
        return found


def source_of(rules: object) -> str | None:
    """Return the file in which the class of a game stands, if it is known."""
    return getattr(sys.modules.get(type(rules).__module__), "__file__", None)


def place_of(error: BaseException, file: str | None) -> str:
    """Return `` (file.py, line 12)``, the last line of ``file`` that led to ``error``; nothing where there is none."""
    if isinstance(error, SyntaxError):
        return ""  # the text of a SyntaxError ends with its place
    line = None
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == file:
            line = frame.tb_lineno
        frame = frame.tb_next
    return f" ({Path(file).name}, line {line})" if file and line else ""
