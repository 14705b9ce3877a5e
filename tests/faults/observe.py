"""Runs cctr once and takes down what the run shows: exit code, verdicts, lines, files and the
processes that it leaves."""

import collections
import contextlib
import hashlib
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
import uuid
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))

import normalise  # noqa: E402
import sides  # noqa: E402
from classify import Seen  # noqa: E402

MARK = "CCTR_FAULTS_MARK"
LIMIT = 20  # seconds until a run counts as hanging
# What a run tells the next one, if it is killed, and how long tests took.
IGNORED = ("cctr-run.txt", *normalise.OWN_FILES)
HISTORY = "cctr-history.sqlite"
SHARD = re.compile(r"cctr-shard-\d+-of-\d+")
ATTEMPTS = (
    "SELECT run, name, number, is_last, verdict, why FROM attempt"
    " JOIN test ON test.id = attempt.test ORDER BY attempt.id"
)
# The next run with agents removes it (unit/witness).
WITNESS = re.compile(r"cctr-run-\w{6}")
HANG = re.compile(r"(?<=^Hang report of cctr:\n).*?(?=^-+$)", re.M | re.S)  # what could be read
WHERE = re.compile(r"^Node: .*\n", re.M)  # a test may run elsewhere, and with the same result
CAMPAIGN = uuid.uuid4().hex  # begins every mark of this program
GRACE = 5  # seconds that processes have to end after cctr; it takes less than one but under load
RESULT = re.compile(
    r"^ *\d+/\d+ (?:Test|MemCheck) +#\d+: (\S+) \.*[. ]*(?:\*\*\*)?([A-Z].*?) +[\d.]+ sec *$", re.M
)
BIG = b"x" * 63 + b"\n"  # what `actor big` prints, many times
LOST = re.compile(rb"^Output lost: .*", re.M)
# Of --events, --tap and --trace.
MEASURED = re.compile(
    r'((?:"(?:time|began|ts|dur|seconds|user|system|peak_bytes)":|^  seconds: ))[\d.]+', re.M
)
ARROW = re.compile(r",\n.*critical path.*}")  # of tests so short that chance chooses them
NUMBER = re.compile(r"0x[0-9a-f]+|\d+(\.\d+)?")


def marked(mark):
    """-> {pid: command line} of processes whose environment has this mark"""
    found, wanted = {}, f"{MARK}={mark}".encode()
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):
                folder = pathlib.Path("/proc", name)
                if wanted in (folder / "environ").read_bytes():
                    words = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
                    found[int(name)] = words.decode(errors="replace").strip()
    return found


def new_mark():
    return f"{CAMPAIGN}.{uuid.uuid4().hex}"


def end_all(mark):
    while found := marked(mark):
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def end_with_us():
    """What runs under faults would outlive this program when a signal ends it."""

    def end(number, _frame):
        end_all(CAMPAIGN)
        os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)


def leftovers(mark):
    """Processes that are still there after their time; they are killed."""
    until = time.monotonic() + GRACE
    while (found := marked(mark)) and time.monotonic() < until:
        time.sleep(0.05)
    end_all(mark)
    return tuple(sorted(found.values()))


class Console:
    """exact: numbers count, as nothing is measured"""

    def __init__(self, text, root, exact=False):
        text = normalise.placed(text, str(root))
        self.verdicts = {name: word.strip() for name, word in RESULT.findall(text)}
        texts = text.splitlines() if exact else (NUMBER.sub("N", line) for line in text.splitlines())
        times = collections.Counter(" ".join(line.split()) for line in texts)
        self.lines = frozenset(times)
        self.repeated = {line: n for line, n in times.items() if n > 1}


def is_torn(name, data):
    """A file that a reader cannot take for a whole one."""
    text, base = data.decode("latin-1"), name.rsplit("/", 1)[-1]
    if base.endswith(".tmp"):
        return False
    if base.endswith(".xml"):
        try:
            xml.etree.ElementTree.fromstring(data)
        except xml.etree.ElementTree.ParseError:
            return True
        return False
    if base.startswith(("LastTestsFailed", "LastTestsDisabled")) or base == "CTestCheckpoint.txt":
        return bool(text) and not text.endswith("\n")
    if base.startswith("LastTest") and base.endswith(".log"):
        return bool(text) and "\nEnd testing: " not in text[-200:]
    if base == "CTestCostData.txt":
        return "---\n" not in text or not text.endswith("\n")
    if base == "TAG":
        return text.count("\n") < 3
    if base.endswith(".html"):
        return not text.endswith("</html>\n")
    return False


def normal(name, data, root):
    """A file's text without times and places."""
    text = WHERE.sub("", normalise.placed(data.decode("latin-1"), str(root)))
    text = HANG.sub("", text)
    if name.endswith((".events", ".tap", ".trace")):
        return MEASURED.sub(r"\1N", ARROW.sub("", text))
    if name.endswith(".times"):
        return re.sub(r"^[\d.]+ \d+ ", "N N ", text, flags=re.M)
    if name.endswith(".html"):
        # A duration has another unit where it is longer.
        return re.sub(r"N ms(?=<|$)", "N s", NUMBER.sub("N", text), flags=re.M)
    if name.endswith(".xml"):
        # What the machine is, as far as the system says so: no result.
        text = re.sub(r"<Site\b[^>]*>", "<Site>", text)
        return normalise.scenario_text(name, text, str(root))
    try:
        return normalise.TAG.sub("T", normalise.DATE.sub("DATE", normalise.file(name, text, [], True)))
    except AttributeError:  # a log that is not one
        return text


