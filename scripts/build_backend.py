"""The build backend: setuptools with Cython for the hot modules.

The compiler is the one named by ``CC``, or else the system's, or else the one in the ``ziglang`` wheel, which the
installer fetches for the build. ``QUIETMOVE_BUILD=abi3`` builds one wheel for all versions of Python from the oldest
on, with the limited API: the search is as fast, calls from Python are 3 % slower.
"""

from __future__ import annotations

import atexit
import copy
import fcntl
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing import get_start_method
from pathlib import Path
from typing import Any, ClassVar

from setuptools import Extension, build_meta
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist
from setuptools.errors import CompileError, LinkError

sys.path.insert(0, str(Path(__file__).parent))  # build hooks run without this folder on sys.path

from manifest import PACKAGE, ROOMS, SOURCE, compiled_modules, source_of

ZIG = "ziglang>=0.13,<0.18"  # each version has a different compiler; scripts/wheels uses the same versions
VECTORS = ("v3", "v4")  # folders with these names request extra builds for x86-64-v3 and -v4
# Othello modules without vector builds, because they select a build, read files or time scalar code.
WITHOUT_VECTORS = ("cpu", "network_weights", "trace")
V4_MODULES = ("board", "endgame", "network")  # modules that are faster with v4 than with v3
HOT = (  # modules that need -O3; the rules of the other games do not
    "quietmove.engine.search.",
    "quietmove.engine.games.othello.",
    *(f"quietmove.addons.{name}" for name in ("games.expectimax", "lab.", "measure.", "train.")),
)
OLDEST = (3, 11)  # oldest version of Python supported by an abi3 wheel
SHARED = "quietmove.engine.cython_utilities"  # Cython's utility code, compiled once instead of in each module
NO_COMPILER = "no C compiler works here: install gcc and Python's headers (apt install gcc python3-dev), or set CC"
NO_LINKS = (
    "{0}: must be a symbolic link to the folder {1}. Clone with 'git clone -c core.symlinks=true', or unpack the"
    " repository's archive with a program that restores links (tar, unzip)"
)
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
    "auto_pickle": False,
    "embedsignature": False,
}


def one_at_a_time(hook: Callable[..., str]) -> Callable[..., str]:
    """Return a build hook that waits for other builds of this checkout, since they write the same files."""

    def locked(*args: Any, **options: Any) -> str:
        checkout = os.open(".", os.O_RDONLY)
        try:
            with suppress(OSError):  # the file system may not support locks
                fcntl.flock(checkout, fcntl.LOCK_EX)
            return hook(*args, **options)
        finally:
            os.close(checkout)

    return locked


build_sdist = one_at_a_time(build_meta.build_sdist)
get_requires_for_build_sdist = build_meta.get_requires_for_build_sdist
prepare_metadata_for_build_wheel = one_at_a_time(build_meta.prepare_metadata_for_build_wheel)
prepare_metadata_for_build_editable = one_at_a_time(build_meta.prepare_metadata_for_build_editable)
build_wheel = one_at_a_time(build_meta.build_wheel)
build_editable = one_at_a_time(build_meta.build_editable)


def get_requires_for_build_wheel(config_settings: dict[str, str] | None = None) -> list[str]:
    """Request a compiler as a wheel if the system has none."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *([] if system_compiler() else [ZIG])]


get_requires_for_build_editable = get_requires_for_build_wheel


def require_links(root: Path) -> None:
    """Reject a checkout whose symbolic links were written as regular files.

    :raises SystemExit: for a clone without symbolic links, or a zip archive unpacked without them.
    """
    for room in ROOMS:
        if (root / SOURCE / PACKAGE / room).is_file():  # the link was written as a file that contains its target
            raise SystemExit(NO_LINKS.format(f"{SOURCE}/{PACKAGE}/{room}", room))


require_links(Path(__file__).parents[1])


def for_all_pythons() -> bool:
    """Return whether to build a wheel for all versions of Python."""
    return os.environ.get("QUIETMOVE_BUILD") == "abi3"


def works(command: list[str]) -> bool:
    """Return whether ``command`` compiles a file that includes Python's header."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.c")
        source.write_text("#include <Python.h>\nint probe(void) { return PY_MAJOR_VERSION; }\n")
        include = f"-I{sysconfig.get_paths()['include']}"
        call = [*command, "-fPIC", include, "-c", str(source), "-o", str(Path(folder, "probe.o"))]
        try:
            return subprocess.run(call, capture_output=True, timeout=120, check=False).returncode == 0
        except (OSError, subprocess.TimeoutExpired):
            return False


