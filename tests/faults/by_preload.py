"""Faults by a library that is preloaded: which functions of the C library a run calls, which
errors each of them may have, and the environment that makes one fail."""

import errno
import pathlib
import subprocess

import by_strace
from classify import Fault

# Functions whose errors are not those of a system call of the same name.
ERRORS = {
    "malloc": "ENOMEM",
    "calloc": "ENOMEM",
    "realloc": "ENOMEM",
    "pthread_create": "EAGAIN",
    "close": "EIO EINTR",
    "fclose": "EIO ENOSPC",
    "fflush": "EIO ENOSPC",
    "fwrite": "EIO ENOSPC",
    "setvbuf": "ENOMEM",
    "fopen": "EMFILE ENOMEM EACCES",
    "fdopen": "ENOMEM",
    "opendir": "EMFILE ENOMEM EACCES",
    "readdir": "EIO",
    # Without its path: a test's program that may not be looked at (EACCES) is none, which is an
    # answer. by_strace has the other paths.
    "stat": "EIO ENOMEM",
    "waitpid": "EINTR",
    "sigaction": "EINVAL",
    "eventfd": "EMFILE ENOMEM",
    "pread": "EIO EINTR",
    "send": "EPIPE ECONNRESET EINTR",
    "recv": "ECONNRESET EINTR",
}
SHORT = ("read", "write")
PRINTING = ("write", "writev")  # cctr prints by no stream of the C library


def build(cc, source, to):
    """-> what is wrong with the compiler, or nothing"""
    words = [*cc.split(), "-shared", "-fPIC", "-O1", "-o", str(to), str(source), "-ldl"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stderr.strip().splitlines()[:1] and done.returncode and done.stderr or ""


def environment(library, counts=None, fault=None, done=None):
    env = {"LD_PRELOAD": str(library)}
    if counts:
        env["CCTR_FAULTS_COUNTS"] = str(counts)
    if done:
        env["CCTR_FAULTS_DONE"] = str(done)
    if fault:
        number = 0 if fault.error == "short" else getattr(errno, fault.error)
        env.update(CCTR_FAULTS_CALL=fault.call, CCTR_FAULTS_FIRST=str(fault.first),
                   CCTR_FAULTS_LAST=str(fault.last or 0), CCTR_FAULTS_ERRNO=str(number))  # fmt: skip
    return env


def read_counts(path):
    """-> [Point]"""
    found = []
    for line in pathlib.Path(path).read_text().splitlines():
        call, count = line.split()
        found += [by_strace.Point(call, n, call) for n in range(1, int(count) + 1)]
    return found


def errors(call):
    known = ERRORS.get(call) or by_strace.ERRORS.get(call, by_strace.OTHERS)
    return known.split()


def faults(points):
    found = []
    for call, n, name, *_ in points:
        console = call in PRINTING
        for error in errors(call):
            last = n + by_strace.TURNS if error in by_strace.PASSING else None
            found += [(Fault(call, error, n, end, "", console), name) for end in (n, last)]
        if call in SHORT:
            found += [(Fault(call, "short", n, end, "", console), name) for end in (n, None)]
    return found
