#!/usr/bin/env python3
"""The judge of ``descriptors``: logs as valgrind writes them, and programs that leave a
descriptor open, where valgrind is there. Prints TAP."""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "conformance")]

import track_fds  # noqa: E402

LOG = """==7== Memcheck, a memory error detector
==7== Parent PID: 6
==7==
==7==
==7== FILE DESCRIPTORS: 4 open (3 std) at exit.
{}==7==
==7== HEAP SUMMARY:
==7==
==7== ERROR SUMMARY: {} errors from 0 contexts (suppressed: 0 from 0)
"""
OWN = """==7== Open file descriptor {}: /dev/null
==7==    at 0x4956011: open (open64.c:41)
==7==    by 0x109155: main (main.c:3)
==7==
"""
GIVEN = "==7== Open file descriptor {}:\n==7==    <inherited from parent>\n==7==\n"
SOCKET = "==7== Open AF_UNIX socket {}: <unknown>\n==7==    at 0x4956011: socket (socket.c:3)\n==7==\n"
OTHERS = OWN.replace("==7==", "==8==")
# What valgrind says is open, how many errors it counts, and what of it is wrong.
ROWS = [
    ("nothing but what was inherited", GIVEN.format(3) + GIVEN.format(4), 0, []),
    ("one descriptor, directly below the headline", OWN.format(3), 0, ["3"]),
    ("the first of several", OWN.format(5) + GIVEN.format(3), 0, ["5"]),
    ("the last of several", GIVEN.format(3) + OWN.format(5), 0, ["5"]),
    ("all of several", OWN.format(5) + OWN.format(4) + SOCKET.format(6), 0, ["5", "4", "6"]),
    ("that of another process", OTHERS.format(5) + GIVEN.format(3), 0, []),
    ("errors", GIVEN.format(3), 2, ["2 errors"]),
]
LEAK = """#include <fcntl.h>
int main(void) { return open("/dev/null", O_RDONLY) < 0; }
"""
CLEAN = "int main(void) { return 0; }\n"


def found(folder, text):
    log = folder / "log"
    log.write_text(text)
    return track_fds.judge(log)


def is_as(wrong, expected):
    """Each text must have what is expected of it: a number of a descriptor, or itself."""
    return len(wrong) == len(expected) and all(
        one == text or f" {one}:" in text.splitlines()[0] for one, text in zip(expected, wrong)
    )


def of_program(folder, code):
    """-> what the judge finds in the log of a program"""
    source, program, log = folder / "p.c", folder / "p", folder / "p.log"
    source.write_text(code)
    cc = shlex.split(os.environ.get("CC", "cc"))
    subprocess.run([*cc, "-o", str(program), str(source)], check=True)
    words = ["valgrind", "--track-fds=yes", f"--log-file={log}", str(program)]
    subprocess.run(words, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return track_fds.judge(log)


def report(number, title, wrong, is_right, why=""):
    print(f"{'ok' if is_right else 'not ok'} {number} - {title}{why}")
    for line in "\n".join(wrong if not is_right else []).splitlines():
        print(f"# {line}")
    return not is_right


def main():
    failed, number = 0, 0
    print(f"1..{len(ROWS) + 2}")
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for number, (title, opened, errors, expected) in enumerate(ROWS, 1):
            wrong = found(folder, LOG.format(opened, errors))
            failed += report(number, title, wrong, is_as(wrong, expected))
        for title, code, n in (("a program that leaves one open", LEAK, 1), ("... and none", CLEAN, 0)):
            number += 1
            has = shutil.which("valgrind")
            wrong = of_program(folder, code) if has else []
            failed += report(number, title, wrong, not has or len(wrong) == n,
                             "" if has else " # SKIP no valgrind")  # fmt: skip
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
