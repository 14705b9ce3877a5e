#!/usr/bin/env python3
"""Ask the installed ctest (3.25) anew what the test files of *.txt make it say.

    regenerate.py [--check] [FILE...]   rewrites the files in place (default: all here)

A case is

    === title
    --- file NAME             a file of the build tree; CTestTestfile.cmake is the top
    TEXT
    --- version 4004          the dialect, when it is not 3025; ctest is not asked then
    --- configuration C       ctest -C C
    --- stderr                what ctest -N says there, its own last words left out;
                              @DIR@ is the build tree
    --- declares              what comes out: "test", "properties", "labels" or
                              "environment", the directory, the words. Names and commands of
                              tests are compared with ctest's, the rest is written by hand
    --- outside LINE WHY      the evaluator gives the file to cmake; ctest is not asked

Only stderr is rewritten.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

OWN = re.compile(rb"^(Errors while running CTest|Output from these tests are in: .*|"
                 rb"Use \"--rerun-failed --output-on-failure\" to re-run .*)\n", re.M)


def sections(lines):
    """[[head, [line...]]...] of one case."""
    out = []
    for line in lines:
        if line.startswith(b"--- "):
            out.append([line.rstrip(b"\n"), []])
        else:
            out[-1][1].append(line)
    return out


def ask(parts, extra):
    # As long as the paths of the unit test: CMake wraps lines.
    with tempfile.TemporaryDirectory(prefix="cctr-eva") as tree:
        tree = os.path.realpath(tree)
        arguments = ["ctest"] + extra
        for head, lines in parts:
            if head.startswith(b"--- configuration "):
                arguments += ["-C", head[18:].decode()]
            if not head.startswith(b"--- file "):
                continue
            path = os.path.join(tree, head[9:].decode())
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as out:
                out.write(b"".join(lines))
        done = subprocess.run(arguments, cwd=tree, capture_output=True)
        return (OWN.sub(b"", done.stderr).replace(tree.encode(), b"@DIR@"),
                done.stdout)


def check_tests(title, parts):
    declares = [lines for head, lines in parts if head == b"--- declares"]
    if not declares:
        return 0
    want = [line.split(b" ", 2)[2].rstrip(b"\n") for line in b"".join(declares[0]).split(b"\n")
            if line.startswith(b"test ") and b" " in line[5:]]
    try:
        listed = json.loads(ask(parts, ["--show-only=json-v1"])[1])["tests"]
    except ValueError:
        return 0
    bad = 0
    for line, test in zip(want, listed):
        words = re.findall(rb"<(.*?)>(?= <|$)", line, re.S)
        # Without the executable there is no command.
        said = [word.encode() for word in test["command"]] if "command" in test else words[1:]
        got = [test["name"].encode(), *said]
        if words != got:
            print(f"{title}: {line} is {got}")
            bad += 1
    return bad


def regenerate(path, only_check):
    with open(path, "rb") as f:
        lines = f.readlines()
    starts = [i for i, line in enumerate(lines) if line.startswith(b"=== ")] + [len(lines)]
    out, bad = lines[:starts[0]], 0
    for begin, end in zip(starts, starts[1:]):
        parts = sections(lines[begin + 1:end])
        title = lines[begin].decode().strip()
        asked = not any(h.startswith((b"--- version", b"--- outside")) for h, _ in parts)
        out.append(lines[begin])
        if asked:
            bad += check_tests(title, parts)
        for head, text in parts:
            out.append(head + b"\n")
            if asked and head == b"--- stderr":
                said = ask(parts, ["-N"])[0]
                if b"".join(text) != said:
                    bad += only_check
                    print(f"{path}: {title}")
                text = [said]
            out += text
    if not only_check:
        with open(path, "wb") as f:
            f.write(b"".join(out))
    return bad


def main():
    files = [a for a in sys.argv[1:] if a != "--check"]
    here = os.path.dirname(os.path.abspath(__file__))
    bad = 0
    for path in files or sorted(glob.glob(os.path.join(here, "*.txt"))):
        bad += regenerate(path, "--check" in sys.argv)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
