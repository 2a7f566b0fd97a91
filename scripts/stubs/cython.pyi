# The subset of Cython's pure Python mode used by the compiled modules, for type checkers: C integers are int, pointers
# and C arrays are lists.

import builtins
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeAlias, TypeVar, overload

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

NULL: Any
const: Any

bint: TypeAlias = builtins.bool
uchar: TypeAlias = builtins.int
schar: TypeAlias = builtins.int
ushort: TypeAlias = builtins.int
int: TypeAlias = builtins.int
short: TypeAlias = builtins.int
longlong: TypeAlias = builtins.int
Py_ssize_t: TypeAlias = builtins.int
uint: TypeAlias = builtins.int
float: TypeAlias = builtins.float
double: TypeAlias = builtins.float
ulonglong: TypeAlias = builtins.int
p_float: TypeAlias = builtins.list[builtins.float]
p_int: TypeAlias = builtins.list[builtins.int]
p_ulonglong: TypeAlias = builtins.list[builtins.int]

class _NoGil(AbstractContextManager[None]):
    def __call__(self, function: F) -> F: ...
    def __exit__(self, *details: object) -> None: ...

nogil: _NoGil
gil: _NoGil

def cfunc(function: F) -> F: ...
def inline(function: F) -> F: ...
def annotation_typing(enabled: builtins.bool) -> Callable[[F], F]: ...
def exceptval(value: builtins.int = ..., *, check: builtins.bool = ...) -> Callable[[F], F]: ...
@overload
def declare(kind: Any) -> Any: ...
@overload
def declare(kind: Any, value: builtins.int) -> builtins.int: ...
@overload
def declare(kind: Any, value: memoryview | bytearray) -> Any: ...
def cast(kind: type[T], value: Any) -> T: ...
def address(value: Any) -> Any: ...
def sizeof(kind: Any) -> builtins.int: ...
