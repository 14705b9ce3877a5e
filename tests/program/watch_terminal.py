"""Runs cctr --watch on a terminal and answers each "waiting for a change" with keys; prints its exit code.

    watch_terminal.py CCTR TREE KEYS...
"""

import os
import pty
import signal
import sys


def main():
    program, tree, *keys = sys.argv[1:]
    pid, terminal = pty.fork()
    if pid == 0:
        # What runs in the background of a shell ignores it, and so would cctr.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execv(program, [program, "--test-dir", tree, "--watch", "--ui=plain"])
    text, answered = b"", 0
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        text += piece
        if text.count(b"waiting for a change") > answered and answered < len(keys):
            os.write(terminal, keys[answered].encode().decode("unicode_escape").encode())
            answered += 1
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


main()
