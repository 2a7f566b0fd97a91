"""Loading a user's game from a file, and finding the line of an error in that file."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from quietmove.engine.files import open_regular


@dataclass(frozen=True, slots=True)
class GameFile:
    """A class in a Python file, ``path/file.py:Class``. Games can also come from entry points of packages.

    :param file: the absolute path of the file.
    :param name: the name of the class.
    """

    file: str
    name: str

    @classmethod
    def read(cls, text: str, folder: str = ".") -> GameFile | None:
        """Parse ``path/file.py:Class``, relative to ``folder``, or return None if ``text`` does not name a file."""
        file, colon, name = text.rpartition(":")
        is_file = colon and file.endswith(".py") and name and "\0" not in text  # paths cannot contain NUL
        return cls(str(Path(folder, file).resolve()), name) if is_file else None

    @classmethod
    def of_game(cls, name: str) -> GameFile | None:
        """Return the file that defines the game called ``name``, or None if the game does not come from a file."""
        words = name.split()  # spaces may precede the file, and parameters may follow it
        return cls.read(words[0]) if words else None

    @property
    def value(self) -> str:
        """The absolute form of the name, valid in any directory."""
        return f"{self.file}:{self.name}"

    @property
    def is_loaded(self) -> bool:
        """Whether this process has run the file."""
        return self._module in sys.modules

    @property
    def _module(self) -> str:
        return f"quietmove game {self.file}"

    def load(self) -> Any:
        """Run the file and return the class. Exceptions raised by the file are propagated."""
        with open_regular(self.file) as file:
            source = file.read()
        module = ModuleType(self._module)
        module.__file__ = self.file
        sys.modules[module.__name__] = module  # dataclasses look up their module
        # Do not import the file: Python might run a .pyc file from __pycache__ that differs from the source.
        exec(compile(source, self.file, "exec", dont_inherit=True), module.__dict__)
        if not isinstance(found := getattr(module, self.name, None), type):
            classes = [name for name, each in vars(module).items() if isinstance(each, type)]
            raise LookupError(f"it has no class {self.name!r}; its classes are: {', '.join(classes) or 'none'}")
        return found


def source_of(rules: object) -> str | None:
    """Return the file that defines a game's class, or None if unknown."""
    return getattr(sys.modules.get(type(rules).__module__), "__file__", None)


def place_of(error: BaseException, file: str | None) -> str:
    """Return `` (file.py, line 12)`` for the last line of ``file`` in the traceback, or "" if there is none."""
    if isinstance(error, SyntaxError):
        return ""  # the message of a SyntaxError already includes the line
    line = None
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == file:
            line = frame.tb_lineno
        frame = frame.tb_next
    return f" ({Path(file).name}, line {line})" if file and line else ""
