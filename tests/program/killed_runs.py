"""kill -9 at any system call of a run: no file is torn, the run that is gone on with has the
verdicts of one that was never interrupted, and the next run is as always.

    killed_runs.py --subject build/release/cctr                      a few kills, as in the suite
    killed_runs.py --subject ... --kills 200 --seed 7                many; by hand
"""

import argparse
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "conformance"))
import seeds  # noqa: E402

CALLS = "write,pwrite64,writev,openat,rename,unlink,ftruncate,fsync,close,flock,mkdir,wait4"
TESTS = """\
add_test(first "/bin/echo" "of first")
add_test(fails "/bin/sh" "-c" "echo of fails; exit 1")
add_test(sets_up "/bin/sh" "-c" "echo > $TREE/fixture")
add_test(requires "/bin/sh" "-c" "test -f $TREE/fixture")
add_test(requires_and_fails "/bin/sh" "-c" "test -f $TREE/fixture && exit 3; exit 4")
add_test(cleans_up "/bin/rm" "$TREE/fixture")
add_test(skips "/bin/sh" "-c" "exit 77")
add_test(off "/bin/true")
add_test(large "/bin/sh" "-c" "seq 3000")
add_test(last "/bin/false")
set_tests_properties(sets_up PROPERTIES FIXTURES_SETUP f)
set_tests_properties(requires PROPERTIES FIXTURES_REQUIRED f)
set_tests_properties(requires_and_fails PROPERTIES FIXTURES_REQUIRED f)
set_tests_properties(cleans_up PROPERTIES FIXTURES_CLEANUP f)
set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(off PROPERTIES DISABLED ON)
"""
FAILED = ["2:fails", "5:requires_and_fails", "10:last"]
RESULT = re.compile(r"Test +#\d+: (\S+) \.*\s*(Passed|\*+\w+(?: Run \(Disabled\))?)")


class Tree:
    def __init__(self, subject, folder):
        self.subject = str(pathlib.Path(subject).resolve())
        self.path = folder / "tree"
        self.saved = folder / "saved"
        self.path.mkdir()
        (self.path / "CTestTestfile.cmake").write_text(TESTS.replace("$TREE", str(self.path)))
        self.files = self.path / "Testing" / "Temporary"

    def run(self, *arguments, wrapper=()):
        command = [*wrapper, self.subject, *arguments]
        environment = {"CCTR_COMPAT_VERSION": "3.25", "PATH": "/usr/bin:/bin", "LC_ALL": "C"}
        done = subprocess.run(command, cwd=self.path, env=environment, timeout=300, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)  # fmt: skip
        return done.returncode, done.stdout

    def save(self):
        shutil.copytree(self.path, self.saved)

    def restore(self):
        shutil.rmtree(self.path)
        shutil.copytree(self.saved, self.path)

    def text(self, name):
        try:
            return (self.files / name).read_text(errors="replace")
        except FileNotFoundError:
            return ""


def verdicts(output):
    return {name: verdict.strip("*") for name, verdict in RESULT.findall(output)}


def calls_of(tree):
    """Every system call of an undisturbed run, with its number."""
    log = tree.path.parent / "calls"
    tree.run("-j2", wrapper=["strace", "-qq", "-o", str(log), "-e", f"trace={CALLS}"])
    counts, calls = {}, []
    for line in log.read_text(errors="replace").splitlines():
        name = line.split("(")[0]
        if not name.isidentifier() or name not in CALLS.split(","):
            continue
        counts[name] = counts.get(name, 0) + 1
        calls.append((name, counts[name]))
    return calls


def torn(tree):
    """-> what no reader can take for a whole file"""
    log, costs = tree.text("LastTest.log"), tree.text("CTestCostData.txt")
    if log and "\nEnd testing: " not in log[-200:]:
        yield "LastTest.log is torn"
    if costs and "\n---\n" not in costs:
        yield "CTestCostData.txt is torn"
    for name in ("LastTestsFailed.log", "LastTestsDisabled.log"):
        text = tree.text(name)
        if text and not re.fullmatch(r"(\d+:\w+\n)+", text):
            yield f"{name} is torn: {text!r}"
    text = tree.text("CTestCheckpoint.txt")
    if text and not re.fullmatch(r"(\d+ \S+ \w+\n)+", text):
        yield f"CTestCheckpoint.txt is torn: {text!r}"


