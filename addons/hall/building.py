"""From uploaded files to a player: ``player.toml``, compiling, and the command that starts the program.

Arguments supplied by a person cannot contain paths, neither ``/`` nor ``..``, since the sandbox gives an engine access
to every file named in its command.
"""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from quietmove.addons.check.examination import PROTOCOLS
from quietmove.addons.hall.settings import ClassSettings, Language
from quietmove.referee.config.engine_args import read_table
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.config.toml_file import TomlFile
from quietmove.referee.config.validation import Printable, model, spell_problem
from quietmove.referee.errors import SetupError

PLAYER_FILE = "player.toml"
MAX_PLAYER_BYTES = 4096
ENDINGS: dict[str, Language] = {".py": "python", ".c": "c", ".cpp": "cpp", ".java": "java"}
MAINS: dict[Language, str] = {"python": "player.py", "c": "", "cpp": "", "java": "Player", "command": "player"}
COMPILED = {"c": "player", "cpp": "player", "java": "player.jar"}  # the compiler's output file
BUILD_MEMORY = 1024  # compiler memory limit, MiB
MOST_PROGRAM_BYTES = 16 << 20  # size limit of a compiled program, bytes
GAME_MOVES = 60
START_MS = 10_000
STALL_MS = 30_000
UNLIMITED_CPU_SECONDS = 600

# The compilers work in the sandbox's memory, and write the compiled program to standard output.
COPY = "set -e; exec 3>&1 1>&2; cp -r . $HOME/build; cd $HOME/build; "
SCRIPTS = {
    "c": COPY + '"$0" -O2 -o $HOME/player *.c -lm; cat $HOME/player >&3',
    "cpp": COPY + '"$0" -O2 -o $HOME/player *.cpp; cat $HOME/player >&3',
    "java": COPY + 'mkdir $HOME/classes; find . -name "*.java" -exec "$0" -J-Xmx512m -d $HOME/classes {} +; '
    '"$(dirname "$(readlink -f "$(command -v "$0")")")/jar" --create --file $HOME/player.jar --main-class "$1" '
    "-C $HOME/classes .; cat $HOME/player.jar >&3",
}

Word = Annotated[Printable, Field(max_length=100, pattern=r"^[\w={}.,+-]+$")]


def _protocol(text: str) -> str:
    if text not in PROTOCOLS:
        raise ValueError(f"must be one of {', '.join(PROTOCOLS)}")
    return text


@model
class PlayerFile:
    """The settings a person may choose for a program; all others are the teacher's."""

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
            raise ValueError(f"must not contain '..', unlike {wrong[0]!r}")


def read_player(source: Path, allowed: tuple[Language, ...]) -> PlayerFile:
    """Return the player settings of a source folder, with language and main file filled in.

    :param allowed: the languages allowed in the class.
    :raises SetupError: listing everything that is wrong.
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
    main = found.main or MAINS[language]
    if language == "python" and not found.main and not (source / main).is_file():
        scripts = sorted(source.glob("*.py"))
        main = scripts[0].name if len(scripts) == 1 else main
    if language in ("python", "command") and not (source / main).is_file():
        raise SetupError(f"main: must be one of the uploaded files, not {main!r}")
    return dataclasses.replace(found, language=language, main=main or None)


def _language(source: Path, main: str | None) -> Language:
    """Return the main file's language, or the language of the other files."""
    endings = [Path(main).suffix] if main else []
    endings += sorted({path.suffix for path in source.rglob("*") if path.suffix in ENDINGS})
    if main and Path(main).suffix not in ENDINGS and (source / main).is_file():
        return "command"
    known = [ENDINGS[each] for each in endings if each in ENDINGS]
    if len(set(known)) != 1:
        there = " and ".join(dict.fromkeys(known)) or "none of them"
        raise SetupError(f"language: must be python, c, cpp or java, not {there}; set it in {PLAYER_FILE}")
    return known[0]


def build_engine(settings: ClassSettings, player: PlayerFile, source: str) -> EngineConfig | None:
    """Return the compiler as a sandboxed engine whose output is the program, or None if no compiler is needed.

    :param source: the source folder, relative to the class folder.
    """
    if player.language not in SCRIPTS:
        return None
    compilers = {"c": [settings.cc], "cpp": [settings.cxx], "java": [settings.javac, player.main or ""]}
    words = compilers[player.language]
    return EngineConfig(
        "compiler",
        ("/bin/sh", "-c", SCRIPTS[player.language], *words),
        cwd=source,
        sandbox=True,
        sandbox_bind=(source,),
        memory=BUILD_MEMORY,
        cpu_seconds=2 * settings.build_seconds,
    )


def entry_engine(settings: ClassSettings, player: PlayerFile, name: str, folder: str) -> EngineConfig:
    """Return the program as a player, sandboxed and with the limits of the class.

    :param folder: the source or build folder, relative to the class folder, which is the working directory of the
        process that starts the program.
    :raises SetupError: listing everything wrong in its ``player.toml``.
    """
    main, heap = player.main or "", f"-Xmx{settings.memory * 5 // 8}m"
    commands: dict[str, list[str]] = {
        "python": [settings.python, main],
        "c": [f"{folder}/{COMPILED['c']}"],
        "cpp": [f"{folder}/{COMPILED['cpp']}"],
        "java": [settings.java, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", heap, "-jar", COMPILED["java"]],
        "command": [f"{folder}/{main}"],
    }
    game_ms = settings.limit.time_ms(GAME_MOVES)
    table: dict[str, object] = {
        "name": name,
        "command": [*commands[player.language or "python"], *player.arguments],
        "protocol": player.protocol,
        "limit": str(settings.limit),
        "start_timeout_ms": START_MS,
        "stall_timeout_ms": STALL_MS,
        "cwd": folder,
        "memory": settings.memory,
        "cpu_seconds": round(game_ms * 1.2 / 1000) + 5 if game_ms else UNLIMITED_CPU_SECONDS,
        "sandbox": True,
    }
    told = {name: getattr(player, name) for name in ("coordinates", "unit", "line", "openings")}
    if player.protocol == "project" and player.line != "none":
        told["openings"] = player.openings or settings.openings
    config, mistakes = read_table({**table, **{key: value for key, value in told.items() if value is not None}}, {})
    if config is None or mistakes:
        raise SetupError([f"{PLAYER_FILE}: {spell_problem(path, text)}" for path, text in mistakes])
    return config


def missing_program(settings: ClassSettings, language: str) -> str:
    """Return a program that a language needs but this machine lacks, or ""."""
    needs = {
        "python": [settings.python],
        "c": [settings.cc],
        "cpp": [settings.cxx],
        "java": [settings.javac, settings.java],
    }
    return next((word for word in needs.get(language, ()) if shutil.which(word) is None), "")
