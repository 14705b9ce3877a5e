"""Run cctr beside a console that is not read: see console.sh.

A console is a pipe, a socket or a terminal. What it gets in the end must be what a file
gets, and meanwhile time limits, signals and logs must not wait for it.
"""

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
import tty

PATIENCE_S = 60
STOP, GO_ON = b"\x13", b"\x11"  # Ctrl-S, Ctrl-Q
LINES = 60000  # of the test that fills every console


class Console:
    """A descriptor to write to and what its reader does."""

    def __init__(self, kind):
        self.kind = kind
        if kind == "pipe":
            self.reader, self.writer = os.pipe()
        elif kind == "socket":
            pair = socket.socketpair()
            self.reader, self.writer = (end.detach() for end in pair)
        else:
            self.reader, self.writer = pty.openpty()
            tty.setraw(self.writer)
            attributes = tty.tcgetattr(self.writer)
            attributes[0] |= tty.IXON
            tty.tcsetattr(self.writer, tty.TCSANOW, attributes)

    def flags(self):
        return fcntl.fcntl(self.writer, fcntl.F_GETFL)

    def is_full(self):
        return not select.select([], [self.writer], [], 0)[1]

    def close_writer(self):
        os.close(self.writer)

    def close(self):
        os.close(self.reader)

    def read(self):
        """All of it, until the last writer has gone."""
        text = b""
        while True:
            try:
                piece = os.read(self.reader, 65536)
            except OSError:  # a terminal without writers
                return text
            if not piece:
                return text
            text += piece


