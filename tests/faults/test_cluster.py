#!/usr/bin/env python3
"""What tests/faults/cluster.py says of scenarios that break themselves: each has its line and its
reason, and the others are played. Prints TAP."""

import contextlib
import io
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import cluster  # noqa: E402
from tap import print_results  # noqa: E402

PLAYS = "CCTR_TEST_PLAYS"


class NoCluster(cluster.Cluster):
    """Nothing runs anywhere, and the first attempt to mend it breaks."""

    ENGINE = TITLE = NODE_COMMAND = "none"
    DAEMONS = set()
    PROGRAMS = []
    mended = 0

    def start(self):
        pass

    def allocate(self, scene):
        pass

    def mend(self):
        self.mended += 1
        if self.mended == 1:
            raise TimeoutError("it hangs")
        return True


def breaks(_scene, _node):
    raise IndexError("nothing is there")


def ends_well(scene, _node):
    """As cctr would say it."""
    with open(scene.said, "a", encoding="ascii") as said:
        said.write("100% tests passed, 0 tests failed out of 4\n")
    for test in scene.tests:
        (scene.work / f"started-{test}").write_text("n1 1 1\n")


def dies(_scene, _node):
    os._exit(9)


TABLE = {"broken": {"begun": breaks}, "fine": {"begun": ends_well},
         "wrong": {"begun": ends_well, "says": "something else"}, "dead": {"begun": dies},
         "never": {}}


def printed(what, *arguments):
    with contextlib.redirect_stdout(io.StringIO()) as text:
        code = what(*arguments)
    return code, text.getvalue().splitlines()


def rows():
    done = subprocess.run([sys.executable, sys.argv[0], "--workers", "1"], text=True, check=False,
                          env={**os.environ, "CCTR": "/bin/true", PLAYS: "1"},
                          capture_output=True)
    lines = done.stdout.splitlines()
    results = [line for line in lines if line[:1] != "#"]
    yield "a scenario that breaks fails alone", results == [
        "not ok 1 - broken", "ok 2 - fine", "not ok 3 - wrong", "not ok 4 - dead",
        "not ok 5 - never", "1..5"], lines
    yield "... with the reason", "# IndexError: nothing is there" in lines, lines
    yield "so does one after which the cluster does not come back", \
        "# TimeoutError: it hangs" in lines, lines
    yield "where a program dies, its scenarios have failed", lines.count(
        "# not played: the program has ended with 9") == 2, lines
    yield "... and all is a failure", done.returncode == 1, done.returncode
    output = cluster.Output()
    _, lines = printed(output.put, ["not ok 7 - one\n", "# why\n", "Killed\n"])
    yield "results get numbers, and other lines become comments", lines == [
        "not ok 1 - one", "# why", "# Killed"], lines
    output.skipped = "1..0 # SKIP no cluster\n"
    wrong, lines = printed(output.put_unplayed, ["two"], 0)
    yield "where a cluster does not start, its scenarios are skipped", not wrong and lines == [
        "ok 2 - two # SKIP no cluster"], lines
    try:
        list(cluster.living())
        found = "all processes of the machine"
    except RuntimeError as e:
        found = str(e)
    yield "outside of its namespace nothing is seen that could be killed", \
        found == "this is no process namespace of its own", found


def main():
    if PLAYS in os.environ:
        return cluster.play_all(NoCluster, TABLE, __doc__)
    reason = cluster.why_not(NoCluster)
    if reason:
        print(f"1..0 # SKIP {reason}")
        return 0
    return print_results(list(rows()))


if __name__ == "__main__":
    sys.exit(main())
