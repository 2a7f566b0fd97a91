"""Unpacks an upload, a single file or a zip, into a folder. Nothing in the upload is trusted."""

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
MOST_BYTES = 8 << 20  # size limit of all files together, in bytes
LONGEST_NAME = 100  # maximum length of a path in a zip
MOST_FOLDERS = 5
PART = re.compile(r"(?!-)(?!\.+$)[\w. -]+")
# The names under which single files are saved, by extension.
SINGLE = {
    ".py": "player.py",
    ".c": "player.c",
    ".cpp": "player.cpp",
    ".cc": "player.cc",
    ".cxx": "player.cxx",
    ".java": "Player.java",  # or the name of its public class, which Java requires
    ".rs": "main.rs",
    ".js": "player.js",
    ".go": "player.go",
}
PUBLIC = re.compile(rb"^[ \t]*public\s+(?:(?:abstract|final|sealed)\s+)*(?:class|enum|interface|record)\s+(\w+)", re.M)
IGNORED = ("__MACOSX", ".DS_Store")  # a Mac adds these to a zip
CHUNK = 1 << 16
# Errors that zipfile raises for damaged files; an empty name causes an IndexError.
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, IndexError, OverflowError, RuntimeError, ValueError)


def unpack(upload: IO[bytes], name: str, target: Path) -> None:
    """Write an upload to a new folder.

    :param name: the uploaded file's name, whose extension determines its type; it is not used as a path.
    :raises SetupError: if anything in it is not allowed; the whole upload is rejected.
    """
    target.mkdir(mode=0o700)
    ending = PurePosixPath(name.strip().lower().replace("\\", "/")).suffix
    if ending in SINGLE:
        file = target / SINGLE[ending]
        _write(file, iter(lambda: upload.read(CHUNK), b""), MOST_BYTES)
        if ending == ".java" and (public := PUBLIC.search(file.read_bytes())):
            file.rename(target / f"{public[1].decode()[:LONGEST_NAME]}.java")
    elif ending == ".zip":
        try:
            with zipfile.ZipFile(upload) as archive:
                _unpack_zip(archive, target)
        except (*DAMAGE, OSError) as error:
            if isinstance(error, OSError) and error.errno != errno.EINVAL:  # EINVAL: an offset before the start
                raise
            raise SetupError(f"file: the zip is damaged: {printable(str(error), 100)}") from None
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
        raise SetupError("file: the zip contains no files")
    parts = {each.filename: _parts(each) for each in members}
    tops = {names[0] for names in parts.values()}
    if len(tops) == 1 and all(len(parts[each.filename]) > 1 for each in files):  # the zip contains a single folder
        parts = {name: found[1:] for name, found in parts.items()}
    left = MOST_BYTES
    seen = set[str]()
    for each in files:
        path = "/".join(parts[each.filename])
        if (alike := unicodedata.normalize("NFKC", path).casefold()) in seen:
            raise SetupError(f"file: must not have two files with similar names, such as {printable(path)!r}")
        seen.add(alike)
        place = target.joinpath(*parts[each.filename])
        try:
            place.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            with archive.open(each) as source:
                left -= _write(place, iter(lambda source=source: source.read(CHUNK), b""), left)  # type: ignore[misc]
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            raise SetupError(f"file: must not use one name for a file and a folder: {printable(path)!r}") from None


def _parts(member: zipfile.ZipInfo) -> list[str]:
    """Return the folders and name of a zip member, as a list.

    :raises SetupError: if the member's name, type, compression or encryption is not allowed.
    """
    name = member.filename
    shown = printable(member.filename, 120)
    parts = name.removesuffix("/").split("/")
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise SetupError(f"file: must contain only regular files, but {shown!r} is a link or device")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # zipfile bounds its memory only for these two; 4 kB of bzip2 can expand to 5 GB
        raise SetupError(f"file: must use deflate, as zips usually do; {shown!r} does not")
    if member.flag_bits & 1:
        raise SetupError(f"file: must not be encrypted, as {shown!r} is")
    if len(name) > LONGEST_NAME or len(parts) > MOST_FOLDERS or not all(map(PART.fullmatch, parts)):
        raise SetupError(
            f"file: {shown!r}: a path in a zip can have at most {LONGEST_NAME} characters and {MOST_FOLDERS} levels; "
            "each name in it must consist of letters, digits, '_', '-', '.' and spaces, not start with '-', and not be "
            "only dots"
        )
    return parts


def _write(path: Path, chunks: Iterator[bytes], most: int) -> int:
    """Write a new file, and return its size in bytes.

    :raises SetupError: if it would exceed ``most``.
    """
    written = 0
    with path.open("xb") as file:
        path.chmod(0o644)
        for chunk in chunks:
            written += len(chunk)
            if written > most:
                raise SetupError(f"file: must be at most {MOST_BYTES >> 20} MB unpacked")
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
