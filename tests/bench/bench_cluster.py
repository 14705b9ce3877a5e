"""The part `cluster` of the bench: tests by agents that a real Slurm starts on this machine."""

import contextlib
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

from measuring import compete, ratio, table

HERE = pathlib.Path(__file__).resolve().parent
NODES, STARTS, LONG = 4, 20, 200


class Slurm:
    def __init__(self, conf, log, job):
        self.conf, self.log, self.job = conf, pathlib.Path(log), job

    def words(self, *words, job=None):
        """A command that knows this Slurm, in the job or in none."""
        return ["env", f"SLURM_CONF={self.conf}", *([f"SLURM_JOB_ID={job}"] if job else []), *words]

    def granted(self):
        """When the last job got its nodes, in seconds since 1970."""
        lines = re.findall(r"(?m)^\[(\S+?)(\.\d+)\] .*(?:Allocate|Started) JobId=",
                           self.log.read_text(errors="replace"))
        day, part = lines[-1]
        return time.mktime(time.strptime(day, "%Y-%m-%dT%H:%M:%S")) + float(part)


@contextlib.contextmanager
def slurm():
    source = HERE.parent.parent
    with subprocess.Popen(
            ["sh", HERE / "slurm_of_this_machine.sh", str(NODES), "4"], cwd=source,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        words = program.stdout.readline().split()
        if len(words) != 3:
            sys.exit(" ".join(words))
        yield Slurm(*words)
        program.stdin.close()


def write_tests(folder, n, *words):
    folder.mkdir()
    quoted = " ".join(f'"{word}"' for word in words)
    with open(folder / "CTestTestfile.cmake", "w", encoding="ascii") as file:
        for i in range(n):
            file.write(f"add_test(test_{i} {quoted})\n")


def overhead(chosen, place, cluster):
    """The same tests by agents that srun has started, by agents of this machine, and without."""
    folder, ours = place / "cluster", [chosen.subject, f"-j{NODES}"]
    write_tests(folder, chosen.runs, "/bin/true")
    figures = compete(chosen.timed, {
        "this machine": ours,
        f"{NODES} agents": [*ours, "--launcher", "{agent}", "--nodes", f"n[1-{NODES}]"],
        f"{NODES} nodes of Slurm": cluster.words(*ours, "--engine=slurm", job=cluster.job),
    }, folder, chosen.rounds)
    floor = figures["this machine"]
    rows = [[name, f"{f.wall:.2f}", ratio(f.wall, floor.wall), ratio(f.cpu, floor.cpu),
             f"{f.wall / chosen.runs * 1e3:.3f}"] for name, f in figures.items()]
    print(f"cluster: {chosen.runs:,} x /bin/true, -j{NODES}")
    table(["", "wall s", "wall ratio", "cpu ratio", "ms/test"], rows)


def long_messages(chosen, place, cluster):
    """srun passes text on in parts of a KiB: what longer messages take, one test at a time."""
    kinds = {"/bin/true": ["/bin/true"], "with 4 KiB of arguments": ["/bin/true", "x" * 4096],
             "printing 4 KiB": ["/usr/bin/head", "-c", "4096", "/dev/zero"]}
    rows = []
    for number, (name, words) in enumerate(kinds.items()):
        folder = place / f"cluster_long_{number}"
        write_tests(folder, LONG, *words)
        ours = [chosen.subject, "-j1"]
        figures = compete(chosen.timed, {
            "here": ours, "there": cluster.words(*ours, "--engine=slurm", job=cluster.job),
        }, folder, chosen.rounds)
        rows.append([name, *(f"{figures[k].wall / LONG * 1e3:.2f}" for k in ("here", "there"))])
    print(f"cluster: {LONG} tests, -j1, ms/test")
    table(["", "this machine", "a node of Slurm"], rows)


def first_start(folder, words, since=None):
    """Seconds until the test writes what time it is; since() is when that begins."""
    begin = time.time()
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL,
                   stdin=subprocess.DEVNULL)
    return float((folder / "now").read_text()) - (since() if since else begin)


def starts(chosen, place, cluster):
    """From the start of cctr, or from the job's own, to that of its first test."""
    folder = place / "cluster_start"
    folder.mkdir()
    (folder / "CTestTestfile.cmake").write_text(
        f'add_test(now "/bin/sh" "-c" "date +%s.%N >{folder}/now")\n', encoding="ascii")
    by_slurm = [chosen.subject, "--engine=slurm"]
    ways = {
        "this machine": ([chosen.subject], None),
        "an agent": ([chosen.subject, "--launcher", "{agent}"], None),
        "in a job": (cluster.words(*by_slurm, job=cluster.job), None),
        "a pilot, since its job has its node": (cluster.words(*by_slurm), cluster.granted),
    }
    found = {name: [] for name in ways}
    os.environ["CCTR_COMPAT_VERSION"] = "3.25"
    for _ in range(STARTS):
        for name, (words, since) in ways.items():
            found[name].append(1e3 * first_start(folder, words, since))
    print(f"cluster: the first test starts, {STARTS} times in turn")
    table(["", "ms, median", "ms, most"],
          [[name, f"{statistics.median(v):.0f}", f"{max(v):.0f}"] for name, v in found.items()])


def cluster(chosen, place):
    with slurm() as running:
        overhead(chosen, place, running)
        long_messages(chosen, place, running)
        starts(chosen, place, running)
