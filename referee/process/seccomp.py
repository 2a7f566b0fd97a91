"""The system calls that an engine in a sandbox may not make, as a program for the kernel (``man 2 seccomp``).

What is refused is what would go around the sandbox: memory that is counted for no process, namespaces in which the
engine had rights again, and parts of the kernel that no engine needs and in which faults are often found. A refused
call fails with ``ENOSYS``, as on a kernel without it; a call of another architecture ends its thread.
"""

from __future__ import annotations

import errno
import functools
import platform
import socket
import tempfile

__all__ = ["filter_program"]

REFUSED = (
    *("memfd_create", "memfd_secret", "shmget"),  # these calls make memory that is counted for no process
    *("unshare", "clone3"),  # these make namespaces; the C library goes on with clone, whose flags are looked at
    *("add_key", "bpf", "io_uring_setup", "keyctl", "perf_event_open", "request_key", "userfaultfd"),
)
CLONE_NEWUSER = 0x10000000  # linux/sched.h: the flag of clone that makes a user namespace
SOCKETS = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)  # the families of sockets it may open


@functools.cache
def filter_program() -> bytes:
    """Return the program, as bubblewrap reads it.

    :raises RuntimeError: if there is no libseccomp.
    """
    import pyseccomp  # here, since it runs ldconfig to find its library

    calls = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    if platform.machine() == "x86_64":
        calls.add_arch(pyseccomp.Arch.X86)  # programs of 32 bits run too
    refuse = pyseccomp.ERRNO(errno.ENOSYS)
    for name in REFUSED:
        calls.add_rule(refuse, name)
    calls.add_rule(refuse, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER))
    calls.add_rule(refuse, "socket", pyseccomp.Arg(0, pyseccomp.GT, max(SOCKETS)))
    for family in set(range(max(SOCKETS))) - set(SOCKETS):
        calls.add_rule(refuse, "socket", pyseccomp.Arg(0, pyseccomp.EQ, family))
    with tempfile.TemporaryFile() as file:
        calls.export_bpf(file)
        file.seek(0)
        return file.read()
