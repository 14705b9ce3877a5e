"""Faults by strace: which system calls a run makes, which errors each of them may have, and the
words that inject one."""

import collections
import os
import re
import shutil
import subprocess
import typing

from classify import Fault

CALL = re.compile(r"^(?:\d+ +)?([a-z][a-z0-9_]*)\((.*)")
NEW_PROCESS = re.compile(r"(?:clone3?|v?fork)[ (].*\) += (\d+)$")
# System calls that cannot fail, or that strace does not see before they are done.
NEVER = set(
    "getpid gettid getppid getuid geteuid getgid getegid getpgid getpgrp getsid exit exit_group "
    "rt_sigreturn restart_syscall set_tid_address set_robust_list arch_prctl rseq umask alarm "
    "sched_yield clock_gettime gettimeofday time times getrusage sysinfo uname futex pause "
    # strace leaves a descriptor open that it refuses to close, which no kernel does.
    "close close_range "
    # The kernel answers with the old end of the heap, which strace cannot imitate.
    "brk".split()
)
READING = "EIO EINTR"
WRITING = "ENOSPC EIO EINTR"
FOLDERS = "EIO EACCES ENOSPC"
ERRORS = {
    "openat": "EIO EMFILE ENFILE ENOMEM EACCES ENOSPC EINTR",
    "open": "EIO EMFILE ENFILE ENOMEM EACCES ENOSPC EINTR",
    "read": READING + " EAGAIN",
    "readv": READING,
    "pread64": READING,
    "write": WRITING + " EAGAIN EPIPE",
    "writev": WRITING + " EAGAIN EPIPE",
    "pwrite64": WRITING,
    "sendto": "EPIPE ECONNRESET EINTR ENOBUFS",
    "sendmsg": "EPIPE ECONNRESET EINTR ENOBUFS",
    "recvfrom": "ECONNRESET EINTR ENOMEM",
    "recvmsg": "ECONNRESET EINTR ENOMEM",
    "connect": "ECONNREFUSED ETIMEDOUT ENETUNREACH",
    "socket": "EMFILE ENOBUFS EACCES",
    "socketpair": "EMFILE ENOMEM",
    "bind": "EADDRINUSE EACCES",
    "rename": FOLDERS,
    "renameat": FOLDERS,
    "renameat2": FOLDERS,
    "link": FOLDERS,
    "linkat": FOLDERS,
    "symlink": FOLDERS,
    "mkdir": FOLDERS,
    "mkdirat": FOLDERS,
    "unlink": "EIO EACCES EBUSY",
    "unlinkat": "EIO EACCES EBUSY",
    "rmdir": "EIO EACCES EBUSY",
    "newfstatat": "EIO EACCES ENOMEM",
    "fstat": "EIO ENOMEM",
    "stat": "EIO EACCES ENOMEM",
    "lstat": "EIO EACCES ENOMEM",
    "statx": "EIO EACCES ENOMEM",
    "statfs": "EIO EINTR",
    "fstatfs": "EIO EINTR",
    "access": "EIO EACCES ENOMEM",
    "faccessat": "EIO EACCES ENOMEM",
    "faccessat2": "EIO EACCES ENOMEM",
    "readlink": "EIO EACCES ENOMEM",
    "readlinkat": "EIO EACCES ENOMEM",
    "getdents64": "EIO",
    "getcwd": "ENOMEM",  # EACCES comes from the C library alone, behind ENAMETOOLONG
    "chdir": "EIO EACCES ENOMEM",
    "fchdir": "EIO EACCES",
    "fchmod": "EIO EPERM",
    "chmod": "EIO EPERM",
    "utimensat": "EIO EPERM",
    "ftruncate": "EIO EINTR",
    "fallocate": "EIO EINTR ENOSPC",
    "fsync": "EIO ENOSPC",
    "fdatasync": "EIO ENOSPC",
    "flock": "EINTR ENOLCK EAGAIN",
    "lseek": "EINVAL ESPIPE",
    "mmap": "ENOMEM ENFILE",
    "munmap": "ENOMEM",
    "mremap": "ENOMEM",
    "mprotect": "ENOMEM",
    "madvise": "EINVAL ENOMEM",
    "memfd_create": "EMFILE ENOMEM",
    "pipe": "EMFILE ENFILE",
    "pipe2": "EMFILE ENFILE",
    "dup": "EMFILE",
    "dup2": "EMFILE EINTR EBUSY",
    "dup3": "EMFILE EINTR EBUSY",
    "fcntl": "EMFILE EINTR ENOLCK",
    "eventfd2": "EMFILE ENOMEM",
    "epoll_create1": "EMFILE ENOMEM",
    "epoll_ctl": "ENOSPC ENOMEM",
    "epoll_wait": "EINTR",
    "epoll_pwait": "EINTR",
    "epoll_pwait2": "EINTR ENOSYS",
    "poll": "EINTR ENOMEM",
    "ppoll": "EINTR ENOMEM",
    "select": "EINTR ENOMEM",
    "pselect6": "EINTR ENOMEM",
    "timerfd_create": "EMFILE ENOMEM",
    "inotify_init1": "EMFILE ENOMEM",
    "inotify_add_watch": "ENOSPC ENOMEM",
    "fork": "EAGAIN ENOMEM",
    "vfork": "EAGAIN ENOMEM",
    "clone": "EAGAIN ENOMEM",
    "clone3": "EAGAIN ENOMEM ENOSYS",
    "execve": "E2BIG ENOMEM EACCES",
    "wait4": "EINTR",
    "waitid": "EINTR",
    "kill": "EPERM ESRCH",
    "tgkill": "EPERM ESRCH",
    "pidfd_open": "EMFILE ENOSYS",
    "pidfd_send_signal": "EPERM ENOSYS",
    "prctl": "EINVAL EPERM",
    "prlimit64": "EPERM",
    "setrlimit": "EPERM",
    "setpgid": "EPERM EACCES",
    "setsid": "EPERM",
    "rt_sigaction": "EINVAL",
    "ioctl": "EIO ENOTTY",
    "getrandom": "EAGAIN ENOSYS",
    "sched_getaffinity": "EPERM ENOSYS",
    "sched_setaffinity": "EINVAL EPERM",
    "getsockopt": "ENOBUFS",
    "setsockopt": "ENOBUFS ENOPROTOOPT",
    "getsockname": "ENOBUFS",
    "getpeername": "ENOTCONN",
}
OTHERS = "EPERM ENOSYS"
# Who repeats a call after one of these would do so for ever: they stop by themselves.
PASSING = ("EINTR", "EAGAIN")
TURNS = 9
STREAMING = ("read", "write", "readv", "writev", "pread64", "pwrite64")
ABOUT_ONE = (*STREAMING, "ioctl", "fcntl")
# Operations that have errors of their own, or none.
BY_OPERATION = (
    ("fcntl", "F_DUPFD", "EMFILE"),
    ("fcntl", "F_SETLK", "EINTR ENOLCK EAGAIN"),
    ("fcntl", "F_OFD_SETLK", "EINTR ENOLCK EAGAIN"),
    ("fcntl", "", ""),
    ("ioctl", "FIONBIO", ""),
    # A group may be gone; a process that nobody has waited for is there.
    ("kill", "(-", "EPERM ESRCH"),
    ("kill", "", "EPERM"),
    # What may wait has no error; and a system has this call, or none of its calls.
    ("getrandom", "GRND_NONBLOCK", "EAGAIN ENOSYS"),
    ("getrandom", "", ""),
    # A test's program that may not be looked at is none, for ctest too: it is an answer.
    ("newfstatat", '/actor"', "EIO ENOMEM"),
    ("newfstatat", '/bin/', "EIO ENOMEM"),
    # Nor is a source that may not be looked at.
    ("newfstatat", '/faulty.c"', "EIO ENOMEM"),
    # A file in PATH that may not be executed is passed over, by shells too: the next one is taken.
    ("access", "X_OK", "EIO ENOMEM"),
    # EINVAL alone, for what no program asks.
    ("rt_sigprocmask", "", ""),
)
OPEN_FILE = re.compile(r"\d+<(/(?!dev/|proc/|sys/)[^>]*)>")
# The streams are files here, and stand for pipes that others may have made non-blocking.
MAY_WAIT = re.compile(r"^\d+</[^>]*/std(out|err)>")
CONSOLE = re.compile(r"/std(out|err)>")
NAMELESS = re.compile(r"\(deleted\)")  # the number in its path is another one each time
ROOT = "@ROOT@"
OPEN_OTHER = re.compile(r"<((?:pipe|socket|TCP|UNIX|anon_inode)[^>]*)>")
STREAMING = ("read", "write", "readv", "writev", "pread64", "pwrite64")


