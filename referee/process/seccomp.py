"""The system calls that an engine in a sandbox may not make, as a program for the kernel (``man 2 seccomp``).

What is refused is what would go around the sandbox: memory that belongs to no process and is not counted, namespaces in
which the engine had rights again, and parts of the kernel that no engine needs and in which faults are often found. The
numbers of the calls are the kernel's: ``arch/x86/entry/syscalls`` and ``include/uapi/asm-generic/unistd.h``.
"""

from __future__ import annotations

import errno
import platform
import struct

__all__ = ["REFUSED", "program"]

# Of each call its number on x86-64, i386 and AArch64; None where there is none.
REFUSED: dict[str, tuple[int | None, int | None, int | None]] = {
    "memfd_create": (319, 356, 279),  # from here on memory of no process
    "memfd_secret": (447, 447, 447),
    "shmget": (29, 395, 194),
    "ipc": (None, 117, None),  # the older way to shmget
    "unshare": (272, 310, 97),  # namespaces
    "clone3": (435, 435, 435),  # the C library goes on with clone, whose flags are looked at
    "add_key": (248, 286, 217),  # from here on parts of the kernel
    "bpf": (321, 357, 280),
    "io_uring_setup": (425, 425, 425),
    "keyctl": (250, 288, 219),
    "perf_event_open": (298, 336, 241),
    "request_key": (249, 287, 218),
    "userfaultfd": (323, 374, 282),
}
CLONE = (56, 120, 220)
ARCHITECTURES = (0xC000003E, 0x40000003, 0xC00000B7)  # linux/audit.h
MACHINES = {"x86_64": (0, 1), "aarch64": (2,)}  # whose calls the programs of a machine may make
X32 = 0x40000000  # calls of x86_64 with this bit are those of another table
CLONE_NEWUSER = 0x10000000

# Offsets in struct seccomp_data, operations of the classic packet filter, and answers (linux/seccomp.h, filter.h).
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000


def program(machine: str = "") -> bytes:
    """Return the filter for a machine, by default this one; empty where the numbers of its calls are not known here.

    A refused call fails with ``ENOSYS``, as on a kernel without it. Calls of another architecture end the process.
    """
    columns = MACHINES.get(machine or platform.machine(), ())
    if not columns:
        return b""
    lines = [_line(LOAD, ARCHITECTURE)]
    for column in columns:
        block = _block(column)
        lines += [_line(EQUAL, ARCHITECTURES[column], 0, len(block)), *block]
    return b"".join([*lines, _line(RETURN, KILL)])


def _block(column: int) -> list[bytes]:
    """Return the lines for one architecture; they end with an answer whatever the call."""
    refuse = _line(RETURN, REFUSE | errno.ENOSYS)
    lines = [_line(LOAD, NUMBER), _line(AT_LEAST, X32, 0, 1), refuse]
    for number in (numbers[column] for numbers in REFUSED.values()):
        if number is not None:
            lines += [_line(EQUAL, number, 0, 1), refuse]
    lines += [_line(EQUAL, CLONE[column], 0, 3), _line(LOAD, FIRST_ARGUMENT), _line(ANY_BIT, CLONE_NEWUSER, 0, 1)]
    return [*lines, refuse, _line(RETURN, ALLOW)]


def _line(operation: int, value: int, jump_if: int = 0, jump_if_not: int = 0) -> bytes:
    """Return one instruction; a jump skips so many of the next."""
    return struct.pack("=HBBI", operation, jump_if, jump_if_not, value)