def system_compiler() -> list[str] | None:
    """Return the command of the C compiler named by ``CC``, or else of the first that works, or None."""
    if chosen := shlex.split(os.environ.get("CC", "")):
        if not works(chosen):
            raise SystemExit(f"CC: must be a working C compiler, not {shlex.join(chosen)!r}")
        return chosen
    for name in (sysconfig.get_config_var("CC"), "cc", "gcc", "clang"):
        command = shlex.split(name or "")[:1]
        if command and shutil.which(command[0]) and works(command):
            return command
    return None


def zig_compiler() -> list[str] | None:
    """Return the command of the C compiler in the ziglang wheel, or None if it is missing or does not work.

    Zig gets its own cache folder, because it would retry forever in a read-only home.
    """
    if importlib.util.find_spec("ziglang") is None:
        return None
    if "ZIG_GLOBAL_CACHE_DIR" not in os.environ:
        os.environ["ZIG_GLOBAL_CACHE_DIR"] = cache = tempfile.mkdtemp(prefix="quietmove-zig-")
        atexit.register(shutil.rmtree, cache, ignore_errors=True)
    command = [sys.executable, "-m", "ziglang", "cc"]
    return command if works(command) else None


def extensions(processes: int = 0) -> list[Extension]:
    """Return every compiled module, and those of Othello again for x86-64-v3 and x86-64-v4.

    :param processes: the number of processes that translate the modules to C; 0 means only this process.
    """
    annotate = os.environ.get("QUIETMOVE_BUILD") == "annotate"
    compiled = translated(compiled_modules(), nthreads=processes, annotate=annotate)
    folders = sorted({str(header.parent) for room in ROOMS for header in Path(room).rglob("*.h")})
    for extension in compiled:
        headers = sorted(header for folder in Path(extension.sources[0]).parents for header in folder.glob("*.h"))
        extension.extra_compile_args = [
            optimization(extension.name),
            "-g0",
            "-DNDEBUG",
            "-fno-strict-aliasing",
            "-fwrapv",
        ]
        extension.include_dirs = folders
        extension.depends = [*extension.depends, *map(str, headers)]
        if for_all_pythons():
            extension.define_macros = [("Py_LIMITED_API", f"0x{OLDEST[0]:02x}{OLDEST[1]:02x}0000")]
            extension.py_limited_api = True
    return [*compiled, *(again for each in compiled if has_vectors() for again in vectorised(each))]


def optimization(module: str) -> str:
    """Return the compiler's option for a module. -O1 compiles twice as fast and makes the other games 5 % slower."""
    return "-O3" if module.startswith(HOT) and module.rpartition(".")[2] not in WITHOUT_VECTORS else "-O1"


def has_vectors() -> bool:
    """Return whether the target processor, which may differ from this one, is an x86-64."""
    return sysconfig.get_platform().endswith(("x86_64", "amd64"))


def translated(modules: Iterable[str], **options: Any) -> list[Extension]:
    """Translate ``modules`` to C, together with their shared module of Cython utility code; return all extensions.

    :param options: options of Cython's ``cythonize``.
    """
    from Cython.Build import cythonize
    from Cython.Compiler import Options

    Options.warning_errors = True
    shared = Extension(SHARED, [source_of(SHARED).replace(".py", ".c")])  # Cython writes the C source to this path
    sources = [*(Extension(name, [source_of(name)]) for name in modules), shared]
    done: list[Extension] = cythonize(
        sources,
        compiler_directives=DIRECTIVES,
        shared_utility_qualified_name=SHARED,
        quiet=True,
        **options,
    )
    return done


def vectorised(extension: Extension) -> Iterator[Extension]:
    """Yield the builds of a module for processors with vectors, if its package has folders for them."""
    package, _, name = extension.name.rpartition(".")
    for level in VECTORS:
        wanted = name in V4_MODULES if level == "v4" else name not in WITHOUT_VECTORS
        if wanted and Path(SOURCE, package.replace(".", "/"), level).is_dir():
            again = Extension(f"{package}.{level}.{name}", extension.sources, include_dirs=extension.include_dirs)
            again.extra_compile_args = [*extension.extra_compile_args, f"-march=x86-64-{level}"]
            again.depends, again.define_macros = extension.depends, extension.define_macros
            again.py_limited_api = extension.py_limited_api
            yield again