def missing():
    """-> why strace cannot be used, or nothing"""
    if not shutil.which("strace"):
        return "no strace"
    words = ["strace", "-qq", "-o", "/dev/null", "-e", "trace=getppid", "-e",
             "inject=getppid:error=EPERM:when=1..2", "/bin/true"]  # fmt: skip
    try:
        done = subprocess.run(words, timeout=60, capture_output=True, check=False)
    except subprocess.TimeoutExpired:
        return "strace does not work"
    return "" if done.returncode == 0 else "strace cannot trace or inject"


def logging(log, children=False):
    return ["strace", "-qq", "-y", "-s", "80", "-e", "signal=none", "-o", str(log),
            *(["-f"] if children else [])]  # fmt: skip


def site(call, rest):
    """What tells occurrences of one call apart: all but numbers and what is read or written."""
    if call in STREAMING or call in ("sendto", "recvfrom"):
        rest = rest.split(",")[0]
    rest = rest.split(") = ")[0]
    return call + "(" + re.sub(r"0x[0-9a-f]+|\d+|\{.*\}", "N", rest)


class Point(typing.NamedTuple):
    """The n-th occurrence of a call, what tells it from others, and where it is about an open
    file: its path, and its number among the calls on that path; waits: its descriptor says
    EAGAIN instead of waiting."""

    call: str
    n: int
    site: str
    path: str = ""
    n_on_path: int = 0
    waits: bool = False


