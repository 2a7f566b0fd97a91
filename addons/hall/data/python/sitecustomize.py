"""Hides the packages installed for the interpreter, so that programs can import only those that the class allows."""

import sys

hidden = [path.endswith("-packages") for path in sys.path]  # those of the interpreter come last
del sys.path[hidden.index(True) if True in hidden else len(hidden) :]
