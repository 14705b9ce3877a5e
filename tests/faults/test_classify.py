#!/usr/bin/env python3
"""The classes of tests/faults, by rows: what an undisturbed run shows, what the disturbed one
does, and the class. Prints TAP."""

import dataclasses
import errno
import pathlib
import random
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import by_strace  # noqa: E402
import classify  # noqa: E402
import observe  # noqa: E402
from classify import CLEAR, CRASH, GREEN, HANG, LEFT, NEXT, RIGHT, SAID, SILENT, TORN  # noqa: E402
from tap import print_results  # noqa: E402

RED = classify.Seen(
    status=8,
    verdicts={"good": "Passed", "bad": "Failed", "skipped": "Skipped"},
    lines=frozenset(["Start N: good", "Start N: bad", "Errors while running CTest"]),
    files={"Testing/Temporary/LastTest.log": "1", "Testing/TAG": "2"},
)
ALL_GOOD = dataclasses.replace(RED, status=0, verdicts={"good": "Passed"})
ONCE = classify.Fault("read", "EIO", 3, 3)
FROM_ON = classify.Fault("write", "EIO", 3, None, console=True)
SHORT = classify.Fault("write", "short", 3, None, console=True)
AGENT = classify.Fault("write", "EIO", 3, None)
GONE = classify.Fault("write", "EPIPE", 3, 3, console=True)
PEER = classify.Fault("sendto", "EPIPE", 3, 3)
DISK = classify.Fault("write", "EIO", 3, None, "/t/Testing/TAG")
NO_STDERR = classify.Fault("write", "EIO", 1, None, "/t/stderr", console=True)
STREAM = classify.Fault("fwrite", "EIO", 3, None)
REASON = "cctr: Testing/TAG: cannot be written: Input/output error"


def after(before, reason="", **changes):
    lines = changes.pop("lines", before.lines)
    lines = lines | {reason} if reason else lines
    return dataclasses.replace(before, lines=frozenset(lines), **changes)


WITHOUT_TAG = {"Testing/Temporary/LastTest.log": "1"}
TWO = {"good": "Passed", "skipped": "Skipped"}
LOST = {**RED.verdicts, "good": "Failed"}