def open_path(call, rest):
    """-> the path of the regular file that a call reads or writes"""
    match = OPEN_FILE.match(rest)
    return match.group(1) if call in STREAMING and match else ""


def read_log(log, root):
    """-> [Point] of the program itself, in order; paths below root, which has another name
    where the fault is injected, begin with ROOT"""
    counts, on_paths, found = collections.Counter(), collections.Counter(), []
    waiting = set()
    for line in log.read_text(errors="replace").splitlines():
        if re.search("NONBLOCK|FIONBIO", line):
            waiting.update(OPEN_OTHER.findall(line))
        match = CALL.match(line)
        if match:
            call, rest = match.groups()
            path = open_path(call, rest).replace(f"{root}/", f"{ROOT}/")
            counts[call] += 1
            on_paths[call, path] += 1
            waits = bool(MAY_WAIT.search(rest) or waiting.intersection(OPEN_OTHER.findall(rest)[:1]))
            name = site(call, rest)
            found.append(Point(call, counts[call], name, path, on_paths[call, path], waits))
    return without_loader(found)


def without_loader(points):
    """Without what the program loader does before any code of the program: its last call takes
    the list of libraries out of memory."""
    ready = [i for i, point in enumerate(points) if point.call == "set_tid_address"]
    for i in range(ready[0] if ready else len(points), len(points)):
        if points[i].call == "munmap":
            return points[i + 1 :]
    return points


def without_start(points, version):
    """Without what `version` has at its start, too."""
    for i, (point, other) in enumerate(zip(points, version)):
        if point.call != other.call:
            return points[i:]
    return points[len(version):]


