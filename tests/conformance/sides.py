"""Makes a case's tree, runs one side in it and takes down everything that can be seen."""

import argparse
import contextlib
import fcntl
import os
import pathlib
import pty
import re
import shutil
import signal
import stat
import struct
import subprocess
import tempfile
import termios
import threading
import tty

import normalise

RELEASE = "3.25"  # of the ctest that cases are written for
PATH = "/usr/local/bin:/usr/bin:/bin"
PASSED_ON = (
    "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "FAULT", "SLURM_CONF", "SLURM_JOB_ID"
)


def new_folder(prefix):
    """A new temporary folder.  ctest takes an update command for one of the version control system
    whose name is anywhere in its path, and so no such name is in that of the folder."""
    while True:
        path = tempfile.mkdtemp(prefix=prefix)
        if not re.search("cvs|svn|bzr|git|hg|p4", path[path.rindex(prefix):]):
            return path
        os.rmdir(path)


class Side:
    """A program under comparison: its words (with a wrapper such as valgrind) and name."""

    def __init__(self, name, words, env=None):
        self.name, self.words, self.env = name, words, env or {}
        self.has_engine = "--launcher" in words or any("--engine" in word for word in words)


class Record:
    """What one run left to see, times taken out."""

    def __init__(self, side=None):
        self.has_engine = side is not None and side.has_engine
        self.status = None
        self.streams = {}  # name: text
        self.files = {}  # path: (kind and mode, text)
        self.times = {}  # where: list
        self.tags = set()  # of dashboards, in names of files


def absolute(program):
    """A program's path from everywhere."""
    return os.path.abspath(shutil.which(program) or program)


def release(text):
    """The argument of --dialect."""
    if not re.fullmatch(r"\d+\.\d+(\.\d+)?", text):
        raise argparse.ArgumentTypeError("not a release such as 4.4 or 4.3.1")
    return text


def release_of(program):
    """-> "4.3.1", of a ctest; RELEASE for the one that cases are written for"""
    try:
        said = subprocess.run([program, "--version"], capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(f"cannot ask {program} for its version: {error}")
    version = re.match(rb"ctest version (\d+\.\d+)(\.\d+)?", said)
    if not version:
        raise SystemExit(f"{program} does not say which ctest it is: name one by --dialect")
    return RELEASE if version.group(1).decode() == RELEASE else version.group()[14:].decode()


def path_with(oracle):
    """-> {} or the PATH on which both sides find the cmake that the oracle came with"""
    folder = os.path.dirname(oracle)
    found = shutil.which("cmake", path=PATH)
    beside = os.path.join(folder, "cmake")
    if not os.path.exists(beside) or (found and os.path.samefile(beside, found)):
        return {}
    return {"PATH": f"{folder}:{PATH}"}


def environment(root, extra, release=RELEASE):
    """release: of the ctest that cctr is to follow"""
    env = {
        "PATH": PATH,
        "HOME": str(root),
        "LC_ALL": "C",
        "GTEST_PRINT_TIME": "0",  # GoogleTest's own times are not ctest's
        "TERM": "dumb",
        "CCTR_COMPAT_VERSION": release,
    }
    env.update((name, os.environ[name]) for name in PASSED_ON if name in os.environ)
    env.update(extra)
    return env


def remove(path):
    """rm -rf that also gets through directories without permissions."""

    def grant(function, name, _error):
        os.chmod(os.path.dirname(name), 0o700)
        if not os.path.isdir(name) or os.path.islink(name):
            os.unlink(name)
            return
        os.chmod(name, 0o700)
        if function is os.rmdir:
            os.rmdir(name)
        else:  # it could not be read
            shutil.rmtree(name, onerror=grant)

    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path, onerror=grant)


def _write(path, body, mode):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
    if mode:
        path.chmod(int(mode, 8))


def apply(change, root, substitute, run_oracle):
    """One step of making a tree.  `self` steps are for the caller."""
    words = [substitute(word) for word in change.words]
    path = root / words[0] if words else root
    if change.kind == "file":
        body = substitute(change.body.decode("latin-1")).encode("latin-1")
        _write(path, body, words[1] if len(words) > 1 else None)
    elif change.kind == "link":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(words[1])
    elif change.kind == "directory":
        path.mkdir(parents=True, exist_ok=True)
    elif change.kind == "mode":
        path.chmod(int(words[1], 8))
    elif change.kind == "remove":
        remove(path)
    elif change.kind == "touch":
        os.utime(path, (float(words[1]), float(words[1])))
    elif change.kind == "shell":
        subprocess.run(["/bin/sh", "-ec", words[0]], cwd=root, check=True)
    elif change.kind == "before":
        run_oracle(words)


def _end(process):
    """Asks first, so that a runner can end its tests, then ends its process group."""
    for sig in (signal.SIGTERM, signal.SIGKILL):
        os.killpg(process.pid, sig)
        try:
            process.wait(3)
        except subprocess.TimeoutExpired:
            continue
        return


