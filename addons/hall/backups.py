"""Back up a class folder to one file, even while the server runs, and restore it anywhere.

A backup is a compressed tar archive. Its last file, :data:`MANIFEST`, contains the SHA-256 sums of all other files.
"""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import json
import os
import re
import shutil
import sqlite3
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import IO

from quietmove.addons.hall.settings import CLASS_FILE
from quietmove.addons.web.database import HALL_FILE, open_hall
from quietmove.engine.common.text import explain, printable
from quietmove.engine.common.untrusted import parse_json
from quietmove.engine.files import open_regular, written_whole
from quietmove.referee.errors import SetupError
from quietmove.tournament.store.database import connect

STORE = r"(hall|(ladder|final)(-\d+)?)\.sqlite"
MANIFEST = "backup-sums.json"  # a JSON object: the SHA-256 sum of each file, by name
COPIES = ".backup-"  # prefix of the folder in which the databases are copied
# files left out: the server recreates some, and the databases are copied separately
LEFT_OUT = re.compile(
    rf"({STORE}.*|hall\.lock|incoming|cores|anchor\.py|packages\..*|{MANIFEST}|{re.escape(COPIES)}.*)(/|$)", re.ASCII
)
MAX_READ = 1 << 26  # maximum size of the manifest or a tar header, bytes
MAX_LEVELS = 100  # maximum number of parts of a path
DAMAGE = (OSError, tarfile.TarError, zlib.error, EOFError, ValueError, OverflowError, RecursionError)
ENTRY_BYTES = 4096  # disk space of a file or folder, in addition to its content


def back_up(folder: Path, file: Path) -> None:
    """Save a class to a new file. The class can stay in use.

    The backup also contains installed packages and the teacher's own files in the folder, such as an evaluator. Each
    database is copied in one read transaction. ``hall.sqlite`` is copied last, so it contains every version that plays
    in a store.

    :raises SetupError: if the folder is not a class, or the file exists, is in the folder, or cannot be written.
    """
    if not (folder / HALL_FILE).is_file():
        raise SetupError(f"{folder}: is not a class folder: it has no {HALL_FILE}")
    stores = sorted(path.name for path in folder.glob("*.sqlite") if re.fullmatch(STORE, path.name))
    stores.sort(key=HALL_FILE.__eq__)
    try:
        if os.path.lexists(file):
            raise SetupError(f"{file}: already exists; name a new file")
        if file.resolve().is_relative_to(folder.resolve()):
            raise SetupError(f"{file}: must be outside the class folder, since a backup contains the whole folder")
        with _copies(folder) as copies, written_whole([file], is_new=True, mode=0o600) as (output,):
            for name in stores:
                opened = open_hall(folder) if name == HALL_FILE else connect(folder / name, "mode=ro", ())
                with closing(opened) as connection:
                    connection.execute("VACUUM INTO ?", (str(copies / name),))
            with tarfile.open(fileobj=output, mode="w:gz", dereference=True) as archive:
                sums = {name: _add(archive, copies / name, name) for name in stores}
                for path in sorted(folder.rglob("*")):
                    name = str(path.relative_to(folder))
                    if LEFT_OUT.match(name):
                        continue
                    if is_saved(path):
                        with suppress(FileNotFoundError):  # a check may replace files in the meantime
                            sums[name] = _add(archive, path, name)
                data = json.dumps(sums).encode()
                info = tarfile.TarInfo(MANIFEST)
                info.size = len(data)
                archive.addfile(info, BytesIO(data))
            output.flush()
            os.fsync(output.fileno())
    except OSError as error:
        raise SetupError(f"{error.filename or file}: {error.strerror or error}") from None
    except sqlite3.Error as error:
        raise SetupError(f"{file}: {error}") from None


def is_saved(path: Path) -> bool:
    """Return whether to copy a path with its class: files and folders, but no pipes, sockets or broken links.

    :raises SetupError: if it is a link to a folder.
    """
    if path.is_symlink() and path.is_dir():
        wrong = "is a link to a folder, whose files would be missing; copy the folder here instead"
        raise SetupError(f"{path}: {wrong}")
    return path.is_file() or path.is_dir()


@contextmanager
def _copies(folder: Path) -> Iterator[Path]:
    """Create a temporary folder in a class for the block. Remove those that killed backups have left."""
    for path in folder.glob(f"{COPIES}*"):
        with suppress(OSError), _in_use(path):  # fails if another backup uses it
            shutil.rmtree(path)
    with tempfile.TemporaryDirectory(dir=folder, prefix=COPIES) as name, _in_use(Path(name)):
        yield Path(name)


@contextmanager
def _in_use(folder: Path) -> Iterator[None]:
    """Mark a folder as in use by this process.

    :raises OSError: if another process is using it, or it is not a folder.
    """
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(lock)


