"""The part `estimate` of the bench."""

import itertools
import json
import os
import random
import re
import shutil
import subprocess

from measuring import table


class Suite:
    """Tests of one shape, and how they are run.  Nearly all of them wait, so that other work on the
    machine disturbs little."""

    def __init__(self, name, jobs, *options):
        self.name = name
        self.options = [f"-j{jobs}", *options]
        self.lines = []
        self.random = random.Random(name)
        self.tests = 0
        self.spec = None

    def add(self, seconds, more="", code=0, name=None):
        """A test that waits, with `more` as properties.  -> its name"""
        name = name or f"t{self.tests}"
        command = f"sleep {seconds:.3f}; exit {code}" if code else f"exec sleep {seconds:.3f}"
        self.add_command(f'"/bin/sh" "-c" "{command}"', more, name)
        return name

    def add_command(self, command, more="", name=None):
        name = name or f"t{self.tests}"
        self.tests += 1
        self.lines.append(f"add_test({name} {command})")
        if more:
            self.lines.append(f"set_tests_properties({name} PROPERTIES {more})")

    def times(self, n, least=0.05, most=0.4):
        return [self.random.uniform(least, most) for _ in range(n)]

    def write(self, folder):
        folder.mkdir(parents=True)
        (folder / "CTestTestfile.cmake").write_text("\n".join(self.lines) + "\n")
        if self.spec:
            (folder / "spec.json").write_text(json.dumps(self.spec))


def serial():
    suite = Suite("one after another", 1)
    for seconds in suite.times(12):
        suite.add(seconds)
    return suite


def parallel():
    suite = Suite("parallel, alike", 4)
    for seconds in suite.times(40, 0.15, 0.25):
        suite.add(seconds)
    return suite


def mixed():
    suite = Suite("parallel, very different", 8)
    for _ in range(120):
        suite.add(min(1.5, suite.random.lognormvariate(-2.5, 1.2)))
    return suite


def short():
    suite = Suite("many short", 4)
    for seconds in suite.times(300, 0.01, 0.03):
        suite.add(seconds)
    return suite


def chain():
    suite = Suite("a chain beside others", 4)
    for i, seconds in enumerate(suite.times(12, 0.1, 0.2)):
        suite.add(seconds, f"DEPENDS t{i - 1}" if i else "")
    for seconds in suite.times(30, 0.05, 0.2):
        suite.add(seconds)
    return suite


def layers():
    suite = Suite("layers of DEPENDS", 6)
    for layer, seconds in itertools.product(range(6), suite.times(8, 0.05, 0.3)):
        first = (layer - 1) * 8
        needs = ";".join(f"t{first + suite.random.randrange(8)}" for _ in range(2))
        suite.add(seconds * suite.random.uniform(0.5, 1.5), f'DEPENDS "{needs}"' if layer else "")
    return suite


def fixtures():
    suite = Suite("fixtures", 4)
    for f in range(5):
        suite.add(0.2, f"FIXTURES_SETUP f{f}")
        suite.add(0.1, f"FIXTURES_CLEANUP f{f}")
        for seconds in suite.times(6, 0.1, 0.4):
            suite.add(seconds, f"FIXTURES_REQUIRED f{f}")
    return suite


def failed_setup():
    suite = Suite("a setup fails", 4)
    for f, code in enumerate((0, 1, 0, 1)):
        suite.add(0.3, f"FIXTURES_SETUP f{f}", code)
        suite.add(0.1, f"FIXTURES_CLEANUP f{f}")
        for seconds in suite.times(8, 0.1, 0.4):
            suite.add(seconds, f"FIXTURES_REQUIRED f{f}")
    return suite


def locks():
    suite = Suite("locks", 6)
    for i, seconds in enumerate(suite.times(40, 0.05, 0.2)):
        suite.add(seconds, f"RESOURCE_LOCK lock{i % 3}" if i % 2 else "")
    return suite


def groups():
    suite = Suite("resource groups", 8, "--resource-spec-file", "spec.json")
    gpus = [{"id": str(i), "slots": 4} for i in range(2)]
    suite.spec = {"version": {"major": 1, "minor": 0}, "local": [{"gpus": gpus}]}
    for i, seconds in enumerate(suite.times(40, 0.05, 0.3)):
        suite.add(seconds, f'RESOURCE_GROUPS "{1 + i % 2},gpus:{1 + i % 3}"' if i % 4 else "")
    return suite


def processors():
    suite = Suite("PROCESSORS", 8)
    for i, seconds in enumerate(suite.times(50)):
        suite.add(seconds, f"PROCESSORS {(1, 1, 2, 4, 8)[i % 5]}")
    return suite


def alone():
    suite = Suite("RUN_SERIAL", 6)
    for i, seconds in enumerate(suite.times(48, 0.05, 0.25)):
        suite.add(seconds, "" if i % 6 else "RUN_SERIAL ON")
    return suite


def cost():
    suite = Suite("COST by the author", 4)
    for i, seconds in enumerate(suite.times(40)):
        suite.add(seconds, f"COST {(1000, 100, 10, 1)[i % 4]}")
    return suite


