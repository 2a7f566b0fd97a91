"""Turns uploaded files into a player: reads ``player.toml``, and determines how to compile and start the program.

Arguments supplied by a person cannot contain ``/`` or ``..``, since the sandbox gives an engine access to every file
named in its command.
"""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from quietmove.addons.check.examination import PROTOCOLS
from quietmove.addons.hall.settings import Assignment, ClassSettings, Language
from quietmove.engine.common.text import printable
from quietmove.referee.arguments.engine_args import read_table
from quietmove.referee.arguments.toml_file import TomlFile
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.config.validation import Printable, model, spell_problem
from quietmove.referee.errors import SetupError

PLAYER_FILE = "player.toml"
MAX_PLAYER_BYTES = 4096
ENDINGS: dict[str, Language] = {
    ".py": "python",
    ".c": "c",
    ".cpp": "cpp",
    ".cc": "cpp",
    ".cxx": "cpp",
    ".java": "java",
    ".rs": "rust",
    ".js": "javascript",
    ".go": "go",
}
LANGUAGES: dict[Language, str] = {  # as people call them
    "python": "Python",
    "c": "C",
    "cpp": "C++",
    "java": "Java",
    "rust": "Rust",
    "javascript": "JavaScript",
    "go": "Go",
    "command": "any program named in player.toml",
}
MAINS: dict[Language, str] = {
    "python": "player.py",
    "c": "",
    "cpp": "",
    "java": "",
    "rust": "main.rs",
    "javascript": "player.js",
    "go": "",
    "command": "player",
}
STARTED = {"python": "*.py", "rust": "*.rs", "javascript": "*.js", "command": ""}  # patterns of files that can be main
# the compiler's output file
COMPILED = {"c": "player", "cpp": "player", "java": "player.jar", "rust": "player", "go": "player"}
# the path of a compiler in its installation folder, and the arguments that make it print this folder
ROOTS = {"rust": ("bin/rustc", "--print", "sysroot"), "go": ("bin/go", "env", "GOROOT")}
PACKAGES = "packages"  # subfolder of a class for the packages that Python programs may use
HIDING = "python"  # subfolder of a class for the module that hides all other packages
TOOL_SECONDS = 20.0  # time limit for a compiler to report where it is installed
BUILD_MEMORY = 1024  # compiler memory limit, MiB
MOST_PROGRAM_BYTES = 16 << 20  # size limit of a compiled program, bytes
GAME_MOVES = 60
START_MS = 10_000
STALL_MS = 30_000
UNLIMITED_CPU_SECONDS = 600

# Compilers work in an in-memory folder of the sandbox, and write the compiled program to standard output.
COPY = "set -e; exec 3>&1 1>&2; cp -r . $HOME/build; cd $HOME/build; "
# C and C++: compile the sources in the top folder or, if it has none, those in all folders.
FIND = (
    'depth=1; [ -n "$(find . -maxdepth 1 {0})" ] || depth=9; find . -maxdepth $depth {0} -exec '
    """/bin/sh -c '"$0" -O2 -I. -Isrc -Iinclude -o $HOME/player "$@" -lm' "$0" {{}} +; cat $HOME/player >&3"""
)
SCRIPTS = {
    "c": COPY + FIND.format('-name "*.c"'),
    "cpp": COPY + FIND.format('"(" -name "*.cpp" -o -name "*.cc" -o -name "*.cxx" ")"'),
    "rust": COPY + '"$0" -O --edition 2021 -o $HOME/player "$1"; cat $HOME/player >&3',
    # Go needs folders for its cache and for packages, and must not look for another version of itself on the network.
    "go": COPY
    + "export GOCACHE=$HOME/cache GOPATH=$HOME/go GO111MODULE=auto GOPROXY=off GOTOOLCHAIN=local CGO_ENABLED=0; "
    '"$0" build -o $HOME/player .; cat $HOME/player >&3',
    "java": COPY + 'mkdir $HOME/classes; find . -name "*.java" -exec "$0" -J-Xmx512m -d $HOME/classes {} +; '
    '"$(dirname "$(readlink -f "$(command -v "$0")")")/jar" --create --file $HOME/player.jar --main-class "$1" '
    "-C $HOME/classes .; cat $HOME/player.jar >&3",
}

