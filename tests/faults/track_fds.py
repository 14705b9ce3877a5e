"""What the log of a program under ``valgrind --track-fds`` says."""

import re

import memcheck


def of_first(text):
    """What valgrind says of cctr itself. Its guardian and the like, which may end before they
    have closed what they inherited, are in the same log."""
    first = re.match(r"==(\d+)==", text)
    mark = first.group() if first else ""
    return "\n".join(line[len(mark):].removeprefix(" ") for line in text.splitlines()
                     if line.startswith(mark))


def open_at_exit(text):
    """-> a block for each descriptor that is open in the end. The first of them follows the
    line "FILE DESCRIPTORS" without an empty one."""
    return re.findall(r"^Open .*(?:\n +\S.*)*", of_first(text), re.M)


def judge(log):
    """-> what is wrong"""
    if not log.exists():
        return ["valgrind wrote no log"]
    whole = log.read_text(errors="replace")
    text = re.sub(r"^==\d+== ?", "", whole, flags=re.M)
    summary = re.findall(r"^ERROR SUMMARY: ([\d,]+) errors", text, re.M)
    if not summary:
        return ["the run did not come to its end", text[-500:]]
    found = [block for block in text.split("\n\n") if memcheck.Log.is_report(block)]
    wrong = [] if summary[-1] == "0" else [f"{summary[-1]} errors"]
    wrong += [block for block in open_at_exit(whole) if "<inherited from parent>" not in block]
    return wrong + (found if wrong and summary[-1] != "0" else [])