class _Summed:
    """A file to read, with the SHA-256 sum of what was read so far."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.sum = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.sum.update(data)
        return data


def _add(archive: tarfile.TarFile, path: Path, name: str) -> str:
    """Add a file or folder to a backup. Return the file's SHA-256 sum, or "" for a folder."""
    if path.is_dir():
        archive.add(path, name, recursive=False)
        return ""
    with open_regular(path) as file:
        content = _Summed(file)
        archive.addfile(archive.gettarinfo(arcname=name, fileobj=file), content)
    return content.sum.hexdigest()


@contextmanager
def created_folder(folder: Path) -> Iterator[Path]:
    """Create a folder that only this user can read. It has a temporary name in the block; an error removes it.

    :raises SetupError: if it exists or cannot be created.
    """
    try:
        if os.path.lexists(folder):
            raise SetupError(f"{folder}: already exists; name a new folder")
        new = folder.with_name(f"{folder.name}.part")
        new.mkdir(mode=0o700)
    except FileExistsError:
        wrong = "already exists: another command is writing it, or was killed; remove it, or name another folder"
        raise SetupError(f"{new}: {wrong}") from None
    except OSError as error:
        raise SetupError(explain(error)) from None
    try:
        yield new
        new.rename(folder)
    except OSError as error:  # an error about a full disk names no file
        raise SetupError(f"{error.filename or folder}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)


class _Unpacked(gzip.GzipFile):
    """The tar archive in a backup. Its size is limited, and so is the size of a header, which is read into memory."""

    def __init__(self, file: IO[bytes], max_bytes: int) -> None:
        super().__init__(fileobj=file, mode="rb")
        self.max_bytes = max_bytes

    def read(self, size: int | None = -1) -> bytes:
        if size is None or not 0 <= size <= MAX_READ:
            raise tarfile.ReadError("a header is too large")
        self.require_room(self.tell())
        return super().read(size)

    def require_room(self, size: int) -> None:
        """Check that the class needs at most ``max_bytes``.

        :raises SetupError: if it needs more, or a size is negative.
        """
        if not 0 <= size <= self.max_bytes:
            limit = f"has more than {self.max_bytes // 10**6:,} MB when unpacked"
            raise SetupError(f"{limit}; if it is your own backup, set a higher --max-megabytes")


def restore(file: Path, folder: Path, max_megabytes: int) -> None:
    """Create a class folder from a backup made by :func:`back_up`.

    :param max_megabytes: maximum size of the unpacked backup. A small archive can contain gigabytes of zeros.
    :raises SetupError: if the folder exists, or the file is not a backup of a class, is damaged, or is too large; no
        folder is created.
    """
    with created_folder(folder) as new:
        try:
            with open_regular(file) as packed, _Unpacked(packed, max_megabytes * 10**6) as stream:
                found, listed = _unpack(stream, new)
        except SetupError as error:
            raise SetupError(f"{file}: {error}") from None
        except DAMAGE as error:
            if isinstance(error, OSError) and error.strerror:
                raise SetupError(f"{error.filename or folder}: {error.strerror}") from None
            raise SetupError(f"{file}: is not a backup of a class, or is damaged: {printable(str(error))}") from None
        if missing := {CLASS_FILE, HALL_FILE} - found.keys():
            raise SetupError(f"{file}: must contain {' and '.join(sorted(missing))}")
        for name in sorted({*found, *listed}):
            if found.get(name) != listed.get(name):
                raise SetupError(f"{file}: is damaged: {printable(name, 80)} differs from its sum in {MANIFEST}")


def _unpack(stream: _Unpacked, folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Write the members of a backup below ``folder``. Return their sums as unpacked, and as listed in the backup."""
    found: dict[str, str] = {}
    listed: dict[str, str] = {}
    with tarfile.TarFile(fileobj=stream) as archive:
        for member in archive:
            stream.require_room(member.size)
            stream.require_room(stream.tell() + ENTRY_BYTES * len(found))
            content = archive.extractfile(member) if member.isfile() and not member.sparse else None
            if content and member.name == MANIFEST:
                listed = parse_json(content.read(MAX_READ))
                if not isinstance(listed, dict):
                    raise ValueError(f"{MANIFEST} must be a JSON object")
            else:
                found[member.name] = _write(member, content, folder)
    while stream.read(1 << 16):  # the check of the whole archive is at its end
        pass
    return found, listed


def _write(member: tarfile.TarInfo, content: IO[bytes] | None, folder: Path) -> str:
    """Write a member of a backup below ``folder``, and return its sum; see :func:`_add`.

    Python before 3.11.4 has no extraction filters, so names and modes are checked here.

    :raises SetupError: if it is not a file or folder of a class.
    """
    path = folder / member.name
    is_inside = len(path.parts) <= MAX_LEVELS and path.resolve().is_relative_to(folder.resolve())
    if not (content or member.isdir()) or not is_inside:
        raise SetupError(f"must contain only files and folders of the class, not {printable(member.name, 80)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    copied = _Summed(content) if content else None
    if copied:
        with path.open("xb") as copy:
            shutil.copyfileobj(copied, copy)
    else:
        path.mkdir(exist_ok=True)
    path.chmod(member.mode & 0o755 | (0o600 if content else 0o700))
    return copied.sum.hexdigest() if copied else ""