# folders of the sandbox itself
SYSTEM = tuple(f"/{name}/" for name in ("usr", "bin", "lib", "lib64", "dev", "proc", "tmp"))
PATH = re.compile(r"(?<![\w./:])/(?:[^\s/'\"<>:]+/)+[^\s/'\"<>:,;)]*")
SETTING = re.compile(r"\bset (coordinates|unit|line|openings)=([\w-]+)")
# Comments and strings; one without an end reaches as far as it can, so that the time is linear.
JAVA_TEXT = re.compile(r'//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*"?|\'(?:[^\'\\\n]|\\.)*\'?', re.DOTALL)
JAVA_TOKEN = re.compile(r"[{}]|\b(?:class|enum|interface|record)\s+(\w+)|\bmain\s*\(\s*(?:final\s+)?String\b")

Word = Annotated[Printable, Field(max_length=100, pattern=r"^[\w={}.,+-]+$")]


def _protocol(text: str) -> str:
    if text not in PROTOCOLS:
        raise ValueError(f"must be one of {', '.join(PROTOCOLS)}")
    return text


@model
class PlayerFile:
    """The settings that a person can choose for a program; the teacher sets all others."""

    language: Language | None = None
    main: Annotated[Printable, Field(max_length=100, pattern=r"^[\w. ][\w. -]*$")] | None = None
    arguments: Annotated[tuple[Word, ...], Field(max_length=20)] = ()
    protocol: Annotated[Printable, AfterValidator(_protocol)] = "project"
    coordinates: Annotated[Printable, Field(max_length=20)] | None = None
    unit: Annotated[Printable, Field(max_length=20)] | None = None
    line: Annotated[Printable, Field(max_length=20)] | None = None
    openings: Annotated[Printable, Field(max_length=20)] | None = None

    def __post_init__(self) -> None:
        if wrong := [word for word in (*self.arguments, self.main or "") if ".." in word]:
            raise ValueError(f"must not contain '..', as {wrong[0]!r} does")


def read_player(source: Path, allowed: tuple[Language, ...]) -> PlayerFile:
    """Return the player settings of a source folder, with language and main file filled in.

    :param allowed: the languages allowed in the class.
    :raises SetupError: if ``player.toml`` is invalid, or the language or the main file is missing or not allowed.
    """
    found: PlayerFile | None = PlayerFile()
    if (source / PLAYER_FILE).is_file():
        try:
            if (size := (source / PLAYER_FILE).stat().st_size) > MAX_PLAYER_BYTES:
                raise SetupError(f"{PLAYER_FILE}: must have at most {MAX_PLAYER_BYTES:,} bytes, not {size:,}")
            file = TomlFile(Path(PLAYER_FILE), TomlFile(source / PLAYER_FILE).data)
        except SetupError as error:  # the message contains the file's path on the server
            raise SetupError([problem.removeprefix(f"{source}/") for problem in error.problems]) from None
        found = file.read(PlayerFile, list(file.data))
        if found is None or file.problems:
            raise SetupError([f"{PLAYER_FILE}: {problem}" for problem in file.problems])
    assert found is not None
    language = found.language or _language(source, found.main)
    if language not in allowed:
        raise SetupError(f"language: must be one of {', '.join(allowed)} in this class, not {language}")
    main = found.main or (_java_main(source) if language == "java" else MAINS[language])
    if language in STARTED and not found.main and not (source / main).is_file():
        scripts = sorted(source.glob(STARTED[language] or "-"))
        main = scripts[0].name if len(scripts) == 1 else main
    if language in STARTED and not (source / main).is_file():
        raise SetupError(f"main: must be one of the uploaded files, not {main!r}")
    return dataclasses.replace(found, language=language, main=main or None)


def _java_main(source: Path) -> str:
    """Return the class with the method ``main``, with its package.

    :raises SetupError: if there is none, or several and none of them is named ``Player``.
    """
    found = []
    for path in sorted(source.rglob("*.java")):
        text = JAVA_TEXT.sub(" ", path.read_text(encoding="utf-8", errors="replace"))
        package = re.search(r"\bpackage\s+([\w.]+)", text)
        depth, name = 0, ""
        for token in JAVA_TOKEN.finditer(text):
            depth += {"{": 1, "}": -1}.get(token[0], 0)
            if depth == 0 and token[1]:
                name = token[1]
            elif token[0].startswith("main") and name:
                found.append(f"{package[1]}.{name}" if package else name)
    players = [each for each in found if each.rpartition(".")[2] == "Player"] if len(found) > 1 else found
    if len(players) == 1:
        return players[0]
    how = f'for example the line main = "{found[0]}"' if found else "public static void main(String[] args)"
    there = f"{len(found)} classes have a method main: {', '.join(found)}; choose one in {PLAYER_FILE}, {how}"
    raise SetupError(f"main: {there if found else f'no class has the method {how}'}")


