"""What the parts of the bench measure and print with."""

import os
import subprocess
import sys
import tempfile


class Figure:
    """The least seconds (wall, processor) and kilobytes over some rounds."""

    def __init__(self):
        self.wall = self.cpu = self.memory = float("inf")
        self.rounds = 0

    def add(self, wall, cpu, memory):
        self.wall = min(self.wall, wall)
        self.cpu = min(self.cpu, cpu)
        self.memory = min(self.memory, memory)
        self.rounds += 1


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
    """competitors: {name: words}.  In turn, `rounds` times; one that takes long runs once."""
    figures = {name: Figure() for name in competitors}
    for _ in range(rounds):
        for name, words in competitors.items():
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


def ratio(a, b):
    return f"{a / b:.2f}" if b else "-"
