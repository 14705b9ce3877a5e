"""cctr under valgrind: how it is started and what its logs say.

Valgrind writes to files of its own, one per process, so that standard output, standard
error and the exit status stay cctr's and are compared as always. The logs are judged by
themselves: every run must have one that came to its end, and none may report an invalid
access, a use of something uninitialised or memory definitely lost. Processes that cctr
forks are looked at until they become another program; tests are never traced."""

import os
import re
import shutil

import sides

OPTIONS = [
    "--tool=memcheck",
    "--trace-children=no",
    "--vgdb=no",
    "--leak-check=full",
    "--show-leak-kinds=definite",
    "--errors-for-leak-kinds=definite",
    "--num-callers=20",
    # It would flush, in a process that was forked, what the other has still to write.
    "--run-libc-freeres=no",
]


def put_under(side, folder, case):
    """-> the same side under valgrind, with its logs in `folder`, and a function that says
    what was found in all its runs of the case"""
    logs = folder / "valgrind"
    sides.remove(logs)
    logs.mkdir(parents=True)
    pattern = str(logs).replace("%", "%%") + "/%p"
    runs = 1 + sum(change.kind == "self" for change in case.changes)
    words = [shutil.which("valgrind"), *OPTIONS, f"--log-file={pattern}", *side.words]
    return sides.Side(side.name, words, side.env), lambda: judge(logs, runs)


def judge(logs, runs):
    """-> differences: what valgrind found in `runs` runs and in what they forked"""
    found, ends = [], 0
    for path in sorted(logs.iterdir(), key=lambda path: int(path.name)):
        log = Log(path.read_text(encoding="utf-8", errors="replace"))
        ends += log.ended and log.parent == os.getpid()
        if log.errors:
            found.append(("valgrind", "", log.report()))
    if ends != runs:
        found.append(("valgrind", "", f"{ends} of {runs} runs came to their end\n"))
    return found


class Log:
    """What valgrind wrote about one process. A process that was forked and became another
    program, or was killed, has no summary: there the reports themselves count."""

    def __init__(self, text):
        text = re.sub(r"^==\d+== ?", "", text, flags=re.M)
        self.blocks = [block for block in text.split("\n\n") if block.strip()]
        parent = re.search(r"^Parent PID: (\d+)$", text, re.M)
        self.parent = int(parent.group(1)) if parent else 0
        summary = re.findall(r"^ERROR SUMMARY: ([\d,]+) errors", text, re.M)
        self.ended = bool(summary)
        self.reports = [block for block in self.blocks if self.is_report(block)]
        self.errors = int(summary[-1].replace(",", "")) if summary else len(self.reports)

    @staticmethod
    def is_report(block):
        """Reports have a stack; so has the note that a signal ended the process."""
        return re.search(r"^ +at 0x", block, re.M) and not block.startswith(
            "Process terminating with default action"
        )

    def report(self):
        return "\n\n".join(self.reports or self.blocks) + "\n"
