#!/usr/bin/env python3
"""Ask the installed cmake and ctest anew for the expected results of *.txt.

    regenerate.py [FILE...]      rewrites the files in place (default: all of this folder)

A case is a block of lines, and blocks are separated by an empty line:

    re PATTERN        in percent code: %XX is a byte
    on TEXT
    is GROUP0         or "no", or "error WHAT CTEST PRINTS"
    1 GROUP1          groups that are not empty, up to 9

Lines that begin with '#' are kept. Patterns are compiled by ctest (a bad one as a property
of a test: it prints its message and goes on) and matched by cmake -P (if MATCHES).
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

PREFIX = b"RegularExpression::compile()"
TAIL = PREFIX + b": Error in compile.\n"
# Between groups and behind an answer; no case holds them.
MARK, END = b"<\x02>", b"<\x03>"
# Two patterns that are refused, to tell where the messages of one pattern end.
FENCE = [(b"a\\", PREFIX + b": Trailing backslash.\n" + TAIL),
         (b"a**", PREFIX + b": Nested *?+.\n" + TAIL)]


def decode(line):
    return re.sub(rb"%([0-9a-fA-F]{2})", lambda m: bytes([int(m.group(1), 16)]), line)


def encode(text):
    return b"".join(bytes([c]) if 0x20 < c < 0x7f and c != 0x25 else b"%%%02x" % c
                    for c in text)


def bracket(text):
    """A bracket argument of the CMake language."""
    equals = b"="
    while b"]" + equals in text or text.endswith(b"]"):
        equals += b"="
        if len(equals) > 20:
            break
    newline = b"\n" if text[:1] == b"\n" else b""
    return b"[" + equals + b"[" + newline + text + b"]" + equals + b"]"


def messages(patterns):
    """What ctest prints about each pattern, b"" for those that it accepts."""
    line = b"set_tests_properties(t PROPERTIES PASS_REGULAR_EXPRESSION %s)\n"
    with tempfile.TemporaryDirectory() as tree:
        with open(os.path.join(tree, "CTestTestfile.cmake"), "wb") as f:
            f.write(b"add_test(t x)\n")
            for p in patterns:
                # An empty list element is no pattern, and ';' would make two of one.
                f.write(line % bracket(p) if p else b"")
                for fence, _ in FENCE:
                    f.write(line % bracket(fence))
        run = subprocess.run(["ctest", "-N"], cwd=tree, stdout=subprocess.PIPE, check=True)
    text = b"".join(l + b"\n" for l in run.stdout.split(b"\n") if l.startswith(PREFIX))
    fence = FENCE[0][1] + FENCE[1][1]
    result = []
    for _ in patterns:
        end = text.index(fence, 0 if text.startswith(fence) else 1)
        result.append(text[:end])
        text = text[end + len(fence):]
    assert not text
    return result


def matches(cases):
    groups = b"".join(b"${CMAKE_MATCH_%d}%s" % (i, MARK) for i in range(10))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ask.cmake")
        with open(path, "wb") as f:
            f.write(b"cmake_minimum_required(VERSION 3.25)\nfunction(ask re text)\n"
                    b'if("${text}" MATCHES "${re}")\nmessage("is' + groups + END + b'")\n'
                    b'else()\nmessage("no' + END + b'")\nendif()\nendfunction()\n')
            for pattern, text in cases:
                f.write(b"ask(%s %s)\n" % (bracket(pattern), bracket(text)))
        run = subprocess.run(["cmake", "-P", path], stderr=subprocess.PIPE, check=True)
    answers = run.stderr.split(END + b"\n")[:-1]
    assert len(answers) == len(cases)
    return answers


def expectation(answer):
    if answer == b"no":
        return [b"no"]
    groups = answer[2:].split(MARK)
    return [(b"is " + encode(groups[0])).rstrip()] + [
        b"%d %s" % (i, encode(groups[i])) for i in range(1, 10) if groups[i]]


def rewrite(path):
    blocks = [[l.rstrip() for l in b.split(b"\n") if l[:1] == b"#" or l[:2] in (b"re", b"on")]
              for b in open(path, "rb").read().split(b"\n\n")]
    cases = []
    for b in blocks:
        words = [decode(l[3:]) for l in b if not l.startswith(b"#")]
        if words:
            cases.append((b, words[0], words[1]))
    refused = messages([c[1] for c in cases])
    answers = iter(matches([c[1:] for c, why in zip(cases, refused) if not why]))
    for (block, _, _), why in zip(cases, refused):
        block += [b"error " + encode(why)] if why else expectation(next(answers))
    with open(path, "wb") as f:
        f.write(b"\n\n".join(b"\n".join(b) for b in blocks if b) + b"\n")


for name in sys.argv[1:] or glob.glob(os.path.join(os.path.dirname(__file__), "*.txt")):
    rewrite(name)