def failures_of_log(tree):
    """Tests whose entry in the log of the killed run says that they failed."""
    found = re.findall(r'^Test Failed\.\n"(\w+)" end time', tree.text("LastTest.log.tmp"), re.M)
    return set(found)


def judge(tree, expected):
    """The state that a kill has left -> what is wrong with it, or after -F, or after the next run."""
    yield from torn(tree)
    done = re.findall(r"^\d+ \S+ (\w+)$", tree.text("CTestCheckpoint.txt"), re.M)
    lost = failures_of_log(tree) & set(done)
    if lost:
        yield f"the checkpoint has what failed: {lost}"
    known = {line.split(":")[1] for line in tree.text("LastTestsFailed.log").splitlines()}
    entries = failures_of_log(tree)
    if len(entries - known) > 1:
        yield f"the failed list lacks {entries - known}"
    status, output = tree.run("-F", "-j2")
    seen = verdicts(output)
    if status != 8:
        yield f"-F: exit status {status}\n{output}"
    for name, verdict in expected.items():
        if seen.get(name, expected[name] if name in done else "not run") != verdict:
            yield f"-F: {name}: {seen.get(name)}, not {verdict}\n{output}"
        if verdict == "Failed" and name not in seen:
            yield f"-F: {name} has not run again"
    yield from (f"-F: {line}" for line in torn(tree))
    status, output = tree.run("-j2")
    if status != 8 or verdicts(output) != expected:
        yield f"next run: exit status {status}\n{output}"
    if tree.text("LastTestsFailed.log").splitlines() != FAILED:
        yield f"next run: {tree.text('LastTestsFailed.log')!r}"
    yield from (f"next run: {line}" for line in torn(tree))


def kill_at(tree, call, count, expected):
    tree.restore()
    point = f"inject={call}:signal=KILL:when={count}"
    wrapper = ["strace", "-qq", "-o", "/dev/null", "-e", f"trace={CALLS}", "-e", point]
    status, _ = tree.run("-j2", wrapper=wrapper)
    is_killed = status in (-signal.SIGKILL, 128 + signal.SIGKILL)
    return is_killed, [f"at {call} {count}: {line}" for line in judge(tree, expected)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--subject", required=True)
    parser.add_argument("--kills", type=int, default=24)
    parser.add_argument("--seed", type=int, default=seeds.of_checkout())
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(options.subject, pathlib.Path(folder))
        # Every third kill is of the first run in the tree, others of a later one.
        tree.save()
        calls = calls_of(tree)
        status, output = tree.run("-j2")
        expected, wrong, killed = verdicts(output), [], 0
        chosen = random.Random(options.seed).choices(calls, k=options.kills)
        for number, (call, count) in enumerate(chosen):
            if number == options.kills // 3:
                tree.restore()
                tree.run("-j2")
                shutil.rmtree(tree.saved)
                tree.save()
            is_killed, found = kill_at(tree, call, count, expected)
            killed += is_killed
            wrong += found
    print(f"# --kills {options.kills} --seed {options.seed}: {killed} runs were killed at one of"
          f" {len(calls)} calls")  # fmt: skip
    for line in "\n".join(wrong).splitlines():
        print(f"# {line}")
    print(f"{'ok' if status == 8 and len(expected) == 10 else 'not ok'} 1 - an undisturbed run")
    print(f"{'ok' if killed else 'not ok'} 2 - runs are killed")
    print(f"{'not ok' if wrong else 'ok'} 3 - nothing is torn, and no verdict is lost")
    print("1..3")
    return 0 if not wrong and killed and len(expected) == 10 else 1


sys.exit(main())