def missing_interpreter(program: Path) -> str:
    """Return why the interpreter in a program's first line cannot be started, or "" if it can, or there is none."""
    with program.open("rb") as file:
        line = file.readline(200)
    words = line[2:].decode("utf-8", "replace").split() if line.startswith(b"#!") else []
    if not words:
        return ""
    if line.endswith(b"\r\n"):
        wrong = "ends with CR LF, as on Windows, so that the system looks for an interpreter with a CR in its name"
        return f"{program.name}: the first line {wrong}; save the file with LF"
    name = words[1] if PurePosixPath(words[0]).name == "env" and len(words) > 1 else words[0]
    is_relative = "/" in name and not name.startswith("/")  # the sandbox rejects it
    if is_relative or ((name.startswith(SYSTEM) or "/" not in name) and shutil.which(name)):
        return ""
    return f"{program.name}: the interpreter in its first line, {printable(name, 80)}, does not exist here"


def shown_text(text: str, folder: Path) -> str:
    """Return a text for students: without the paths of the server, and with settings as :data:`PLAYER_FILE` has them.

    Paths in the sandbox's system folders stay. Of all others, those of a version's files become relative, and only the
    last part of the rest is left, after an ellipsis: a program may have named the path itself.
    """

    def shorten(found: re.Match[str]) -> str:
        path = found[0]
        if own := re.fullmatch(rf"{re.escape(str(folder))}/entries/\d+/(?:source|program)/(.+)", path):
            return own[1]
        is_of_class = path.startswith(f"{folder}/")
        return path if path.startswith(SYSTEM) and not is_of_class else f"\u2026/{path.rpartition('/')[2]}"

    return SETTING.sub(rf'write \1 = "\2" in {PLAYER_FILE}', PATH.sub(shorten, text))


def shown_to_students(value: Any, folder: Path) -> Any:
    """Return JSON data with :func:`shown_text` for each text."""
    if isinstance(value, str):
        return shown_text(value, folder)
    if isinstance(value, dict):
        return {key: shown_to_students(each, folder) for key, each in value.items()}
    return [shown_to_students(each, folder) for each in value] if isinstance(value, list | tuple) else value


def _language(source: Path, main: str | None) -> Language:
    """Return the language of the main file and the other source files."""
    endings = [Path(main).suffix] if main else []
    endings += sorted({path.suffix for path in source.rglob("*") if path.suffix in ENDINGS})
    if main and Path(main).suffix not in ENDINGS and (source / main).is_file():
        return "command"
    known = [ENDINGS[each] for each in endings if each in ENDINGS]
    if len(set(known)) != 1:
        there = " and ".join(dict.fromkeys(known)) or "an unknown language"
        raise SetupError(
            f"language: set it in {PLAYER_FILE} to one of {', '.join(ENDINGS.values())}; the files are in {there}"
        )
    return known[0]


def build_engine(settings: ClassSettings, player: PlayerFile, source: str) -> EngineConfig | None:
    """Return the compiler as a sandboxed engine whose output is the program, or None if no compiler is needed.

    :param source: the source folder, relative to the class folder.
    """
    if player.language not in SCRIPTS:
        return None
    binds: tuple[str, ...] = (source,)
    main = player.main or ""
    compilers = {
        "c": [settings.cc],
        "cpp": [settings.cxx],
        "java": [settings.javac, main],
        "rust": [settings.rustc, main],
        "go": [settings.go],
    }
    words = compilers[player.language]
    if player.language in ROOTS and (root := installed_in(words[0], *ROOTS[player.language])):
        binds += (root,)
        words[0] = f"{root}/{ROOTS[player.language][0]}"
    return EngineConfig(
        "compiler",
        ("/bin/sh", "-c", SCRIPTS[player.language], *words),
        cwd=source,
        sandbox=True,
        sandbox_bind=binds,
        memory=BUILD_MEMORY,
        cpu_seconds=2 * settings.build_seconds,
    )