class Terminal:
    """80 x 24, which changes nothing and fills a file.  This process has its end open too: when the
    last program that has it closes it, the kernel may lose what was not read yet."""

    END = b"\0the end of what was written\0"

    def __init__(self, file):
        self.ours, self.writer = pty.openpty()
        tty.setraw(self.writer)
        fcntl.ioctl(self.writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.thread = threading.Thread(target=self._copy, args=(file,))
        self.thread.start()

    def _copy(self, file):
        text = bytearray()
        while not text.endswith(self.END):
            text += os.read(self.ours, 65536)
        file.write(text.removesuffix(self.END))

    def close(self):
        os.write(self.writer, self.END)
        self.thread.join()
        os.close(self.writer)
        os.close(self.ours)


def execute(side, case, arguments, where, env, out):
    """Runs a side once; its streams go to out.stdout and out.stderr.  -> exit status, or
    a text when it had to be stopped."""
    for stream in ("stdout", "stderr"):  # what an earlier run left
        pathlib.Path(f"{out}.{stream}").unlink(missing_ok=True)
    with contextlib.ExitStack() as open_files:
        stdout = open_files.enter_context(open(f"{out}.stdout", "wb"))
        if case.terminal:
            terminal = open_files.enter_context(contextlib.closing(Terminal(stdout)))
            stdout = terminal.writer
        stderr = stdout
        if not case.merged:
            stderr = open_files.enter_context(open(f"{out}.stderr", "wb"))
        process = subprocess.Popen(
            side.words + arguments,
            cwd=where,
            env=dict(env, PWD=str(where), **side.env),
            stdin=subprocess.DEVNULL if case.input is None else subprocess.PIPE,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        try:
            process.communicate(case.input, timeout=case.limit)
        except subprocess.TimeoutExpired:
            _end(process)
            return f"stopped after {case.limit:g} s"
    return process.returncode


def bytes_of(path):
    """Of a file that perhaps may not be read: who owns it may change that."""
    try:
        return path.read_bytes()
    except PermissionError:
        mode = stat.S_IMODE(path.lstat().st_mode)
        path.chmod(mode | stat.S_IRUSR)
        try:
            return path.read_bytes()
        finally:
            path.chmod(mode)


def take_files(record, folder, root, case):
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(root))
        if path.name in normalise.OWN_FILES:
            continue
        if any(pathlib.PurePath(name).match(pattern) for pattern in case.ignored):
            continue
        record.tags.update(normalise.TAG.findall(name))
        info = path.lstat()
        mode = stat.filemode(info.st_mode)
        if stat.S_ISLNK(info.st_mode):
            record.files[normalise.path(name)] = (mode, os.readlink(path))
        elif stat.S_ISREG(info.st_mode):
            times = record.times.setdefault(normalise.path(name), [])
            text = bytes_of(path).decode("latin-1")
            text = normalise.without_engine(text) if record.has_engine else text
            text = normalise.file(name, text, times, case.unordered, case.unaligned)
            text = normalise.numbers(text) if case.numbers else text
            record.files[normalise.path(name)] = (mode, text)
        else:
            record.files[normalise.path(name)] = (mode, "")


def take_streams(record, out, case, prefix=""):
    for stream in ("stdout", "stderr"):
        path = pathlib.Path(f"{out}.{stream}")
        if not path.exists():
            continue
        times = record.times.setdefault(prefix + stream, [])
        text = path.read_bytes().decode("latin-1")
        text = normalise.without_engine(text) if record.has_engine else text
        text = normalise.console(text, times, case.unordered, case.unaligned)
        record.streams[prefix + stream] = (
            normalise.numbers(text) if case.numbers else text
        )


def differences(oracle, subject, tolerance):
    """Pairs (where, oracle's text, subject's text) of all that differs."""
    found = []
    if oracle.status != subject.status:
        found.append(("exit status", f"{oracle.status}\n", f"{subject.status}\n"))
    for name in oracle.streams.keys() | subject.streams.keys():
        a, b = oracle.streams.get(name, ""), subject.streams.get(name, "")
        if a != b:
            found.append((name, a, b))
    for name in sorted(oracle.files.keys() | subject.files.keys()):
        (mode_a, a), (mode_b, b) = (
            record.files.get(name, ("not there", "")) for record in (oracle, subject)
        )
        if mode_a != mode_b:
            found.append((f"kind of {name}", f"{mode_a}\n", f"{mode_b}\n"))
        if a != b:
            found.append((f"file {name}", a, b))
    if not found:
        for name in oracle.times:
            a, b = oracle.times[name], subject.times.get(name, [])
            if not normalise.times_agree(a, b, tolerance):
                found.append((f"times in {name}", f"{a}\n", f"{b}\n"))
    return sorted(found)
