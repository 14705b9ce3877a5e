"""What one injected fault did: a pure function of what an undisturbed run shows and what the
disturbed run shows."""

import dataclasses
import re

# Good classes, and the bad ones.
RIGHT, CLEAR, SAID = "right", "clear error", "loss that is said"
MISSED = "not reached"  # right, but the call that was to fail was not made
GREEN, HANG, CRASH, TORN, LEFT, SILENT, NEXT = (
    "false green",
    "hang",
    "crash",
    "torn file",
    "process left",
    "silent loss",
    "next run wrong",
)
GOOD = (RIGHT, MISSED, CLEAR, SAID)
BAD = (GREEN, HANG, CRASH, TORN, LEFT, SILENT, NEXT)

# Verdicts that do not make a run fail.
PASSING = ("Passed", "Skipped", "Not Run (Disabled)")
CRASHED = re.compile(
    r"internal error|AddressSanitizer|LeakSanitizer|runtime error:|Assertion|libuv|"
    r"corrupted|terminate called|stack smashing|buffer overflow detected"
)
# A line that says that something went wrong. Result lines of tests do not count: they are
# verdicts, not reasons. The last four are what `cctr ctl` and `cctr compare` say where a run
# cannot be asked, and where another comparison holds the tree.
REASON = re.compile(
    r"cannot|could not|unable to|not able to|failed to|fail|error|lost|out of memory|problem|"
    r"no such|there is no|denied|not permitted|not started|not read|not written|incomplete|"
    r"too many|no space|interrupted|none was found|no run can be|"
    r"the run has ended|the run does not answer|another comparison runs",
    re.I,
)
RESULT = re.compile(
    r"\bsec\s*$|tests? (passed|failed)\b|^The following tests|^(N|\d+) - \S+ \(|"
    r"^Errors while running CTest$|--rerun-failed|^Output from these tests"
)


@dataclasses.dataclass(frozen=True)
class Fault:
    """call: the system call or function; error: its errno's name, or "short"; last: None
    where every later call fails too; path: only calls on this file count; console: it may
    be about what cctr prints"""

    call: str
    error: str
    first: int
    last: int | None
    path: str = ""
    console: bool = False


@dataclasses.dataclass(frozen=True)
class Seen:
    """What a run shows, without times and places."""

    status: int | None  # None: it did not end within its time
    verdicts: dict  # test: word
    lines: frozenset  # of both streams; where tests run, numbers are replaced by N
    files: dict  # path: digest
    torn: tuple = ()  # files that are not whole
    left: tuple = ()  # command lines of processes that are still there seconds later
    after: tuple = ()  # what is wrong with the runs that follow
    repeated: dict = dataclasses.field(default_factory=dict)  # line: how often, where more than once


def is_mute(fault):
    """Nothing can be said while every write fails, or every one on standard error."""
    everywhere = not fault.path or fault.path.endswith("/stderr")
    return fault.console and everywhere and fault.last is None and fault.error != "short"


def reader_went(fault):
    return fault.error == "EPIPE" and fault.console


def new_reasons(expected, seen):
    return sorted(
        line
        for line in seen.lines - expected.lines
        if REASON.search(line) and not RESULT.search(line)
    )


def false_greens(expected, seen):
    found = []
    if seen.status == 0 and expected.status != 0:
        found.append(f"exit code 0, not {expected.status}")
    for test, word in expected.verdicts.items():
        now = seen.verdicts.get(test)
        if now is None and seen.status == 0:
            found.append(f"{test} is missing and the exit code is 0")
        elif now in PASSING and now != word:
            found.append(f"{test}: {now}, not {word}")
    return found


def may_stay(name):
    return name.endswith((".tmp", "cctr-run.txt", "cctr.sock")) or name.startswith("tmp/cctr-scratch-")


def lost(expected, seen):
    """-> what the run does not have, or has in another form. What the next run takes may stay
    where cctr could not remove it: a file that is not whole yet, the mark of the run, its
    socket, a folder for cmake."""
    found = []
    if seen.status != expected.status:
        found.append(f"exit code {seen.status}, not {expected.status}")
    for test, word in expected.verdicts.items():
        if seen.verdicts.get(test) != word:
            found.append(f"{test}: {seen.verdicts.get(test, 'missing')}, not {word}")
    for name in sorted(expected.files.keys() | seen.files.keys()):
        if name not in seen.files:
            found.append(f"file {name} is missing")
        elif name not in expected.files and not may_stay(name):
            found.append(f"file {name} should not be there")
        elif name in expected.files and seen.files[name] != expected.files[name]:
            found.append(f"file {name} differs")
    found += [f"not printed: {line}" for line in sorted(expected.lines - seen.lines)]
    for line, times in sorted(expected.repeated.items()):
        now = seen.repeated.get(line, 1)
        if line in seen.lines and now < times:
            found.append(f"not printed: {line} ({now} times, not {times})")
    return found


def disorder(seen):
    """-> what no run may show, whatever its verdicts are"""
    if seen.status is None:
        return ["it does not end"]
    crashed = [f"exit code {seen.status}"] if seen.status < 0 or seen.status > 128 else []
    return [*crashed, *(f"torn: {name}" for name in seen.torn), *(f"left: {words}" for words in seen.left)]


def ended_by_pipe(seen, fault):
    """cctr ends its tests and dies of SIGPIPE where its reader went away; what it leaves must be
    in order all the same."""
    return reader_went(fault) and seen.status in (-13, 141)


def classify(expected, seen, fault):
    """-> (class, [what was seen])"""
    losses = lost(expected, seen)
    if seen.status is None:
        return HANG, ["it does not end"]
    if seen.left:
        return LEFT, list(seen.left)
    if ended_by_pipe(seen, fault) and not seen.torn and not seen.after:
        return CLEAR, ["SIGPIPE, as the reader of the console went away"]
    crash = [line for line in seen.lines - expected.lines if CRASHED.search(line)]
    if seen.status < 0 or 128 < seen.status < 160 and seen.status != expected.status or crash:
        return CRASH, [f"exit code {seen.status}", *crash]
    if seen.torn:
        return TORN, list(seen.torn)
    greens = false_greens(expected, seen)
    if greens:
        return GREEN, greens
    if seen.after:
        return NEXT, list(seen.after)
    if not losses:
        return RIGHT, []
    return say_loss(expected, seen, fault, losses)


def unknown_verdicts(expected, seen):
    """Verdicts that say themselves that nothing, or not all, is known of a test."""
    return [
        f"{test}: {word}"
        for test, word in seen.verdicts.items()
        if re.search(r"^Not Run$|  Output lost: ", word) and expected.verdicts.get(test) != word
    ]


def say_loss(expected, seen, fault, losses):
    only_console = all(loss.startswith("not printed: ") for loss in losses)
    if only_console and reader_went(fault):
        return RIGHT, ["the reader of the console went away"]
    if seen.status == 0:
        return SILENT, ["exit code 0", *losses]
    reasons = new_reasons(expected, seen) + unknown_verdicts(expected, seen)
    if not reasons and not is_mute(fault):
        return SILENT, ["no line says why", *losses]
    complete = expected.verdicts.keys() == seen.verdicts.keys() and expected.verdicts
    return (SAID if complete else CLEAR), reasons