ROWS = [
    ("nothing differs", RED, RED, ONCE, RIGHT),
    ("only a warning more", RED, after(RED, REASON), ONCE, RIGHT),
    ("a file is missing, which is said", RED, after(RED, REASON, files=WITHOUT_TAG), ONCE, SAID),
    ("a file is missing, without a word", RED, after(RED, files=WITHOUT_TAG), ONCE, SILENT),
    ("... and exit code 0 stays", ALL_GOOD, after(ALL_GOOD, files=WITHOUT_TAG), ONCE, SILENT),
    ("... which is said, with exit code 0", ALL_GOOD,
     after(ALL_GOOD, REASON, files=WITHOUT_TAG), ONCE, SILENT),
    ("a file more", RED, after(RED, files={**RED.files, "x": "3"}), ONCE, SILENT),
    ("... that was never whole", RED, after(RED, files={**RED.files, "x.tmp": "3"}), ONCE, RIGHT),
    ("... that the next run takes", RED,
     after(RED, files={**RED.files, "tmp/cctr-scratch-1-2-x/requests": "3"}), ONCE, RIGHT),
    ("another content", RED, after(RED, files={**RED.files, "Testing/TAG": "3"}), ONCE, SILENT),
    ("an error before any test", RED, after(RED, REASON, verdicts={}, status=8), ONCE, CLEAR),
    ("an error without a reason", RED, after(RED, verdicts={}, status=8), ONCE, SILENT),
    ("no test, exit code 0", RED, after(RED, REASON, verdicts={}, status=0), ONCE, GREEN),
    ("a failing test passes", RED, after(RED, verdicts={**RED.verdicts, "bad": "Passed"}), ONCE, GREEN),
    ("a failing test is skipped", RED,
     after(RED, verdicts={**RED.verdicts, "bad": "Skipped"}), ONCE, GREEN),
    ("a passing test is skipped", RED,
     after(RED, verdicts={**RED.verdicts, "good": "Skipped"}), ONCE, GREEN),
    ("a passing test fails, in ctest's words", RED,
     after(RED, "[operation not permitted]", verdicts=LOST), ONCE, SAID),
    ("a passing test fails, which is said", RED, after(RED, REASON, verdicts=LOST), ONCE, SAID),
    ("a test is not run", RED, after(RED, verdicts={**RED.verdicts, "good": "Not Run"}), ONCE, SAID),
    ("a test's output is lost", RED,
     after(RED, verdicts={**RED.verdicts, "good": "Failed  Output lost: i/o error"}), ONCE, SAID),
    ("a passing test fails, without a word", RED, after(RED, verdicts=LOST), ONCE, SILENT),
    ("... its result is no reason", RED,
     after(RED, "N/N Test #N: good ...***Failed N sec", verdicts=LOST), ONCE, SILENT),
    ("a test is missing, exit code 0", ALL_GOOD, after(ALL_GOOD, verdicts={}), ONCE, GREEN),
    ("exit code 0 instead of 8", RED, after(RED, REASON, status=0), ONCE, GREEN),
    ("a test is missing, exit code 8, said", RED, after(RED, REASON, verdicts=TWO), ONCE, CLEAR),
    ("nobody can be asked", ALL_GOOD,
     after(ALL_GOOD, "cctr: ctl: no run can be asked by x: connection refused", verdicts={}, status=1),
     ONCE, CLEAR),
    ("nobody answers any more", ALL_GOOD,
     after(ALL_GOOD, "cctr: ctl: the run has ended", verdicts={}, status=1), ONCE, CLEAR),
    ("nobody answers in time", ALL_GOOD,
     after(ALL_GOOD, "cctr: ctl: the run does not answer", verdicts={}, status=1), ONCE, CLEAR),
    ("it hangs", RED, after(RED, status=None), ONCE, HANG),
    ("SIGABRT", RED, after(RED, REASON, status=-6), ONCE, CRASH),
    ("SIGSEGV below a shell", RED, after(RED, REASON, status=139), ONCE, CRASH),
    ("an assertion", RED, after(RED, "cctr: internal error at a.c:N: n", status=1), ONCE, CRASH),
    ("a sanitizer", RED, after(RED, "==N==ERROR: AddressSanitizer: x", status=1), ONCE, CRASH),
    ("a torn file", RED, after(RED, REASON, torn=("Testing/TAG",)), ONCE, TORN),
    ("a process is left", RED, after(RED, left=("actor wait",)), ONCE, LEFT),
    ("the next run is wrong", RED, after(RED, REASON, after=("-F: exit code 0",)), ONCE, NEXT),
    ("all writes fail: the exit code says it", ALL_GOOD,
     after(ALL_GOOD, status=1, lines=frozenset(), files={}), FROM_ON, SAID),
    ("... exit code 0", ALL_GOOD, after(ALL_GOOD, lines=frozenset(), files={}), FROM_ON, SILENT),
    ("a line is lost", ALL_GOOD, after(ALL_GOOD, lines=frozenset()), ONCE, SILENT),
    ("... with a reason", ALL_GOOD,
     after(ALL_GOOD, "cannot write", status=1, lines=frozenset()), ONCE, SAID),
    ("SIGPIPE, as a reader went away", ALL_GOOD,
     after(ALL_GOOD, status=-13, verdicts={}), GONE, CLEAR),
    ("... and a torn file", ALL_GOOD,
     after(ALL_GOOD, status=-13, torn=("Testing/TAG",)), GONE, CRASH),
    ("... and another fault", ALL_GOOD, after(ALL_GOOD, status=-13), ONCE, CRASH),
    ("... as its reader went away", ALL_GOOD, after(ALL_GOOD, lines=frozenset()), GONE, RIGHT),
    ("SIGPIPE, as an agent went away", ALL_GOOD, after(ALL_GOOD, status=-13), PEER, CRASH),
    ("a line is lost, as an agent went away", ALL_GOOD,
     after(ALL_GOOD, lines=frozenset()), PEER, SILENT),
    ("one file is broken, without a word", RED, after(RED, files=WITHOUT_TAG), DISK, SILENT),
    ("an agent cannot write, without a word", RED, after(RED, files=WITHOUT_TAG), AGENT, SILENT),
    ("all writes are short, without a word", RED, after(RED, files=WITHOUT_TAG), SHORT, SILENT),
    ("standard error is broken", RED, after(RED, files=WITHOUT_TAG), NO_STDERR, SAID),
    ("no report is written, without a word", RED, after(RED, files=WITHOUT_TAG), STREAM, SILENT),
    ("one of two equal lines is lost", dataclasses.replace(ALL_GOOD, repeated={"Start N: good": 2}),
     ALL_GOOD, ONCE, SILENT),
    ("one equal line more", ALL_GOOD, after(ALL_GOOD, repeated={"Start N: good": 2}), ONCE, RIGHT),
    ("a list of failed tests is no reason", RED,
     after(RED, "12 - bad (Failed)", files=WITHOUT_TAG), ONCE, SILENT),
]  # fmt: skip

