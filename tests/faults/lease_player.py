"""The tests that `leases` runs.

    play NUMBER     asks for leases at random, and fails if another test has what is granted
    witness         runs last, with the whole pool: nothing is lost, and no one is connected

A lock of the process is held on a file for each slot that the test has. The system releases the
locks of a process that is killed."""

import fcntl
import json
import math
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

CLIENT = [os.environ["LEASES_SUBJECT"], "alloc", "--json"]
SLOTS = pathlib.Path(os.environ["LEASES_SLOTS"])
# {"who": "client" or "test", "player", "client": the number of the client, "delay": seconds}
STRIKE = json.loads(os.environ.get("LEASES_STRIKE", "{}"))
STEPS = 10
TERMS = ("gpus:1", "gpus:1,gpus:1", "gpus:2", "ports:1", "gpus:1,ports:1", "ports:1,ports:1")
VERBS = ("new", "new", "extend", "extend", "release", "lend", "reacquire", "cancel", "wait")
WAITS = ((), (), ("--now",), ("--wait",), ("--wait",))


class Slots:
    """What this process has."""

    def __init__(self):
        self.held = {}  # type, id: [files]

    def take(self, kind, name):
        """A slot of the instance that no other process has."""
        mine = {file.name for file in self.held.setdefault((kind, name), [])}
        for path in sorted(SLOTS.glob(f"{kind}-{name}.*")):
            if str(path) in mine:
                continue
            file = open(path, "w", encoding="ascii")  # noqa: SIM115
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                file.close()
            else:
                self.held[kind, name].append(file)
                return
        sys.exit(f"{kind} {name} has fewer free slots than were granted")

    def give(self, kind, name):
        self.held[kind, name].pop().close()

    def become(self, groups):
        """groups: of an answer"""
        has = {}
        for group in groups:
            for entry in group:
                for unit in entry["units"]:
                    key = entry["type"], unit["id"]
                    has[key] = has.get(key, 0) + unit["slots"]
        for key in [*self.held]:
            for _ in range(len(self.held[key]) - has.get(key, 0)):
                self.give(*key)
        for key, n in has.items():
            for _ in range(n - len(self.held.get(key, []))):
                self.take(*key)

    def leave(self, lease):
        """Before anything of the lease is given back."""
        for entry in lease["holds"]:
            for unit in entry["units"]:
                for _ in range(unit["slots"]):
                    self.give(entry["type"], unit["id"])


class Player:
    def __init__(self, number):
        self.chance = random.Random(f"{number} {os.environ.get('LEASES_SEED')}")
        self.slots, self.clients, self.struck = Slots(), 0, math.inf
        if STRIKE.get("player") == number:
            if STRIKE["who"] == "client":
                self.struck = STRIKE["client"]
            else:
                delay, own = STRIKE["delay"], os.getpid()
                threading.Timer(delay, os.kill, (own, signal.SIGKILL)).start()

    def ask(self, *words):
        """-> the answer; None: the client was killed. The first client from a number on is
        killed that has not ended after a time."""
        self.clients += 1
        client = subprocess.Popen([*CLIENT, *words], stdin=subprocess.DEVNULL, text=True,
                                  stdout=subprocess.PIPE)  # fmt: skip
        if self.clients >= self.struck:
            try:
                client.wait(STRIKE["delay"])
            except subprocess.TimeoutExpired:
                client.kill()
        said = client.communicate()[0]
        if client.returncode == -signal.SIGKILL:
            self.struck = math.inf
            SLOTS.joinpath("struck").touch()
            return None
        answer = json.loads(said)
        if answer["status"] != "ok":
            sys.exit(f"{words}: {said}")
        return answer

    def look(self):
        """-> the leases; takes and gives what has changed"""
        answer = self.ask("query") or self.ask("query")
        self.slots.become(answer["groups"])
        return answer["leases"]

    def see_canceled(self, name):
        """A request whose client waited for it ends with the client."""
        request = status = self.request_of(name)
        for _ in range(6000):
            if status != "pending":
                break
            time.sleep(0.01)
            status = self.request_of(name)
        if request == "pending" and status != "canceled":
            sys.exit(f"the request for {name} is {status}, and its client was gone")

    def request_of(self, name):
        return self.ask("query", "--id", name).get("lease", {}).get("request")

    def choose(self, lease):
        """-> the words of a request"""
        verb, more = self.chance.choice(VERBS), []
        if verb in ("new", "extend"):
            more += [self.chance.choice(TERMS)]
            if self.chance.random() < 0.3:
                more += ["--wish", self.chance.choice(TERMS)]
        if verb in ("release", "lend") and self.chance.random() < 0.5:
            more += ["gpus:1"]
        if verb in ("new", "extend", "reacquire"):
            more += self.chance.choice(WAITS)
        return [verb, "--id", f"n{self.clients}" if verb == "new" else lease["id"], *more]

    def step(self):
        leases = [lease for lease in self.look() if lease["state"] != "ended"]
        lease = self.chance.choice(leases)
        words = self.choose(lease)
        if words[0] in ("release", "lend"):
            self.slots.leave(lease)
        answer = self.ask(*words)
        if answer:
            print(*words, answer["request"], answer.get("reason", ""), flush=True)
            self.slots.become(answer["groups"])
        elif "--wait" in words and (words[0] == "new" or lease["request"] != "pending"):
            self.see_canceled(words[2])

    def play(self):
        for _ in range(STEPS):
            self.step()
        # What timers would do now is over.
        sys.stdout.flush()
        os._exit(0)


def connected():
    folder = pathlib.Path(f"/proc/{os.getppid()}/fd")
    return sum(os.readlink(path).startswith("socket:") for path in folder.iterdir())


def witness():
    number = connected()
    for _ in range(6000):
        if number == 1:
            break
        time.sleep(0.01)
        number = connected()
    sys.exit(number != 1 and f"{number} sockets are open: a client that has gone is not closed")


if sys.argv[1] == "play":
    Player(int(sys.argv[2])).play()
witness()