def read_child_log(log):
    """-> [Point] before execve, the most of any child of the program that executes another one:
    what children of other programs do is not ours"""
    lines = [line.partition(" ")[::2] for line in log.read_text(errors="replace").splitlines()]
    parents = {match.group(1): pid for pid, text in lines if (match := NEW_PROCESS.search(text))}
    found, children, programs = {}, {}, {}
    subject = None
    for pid, text in lines:
        match = CALL.match(text.strip())
        programs.setdefault(pid, programs.get(parents.get(pid)))
        if not match:
            continue
        call, rest = match.groups()
        is_ours = subject and programs[pid] == subject
        if call == "execve":
            programs[pid] = rest.split(",")[0]
        subject = subject or programs[pid]
        points = children.setdefault(pid, [] if is_ours else None)
        if points is None:
            continue
        n = sum(point.call == call for point in points) + 1
        points.append(Point(call, n, site(call, rest)))
        if call == "execve":
            for point in points:
                found.setdefault((point.call, point.n), point)
            children[pid] = None
    return [found[key] for key in sorted(found)]


def thin(points, most, chance):
    """At most so many occurrences of each site: the first, the last, and some between."""
    groups = collections.defaultdict(list)
    for point in points:
        groups[point.site].append(point)
    kept = []
    for group in groups.values():
        if most and len(group) > most:
            inner = chance.sample(group[1:-1], most - 2) if most > 2 else []
            group = [group[0], *inner, group[-1]][:most]
        kept += group
    return kept


def errors_of(point):
    """The errors that a call can have, by what it is about."""
    known = ERRORS.get(point.call, OTHERS).split()
    for call, operation, errors in BY_OPERATION:
        if point.call == call and operation in point.site:
            return errors.split()
    if point.call not in STREAMING:
        return known
    known = [error for error in known if error != "EAGAIN" or point.waits]
    if point.path:
        return known if point.waits else [error for error in known if error != "EPIPE"]
    if "<anon_inode" in point.site:
        return [error for error in known if error in PASSING]
    if "<pipe" in point.site and "write" in point.call:
        # Both ends are in the program, so that a reader is always there.
        return [error for error in known if error in PASSING]
    return known


def later(point, error):
    """-> how a fault goes on: (path, first, last)"""
    if error in PASSING:
        return "", point.n, point.n + TURNS
    if point.path and not NAMELESS.search(point.site):
        return point.path, point.n_on_path, None
    # What is no file does not stay broken for everyone who reads or writes.
    return "", point.n, point.n if point.call in ABOUT_ONE else None


def is_possible(point, error, points):
    """Once the kernel has random numbers, it always has."""
    if (point.call, error) != ("getrandom", "EAGAIN"):
        return True
    return point.n == min(other.n for other in points if other.call == point.call)


def faults(points):
    """-> [(Fault, site)]"""
    found = []
    for point in points:
        if point.call in NEVER or (point.call == "execve" and point.n == 1):
            continue
        for error in errors_of(point):
            if not is_possible(point, error, points):
                continue
            path, first, last = later(point, error)
            console = bool(CONSOLE.search(point.site))
            found.append((Fault(point.call, error, point.n, point.n, "", console), point.site))
            if last != first:
                found.append((Fault(point.call, error, first, last, path, console), point.site))
    return found


def wrapper(fault, root, children=False, log=os.devnull):
    """-> the words that run a program of the tree in root"""
    path = fault.path.replace(f"{ROOT}/", f"{root}/")
    when = f"{fault.first}"
    if fault.last is None:
        when += "+"
    elif fault.last != fault.first:
        when += f"..{fault.last}"
    return ["strace", "-qq", "-e", "signal=none", "-o", str(log), *(["-f"] if children else []),
            *(["-P", path] if path else []), "-e", f"trace={fault.call}",
            "-e", f"inject={fault.call}:error={fault.error}:when={when}"]  # fmt: skip


def has_injected(log):
    """-> whether the fault of wrapper() took place"""
    return log.exists() and "(INJECTED)" in log.read_text(errors="replace")
