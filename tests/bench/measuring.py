"""What the parts of the bench measure and print with."""

import os
import statistics
import subprocess
import sys
import tempfile


class Figure:
    """The least seconds (wall, processor) and kilobytes over some rounds, and the seconds of each."""

    def __init__(self):
        self.wall = self.cpu = self.memory = float("inf")
        self.walls, self.cpus = [], []

    @property
    def rounds(self):
        return len(self.walls)

    def add(self, wall, cpu, memory):
        self.wall = min(self.wall, wall)
        self.cpu = min(self.cpu, cpu)
        self.memory = min(self.memory, memory)
        self.walls.append(wall)
        self.cpus.append(cpu)


def measure(timed, words, cwd, expected=0):
    """Runs once.  -> seconds, processor seconds of it and its children, peak kilobytes"""
    with tempfile.TemporaryFile() as figures, tempfile.TemporaryFile() as errors:
        subprocess.run(
            ["/bin/sh", "-c", f'exec "$@" 3>&{figures.fileno()} >/dev/null', "-", timed, *words],
            cwd=cwd,
            env=dict(os.environ, CCTR_COMPAT_VERSION="3.25", LC_ALL="C", PWD=str(cwd)),
            stdin=subprocess.DEVNULL,
            stderr=errors,
            pass_fds=[figures.fileno()],
            check=True,
        )
        figures.seek(0)
        wall, cpu, memory, status = figures.read().split()
        errors.seek(0)
        said = errors.read().decode("utf-8", "replace")
    if int(status) != expected:
        sys.stderr.write(said)
        sys.exit(f"{' '.join(words)}: status {int(status)}")
    return float(wall), float(cpu), int(memory)


def compete(timed, competitors, cwd, rounds, long_run=60.0):
    """competitors: {name: words}.  In turn, `rounds` times, every other time in the opposite order;
    one that takes long runs once."""
    figures = {name: Figure() for name in competitors}
    for k in range(rounds):
        for name, words in list(competitors.items())[:: -1 if k % 2 else 1]:
            if figures[name].rounds and figures[name].wall > long_run:
                continue
            figures[name].add(*measure(timed, words, cwd))
    return figures


def table(head, rows):
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]
    for row in [head, ["-" * width for width in widths], *rows]:
        cells = [str(cell).rjust(width) for cell, width in zip(row, widths)]
        print("  ".join(cells).rstrip())
    print(flush=True)


def medians(figure, floor):
    """Wall and processor time of a figure to those of another, the median of the rounds: what else the
    machine does during one round is then no matter, if the rounds are many."""
    return [f"{statistics.median(a / b for a, b in zip(*pair)):.2f}"
            for pair in ((figure.walls, floor.walls), (figure.cpus, floor.cpus))]


def ratio(a, b):
    return f"{a / b:.2f}" if b else "-"
