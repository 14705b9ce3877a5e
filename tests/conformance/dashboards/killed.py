"""Nothing is lost: cctr is killed at system calls that change files or speak with the server.
Then every file of the dashboard is the old one or the new one, and the same command once
more does what it would have done."""

import collections
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess

import normalise
import play
import sides
from dashboard_tree import XML, tag, within_a_day

# What can leave something half done; for Submit also what is said to the server.
CALLS = (
    "write,pwrite64,writev,rename,renameat,renameat2,openat,creat,unlink,unlinkat,mkdir,"
    "mkdirat,ftruncate,fsync,fdatasync,link,linkat,symlink,utimensat"
)
SPEECH = ",connect,sendto,sendmsg,recvfrom,shutdown"
# Always a reason to be killed before and after.
TURNS = ("rename", "renameat", "renameat2", "unlink", "unlinkat", "ftruncate", "mkdir")
CALL = re.compile(r"^([a-z0-9_]+)\((.*)")
ALL = ("Update", "Configure", "Build", "Test", "Coverage", "CoverageLog-0", "DynamicAnalysis",
       "DynamicAnalysis-Test", "Notes", "Upload")  # fmt: skip

CONFIGURATION = """SourceDirectory: {root}/source
BuildDirectory: {root}/build
Site: here
BuildName: killed
NightlyStartTime: 00:00:00 UTC
ConfigureCommand: sh -c 'seq 1 3000; echo round $ROUND'
MakeCommand: sh -c 'cat {root}/source/fails.txt; seq 1 3000; echo round $ROUND'
GITCommand: /usr/bin/git
UpdateVersionOnly: ON
CoverageCommand: /usr/bin/gcov
MemoryCheckType: AddressSanitizer
SubmitURL: http://127.0.0.1:{port}/submit.php?project=Small
CTestSubmitRetryCount: 0
CTestSubmitRetryDelay: 0
TimeOut: 1500
"""
TESTS = """add_test(one "sh" "-c" "echo round $ROUND")
add_test(two "sh" "-c" "seq 1 20000; test $ROUND = 1")
add_test(three "sh" "-c" "exit $ROUND")
"""
SCRIPT = """set(CTEST_SITE here)
set(CTEST_BUILD_NAME killed)
set(CTEST_SOURCE_DIRECTORY "@ROOT@/source")
set(CTEST_BINARY_DIRECTORY "@ROOT@/build")
ctest_start(Experimental APPEND)
ctest_test(RETURN_VALUE value)
file(WRITE "${CTEST_BINARY_DIRECTORY}/up.txt" "round $ENV{ROUND}")
ctest_upload(FILES "${CTEST_BINARY_DIRECTORY}/up.txt")
message("ended with ${value}")
"""
REPOSITORY = "sh scripts/repository.sh source"
COUNTS = "cd build && gcc --coverage -o count ../small/count.c ../small/counting.c && ./count 1"

# name: words, what is done before the first and before the second round
STEPS = {
    "Start": (["-M", "Nightly", "-T", "Start"], "", ""),
    "Update": (["-T", "Update"], REPOSITORY, f"{REPOSITORY} 0"),
    "Configure": (["-T", "Configure"], "", ""),
    "Build": (["-T", "Build"], "", ""),
    "Test": (["-T", "Test"], "", ""),
    "Coverage": (["-T", "Coverage"], COUNTS, "cd build && ./count 2"),
    "MemCheck": (["-T", "MemCheck"], "", ""),
    "Notes": (["-T", "Notes", "-A", "n.txt"], "echo 1 >build/n.txt", "echo 2 >build/n.txt"),
    "script": (["-S", "s.cmake"], "", ""),
    "Submit": (["-T", "Submit"], "", ""),
}  # fmt: skip


FOLDERS = {"projects/words": "source", "projects/small": "small", "scripts": "scripts"}
MISSING = "is missing"


