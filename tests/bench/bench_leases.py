"""The parts `leases` and `pmix` of the bench: requests of a running test over its socket, and by
libpmix."""

import json
import os
import pathlib
import resource
import socket
import statistics
import subprocess
import sys
import time

from measuring import table

REQUESTS = 20000
BATCH = 100
BARE = 20000
PMIX_REQUESTS = (1000, 21000)


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


def build_client(place):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "pmix"], check=True,
                           capture_output=True, text=True).stdout.split()
    program = place / "pmix_client"
    source = pathlib.Path(__file__).resolve().parent.parent / "helpers/pmix_client.c"
    subprocess.run([os.environ.get("CC", "cc"), "-D_GNU_SOURCE", "-O2", source, "-o", program,
                    *flags, "-lpthread"], check=True)
    return program


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ask_by_pmix(subject, folder, n):
    """-> microseconds each by the clock, and seconds of all processes on their processors"""
    (folder / "steps").write_text(f"bench {n}\n", encoding="ascii")
    before = processor_seconds()
    subprocess.run([subject, "-Q", "--resource", "cpus=4"], cwd=folder, check=True)
    return float((folder / "said").read_text(encoding="ascii")), processor_seconds() - before


def pmix(chosen, place):
    """NEW and RELEASE by turns, by PMIx_Allocation_request of the real library."""
    folder = place / "pmix"
    folder.mkdir()
    client = build_client(folder)
    (folder / "CTestTestfile.cmake").write_text(
        f'add_test(one "/bin/sh" "-c" "exec {client} <{folder}/steps >{folder}/said")\n'
        "set_tests_properties(one PROPERTIES CCTR_PMIX 1)\n", encoding="utf-8")
    few, many = PMIX_REQUESTS
    rounds = [[ask_by_pmix(chosen.subject, folder, n) for n in (few, many)]
              for _ in range(chosen.rounds)]
    each = min(after[0] for _, after in rounds)
    busy = min(after[1] - before[1] for before, after in rounds) / (many - few) * 1e6
    print(f"pmix: {many} requests of one program, after PMIx_Init")
    table(["what", "us each", "of 300 us"],
          [["by the clock", f"{each:.1f}", f"{each / 300:.0%}"],
           ["of all processors: client, server, cctr", f"{busy:.1f}", f"{busy / 300:.0%}"]])


if __name__ == "__main__":
    play(sys.argv[1])
