"""Random trees in which stock ctest and cctr run the same command line, and must show the
same and leave the same files: what programs that make them have in common."""

import argparse
import difflib
import os
import pathlib
import random
import re
import shutil
import subprocess

import normalise
import seeds
import sides

AT_ONCE = 100
# Each build of ctest has its own libcurl, and files that are sent have times.
VARYING = re.compile(r"(?<=   Error message was: ).*|(?<=MD5=)[0-9a-f]+ Size: [0-9]+")
NAME = "a_rather_long_name_of_a_directory"


def run(program, words, place, env):
    """-> {what: text}"""
    done = subprocess.run(
        [program, *words], cwd=place, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, env=env,
    )
    told = {"exit status": f"{done.returncode}"}
    for name, text in (("stdout", done.stdout), ("stderr", done.stderr)):
        told[name] = VARYING.sub("", normalise.console(text.decode("latin-1"), [], False))
    for path in place.glob("Testing/**/*"):
        name = str(path.relative_to(place))
        if path.name in normalise.OWN_FILES:
            continue
        text = path.read_bytes().decode("latin-1") if path.is_file() else ""
        told[normalise.path(name)] = VARYING.sub("", normalise.file(name, text, [], False))
    return told


def environment(oracle):
    """That of both sides: cctr follows the release of the oracle."""
    return {
        "PATH": os.environ["PATH"], "HOME": "/home/nobody", **sides.path_with(oracle),
        "CCTR_COMPAT_VERSION": sides.release_of(oracle),
    }


def differences(seed, place, programs, env, make, compared):
    """make(rng, place) makes the tree and returns the words of the command line."""
    told = []
    for program in programs:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        words = make(random.Random(seed), place)
        told.append(compared(run(program, words, place, env)))
    oracle, subject = told
    found = []
    for name in sorted(oracle.keys() | subject.keys()):
        a, b = (side.get(name, "not there").split("\n") for side in told)
        if a != b:
            found += [f"seed {seed}: {name}", *difflib.unified_diff(a, b, lineterm="", n=1)]
    return found + [f"seed {seed}: {words}"] if found else []


def main(description, make, count, compared=dict):
    """Prints TAP, a line for every hundred trees.  compared(told) is what must be the same of
    all that a side told.  -> exit status"""
    parser = argparse.ArgumentParser(description=description.split("\n", 1)[0])
    parser.add_argument("--subject", default=os.environ.get("CCTR_SUBJECT"))
    parser.add_argument("--oracle", default=os.environ.get("CCTR_ORACLE", "ctest"))
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int)
    arguments = parser.parse_args()
    if not arguments.subject:
        parser.error("which program? --subject or CCTR_SUBJECT")
    if not shutil.which(arguments.oracle):
        print("1..0 # SKIP no ctest")
        return 0
    programs = (sides.absolute(arguments.oracle), os.path.abspath(arguments.subject))
    env = environment(programs[0])
    first = arguments.seed if arguments.seed is not None else seeds.of_checkout()
    groups = [
        range(at, min(at + AT_ONCE, first + arguments.count))
        for at in range(first, first + arguments.count, AT_ONCE)
    ]
    failed = 0
    work = pathlib.Path(sides.new_folder("cctr-random.")).resolve()
    try:
        place = work / NAME
        for number, group in enumerate(groups, 1):
            found = [text for seed in group
                     for text in differences(seed, place, programs, env, make, compared)]
            failed += bool(found)
            print(f"{'not ok' if found else 'ok'} {number} - --seed {group[0]} --count {len(group)}")
            for text in found[:60]:
                print(f"# {text}")
    finally:
        sides.remove(work)
    print(f"1..{len(groups)}", flush=True)
    return 1 if failed else 0