class Tests:
    def __init__(self, cctr, work):
        self.cctr = os.path.abspath(cctr)
        self.work = work
        self.number = self.failed = 0

    def check(self, title, wrong):
        self.number += 1
        self.failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {self.number} - {title}")
        for line in str(wrong or "").splitlines()[:20]:
            print(f"# {line}")
        sys.stdout.flush()

    def project(self, text):
        shutil.rmtree(self.work)
        os.mkdir(self.work)
        self.write("CTestTestfile.cmake", text)

    def write(self, name, text):
        with open(os.path.join(self.work, name), "w", encoding="utf-8") as file:
            file.write(text)

    def text_of(self, name):
        try:
            with open(os.path.join(self.work, name), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def start(self, words, output, sigpipe=signal.SIG_DFL, errors=None):
        shutil.rmtree(os.path.join(self.work, "Testing"), ignore_errors=True)
        for name in ("up", "pid"):
            if os.path.exists(os.path.join(self.work, name)):
                os.remove(os.path.join(self.work, name))
        return subprocess.Popen(
            [self.cctr, *words],
            cwd=self.work,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output if errors is None else errors,
            restore_signals=False,
            preexec_fn=lambda: signal.signal(signal.SIGPIPE, sigpipe),
            env={**os.environ, "CCTR_COMPAT_VERSION": "3.25", "TERM": "dumb"},
        )

    def text_for_file(self, words):
        path = os.path.join(self.work, "said")
        with open(path, "wb") as file:
            self.start(words, file).wait()
        with open(path, "rb") as file:
            return file.read()


def wait_until(condition):
    """False when it does not become true for a long time."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def wait_for_end(process):
    try:
        return process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        return "no end"


def without_times(text):
    text = re.sub(rb" *[0-9]+\.[0-9]+ sec", b" sec", text)
    return re.sub(rb"tag: [0-9]{8}-[0-9]{4}", b"tag", text)


def difference(got, expected):
    got, expected = without_times(got).splitlines(), without_times(expected).splitlines()
    for number, (a, b) in enumerate(zip(got, expected), 1):
        if a != b:
            return f"line {number}: got {a!r}, expected {b!r}"
    if len(got) != len(expected):
        return f"{len(got)} lines, expected {len(expected)}"
    return ""


def is_alive(pid):
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, ValueError):
        return False
    return True


MUCH_AND_SLOW = f"""
add_test(much sh -c "seq {LINES}")
add_test(slow sleep 600)
set_tests_properties(slow PROPERTIES TIMEOUT 1)
add_test(last sh -c "echo said")
"""
MUCH_AND_WAITING = f"""
add_test(much sh -c "seq {LINES}")
add_test(waits sh -c "echo $$ >pid && touch up && exec sleep 600")
"""


def test_limit(t, kind):
    """A limit of 1 s beside a console that nobody reads; then somebody does."""
    t.project(MUCH_AND_SLOW)
    expected = t.text_for_file(["-V"])
    console = Console(kind)
    flags = console.flags()
    process = t.start(["-V"], console.writer)
    log = "Testing/Temporary/LastTest.log"
    written = wait_until(lambda: t.text_of(log))
    times = re.findall(r"Test time = +([0-9.]+) sec", t.text_of(log))
    t.check(f"{kind}: the log is written", "" if written else "no log")
    t.check(
        f"{kind}: the limit holds",
        "" if len(times) == 3 and 1 <= float(times[1]) < 5 else str(times),
    )
    t.check(f"{kind}: cctr waits for the reader", process.poll())
    t.check(f"{kind}: flags of others stay", console.flags() != flags and "changed")
    console.close_writer()
    text = console.read()
    t.check(f"{kind}: all is said, in order", difference(text, expected))
    t.check(f"{kind}: the verdict is the exit code", wait_for_end(process) != 8)
    console.close()


def test_stopped_terminal(t):
    """Ctrl-S before, Ctrl-Q after the run."""
    t.project(MUCH_AND_SLOW.replace(str(LINES), "10"))
    expected = t.text_for_file(["-V"])
    console = Console("terminal")
    os.write(console.reader, STOP)
    process = t.start(["-V"], console.writer)
    written = wait_until(lambda: t.text_of("Testing/Temporary/LastTest.log"))
    t.check("Ctrl-S: the log is written", "" if written else "no log")
    t.check("Ctrl-S: cctr waits", process.poll())
    os.write(console.reader, GO_ON)
    console.close_writer()
    t.check("Ctrl-Q: all is said", difference(console.read(), expected))
    t.check("Ctrl-Q: the exit code", wait_for_end(process) != 8)
    console.close()


def test_two_pipes(t):
    """Standard error is not held up by standard output."""
    t.project(MUCH_AND_SLOW)
    console, errors = Console("pipe"), Console("pipe")
    process = t.start(["-V"], console.writer, errors=errors.writer)
    errors.close_writer()
    console.close_writer()
    ready = select.select([errors.reader], [], [], PATIENCE_S)[0]
    first = os.read(errors.reader, 65536) if ready else b"nothing"
    t.check("standard error is written beside a full pipe", b"Errors while" not in first)
    console.read()
    t.check("... and cctr ends", wait_for_end(process) != 8)
    console.close()
    errors.close()


def test_signals(t):
    t.project(MUCH_AND_WAITING)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        console = Console("pipe")
        process = t.start(["-V"], console.writer)
        up = wait_until(lambda: t.text_of("pid").endswith("\n"))
        process.send_signal(number)
        code = wait_for_end(process)
        t.check(
            f"{number.name} ends it beside a full pipe",
            "" if up and code == -number else f"{up} {code}",
        )
        t.check(
            f"{number.name} ends the test",
            "" if wait_until(lambda: not is_alive(t.text_of("pid"))) else "it is there",
        )
        t.check(
            f"{number.name}: -F can go on",
            not re.fullmatch(r"1 \S+ much\n", t.text_of("Testing/Temporary/CTestCheckpoint.txt")),
        )
        console.close_writer()
        console.close()


def test_signal_at_end(t):
    """When all is done but what nobody reads."""
    t.project(MUCH_AND_SLOW)
    console = Console("pipe")
    process = t.start(["-V"], console.writer)
    wait_until(lambda: t.text_of("Testing/Temporary/LastTest.log"))
    process.send_signal(signal.SIGTERM)
    t.check("SIGTERM ends the wait for a reader", wait_for_end(process) != -signal.SIGTERM)
    console.close_writer()
    console.close()


def test_reader_leaves(t):
    """With SIGPIPE as a shell leaves it, and ignored."""
    t.project(MUCH_AND_WAITING)
    console = Console("pipe")
    process = t.start(["-V"], console.writer)
    console.close_writer()
    wait_until(lambda: t.text_of("pid").endswith("\n"))
    console.close()
    code = wait_for_end(process)
    t.check("a reader that leaves ends cctr by SIGPIPE", code != -signal.SIGPIPE and code)
    t.check(
        "... and its tests",
        "" if wait_until(lambda: not is_alive(t.text_of("pid"))) else "it is there",
    )
    t.check(
        "... and -F can go on",
        not re.fullmatch(r"1 \S+ much\n", t.text_of("Testing/Temporary/CTestCheckpoint.txt")),
    )

    for failing, expected in (("", 0), ('add_test(bad "/bin/false")', 8)):
        t.project(f'add_test(much sh -c "seq {LINES}")\nadd_test(b "/bin/true")\n{failing}')
        console = Console("pipe")
        process = t.start(["-V"], console.writer, signal.SIG_IGN, subprocess.PIPE)
        console.close_writer()
        os.read(console.reader, 1)
        console.close()
        errors = process.stderr.read()
        code = wait_for_end(process)
        t.check("SIGPIPE ignored: the verdict counts", code != expected and f"{code}")
        t.check("... no loss is said", b"cctr:" in errors and errors)
        t.check(
            "... and the log is whole",
            "End testing" not in t.text_of("Testing/Temporary/LastTest.log"),
        )


def test_reader_leaves_at_end(t):
    """While cctr waits for the reader: all is written, and it ends as a filter does."""
    t.project(MUCH_AND_SLOW)
    console = Console("pipe")
    process = t.start(["-V"], console.writer)
    console.close_writer()
    wait_until(lambda: t.text_of("Testing/Temporary/LastTest.log"))
    console.close()
    code = wait_for_end(process)
    t.check("a reader that leaves at the end", code != -signal.SIGPIPE and code)


def test_dispositions(t):
    """Tests have SIGPIPE and SIGXFSZ as ctest gives them: by default."""
    t.project('add_test(a sh -c "grep SigIgn /proc/self/status")')
    for how in (signal.SIG_DFL, signal.SIG_IGN):
        console = Console("pipe")
        process = t.start(["-V"], console.writer, how)
        console.close_writer()
        text = console.read()
        wait_for_end(process)
        console.close()
        t.check(f"tests have SIGPIPE ({how.name})", b"SigIgn:\t0000000000000000" not in text)


def test_script(t):
    """cmake writes to the same console as cctr does when it is its turn."""
    t.project(f'add_test(a sh -c "seq {LINES}")')
    t.write(
        "s.cmake",
        f"""
set(CTEST_SOURCE_DIRECTORY "{t.work}")
set(CTEST_BINARY_DIRECTORY "{t.work}")
ctest_start(Experimental)
ctest_test(RETURN_VALUE result)
execute_process(COMMAND echo "it was ${{result}}")
""",
    )
    words = ["-VV", "-S", "s.cmake"]
    expected = t.text_for_file(words)
    console = Console("pipe")
    process = t.start(words, console.writer)
    full = wait_until(lambda: t.text_of("Testing/TAG") and console.is_full())
    console.close_writer()
    t.check("a script fills the pipe", "" if full else "it does not")
    t.check("a script's text is in order", difference(console.read(), expected))
    t.check("... and its exit code", wait_for_end(process) != 0)
    console.close()


def main():
    # nohup and a shell in the background ignore them, and so would what is started here.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    t = Tests(*sys.argv[1:])
    for kind in ("pipe", "socket", "terminal"):
        test_limit(t, kind)
    test_stopped_terminal(t)
    test_two_pipes(t)
    test_signals(t)
    test_signal_at_end(t)
    test_reader_leaves(t)
    test_reader_leaves_at_end(t)
    test_dispositions(t)
    if shutil.which("cmake"):
        test_script(t)
    print(f"1..{t.number}")
    return t.failed != 0


sys.exit(main())
