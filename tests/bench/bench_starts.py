"""The part `starts` of the bench: what a start costs, and the record of one command of a build."""

import os
import re
import statistics
import subprocess

from measuring import ratio, table

STARTS = 200
COMMAND = "/bin/true"
RECORD = ["--instrument", "--command-type", "custom", "--build-dir", ".", "--output", "x",
          "--role", "--", COMMAND]


def processor_ms(words, environment, null):
    """-> milliseconds of the processor, with those of what it starts"""
    child = os.posix_spawn(words[0], words, environment,
                           file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
    _, status, used = os.wait4(child, 0)
    if status:
        raise SystemExit(f"{' '.join(words)}: status {status}")
    return (used.ru_utime + used.ru_stime) * 1000


def starts(chosen, place):
    """In turn, STARTS times each; the median.  The oracle must be of 4.3 or later: --instrument."""
    folder = place / "starts"
    query = folder / ".cmake/instrumentation/v1/query/query.json"
    query.parent.mkdir(parents=True)
    query.write_text('{"version":1}', encoding="ascii")
    (folder / "CTestTestfile.cmake").write_text(f"add_test(one {COMMAND})\n", encoding="ascii")
    said = subprocess.run([chosen.oracle, "--version"], check=True, capture_output=True, text=True)
    release = re.search(r"\d+\.\d+", said.stdout)[0]
    environment = dict(os.environ, CCTR_COMPAT_VERSION=release, LC_ALL="C")
    lines = {"--instrument": RECORD, "--version": ["--version"], "-N": ["-N"]}
    programs = {"cctr": chosen.subject, "ctest": chosen.oracle}
    figures = {(line, name): [] for line in lines for name in programs}
    bare = []
    os.chdir(folder)
    with open(os.devnull, "wb") as null:
        for _ in range(STARTS):
            bare.append(processor_ms([COMMAND], environment, null.fileno()))
            for line, name in figures:
                words = [programs[name], *lines[line]]
                figures[line, name].append(processor_ms(words, environment, null.fileno()))
    least = statistics.median(bare)
    rows = [["bare " + COMMAND, f"{least:.2f}", "-", "-", "-"]]
    for line in lines:
        ours, theirs = (statistics.median(figures[line, name]) for name in programs)
        rows.append([line, f"{ours:.2f}", f"{theirs:.2f}", ratio(ours, theirs),
                     ratio(ours - least, theirs - least)])
    print(f"starts: ctest {release}")
    table(["what", "cctr cpu ms", "ctest cpu ms", "cctr/ctest", "both less bare"], rows)