def cost_below():
    suite = Suite("COST below zero", 4)
    for i, seconds in enumerate(suite.times(40)):
        suite.add(seconds, "" if i % 4 else "COST -1")
    return suite


def failures():
    suite = Suite("a third fails", 4)
    for i, seconds in enumerate(suite.times(40)):
        suite.add(seconds, code=0 if i % 3 else 1)
    return suite


def not_run():
    suite = Suite("some do not run", 4)
    for i, seconds in enumerate(suite.times(40)):
        if i % 5 == 1:
            suite.add_command('"/no/such/program"')
        else:
            suite.add(seconds, "DISABLED ON" if i % 5 == 2 else "", 77 if i % 5 == 3 else 0)
            if i % 5 == 3:
                suite.lines.append(f"set_tests_properties(t{i} PROPERTIES SKIP_RETURN_CODE 77)")
    return suite


def one_long():
    suite = Suite("one long test", 4)
    for seconds in suite.times(60, 0.02, 0.1):
        suite.add(seconds)
    suite.add(1.5)
    return suite


def limits():
    suite = Suite("time limits", 4)
    for i, seconds in enumerate(suite.times(32)):
        suite.add(seconds if i % 4 else 30, "" if i % 4 else "TIMEOUT 0.4")
    return suite


def pressure():
    suite = Suite("by pressure", 6, "--schedule=pressure")
    for i, seconds in enumerate(suite.times(60, 0.05, 0.5)):
        more = [f"PROCESSORS {1 + i % 3}"]
        if i > 10 and i % 4 == 0:
            more.append(f"DEPENDS t{suite.random.randrange(10)}")
        suite.add(seconds, " ".join(more))
    return suite


def computing():
    suite = Suite("computing", 2)
    for seconds in suite.times(12, 60000, 240000):
        suite.add_command(
            f'"/bin/sh" "-c" "i=0; while [ $i -lt {seconds:.0f} ]; do i=$((i+1)); done"'.replace("$", "\\$")
        )
    return suite


SHAPES = [
    serial, parallel, mixed, short, chain, layers, fixtures, failed_setup, locks, groups, processors,
    alone, cost, cost_below, failures, not_run, one_long, limits, pressure, computing,
]


def call(subject, folder, words):
    environment = dict(os.environ, CCTR_COMPAT_VERSION="4.1", LC_ALL="C", PWD=str(folder))
    return subprocess.run(
        [subject, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    ).stdout


def read(pattern, text):
    return float(re.search(pattern + r"\s+([\d.]+) sec", text).group(1))


def run(subject, folder, suite):
    """One real run.  -> seconds"""
    output = call(subject, folder, [*suite.options, "--history=on"])
    return read(r"Total Test time \(real\) =", output)


def simulate(subject, folder, suite):
    return read("Makespan", call(subject, folder, [*suite.options, "--history=on", "--simulate"]))


def simulate_cost(subject, folder, suite):
    """What the cost data of ctest say alone: a line "test runs cost" for each test."""
    twin = folder.with_name(folder.name + "-cost")
    shutil.copytree(folder, twin)
    for name in ("Temporary/cctr-timings.txt", "cctr-history.sqlite"):
        (twin / "Testing" / name).unlink()
    text = (twin / "Testing" / "Temporary" / "CTestCostData.txt").read_text()
    rows = [line.rsplit(" ", 2) for line in text.split("---\n")[0].splitlines()]
    times = [f"{float(cost):f} 1 - {name}" for name, _, cost in rows if float(cost) > 0]
    (twin / "times").write_text("\n".join(["cctr-timings 1", *times, ""]))
    return read("Makespan", call(subject, twin, [*suite.options, "--simulate=times"]))


def estimate(chosen, place):
    """After one run: the makespan in simulated time against that of the next runs."""
    rows, errors = [], []
    for number, shape in enumerate(SHAPES):
        suite, folder = shape(), place / f"estimate-{number}"
        if chosen.shapes and not any(word in suite.name for word in chosen.shapes):
            continue
        suite.write(folder)
        run(chosen.subject, folder, suite)
        simulated = simulate(chosen.subject, folder, suite)
        from_cost = simulate_cost(chosen.subject, folder, suite)
        real = min(run(chosen.subject, folder, suite) for _ in range(chosen.rounds))
        errors.append((abs(simulated / real - 1), abs(from_cost / real - 1)))
        rows.append([
            suite.name, suite.tests, suite.options[0][2:], f"{real:.2f}", f"{simulated:.2f}",
            f"{100 * (simulated / real - 1):+.1f}", f"{from_cost:.2f}",
            f"{100 * (from_cost / real - 1):+.1f}",
        ])
    print(f"estimate: the makespan after one run, and the least of the next {chosen.rounds}")
    table(["suite", "tests", "-j", "real s", "simulated", "error %", "cost data", "error %"], rows)
    print("largest error %: simulated {:.1f}, by cost data {:.1f}\n".format(
        *(100 * max(column) for column in zip(*errors))))
