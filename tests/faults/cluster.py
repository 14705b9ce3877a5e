"""Batch systems on nodes that are namespaces, and scenarios in which something breaks on them
while cctr runs tests there. A scenario ends in bounded time, with the right verdict for each
test, and leaves no process on any node."""

import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

NODES = 3
PROCESSORS = 2
SECONDS = 100  # within which every run ends
INSIDE = "CCTR_TEST_IS_INSIDE"


def run(*words, **options):
    options.setdefault("timeout", 60)
    return subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL, **options)


def must(*words, **options):
    done = run(*words, **options)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")
    return done.stdout


def wait_for(what, seconds=60):
    """Waits until what() is true, and returns it; what() is false in the end: returns that."""
    until = time.monotonic() + seconds
    while True:
        found = what()
        if found or time.monotonic() >= until:
            return found
        time.sleep(0.02)


# ---- processes -----------------------------------------------------------------------------


def read(path):
    try:
        return pathlib.Path(path).read_text(errors="replace")
    except OSError:
        return ""


def command_of(pid):
    return read(f"/proc/{pid}/cmdline").split("\0")[:-1]


def living():
    """The numbers of all processes of the namespace that live. Its caller may kill them all: so
    it must be a namespace of this program's own."""
    if os.getpid() != 1:
        raise RuntimeError("this is no process namespace of its own")
    for entry in os.listdir("/proc"):
        if entry.isdigit() and not re.search(r"State:\s*[ZX]", read(f"/proc/{entry}/status")):
            if command_of(entry):
                yield int(entry)


def kill(pid, number=signal.SIGKILL):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


# ---- the cluster ---------------------------------------------------------------------------