def entry_engine(
    settings: ClassSettings, assignment: Assignment, player: PlayerFile, name: str, folder: str
) -> EngineConfig:
    """Return a program's engine configuration, sandboxed and with the assignment's limits.

    :param folder: the source or build folder, relative to the class folder, which is the working directory of the
        process that starts the program.
    :raises SetupError: listing all errors in its ``player.toml``.
    """
    main, heap = player.main or "", f"-Xmx{settings.memory * 5 // 8}m"
    commands: dict[str, list[str]] = {
        "python": [settings.python, main],
        "javascript": [settings.node, main],
        **{language: [f"{folder}/{COMPILED[language]}"] for language in ("c", "cpp", "rust", "go")},
        "java": [settings.java, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", heap, "-jar", COMPILED["java"]],
        "command": [f"{folder}/{main}"],
    }
    game_ms = assignment.limit.time_ms(GAME_MOVES)
    table: dict[str, object] = {
        "name": name,
        "command": [*commands[player.language or "python"], *player.arguments],
        "protocol": player.protocol,
        "limit": str(assignment.limit),
        "start_timeout_ms": START_MS,
        "stall_timeout_ms": STALL_MS,
        "cwd": folder,
        "memory": settings.memory,
        "cpu_seconds": settings.check_seconds
        if assignment.tasks
        else round(game_ms * 1.2 / 1000) + 5
        if game_ms
        else UNLIMITED_CPU_SECONDS,
        "sandbox": True,
    }
    if player.language == "python":
        folders = [HIDING, *([PACKAGES] if settings.packages else [])]
        table |= {"sandbox_bind": folders, "env": {"PYTHONPATH": ":".join(f"../../../{each}" for each in folders)}}
    told = {name: getattr(player, name) for name in ("coordinates", "unit", "line", "openings")}
    if player.protocol == "project" and player.line != "none":
        told["openings"] = player.openings or settings.openings
    config, mistakes = read_table({**table, **{key: value for key, value in told.items() if value is not None}}, {})
    if config is None or mistakes:
        raise SetupError([f"{PLAYER_FILE}: {spell_problem(path, text)}" for path, text in mistakes])
    return config


def missing_program(settings: ClassSettings, language: str) -> str:
    """Return a program that a language needs but this machine lacks, or "" if it lacks none."""
    needs = {
        "rust": [settings.rustc],
        "go": [settings.go],
        "javascript": [settings.node],
        "python": [settings.python],
        "c": [settings.cc],
        "cpp": [settings.cxx],
        "java": [settings.javac, settings.java],
    }
    missing = next((word for word in needs.get(language, ()) if shutil.which(word) is None), "")
    if missing or language not in ROOTS or installed_in(needs[language][0], *ROOTS[language]):
        return missing
    return " ".join([*needs[language], *ROOTS[language][1:]])


@cache
def installed_in(compiler: str, program: str, *question: str) -> str:
    """Return the folder in which a compiler is installed, or "" if it cannot be determined.

    The program in ``PATH`` may be a wrapper, so the sandbox needs access to the real compiler.

    :param program, question: see :data:`ROOTS`.
    """
    with suppress(OSError, subprocess.SubprocessError):
        command = [compiler, *question]
        run = subprocess.run(command, capture_output=True, text=True, cwd="/", timeout=TOOL_SECONDS, check=True)
        root = run.stdout.strip()
        return root if (Path(root) / program).is_file() else ""
    return ""


def hide_other_packages(folder: Path) -> None:
    """Write into a class folder the module that hides all packages but the allowed ones."""
    (folder / HIDING).mkdir(mode=0o755, exist_ok=True)
    for source in (Path(__file__).parent / "data" / HIDING).glob("*.py"):
        shutil.copyfile(source, folder / HIDING / source.name)
        (folder / HIDING / source.name).chmod(0o644)


def install_packages(folder: Path, settings: ClassSettings, options: Sequence[str]) -> None:
    """Install the packages that Python programs may use into a class folder, replacing earlier ones.

    Only wheels are installed, since building a package would run its code outside the sandbox.

    :param options: extra arguments for pip.
    :raises SetupError: if class.toml lists no packages, or pip fails.
    """
    if not settings.packages:
        raise SetupError("packages: class.toml must list the packages to install")
    new, old = folder / f"{PACKAGES}.new", folder / f"{PACKAGES}.old"
    for each in (new, old):
        shutil.rmtree(each, ignore_errors=True)
    python = shutil.which(settings.python) or settings.python
    words = ["pip", "--python", python, "install", "--only-binary", ":all:", "--target", str(new), "--quiet"]
    done = subprocess.run([sys.executable, "-m", *words, *options, *settings.packages], check=False)
    if done.returncode or not new.is_dir():
        shutil.rmtree(new, ignore_errors=True)
        raise SetupError(f"packages: pip failed with status {done.returncode}; nothing has changed")
    for each in (new, *new.rglob("*")):  # with a strict umask, pip's files are not readable in the sandbox
        each.chmod(each.stat().st_mode | (0o755 if each.is_dir() else 0o444))
    if (folder / PACKAGES).exists():
        (folder / PACKAGES).rename(old)
    new.rename(folder / PACKAGES)
    shutil.rmtree(old, ignore_errors=True)
