# Runs a program with the restrictions of a systemd unit that the kernel enforces by seccomp:
# sandbox.py UNIT PROGRAM ARGUMENT...
import errno
import os
import socket
import subprocess
import sys

import seccomp


def settings(unit, name):
    """The words of each line that sets the name."""
    with open(unit) as lines:
        return [line.split("=", 1)[1].split() for line in lines if line.startswith(name + "=")]


def system_calls(group):
    """The system calls of a group, such as @system-service, and of the groups in it."""
    shown = subprocess.run(
        ["systemd-analyze", "syscall-filter", "--no-pager", group], check=True, capture_output=True, text=True
    )
    names = [line.strip() for line in shown.stdout.splitlines()][1:]
    calls = set()
    for name in names:
        if name.startswith("@"):
            calls |= system_calls(name)
        elif name and not name.startswith("#"):
            calls.add(name)
    return calls


unit, *command = sys.argv[1:]
# Which systemd always allows.
allowed = system_calls("@default")
for groups in settings(unit, "SystemCallFilter"):
    is_denied = groups[0].startswith("~")
    for group in groups:
        calls = system_calls(group.lstrip("~"))
        allowed = allowed - calls if is_denied else allowed | calls

[families] = settings(unit, "RestrictAddressFamilies")
filter = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
for call in allowed - {"socket"}:
    # The groups have the calls of all architectures.
    if seccomp.resolve_syscall(seccomp.Arch(), call) >= 0:
        filter.add_rule(seccomp.ALLOW, call)
for family in families:
    filter.add_rule(seccomp.ALLOW, "socket", seccomp.Arg(0, seccomp.EQ, getattr(socket, family)))

os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
filter.set_attr(seccomp.Attr.CTL_NNP, True)
filter.load()
os.execvp(command[0], command)
