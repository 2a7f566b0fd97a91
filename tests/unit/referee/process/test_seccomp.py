"""What the filter of a sandbox answers to system calls, by a small interpreter of its instructions."""

from __future__ import annotations

import errno
import struct

import pytest

from quietmove.referee.process import seccomp

X86_64, I386, AARCH64 = seccomp.ARCHITECTURES
READ = (0, 3, 63)
FORK = 0x01200011  # CLONE_CHILD_CLEARTID, CLONE_CHILD_SETTID and SIGCHLD, as the C library calls clone


def answer(machine: str, architecture: int, number: int, argument: int = 0) -> int:
    program = seccomp.program(machine)
    call = struct.pack("=IIQQ", number, architecture, 0, argument)
    lines = [struct.unpack_from("=HBBI", program, offset) for offset in range(0, len(program), 8)]
    at = loaded = 0
    while True:
        operation, jump_if, jump_if_not, value = lines[at]
        at += 1
        match operation:
            case seccomp.LOAD:
                (loaded,) = struct.unpack_from("=I", call, value)
            case seccomp.RETURN:
                return value
            case seccomp.EQUAL:
                at += jump_if if loaded == value else jump_if_not
            case seccomp.AT_LEAST:
                at += jump_if if loaded >= value else jump_if_not
            case seccomp.ANY_BIT:
                at += jump_if if loaded & value else jump_if_not


@pytest.mark.parametrize(
    ("machine", "column"), [("x86_64", 0), ("x86_64", 1), ("aarch64", 2)], ids=["x86-64", "i386", "AArch64"]
)
def test_calls_that_go_around_a_sandbox_are_refused_and_no_others(machine: str, column: int) -> None:
    architecture, refused = seccomp.ARCHITECTURES[column], seccomp.REFUSE | errno.ENOSYS
    numbers = {each[column] for each in seccomp.REFUSED.values()} - {None}
    found = {number for number in range(500) if answer(machine, architecture, number) == refused}
    assert found == numbers
    assert all(answer(machine, architecture, number) == seccomp.ALLOW for number in set(range(500)) - numbers)
    clone = seccomp.CLONE[column]
    assert answer(machine, architecture, clone, FORK) == seccomp.ALLOW
    assert answer(machine, architecture, clone, FORK | seccomp.CLONE_NEWUSER) == refused
    assert answer(machine, architecture, seccomp.X32 | READ[column]) == refused


def test_calls_of_another_architecture_end_the_process() -> None:
    assert answer("x86_64", AARCH64, 63) == answer("aarch64", I386, 3) == answer("aarch64", X86_64, 0) == seccomp.KILL


def test_where_the_numbers_are_not_known_there_is_no_filter() -> None:
    assert seccomp.program("riscv64") == b""