class Scene:
    """A folder in which one step is killed again and again."""

    def __init__(self, place, program, server, name):
        self.root = pathlib.Path(place) / "tree"
        self.build = self.root / "build"
        self.testing = self.build / "Testing"
        self.kept = pathlib.Path(place) / "kept"
        self.program, self.server, self.name = program, server, name
        self.words, self.first, self.second = STEPS[name]
        self.killed = 0  # times

    def make(self):
        sides.remove(self.root)
        for source, folder in FOLDERS.items():
            shutil.copytree(play.HERE / source, self.root / folder)
        self.build.mkdir()
        text = CONFIGURATION.format(root=self.root, port=self.server.port)
        (self.build / "DartConfiguration.tcl").write_text(text)
        (self.build / "CTestTestfile.cmake").write_text(TESTS)
        (self.build / "s.cmake").write_text(SCRIPT.replace("@ROOT@", str(self.root)))
        (self.testing / tag()).mkdir(parents=True)
        (self.testing / "TAG").write_text(f"{tag()}\nExperimental\nExperimental\n")
        if self.name == "Submit":
            for kind in ALL:
                (self.testing / tag() / f"{kind}.xml").write_text(XML % kind)

    def environment(self, round_number):
        env = sides.environment(self.root, dict(play.GIT, ROUND=str(round_number)))
        # A leak sanitizer cannot work below strace, and says so with the exit status.
        options = f"{env.get('ASAN_OPTIONS', '')}:detect_leaks=0".lstrip(":")
        return dict(env, PWD=str(self.build), ASAN_OPTIONS=options)

    def shell(self, command):
        if command:
            subprocess.run(["/bin/sh", "-ec", command], cwd=self.root, check=True,
                           env=self.environment(0), stdout=subprocess.DEVNULL)  # fmt: skip

    def run(self, round_number, wrapper=()):
        self.server.journal.begin([])
        process = subprocess.Popen(
            [*wrapper, self.program, *self.words],
            cwd=self.build,
            env=self.environment(round_number),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=600)
        finally:
            # What a killed cctr leaves behind.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return process.returncode, output.decode("latin-1")

    def seen(self):
        files = {}
        for path in sorted(self.testing.rglob("*")):
            if path.name in normalise.OWN_FILES:
                continue
            name = str(path.relative_to(self.build))
            text = None
            if path.is_file():
                text = path.read_bytes().decode("latin-1")
                text = normalise.scenario_text(name, text, str(self.root))
            if path.name == "CTestCostData.txt":
                text = re.sub(r" \d+ (COST|0)$", " RUNS", text, flags=re.M)
            files[normalise.scenario_path(name, text or "", str(self.root))] = text
        return files

    def sent(self):
        """-> names of the files that have arrived whole"""
        found = []
        for request in self.server.journal.requests:
            text = normalise.scenario_request(request, str(self.root))
            found += re.findall(r"XML___([^&]*)&.*MD5=right", text.split("\n")[0])
        return found

    def keep(self):
        sides.remove(self.kept)
        shutil.copytree(self.testing, self.kept, symlinks=True)

    def restore(self):
        sides.remove(self.testing)
        shutil.copytree(self.kept, self.testing, symlinks=True)

    def calls(self):
        return CALLS + SPEECH if self.name == "Submit" else CALLS

    def prepare(self):
        """The old files, and then the new ones with the calls that make them."""
        self.make()
        self.shell(self.first)
        self.run(1)
        self.keep()
        self.old = self.seen()
        self.shell(self.second)
        log = self.root.parent / "calls"
        wrapper = ["strace", "-qq", "-o", str(log), "-e", f"trace={self.calls()}"]
        self.status, _ = self.run(2, wrapper)
        self.new, self.whole = self.seen(), self.sent()
        counts, self.points = collections.Counter(), []
        for line in log.read_text(errors="replace").splitlines():
            match = CALL.match(line)
            # What cannot be written to: terminals, pipes, libraries that are read.
            if match:
                counts[match.group(1)] += 1
                if not ("O_RDONLY" in line and "O_CREAT" not in line):
                    self.points.append((match.group(1), counts[match.group(1)]))

    def choose(self, number, chance):
        """Before and after each turn as far as the number goes, and elsewhere by chance."""
        turns = [i for i, (call, _) in enumerate(self.points) if call in TURNS]
        near = sorted({j for i in turns for j in (i, i + 1) if j < len(self.points)})
        far = [i for i in range(len(self.points)) if i not in near]
        near = chance.sample(near, min(len(near), number - number // 3))
        far = chance.sample(far, min(len(far), number - len(near)))
        return [self.points[i] for i in sorted(near + far)]

    def kill(self, call, count):
        """-> what is wrong after that"""
        self.restore()
        point = f"inject={call}:signal=KILL:when={count}"
        wrapper = ["strace", "-qq", "-o", "/dev/null", "-e", f"trace={self.calls()}", "-e", point]
        status, _ = self.run(2, wrapper)
        # How a child's output arrives decides how often cctr writes.
        self.killed += status in (-signal.SIGKILL, 128 + signal.SIGKILL)
        wrong = self.judge()
        status, output = self.run(2)
        if status != self.status:
            wrong.append(f"again: exit status {status}, not {self.status}\n{output}")
        wrong += self.judge_again()
        return "\n".join(f"at {call} {count}: {line}" for line in wrong)

    def judge(self):
        now, wrong = self.seen(), []
        for name in sorted(now.keys() | self.old.keys()):
            allowed = [files.get(name, MISSING) for files in (self.old, self.new)]
            text = now.get(name, MISSING)
            # What is not whole yet, under a name that nobody reads.
            if name.endswith(".tmp"):
                continue
            # What grows line by line, for -F.
            if name.endswith("CTestCheckpoint.txt") and re.fullmatch(r"(\d+ \S+ .+\n)*", text):
                continue
            # The mark of the run that was killed, for the next one.
            if name.endswith("cctr-run.txt") and re.fullmatch(r"(\d{19}\n)?", text):
                continue
            # The socket of the run that was killed: the next one removes it.
            if name.endswith("/cctr.sock"):
                continue
            # What begins with the old failures, and gets the new ones.
            lines = "".join(t for t in allowed if isinstance(t, str)).splitlines(True)
            if "LastTestsFailed" in name and set(text.splitlines(True)) <= set(lines):
                continue
            if text not in allowed:
                wrong.append(f"{name} is neither the old nor the new one: {str(text)[-200:]!r}")
        return wrong

    def judge_again(self):
        now, wrong = self.seen(), []
        for name in sorted(now.keys() | self.new.keys()):
            text = now.get(name, MISSING)
            if text != self.new.get(name, MISSING):
                wrong.append(f"again: {name}: {str(text)[-200:]!r}")
        if self.sent() != self.whole:
            wrong.append(f"again: sent {self.sent()}, not {self.whole}")
        return wrong


def missing():
    if not shutil.which("strace"):
        return "no strace"
    try:
        done = subprocess.run(["strace", "-qq", "-o", "/dev/null", "/bin/true"], timeout=300,
                              capture_output=True, check=False)  # fmt: skip
    except subprocess.TimeoutExpired:
        return "strace does not work"
    return "strace may not trace" if done.returncode else ""


def check(place, program, server, name, number, seed):
    """-> what is wrong with one step"""
    return within_a_day(lambda: check_once(place, program, server, name, number, seed))


def check_once(place, program, server, name, number, seed):
    scene = Scene(place, program, server, name)
    scene.prepare()
    if not scene.points:
        return "no system calls to be killed at"
    points = scene.choose(number, random.Random(f"{seed}{name}"))
    wrong = [scene.kill(*point) for point in points]
    if not scene.killed:
        wrong.append(f"not killed once at {len(points)} calls")
    return "\n".join(filter(None, wrong))