LOG = """execve("/bin/cctr", ["cctr"], 0x7ff /* 3 vars */) = 0
set_tid_address(0x7f) = 7
munmap(0x7f8a7350c000, 42519) = 0
openat(AT_FDCWD</t>, "a.txt", O_RDONLY) = 3</t/a.txt>
read(3</t/a.txt>, "abc", 100) = 3
pipe2([4<pipe:[77]>, 6<pipe:[77]>], O_NONBLOCK|O_CLOEXEC) = 0
read(4<pipe:[77]>, "abc", 100) = 3
read(3</t/a.txt>, "", 97) = 0
--- SIGCHLD {si_signo=SIGCHLD} ---
eventfd2(0, EFD_NONBLOCK) = 5<anon_inode:[eventfd]>
read(5<anon_inode:[eventfd]>, "1", 8) = 8
write(7<pipe:[78]>, "*", 1) = 1
"""


class Log:
    @staticmethod
    def read_text(**_):
        return LOG


def disorder_rows():
    for title, seen, wrong in (
        ("a run that follows is in order", RED, []),
        ("... hangs", after(RED, status=None), ["it does not end"]),
        ("... crashes", after(RED, status=-11), ["exit code -11"]),
        ("... leaves a torn file", after(RED, torn=("x",)), ["torn: x"]),
        ("... leaves a process", after(RED, left=("x",)), ["left: x"]),
    ):
        yield title, classify.disorder(seen) == wrong


def log_rows():
    points = by_strace.read_log(Log, "/t")
    yield "the loader is left out", [p.call for p in points] == [
        *("openat", "read", "pipe2", "read", "read", "eventfd2", "read", "write")
    ]
    yield "calls are numbered", [p.n for p in points] == [1, 1, 1, 2, 3, 1, 4, 1]
    yield "... and on their path", [points[i].n_on_path for i in (1, 4)] == [1, 2]
    yield "one site, whatever is read", points[1].site == points[4].site
    yield "a pipe is another site", points[1].site != points[3].site
    names = {(f.error, f.first, f.last, f.path) for f, _ in by_strace.faults(points[1:2])}
    yield "a file is broken for ever", ("EIO", 1, None, "@ROOT@/a.txt") in names
    broken = classify.Fault("read", "EIO", 1, None, "@ROOT@/a.txt")
    yield "... in any tree", "/other/a.txt" in by_strace.wrapper(broken, "/other")
    yield "... and has no EAGAIN", not any(name[0] == "EAGAIN" for name in names)
    nameless = points[1]._replace(site="read(N</t/#N>(deleted)")
    names = {f.last for f, _ in by_strace.faults([nameless]) if f.error == "EIO"}
    yield "... but not one without a name", names == {1}
    names = {(f.error, f.first, f.last) for f, _ in by_strace.faults(points[3:4])}
    yield "a pipe is not", names >= {("EIO", 2, 2), ("EAGAIN", 2, 2), ("EINTR", 2, 11)} and (
        ("EIO", 2, None) not in names
    )
    names = {f.error for f, _ in by_strace.faults(points[6:7])}
    yield "a counter has only EAGAIN and EINTR", names == {"EAGAIN", "EINTR"}
    names = {f.error for f, _ in by_strace.faults(points[7:])}
    yield "a pipe that waits has no EAGAIN and is never full", names == {"EINTR"}
    names = {f.error for f, _ in by_strace.faults([by_strace.Point("access", 1, 'access("/a/b", X_OK')])}
    yield "who may not execute a file in PATH takes the next one", names == {"EIO", "ENOMEM"}
    names = {f.console for f, _ in by_strace.faults(points[7:])}
    yield "a pipe is no console", names == {False}
    thin = by_strace.thin(points, 1, random.Random(1))
    yield "one of each site", len(thin) == 7


