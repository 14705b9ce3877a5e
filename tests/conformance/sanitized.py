"""cctr that was built with sanitizers, alone: what they say is the verdict.

The same cases are compared with ctest by a build without sanitizers, which is quicker and
does not change what cctr prints when something is wrong.  Sanitizers write to files here,
with the name of the program that wrote them: tests may have some of their own."""

import os
import pathlib
import signal

import sides

CRASHES = {signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV}


def put_under(side, folder):
    """-> the same side, and a function that says what was found in all its runs"""
    logs = folder / "sanitizers"
    sides.remove(logs)
    logs.mkdir(parents=True)
    own = f"log_path={logs}/log:log_exe_name=1"
    env = dict(side.env)
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
        given = os.environ.get(name)
        env[name] = f"{given}:{own}" if given else own
    name = pathlib.Path(side.words[-1]).resolve().name
    return sides.Side(side.name, side.words, env), lambda: judge(logs, name)


def judge(logs, program):
    return [
        ("sanitizers", "", path.read_text(encoding="utf-8", errors="replace"))
        for path in sorted(logs.glob(f"log.{program}.*"))
    ]


def crashed(status):
    """For a fault that no sanitizer saw."""
    return isinstance(status, int) and -status in CRASHES
