"""The part `leases` of the bench: requests of a running test over its socket."""

import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import time

from measuring import table

REQUESTS = 20000
BATCH = 100
BARE = 20000


class Client:
    """What a test does that speaks the protocol itself."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(os.environ["CCTR_SOCKET"])
        self.rest = b""

    def line(self, verb, **members):
        request = {"version": 1, "verb": verb, "token": os.environ["CCTR_TOKEN"], **members}
        return json.dumps(request).encode() + b"\n"

    def answers(self, n):
        while self.rest.count(b"\n") < n:
            part = self.socket.recv(1 << 16)
            if not part:
                raise SystemExit("the run has closed the socket")
            self.rest += part
        *lines, self.rest = self.rest.split(b"\n")
        for line in lines:
            if b'"request":"granted"' not in line:
                raise SystemExit(line.decode())


def seconds_each(client, lines, n):
    """Round trips, one at a time."""
    found = []
    for i in range(n):
        begin = time.perf_counter()
        client.socket.sendall(lines[i % len(lines)])
        client.answers(1)
        found.append(time.perf_counter() - begin)
    return found


def in_batches(client, lines, n):
    """Seconds for n requests, BATCH of which are on their way at a time."""
    batch = b"".join(lines[i % len(lines)] for i in range(BATCH))
    begin = time.perf_counter()
    for _ in range(n // BATCH):
        client.socket.sendall(batch)
        client.answers(BATCH)
    return time.perf_counter() - begin


def bare_seconds(n):
    """Round trips of a byte between two processes, for comparison."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        while part := theirs.recv(1):
            theirs.sendall(part)
        os._exit(0)
    theirs.close()
    begin = time.perf_counter()
    for _ in range(n):
        ours.sendall(b"x")
        ours.recv(1)
    seconds = time.perf_counter() - begin
    ours.close()
    os.wait()
    return seconds / n


def play(path):
    client = Client()
    lines = [client.line("alloc-new", id="x", resources="gpus:1"),
             client.line("alloc-release", id="x")]
    seconds_each(client, lines, 100)
    each = sorted(seconds_each(client, lines, REQUESTS))
    figures = {"median": statistics.median(each), "p99": each[len(each) * 99 // 100],
               "batched": in_batches(client, lines, REQUESTS) / REQUESTS,
               "bare": bare_seconds(BARE)}
    pathlib.Path(path).write_text(json.dumps(figures), encoding="ascii")


def leases(chosen, place):
    """new and release by turns, with four GPUs."""
    folder = place / "leases"
    folder.mkdir()
    here = pathlib.Path(__file__).resolve()
    figures = folder / "figures"
    (folder / "CTestTestfile.cmake").write_text(
        f'add_test(one "{sys.executable}" "{here}" "{figures}")\n', encoding="utf-8")
    subprocess.run([chosen.subject, "-Q", "--resource", "gpus=4"], cwd=folder, check=True)
    found = json.loads(figures.read_text(encoding="ascii"))
    print(f"leases: {REQUESTS} requests over one socket")
    table(["what", "us each", "requests a second", "to a bare round trip"],
          [[what, f"{seconds * 1e6:.1f}", f"{1 / seconds:,.0f}", f"{seconds / found['bare']:.1f}"]
           for what, seconds in [("a bare round trip", found["bare"]),
                                 ("one at a time, median", found["median"]),
                                 ("one at a time, 99 %", found["p99"]),
                                 (f"{BATCH} at a time", found["batched"])]])


if __name__ == "__main__":
    play(sys.argv[1])
