"""The part `pathologies` of the bench."""

import pathlib
import re
import shutil
import subprocess

import pathologies
from measuring import Figure, measure, ratio, table

# What, input, size, further arguments, exit status, whether it runs once before.
STOCK_ENDS = [
    ("P1 refusal, 10 GPUs", "refusal", 10, [], 8, False),
    ("P2 one way only, 8 GPUs", "misled", 4, [], 0, False),
    ("P3 a timeout of 2 s", "freeze", 0, [], 8, False),
    ("P4 60 queued", "queued", 60, [], 0, False),
    ("P5 24 layers, DEPENDS", "layers", 24, [], 0, False),
    ("P5 24 layers, fixtures", "fixture_layers", 24, [], 0, False),
    ("P6 16,000 tests, -N", "disabled", 16000, ["-N"], 0, False),
    ("P6 first run", "disabled", 16000, [], 0, False),
    ("P6 second run", "disabled", 16000, [], 0, True),
    ("P7 chain of 4,000", "chain", 4000, [], 0, False),
    ("P9 a wide test", "starved", 0, [], 0, True),
]

# The same without the word about ctest, and with the limit in seconds of processor time.
ALONE = [
    ("P1 refusal, 60 GPUs", "refusal", 60, [], 8, False, 0.05),
    ("P2 one way only, 10 GPUs", "misled", 5, [], 0, False, 0.05),
    ("P2 one way only, 58 GPUs", "misled", 29, [], 0, False, 0.05),
    ("P4 60 queued, --simulate", "queued", 60, ["--simulate"], 0, False, 0.05),
    ("P5 2,000 layers, DEPENDS, --simulate", "layers", 2000, ["--simulate"], 0, False, 0.1),
    ("P5 2,000 layers, fixtures, --simulate", "fixture_layers", 2000, ["--simulate"], 0,
     False, 0.1),
    ("P6 32,000 tests, -N", "disabled", 32000, ["-N"], 0, False, 0.2),
    ("P6 first run", "disabled", 32000, [], 0, False, 0.5),
    ("P6 second run", "disabled", 32000, [], 0, True, 0.5),
    ("P7 chain of 100,000", "chain", 100000, [], 0, False, 2.0),
]


class Competitor:
    """A program on an input, in a folder of its own."""

    def __init__(self, chosen, program, place, row):
        self.timed = chosen.timed
        _, name, size, more, self.status, self.again = row[:6]
        self.folder = place / f"{pathlib.Path(program).name}-{name}-{size}"
        shutil.rmtree(self.folder, ignore_errors=True)
        words = pathologies.INPUTS[name](self.folder, size)
        self.words = [program, *words, *more]
        self.figure = Figure()
        self.late = float("inf")

    def run(self):
        """Once, and the least counts; one that takes long does so once."""
        if self.figure.rounds and self.figure.wall > 30.0:
            return
        if self.again:
            if not self.figure.rounds:
                self.measure()
        else:
            shutil.rmtree(self.folder / "Testing", ignore_errors=True)
        self.figure.add(*self.measure())
        self.late = min(self.late, late(self.folder))

    def measure(self):
        return measure(self.timed, self.words, self.folder, self.status)


def late(folder):
    """By how many seconds the log says that some test took longer than its sleep."""
    log = folder / "Testing" / "Temporary" / "LastTest.log"
    found = re.findall(
        r'^Command: "/bin/sleep" "([\d.]+)"$.*?^Test time = +([\d.]+) sec$',
        log.read_text("latin-1") if log.exists() else "", re.M | re.S,
    )
    should = {"5": 2.0}  # has a timeout
    return max((float(took) - should.get(slept, float(slept)) for slept, took in found),
               default=0.0)


def against_stock(chosen, place):
    rows = []
    for row in STOCK_ENDS:
        theirs = Competitor(chosen, chosen.oracle, place, row)
        ours = Competitor(chosen, chosen.subject, place, row)
        if row[1] == "starved":
            ours.words.append("--schedule=pressure")
        for _ in range(chosen.rounds):
            theirs.run()
            ours.run()
        a, b = theirs.figure, ours.figure
        rows.append([
            row[0], f"{b.wall:.3f}", f"{a.wall:.3f}", ratio(a.wall, b.wall),
            f"{b.cpu:.3f}", f"{a.cpu:.3f}", f"{b.memory / 1024:.0f}", f"{a.memory / 1024:.0f}",
            f"{ours.late:.2f}", f"{theirs.late:.2f}",
        ])
        shutil.rmtree(ours.folder)
        shutil.rmtree(theirs.folder)
    print("pathologies: late is by how much the log says that some test took too long")
    table(["", "cctr s", "ctest s", "ctest/cctr", "cctr cpu", "ctest cpu", "cctr MiB",
                 "ctest MiB", "cctr late", "ctest late"], rows)


def alone(chosen, place):
    rows = []
    for row in ALONE:
        ours = Competitor(chosen, chosen.subject, place, row)
        for _ in range(chosen.rounds):
            ours.run()
        wall, cpu, limit = ours.figure.wall, ours.figure.cpu, row[6]
        rows.append([row[0], f"{wall:.3f}", f"{cpu:.3f}", f"{limit:.2f}",
                     "yes" if cpu <= limit else "NO", f"{ours.figure.memory / 1024:.0f}"])
        shutil.rmtree(ours.folder)
    print("pathologies: where stock ctest would not end, or not soon")
    table(["", "cctr s", "cpu s", "limit s", "kept", "MiB"], rows)
    words = [chosen.subject, *pathologies.starved(place / "starved"), "--simulate=timings"]
    for order in ("ctest", "pressure"):
        done = subprocess.run([*words, f"--schedule={order}"], cwd=place / "starved",
                              stdout=subprocess.PIPE, check=True, encoding="utf-8")
        seconds = re.search(r"^Makespan +([\d.]+) sec$", done.stdout, re.M)
        print(f"P9 in simulated time, --schedule={order}: {seconds.group(1)} s")
    print(flush=True)


def run(chosen, place):
    against_stock(chosen, place)
    alone(chosen, place)