def text_rows():
    """Numbers count where nothing is measured, and a unit never does."""
    for exact in (False, True):
        one, other = (
            observe.Console(f"Test #N: x\nTotal Tests: {n}\n\n\n", "/t", exact) for n in (27, 28)
        )
        yield f"numbers count: {exact}", (one.lines != other.lines) == exact
        yield f"equal lines are counted: {exact}", one.repeated == {"": 2}
    pages = (b"<p>7 ms\n<p>8 s<", b"<p>1.2 s\n<p>9 ms<")
    one, other = (observe.normal("x.html", page, "/t") for page in pages)
    yield "a duration has some unit", one == other


def injection_rows():
    special = [errors for *_, errors in by_strace.BY_OPERATION]
    tables = [*by_strace.ERRORS.values(), *special, by_strace.OTHERS]
    names = {name for table in tables for name in table.split()}
    # strace has one name for each number.
    yield "strace knows each error", all(errno.errorcode[getattr(errno, n)] == n for n in names)
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "calls")
        yield "no log, no fault", not by_strace.has_injected(log)
        log.write_text('write(1, "x", 1) = 1\n')
        yield "a call that did not fail", not by_strace.has_injected(log)
        log.write_text('write(1, "x", 1) = -1 EIO (Input/output error) (INJECTED)\n')
        yield "a call that failed", by_strace.has_injected(log)


CHILD_LOG = """\
7 execve("/cctr", ["/cctr"], 0x1 /* 2 vars */) = 0
7 openat(AT_FDCWD</>, "a", O_RDONLY) = 3</a>
7 clone(child_stack=0x1, flags=CLONE_VM|SIGCHLD <unfinished ...>
8 dup3(4<pipe:[1]>, 1, 0 <unfinished ...>
7 <... clone resumed>, child_tidptr=0x2) = 8
7 vfork( <unfinished ...>
8 <... dup3 resumed>) = 1<pipe:[1]>
8 execve("/bin/sh", ["/bin/sh"], 0x1 /* 2 vars */) = 0
8 dup3(1, 2, 0) = 2
8 clone(child_stack=NULL, flags=SIGCHLD) = 9
9 openat(AT_FDCWD</>, "/dev/null", O_WRONLY) = 3
10 prctl(PR_SET_NAME, "x") = 0
9 execve("/bin/cat", ["/bin/cat"], 0x1 /* 2 vars */) = 0
7 <... vfork resumed>) = 10
10 kill(8, SIGKILL) = 0
7 clone(child_stack=NULL, flags=0) = 11
11 execve("/cctr", ["/cctr"], 0x1 /* 2 vars */) = 0
11 clone(child_stack=NULL, flags=0) = 12
12 chdir("/x") = 0
12 execve("/bin/cat", ["/bin/cat"], 0x1 /* 2 vars */) = 0
"""


def child_rows():
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "calls")
        log.write_text(CHILD_LOG)
        names = [(point.call, point.n) for point in by_strace.read_child_log(log)]
    yield "calls of our children that execute", names == [("chdir", 1), ("dup3", 1), ("execve", 1)]


def main():
    results = []
    for title, expected, seen, fault, klass in ROWS:
        found, _ = classify.classify(expected, seen, fault)
        results.append((f"{title}: {klass}", found == klass, found))
    others = (disorder_rows, log_rows, text_rows, injection_rows, child_rows)
    results += [(title, right, "") for rows in others for title, right in rows()]
    return print_results(results)


if __name__ == "__main__":
    sys.exit(main())