class Cluster:
    """A controller in the namespaces of this program, and nodes in their own. A batch system is
    a class below this one, with the constants and functions that it lacks."""

    OPTIONS = ()  # of cctr, in each scenario
    SILENCE = "6s"  # after which a node is lost
    PATIENCE = 40  # seconds, within which nothing is left

    def __init__(self, work):
        self.work = work
        self.nodes = {}
        self.changed = set()  # the names of those that must start anew
        self.controller = None
        os.environ["PATH"] += ":/usr/sbin:/sbin"

    def start(self):
        must("hostname", "head")
        names = ["10.77.0.10 head"] + [f"10.77.0.{10 + k} n{k}" for k in range(1, NODES + 1)]
        hosts = self.work / "hosts"
        hosts.write_text("\n".join(["127.0.0.1 localhost", *names, ""]))
        must("mount", "--bind", hosts, "/etc/hosts")
        for words in ("lo up", "br0 type bridge"):
            must("ip", "link", *(["set"] if words == "lo up" else ["add"]), *words.split())
        must("ip", "addr", "add", "10.77.0.10/24", "dev", "br0")
        must("ip", "link", "set", "br0", "up")
        self.prepare()
        for k in range(1, NODES + 1):
            self.boot(f"n{k}")
        if not self.is_idle(60):
            raise RuntimeError(self.shown()[-300:])

    def end_controller(self, number=signal.SIGKILL):
        self.controller.send_signal(number)
        self.controller.wait()

    def boot(self, name):
        ready = self.work / f"{name}.ready"
        ready.unlink(missing_ok=True)
        node = subprocess.Popen(
            ["unshare", "--net", "--uts", "--pid", "--mount", "--fork", "--mount-proc",
             "--kill-child", "sh", "-c",
             f"until [ -e '{ready}' ]; do sleep 0.02; done; hostname {name}; "
             f"while :; do {self.NODE_COMMAND} {self.words_of_node(name)}; sleep 0.2; done"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        own = os.readlink("/proc/self/ns/net")
        wait_for(lambda: os.readlink(f"/proc/{node.pid}/ns/net") != own)
        number = name[1:]
        # The same address as before: the others know it, and may not ask for a new one for a minute.
        must("ip", "link", "add", f"v{number}", "type", "veth", "peer", "name", "eth0",
             "address", f"02:00:00:00:00:0{number}", "netns", node.pid)
        must("ip", "link", "set", f"v{number}", "master", "br0", "up")
        for words in ("link set lo up", f"addr add 10.77.0.1{number}/24 dev eth0",
                      "link set eth0 up"):
            must("nsenter", "-t", node.pid, "--net", "ip", *words.split())
        self.nodes[name] = node
        ready.touch()

    def change(self, name, *words):
        """Runs a command in the node's own mounts, which it gets anew later."""
        init = next(iter(self.processes(name)), None)
        must("nsenter", "-t", init, "--mount", *words)
        self.changed.add(name)

    def processes(self, name):
        """The numbers, here, of all processes of the node."""
        own = os.readlink("/proc/self/ns/net")
        try:
            net = os.readlink(f"/proc/{self.nodes[name].pid}/ns/net")
        except FileNotFoundError:
            return []
        found = []
        for pid in living():
            try:
                if pid != self.nodes[name].pid and net != own and \
                        os.readlink(f"/proc/{pid}/ns/net") == net:
                    found.append(pid)
            except FileNotFoundError:
                pass
        return sorted(found)

    def find(self, name, *words):
        """A process of the node whose command has all the words."""
        for pid in self.processes(name):
            if all(any(word in part for part in command_of(pid)) for word in words):
                return pid
        return None

    def crash(self, name):
        self.nodes[name].kill()
        self.nodes[name].wait()
        run("ip", "link", "del", f"v{name[1:]}")

    def link(self, name, state):
        must("ip", "link", "set", f"v{name[1:]}", state)

    def mend(self):
        """Everything as it was in the beginning. A controller that was killed may have lost what
        it knew of jobs that nodes still have: all forget."""
        if self.controller.poll() is not None:
            self.changed = set(self.nodes)
            self.begin_controller(*self.FORGETS)
        for name in self.changed:
            self.crash(name)
        self.changed = set()
        for name, node in list(self.nodes.items()):
            if node.poll() is not None:
                self.boot(name)
            self.link(name, "up")
        return self.is_idle(90)


# ---- a run ---------------------------------------------------------------------------------

WAITS = "echo $(hostname) $$ $PPID $CCTR_NODELIST >>'{0}/started-{1}'; until [ -e '{0}/go' ]; do sleep 0.05; done"
KINDS = {
    "plain": (["one", "two", "three", "four"], ""),
    "gpus": (["one", "two", "three"], "RESOURCE_GROUPS 2,gpus:1"),
    "serial": (["one", "two"], "RUN_SERIAL TRUE"),
    "repeat": (["one", "two"], ""),
    "fixture": (["one", "two"], "FIXTURES_REQUIRED f"),
    "whole": (["one"], "CCTR_NODES 2"),
}


class Scene:
    """One scenario: a build tree, a job, cctr and what it says."""

    def __init__(self, cluster, name, row):
        self.cluster = cluster
        self.row = row
        self.kind = row.get("kind", "plain")
        self.work = cluster.work / name
        self.tree = self.work / "tree"
        self.tree.mkdir(parents=True)
        self.tests, properties = KINDS[self.kind]
        self.program = self.stopped = None
        self.said = self.work / "output"
        self.options = [f"--engine={cluster.ENGINE}", "-V", f"--node-timeout={cluster.SILENCE}",
                        *cluster.OPTIONS, *row.get("options", [])]
        if self.kind == "repeat":
            self.options += ["--repeat", "until-fail:2"]
        lines = [f'add_test({t} "/bin/sh" "-c" "{self.words_of(t)}")' for t in self.tests]
        lines += [f"set_tests_properties({t} PROPERTIES {properties})"
                  for t in self.tests if properties]
        if self.kind == "fixture":
            for t, what in (("before", "SETUP"), ("after", "CLEANUP")):
                lines += [f'add_test({t} "/bin/true")',
                          f"set_tests_properties({t} PROPERTIES FIXTURES_{what} f)"]
        (self.tree / "CTestTestfile.cmake").write_text("\n".join(lines) + "\n")
        self.environment = {**os.environ, "CCTR_COMPAT_VERSION": "3.25"}
        self.environment.pop("TMPDIR", None)

    def words_of(self, test):
        return (self.row.get("test") or WAITS).format(self.work, test).replace('"', '\\"').replace(
            "$", "\\$")

    def begin(self):
        with open(self.said, "w", encoding="ascii") as said:
            self.program = subprocess.Popen(
                [os.environ["CCTR"], "--test-dir", self.tree, *self.options], stdout=said,
                stderr=said, stdin=subprocess.DEVNULL, env=self.environment)

    def started(self, test):
        """Where the test has started: [node, process, agent], for each time, and which nodes a
        test of the kind "whole" has."""
        return [line.split() for line in read(self.work / f"started-{test}").splitlines()]

    def await_tests(self, together=None):
        """Until as many tests run as can."""
        runs = together or (1 if self.kind == "serial" else len(self.tests))
        wait_for(lambda: sum(bool(self.started(t)) for t in self.tests) >= runs
                 or self.program.poll() is not None)

    def victim(self):
        """The node of the first test."""
        self.await_tests()
        if not any(self.started(t) for t in self.tests):
            raise RuntimeError("the tests do not start: " + read(self.said)[-2000:])
        return next(self.started(t)[0][0] for t in self.tests if self.started(t))

    def go(self):
        (self.work / "go").touch()

    def has_said(self, pattern):
        return re.search(pattern, read(self.said), re.MULTILINE)

    def await_end(self):
        try:
            return self.program.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.program.kill()
            self.program.wait()
            return "too late"

    def end(self):
        """cctr runs no longer, whatever has happened; what was stopped goes on."""
        if self.program and self.program.poll() is None:
            self.program.kill()
            self.program.wait()
        if self.stopped:
            for pid in self.cluster.processes(self.stopped):
                kill(pid, signal.SIGCONT)

    def left(self):
        """What still runs, besides the cluster."""
        def look():
            found = []
            for pid in living():
                words = command_of(pid)
                is_of_cluster = read(f"/proc/{pid}/comm").strip() in self.cluster.DAEMONS or \
                    self.cluster.NODE_COMMAND in " ".join(words) or words == ["sleep", "0.2"]
                if words and not is_of_cluster and pid not in (1, os.getpid()):
                    found.append((pid, " ".join(words)[:150]))
            return found
        return look() if not wait_for(lambda: not look(), self.cluster.PATIENCE) else []


# ---- faults --------------------------------------------------------------------------------


def crash(scene, node):
    scene.cluster.crash(node)


def crash_others(scene, node):
    for name in list(scene.cluster.nodes):
        if name != node:
            scene.cluster.crash(name)


def crash_all(scene, node):
    crash_others(scene, node)
    crash(scene, node)


def cut(scene, node):
    scene.cluster.link(node, "down")


def cut_shortly(scene, node):
    scene.cluster.link(node, "down")
    time.sleep(2)
    scene.cluster.link(node, "up")


def until_said(fault):
    """For a fault that only asks for what it does, as a signal or a request to a daemon: the tests
    must not end before it is done."""
    def faulty(scene, node):
        fault(scene, node)
        wait_for(lambda: scene.has_said(scene.row["says"]))
    return faulty


def cut_long(scene, node):
    until_said(cut)(scene, node)
    scene.cluster.link(node, "up")


def agent(scene, node, number):
    for pid in scene.cluster.processes(node):
        if command_of(pid)[1:] == ["--agent"]:
            kill(pid, number)


def kill_agent(scene, node):
    agent(scene, node, signal.SIGKILL)


def end_agent(scene, node):
    agent(scene, node, signal.SIGTERM)


def stop_agent(scene, node):
    agent(scene, node, signal.SIGSTOP)


def kill_launcher(scene, node):
    for pid in living():
        words = command_of(pid)
        if words and os.path.basename(words[0]) == scene.cluster.LAUNCHER and node in words:
            kill(pid)


def kill_node_daemon(scene, node):
    for pid in scene.cluster.processes(node):
        if read(f"/proc/{pid}/comm").strip() == scene.cluster.NODE_DAEMON:
            kill(pid)


def kill_steps(scene, node):
    for pid in scene.cluster.processes(node):
        if scene.cluster.STEP_DAEMON in (command_of(pid) or [""])[0]:
            kill(pid)


def kill_controller(scene, _node):
    scene.cluster.end_controller()


def restart_controller(scene, _node):
    """It has kept the job; killed, it may forget what it has not written yet."""
    scene.cluster.end_controller(signal.SIGTERM)
    scene.cluster.begin_controller()
    wait_for(scene.cluster.answers)


def kill_program(scene, _node):
    scene.program.kill()


def interrupt_program(scene, _node):
    scene.program.send_signal(signal.SIGINT)


def nothing(_scene, _node):
    pass


def to_other(fault):
    """The same fault on the second node of a test that has two."""
    return lambda scene, _node: fault(scene, scene.started("one")[0][3].split(",")[1])


# ---- nodes that are not as they should be, before cctr begins --------------------------------


def full_tmp(scene, node):
    """The node's temporary directory is full."""
    folder = scene.work / "tmp"
    folder.mkdir()
    scene.environment["TMPDIR"] = str(folder)
    scene.cluster.change(node, "mount", "-t", "tmpfs", "-o", "size=4k,nr_inodes=1", "full", folder)


def wrong_clock(hours):
    """The agent of the node has another time."""
    def fault(scene, node):
        program, copy = os.environ["CCTR"], scene.work / "cctr"
        library, wrapper = scene.work / "clock.so", scene.work / "wrapper"
        must(os.environ.get("CC", "cc"), "-shared", "-fPIC", f"-DHOURS={hours}", "-o", library,
             "tests/faults/clock.c")
        shutil.copy2(program, copy)
        wrapper.write_text(f"#!/bin/sh\nLD_PRELOAD='{library}' exec '{copy}' \"$@\"\n")
        wrapper.chmod(0o755)
        scene.cluster.change(node, "mount", "--bind", wrapper, program)
    return fault


def hidden_tree(scene, node):
    """The node does not see what is in the build tree."""
    empty = scene.work / "empty"
    empty.mkdir()
    (scene.tree / "Testing/Temporary").mkdir(parents=True)
    scene.cluster.change(node, "mount", "--bind", empty, scene.tree / "Testing/Temporary")


def late_tree(scene, node):
    wait_for(lambda: scene.cluster.find(node, "--agent"))
    time.sleep(1)
    scene.cluster.change(node, "umount", scene.tree / "Testing/Temporary")


def await_refusal(scene, _node):
    wait_for(lambda: scene.has_said("it does not see the build tree"))


def await_full(scene, _node):
    """The last test waits for the node, if the others have the other nodes."""
    wait_for(lambda: scene.has_said("it gets no more tests: no space left"))


def dead_node_daemon(scene, node):
    """The node does not answer, and Slurm does not know it yet."""
    for pid in scene.cluster.processes(node):
        kill(pid, signal.SIGSTOP)
    scene.stopped = node


# ---- scenarios -----------------------------------------------------------------------------


def judge(scene, code):
    row = scene.row
    expected = row.get("code", 0)
    wrong = []
    if code != expected:
        wrong.append(f"exit code {code}, not {expected}")
    if "says" in row and not scene.has_said(row["says"]):
        wrong.append(f"{row['says']} is not said")
    if "silent" in row and scene.has_said(row["silent"]):
        wrong.append(f"{row['silent']} is said")
    if code == 0:
        for test in scene.tests:
            if not scene.started(test):
                wrong.append(f"{test} has passed, but has not started")
        if not scene.has_said(r"100% tests passed, 0 tests failed"):
            wrong.append("not all tests have passed")
    elif row.get("code") == 8 and not (scene.work / "go").exists():
        wrong += [f"{test} has passed, but has not ended" for test in scene.tests
                  if scene.has_said(rf"^ *\d+/\d+ Test +#\d+: {test} .*Passed")]
    for pid, words in scene.left():
        wrong.append(f"is left: {pid} {words}")
        kill(pid)  # not a part of the next scenario
    return wrong


def stage(scene):
    """What happens, up to the end of cctr; returns its exit code."""
    row = scene.row
    scene.cluster.allocate(scene)
    row.get("before", nothing)(scene, "n1")
    scene.begin()
    row.get("begun", nothing)(scene, "n1")
    if "running" in row:
        row["running"](scene, scene.victim())
    elif "end" not in row:
        scene.await_tests(row.get("together"))
    if not row.get("stays"):
        scene.go()
    if "end" in row:
        last = r"^ *(\d+)/\1 Test "
        wait_for(lambda: scene.has_said(last) or scene.program.poll() is not None)
        row["end"](scene, "n1")
    return scene.await_end()


def play(cluster, name, row):
    """What is wrong in the end. Whatever breaks here is the fault of this scenario alone."""
    scene = Scene(cluster, name, row)
    try:
        try:
            code = stage(scene)
        finally:
            scene.end()
        row.get("after", nothing)(scene, "n1")
        wrong = judge(scene, code)
    except Exception:  # pylint: disable=broad-except
        wrong = traceback.format_exc().splitlines()
    return wrong + [f"  {line}" for line in read(scene.said).splitlines()[-40:]] if wrong else []


def mend(cluster):
    """Why the cluster does not come back, or nothing."""
    try:
        return [] if cluster.mend() else [f"the cluster does not come back: {cluster.shown()}"]
    except Exception:  # pylint: disable=broad-except
        return ["the cluster does not come back:", *traceback.format_exc().splitlines()]


def scenarios(kind, table, chosen):
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    work = pathlib.Path(tempfile.mkdtemp(dir=os.environ["CCTR_TEST_WORK"]))
    cluster = kind(work)
    try:
        cluster.start()
    except (RuntimeError, OSError, subprocess.TimeoutExpired) as e:
        print(f"1..0 # SKIP {kind.TITLE} does not start on nodes of its own: "
              f"{' '.join(str(e).split())}")
        return 0
    failed = 0
    broken = []
    names = chosen.names or list(table)
    for number, name in enumerate(names, 1):
        began = time.monotonic()
        wrong = mend(cluster) if broken else []
        wrong = wrong or play(cluster, name, table[name])
        broken = mend(cluster)
        wrong += broken
        failed += bool(wrong)
        print(f"{'not ' * bool(wrong)}ok {number} - {name}", flush=True)
        for line in wrong:
            print("\n".join(f"# {part}" for part in line.splitlines()))
        print(f"# {time.monotonic() - began:.1f} s", flush=True)
    print(f"1..{len(names)}")
    return 1 if failed else 0


def why_not(kind):
    if os.environ.get("CCTR_CLUSTERS") == "0":
        return "CCTR_CLUSTERS is 0"
    for program in [*kind.PROGRAMS, "ip", "unshare", "nsenter", "setpriv"]:
        if not shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            return f"no {program}"
    done = run("unshare", "--mount", "--net", "--uts", "--pid", "--fork", "--mount-proc",
               "ip", "link", "add", "br0", "type", "bridge")
    return f"no namespaces: {done.stderr.strip()}" if done.returncode else None


def play_all(kind, table, text):
    """The program: kind is the class of a batch system, table has its scenarios by name."""
    parser = argparse.ArgumentParser(description=text.partition("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="scenario")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--workers", type=int, default=4)
    chosen = parser.parse_args()
    if chosen.list:
        print("\n".join(table))
        return 0
    unknown = [name for name in chosen.names if name not in table]
    if unknown:
        sys.exit(f"no scenario {unknown[0]}")
    if os.environ.get(INSIDE):
        return scenarios(kind, table, chosen)
    reason = why_not(kind)
    if reason:
        print(f"1..0 # SKIP {reason}")
        return 0
    return share(chosen, chosen.names or list(table))


def begin(names, keep, work):
    """A program in namespaces of its own, which end with this one."""
    environment = {**os.environ, INSIDE: "1", "CCTR_TEST_WORK": work}
    return subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--net", "--uts", "--pid",
         "--fork", "--kill-child", "--mount-proc", sys.executable, sys.argv[0],
         *(["--keep"] if keep else []), *names],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace")


class Output:
    """What the programs print, a scenario at a time, with numbers of its own. What is no TAP says
    why a program has ended."""

    def __init__(self):
        self.lock = threading.Lock()
        self.played = []
        self.skipped = None

    def follow(self, program):
        block = []
        for line in program.stdout:
            self.skipped = line if line.startswith("1..0") else self.skipped
            if line.startswith("1.."):
                continue
            block.append(line)
            if re.fullmatch(r"# [0-9.]+ s\n", line):
                self.put(block)
                block = []
        self.put(block)
        program.wait()

    def put(self, block):
        with self.lock:
            for line in block:
                line = line.rstrip("\n")
                result = re.fullmatch(r"((?:not )?ok) \d+ - (.*)", line)
                if result:
                    self.played.append(result[2])
                    line = f"{result[1]} {len(self.played)} - {result[2]}"
                print(line if result or line.startswith("#") else f"# {line}", flush=True)

    def put_unplayed(self, names, code):
        """The scenarios that a program has not come to. Returns whether that is wrong."""
        names = [name for name in names if name not in self.played]
        for name in names:
            if self.skipped:
                self.put([f"ok 0 - {name} {self.skipped[5:]}"])
            else:
                self.put([f"not ok 0 - {name}", f"not played: the program has ended with {code}"])
        return bool(names) and not self.skipped


def share(chosen, names):
    """Several clusters beside each other; scenarios wait most of the time."""
    work = tempfile.mkdtemp()
    count = min(chosen.workers, len(names))
    programs = [begin(names[k::count], chosen.keep, work) for k in range(count)]
    output = Output()
    threads = [threading.Thread(target=output.follow, args=[p]) for p in programs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if chosen.keep:
        print(f"# {work}")
    else:
        shutil.rmtree(work, ignore_errors=True)
    if output.skipped and not output.played:
        print(output.skipped, end="")
        return 0
    wrong = [output.put_unplayed(names[k::count], p.returncode) for k, p in enumerate(programs)]
    print(f"1..{len(names)}")
    return 1 if any(wrong) or any(p.returncode for p in programs) else 0