class BuildExtensions(build_ext):
    """Compiles the hot modules."""

    def finalize_options(self) -> None:
        """Choose the compiler and use all processors. Without a compiler a source archive can still be made."""
        compiler = system_compiler() or zig_compiler()
        usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self.parallel = self.parallel or usable
        processes = usable if get_start_method() == "fork" else 0  # only a fork inherits Cython's options
        self.distribution.ext_modules = extensions(processes) if compiler else []
        super().finalize_options()
        if compiler is None:
            return
        os.environ["CC"] = shlex.join(compiler)
        os.environ["LDSHARED"] = f"{os.environ['CC']} -shared"
        if "ziglang" in compiler:  # by default zig compiles for this machine's processor
            os.environ["CFLAGS"] = f"{os.environ.get('CFLAGS', '')} -mcpu=baseline".strip()

    def run(self) -> None:
        """Compile the changed modules; when building in place, also delete outdated ones."""
        if not self.extensions:
            raise SystemExit(NO_COMPILER)
        super().run()
        if self.inplace:
            modules = [Path(self.get_ext_fullpath(ext.name)) for ext in self.extensions or ()]
            suffix = sysconfig.get_config_var("EXT_SUFFIX")
            for room in ROOMS:
                remove_stale(Path(room), f"*{suffix}", modules)

    def build_extension(self, ext: Extension) -> None:
        """Compile one module in a thread. Its objects get their own folder because two builds can share a source."""
        command = copy.copy(self)
        command.build_temp = os.path.join(self.build_temp, ext.name)
        if "ziglang" in os.environ.get("CC", ""):
            args = [arg.replace("-march=x86-64-", "-mcpu=x86_64_") for arg in ext.extra_compile_args]
            ext.extra_compile_args = args
        try:
            build_ext.build_extension(command, ext)
        except (CompileError, LinkError) as error:
            raise SystemExit(f"{ext.name}: {error}") from error


class Build(build):
    """Assembles the package in a temporary folder, where the installation takes it from.

    It is empty at first and deleted at exit, so that a checkout keeps no second copy of the package (32 MB).
    """

    # build_ext runs even if there is nothing to compile, because BuildExtensions.run reports missing requirements
    sub_commands: ClassVar = [
        (name, None if name == "build_ext" else is_wanted) for name, is_wanted in build.sub_commands
    ]

    def initialize_options(self) -> None:
        """Create the folder."""
        super().initialize_options()
        self.build_base = tempfile.mkdtemp(prefix="quietmove-build-")
        atexit.register(shutil.rmtree, self.build_base, ignore_errors=True)


class Wheel(bdist_wheel):
    """Names the wheel after the versions of Python it supports."""

    def finalize_options(self) -> None:
        """Set the oldest version."""
        if for_all_pythons():
            self.py_limited_api = f"cp{OLDEST[0]}{OLDEST[1]}"
        super().finalize_options()


def remove_stale(folder: Path, pattern: str, current: list[Path]) -> list[Path]:
    """Delete the files below ``folder`` that match ``pattern`` and are not in ``current``; return them."""
    keep = {path.resolve() for path in current}
    stale = [path for path in folder.rglob(pattern) if path.is_file() and path.resolve() not in keep]
    for path in stale:
        path.unlink()
    return stale


class SourceDistribution(sdist):
    """An archive of the checkout: its folders and links, and the files that build, test and document the package."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """Move the packages to the checkout's folders, and add the files outside any package."""
        ours = f"{SOURCE}/{PACKAGE}/"
        linked = tuple(f"{ours}{room}/" for room in ROOMS)
        packaged = [name.removeprefix(ours) if name.startswith(linked) else name for name in files]
        folders = [
            *(Path(name).rglob("*") for name in (".ci", ".github", "scripts", "tests")),
            *(Path(room).rglob("*.md") for room in (SOURCE, *ROOMS)),
            Path().glob("*.md"),
        ]
        more = [str(path) for folder in folders for path in folder if path.is_file() and path.suffix != ".pyc"]
        super().make_release_tree(base_dir, [*packaged, *more])
        for room in ROOMS:
            Path(base_dir, ours, room).symlink_to(Path("..", "..", room))
