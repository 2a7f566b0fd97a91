"""What the filter of a sandbox answers to system calls that a process makes, here without the rest of a sandbox."""

from __future__ import annotations

import errno
import socket
import subprocess
import sys

import pytest

from quietmove.referee.process import sandbox

SCRIPT = """
import ctypes, os, sys
from pathlib import Path
from quietmove.referee.process.sandbox import filter_file

class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("lines", ctypes.c_char_p)]

library = ctypes.CDLL(None, use_errno=True)
lines = Path(filter_file()).read_bytes()
assert library.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
assert library.prctl(22, 2, ctypes.byref(Program(len(lines) // 8, lines)), 0, 0) == 0  # PR_SET_SECCOMP
words = sys.argv[2:]
print(getattr(library, sys.argv[1])(*(int(w) if w.isdigit() else w.encode() for w in words)) < 0 and ctypes.get_errno())
"""
NEW_USER = 0x10000000  # linux/sched.h: CLONE_NEWUSER
needs_a_sandbox = pytest.mark.skipif(bool(sandbox.refusal()), reason=sandbox.refusal())


@needs_a_sandbox
@pytest.mark.parametrize(
    ("call", "is_refused"),
    [
        (("memfd_create", "hidden", 0), True),
        (("shmget", 0, 4096, 0o1600), True),
        (("msgget", 0, 0o1600), True),
        (("semget", 0, 1, 0o1600), True),
        (("unshare", NEW_USER), True),
        (("socket", socket.AF_PACKET, socket.SOCK_RAW, 0), True),
        (("socket", 40, socket.SOCK_STREAM, 0), True),  # AF_VSOCK, which reaches the host of a virtual machine
        (("socket", 38, socket.SOCK_SEQPACKET, 0), True),  # AF_ALG, the kernel's ciphers
        (("socket", socket.AF_UNIX, socket.SOCK_STREAM, 0), False),
        (("socket", socket.AF_INET6, socket.SOCK_STREAM, 0), False),
        (("dup", 1), False),
    ],
)
def test_calls_that_go_around_a_sandbox_are_refused_and_no_others(
    call: tuple[str | int, ...], is_refused: bool
) -> None:
    run = subprocess.run([sys.executable, "-c", SCRIPT, *map(str, call)], capture_output=True, text=True, timeout=120)
    assert run.stderr == ""
    assert (run.stdout.strip() == str(errno.ENOSYS)) is is_refused