def shortened(data):
    """What `actor big` printed becomes its length, which else costs most of the time."""
    parts, end = [], 0
    while (begin := data.find(BIG, end)) >= 0:
        parts.append(data[end:begin])
        end = begin
        for piece in (BIG * 1000, BIG * 30, BIG):
            while data.startswith(piece, end):
                end += len(piece)
        parts.append(b"%d bytes\n" % (end - begin))
    return b"".join([*parts, data[end:]])


def content(path):
    """The bytes of a file, shortened. Not of a FIFO, which would have its reader wait."""
    try:
        kind = os.lstat(path).st_mode
        if not stat.S_ISREG(kind) and not stat.S_ISLNK(kind):
            return stat.filemode(kind).encode()
        data = pathlib.Path(path).read_bytes()
    except OSError as error:
        return str(error).encode()
    return shortened(data)


def attempts(path):
    """The rows of a history, without times; None: it is damaged."""
    with tempfile.TemporaryDirectory() as folder:
        for file in path.parent.glob(f"{HISTORY}*"):
            shutil.copy(file, folder)
        copy = pathlib.Path(folder, HISTORY)
        if copy.stat().st_size == 0:
            return []
        try:
            with contextlib.closing(sqlite3.connect(copy)) as base:
                right = base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
                return base.execute(ATTEMPTS).fetchall() if right else None
        except sqlite3.Error:
            return None


def shard_parts(data):
    """What is in the record of a shard, without times: how many parts of each kind, and the end."""
    at, kinds, end = data.find(b"\n") + 1, [], b""
    while at + 5 <= len(data):
        length, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4]
        kinds.append(kind)
        end = data[at + 5:at + 13] if kind == 4 else b""
        at += 5 + length
    return f"{kinds} {end.hex()}" if at == len(data) else "cut off"


def files(root):
    """-> {name: digest}, [names of torn files]"""
    found, torn = {}, []
    for folder, _, names in os.walk(root):
        for base in names:
            path = os.path.join(folder, base)
            name = os.path.relpath(path, root)
            if base == HISTORY:
                rows = attempts(pathlib.Path(path))
                torn += [name] if rows is None else []
                found[name] = str(rows)
            if SHARD.fullmatch(base):
                found[name] = shard_parts(pathlib.Path(path).read_bytes())
                continue
            if base in IGNORED or WITNESS.fullmatch(base):
                continue
            data = content(path)
            if is_torn(name, data):
                torn.append(name)
            digest = hashlib.md5(normal(name, data, root).encode("latin-1")).hexdigest()
            found[normalise.TAG.sub("T", name)] = digest
    return found, torn


def logged_losses(root):
    """Lines of LastTest.log that say that output is lost. The console has no place for them
    beside a crash or a limit, nor the class for the verdict of an attempt that was repeated."""
    return {
        line.decode("latin-1")
        for log in root.glob("**/Testing/Temporary/Last*.log")
        for line in LOST.findall(content(log))
    }


def environment(tree, mark, extra):
    env = sides.environment(tree.root, {"TMPDIR": str(tree.temporary), MARK: mark})
    env.pop("GTEST_PRINT_TIME")  # --batch lets tests with such variables run alone
    options = f"{env.get('ASAN_OPTIONS', '')}:detect_leaks=0:allocator_may_return_null=1"
    return dict(env, ASAN_OPTIONS=options.lstrip(":"), TZ="UTC", **extra)


def run(tree, where, words, wrapper=(), extra=None, limit=LIMIT, meanwhile=None, exact=False):
    """-> Seen: one run of the command line `words` in the folder `where` of the tree;
    meanwhile: called with the process as soon as it is there; exact: as Console has it"""
    mark, folder = new_mark(), tree.root / "tree" / where
    out, err = tree.root / "stdout", tree.root / "stderr"
    env = dict(environment(tree, mark, extra or {}), PWD=str(folder))
    with open(out, "wb") as stdout, open(err, "wb") as stderr, open(os.devnull, "rb") as null:
        process = subprocess.Popen([*wrapper, *words], cwd=folder, env=env, stdin=null,
                                   stdout=stdout, stderr=stderr, start_new_session=True)  # fmt: skip
    if meanwhile:
        meanwhile(process)
    try:
        status = process.wait(limit)
    except subprocess.TimeoutExpired:
        status = None
        end_all(mark)
        process.wait()
    left = leftovers(mark)
    console = Console(out.read_bytes().decode("latin-1"), tree.root, exact)
    errors = Console(err.read_bytes().decode("latin-1"), tree.root)
    found, torn = files(tree.root / "tree")
    lines = console.lines | errors.lines | logged_losses(tree.root / "tree")
    return Seen(status, console.verdicts, lines, found, tuple(torn), left, (), console.repeated)
