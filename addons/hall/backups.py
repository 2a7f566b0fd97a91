"""Backups of a class: the class folder is saved to one file, even while it is served, and restored anywhere."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import tarfile
import tempfile
from contextlib import closing, suppress
from pathlib import Path

from quietmove.addons.hall.settings import CLASS_FILE
from quietmove.addons.web.database import HALL_FILE, open_hall
from quietmove.engine.common.text import explain, printable
from quietmove.referee.errors import SetupError
from quietmove.tournament.store.database import connect

STORE = r"(hall|(ladder|final)(-\d+)?)\.sqlite"
COPIES = ".backup-"  # prefix of the folder in which the databases are copied
# files left out: the server recreates some, and the databases are copied separately
LEFT_OUT = re.compile(
    rf"({STORE}.*|hall\.lock|incoming|cores|anchor\.py|packages\..*|{re.escape(COPIES)}.*)(/|$)", re.ASCII
)


def back_up(folder: Path, file: Path) -> None:
    """Save a class to a new file, a compressed tar archive. The class can stay in use.

    The backup also contains installed packages and the teacher's own files in the folder, such as an evaluator. Each
    database is copied in one read transaction. ``hall.sqlite`` is copied last, so it contains every version that plays
    in a store.

    :raises SetupError: if the folder is not a class, or the file exists, is in the folder, or cannot be written.
    """
    if not (folder / HALL_FILE).is_file():
        raise SetupError(f"{folder}: is not a class folder: it has no {HALL_FILE}")
    stores = sorted(path.name for path in folder.glob("*.sqlite") if re.fullmatch(STORE, path.name))
    stores.sort(key=HALL_FILE.__eq__)
    part = file.with_name(f"{file.name}.part")
    try:
        if file.exists():
            raise SetupError(f"{file}: already exists; name a new file")
        if file.resolve().is_relative_to(folder.resolve()):
            raise SetupError(f"{file}: must be outside the class folder, since a backup contains the whole folder")
        with (
            tempfile.TemporaryDirectory(dir=folder, prefix=COPIES) as copies,
            open(part, "wb", opener=_private) as output,
        ):
            for name in stores:
                opened = open_hall(folder) if name == HALL_FILE else connect(folder / name, "mode=ro", ())
                with closing(opened) as connection:
                    connection.execute("VACUUM INTO ?", (str(Path(copies, name)),))
            with tarfile.open(fileobj=output, mode="w:gz", dereference=True) as archive:
                for name in stores:
                    archive.add(Path(copies, name), name)
                for path in sorted(folder.rglob("*")):
                    name = str(path.relative_to(folder))
                    if not LEFT_OUT.match(name) and (path.is_file() or path.is_dir()):
                        with suppress(FileNotFoundError):  # a check may replace files in the meantime
                            archive.add(path, name, recursive=False)
            output.flush()
            os.fsync(output.fileno())
        part.rename(file)
    except (OSError, sqlite3.Error) as error:
        raise SetupError(f"{file}: {explain(error) if isinstance(error, OSError) else error}") from None
    finally:
        part.unlink(missing_ok=True)


def restore(file: Path, folder: Path) -> None:
    """Create a class folder from a backup made by :func:`back_up`.

    :raises SetupError: if the folder exists, or the file is not a backup of a class; no folder is created.
    """
    try:
        if folder.exists():
            raise SetupError(f"{folder}: already exists; name a new folder")
        new = folder.with_name(f"{folder.name}.part")
        new.mkdir(mode=0o700)
    except OSError as error:
        raise SetupError(explain(error)) from None
    try:
        with tarfile.open(file, "r:gz") as archive:
            names = set[str]()
            for member in archive:
                _unpack(archive, member, new, file)
                names.add(member.name)
        if missing := {CLASS_FILE, HALL_FILE} - names:
            raise SetupError(f"{file}: must contain {' and '.join(sorted(missing))}")
        new.rename(folder)
    except (OSError, tarfile.TarError, EOFError) as error:
        why = explain(error) if isinstance(error, OSError) and error.strerror else f"not a backup of a class: {error}"
        raise SetupError(f"{file}: {printable(why)}") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _unpack(archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path, file: Path) -> None:
    """Write a member of the backup ``file`` below ``folder``.

    Python before 3.11.4 has no extraction filters, so names and modes are checked here.
    """
    path = folder / member.name
    content = archive.extractfile(member) if member.isfile() else None
    if not (content or member.isdir()) or not path.resolve().is_relative_to(folder.resolve()):
        raise SetupError(f"{file}: must contain only files and folders of the class, not {printable(member.name, 80)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    if content:
        with path.open("xb") as copy:
            shutil.copyfileobj(content, copy)
    else:
        path.mkdir(exist_ok=True)
    path.chmod(member.mode & 0o755 | (0o600 if content else 0o700))


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
