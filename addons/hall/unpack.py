"""What a person hands in, as files of a folder: one file, or a zip, of which nothing is believed."""

from __future__ import annotations

import errno
import os
import re
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from quietmove.engine.common.text import printable
from quietmove.referee.errors import SetupError

MOST_FILES = 200
MOST_BYTES = 8 << 20  # bytes of all files together
LONGEST_NAME = 100  # letters of a name with its folders
MOST_FOLDERS = 5
PART = re.compile(r"(?!-)(?!\.+$)[\w. -]+")
SINGLE = {".py": "player.py", ".c": "player.c", ".java": "Player.java"}  # the name of a file that comes alone
IGNORED = ("__MACOSX", ".DS_Store")  # a Mac adds these to a zip
CHUNK = 1 << 16
# The errors of zipfile for damaged files; an IndexError is one of an empty name.
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, IndexError, OverflowError, RuntimeError, ValueError)


def unpack(upload: IO[bytes], name: str, target: Path) -> None:
    """Write what was handed in into a new folder.

    :param name: what the file is called, whose ending says what it is; it is not used as a path.
    :raises SetupError: if anything about it is not allowed; the whole upload is refused then.
    """
    target.mkdir(mode=0o700)
    ending = PurePosixPath(name.strip().lower().replace("\\", "/")).suffix
    if ending in SINGLE:
        _write(target / SINGLE[ending], iter(lambda: upload.read(CHUNK), b""), MOST_BYTES)
    elif ending == ".zip":
        try:
            with zipfile.ZipFile(upload) as archive:
                _unpack_zip(archive, target)
        except (*DAMAGE, OSError) as error:
            if isinstance(error, OSError) and error.errno != errno.EINVAL:  # it points before the file's beginning
                raise
            raise SetupError(
                f"file: must be a zip that can be read, not one with {printable(str(error), 100)!r}"
            ) from None
    else:
        allowed = f"must end in {', '.join(SINGLE)} or .zip"
        raise SetupError(f"file: {allowed}, not {printable(name, 60)!r}")
    for path in (target, *(each for each in target.rglob("*") if each.is_dir())):
        path.chmod(0o755)
    _sync(target)


def _unpack_zip(archive: zipfile.ZipFile, target: Path) -> None:
    members = [each for each in archive.infolist() if not set(IGNORED) & set(each.filename.split("/"))]
    if len(members) > MOST_FILES:
        raise SetupError(f"file: must have at most {MOST_FILES} files, not {len(members):,}")
    if not (files := [each for each in members if not each.is_dir()]):
        raise SetupError("file: must be a zip with a file in it")
    parts = {each.filename: _parts(each) for each in members}
    tops = {names[0] for names in parts.values()}
    if len(tops) == 1 and all(len(parts[each.filename]) > 1 for each in files):  # a folder was packed with its files
        parts = {name: found[1:] for name, found in parts.items()}
    left, seen = MOST_BYTES, set[str]()
    for each in files:
        path = "/".join(parts[each.filename])
        if (alike := unicodedata.normalize("NFKC", path).casefold()) in seen:
            raise SetupError(f"file: must have no two files that are called alike, not {printable(path)!r}")
        seen.add(alike)
        place = target.joinpath(*parts[each.filename])
        try:
            place.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            with archive.open(each) as source:
                left -= _write(place, iter(lambda source=source: source.read(CHUNK), b""), left)  # type: ignore[misc]
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            raise SetupError(f"file: must have no file that is a folder too, not {printable(path)!r}") from None


def _parts(member: zipfile.ZipInfo) -> list[str]:
    """Return the folders and the name of a file in a zip.

    :raises SetupError: if it may not be called so, or is no plain file.
    """
    name, shown = member.filename, printable(member.filename, 120)
    parts = name.removesuffix("/").split("/")
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise SetupError(f"file: must have plain files alone, not {shown!r}, a link or a device")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # zipfile's memory is bounded for these two alone; 4 kB of bzip2 can be 5 GB
        raise SetupError(f"file: must be packed by deflate, as zips usually are, not as {shown!r} is")
    if member.flag_bits & 1:
        raise SetupError(f"file: must not be encrypted, as {shown!r} is")
    if len(name) > LONGEST_NAME or len(parts) > MOST_FOLDERS or not all(map(PART.fullmatch, parts)):
        allowed = (
            f"must be of letters, digits, '_', '-', '.' and blanks, {LONGEST_NAME} at most in {MOST_FOLDERS} folders"
        )
        raise SetupError(f"file: names in a zip: {allowed}, not {shown!r}")
    return parts


def _write(path: Path, chunks: Iterator[bytes], most: int) -> int:
    """Write a new file, and return how many bytes it has.

    :raises SetupError: if it would have more than ``most``.
    """
    written = 0
    with path.open("xb") as file:
        path.chmod(0o644)
        for chunk in chunks:
            written += len(chunk)
            if written > most:
                raise SetupError(f"file: must have at most {MOST_BYTES >> 20} MB when it is unpacked")
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    return written


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
