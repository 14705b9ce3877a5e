"""The part `scale` of the bench: shapes of three sizes each, time and memory and their growth."""

import subprocess
import sys

from measuring import compete, ratio, table

MIB = 1 << 20


def write_lines(folder, lines, name="CTestTestfile.cmake"):
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / name, "w", encoding="ascii") as file:
        file.writelines(line + "\n" for line in lines)


def plain(folder, n):
    write_lines(folder, (f'add_test(test_{i} "/bin/true")' for i in range(n)))


def folders(folder, n):
    """Each in the one before, with one test. Without the variable CMake reads 1000 levels."""
    top = folder
    for _ in range(n):
        write_lines(folder, ['add_test(t "/bin/true")', "subdirs(d)"])
        folder = folder / "d"
    write_lines(folder, ['add_test(t "/bin/true")'])
    write_lines(top, [
        "set(CMAKE_MAXIMUM_RECURSION_DEPTH 2001)", 'add_test(t "/bin/true")', "subdirs(d)",
    ])


def siblings(folder, n):
    write_lines(folder, (f"subdirs(d{i})" for i in range(n)))
    for i in range(n):
        write_lines(folder / f"d{i}", [f'add_test(t{i} "/bin/true")'])


def long_names(folder, n):
    write_lines(folder, (f'add_test({"n" * 4090}{i:06} "/bin/true")' for i in range(n)))


def labels_of_one(folder, n):
    labels = ";".join(f"label_{i}" for i in range(n))
    write_lines(folder, [
        'add_test(t "/bin/true")', f'set_tests_properties(t PROPERTIES LABELS "{labels}")',
    ])


def label_for_each(folder, n):
    """One test is enabled, so that there is something to run."""
    write_lines(folder, (
        f'add_test(t{i} "/bin/true")\nset_tests_properties(t{i} PROPERTIES LABELS "label_{i}" '
        f'DISABLED {"ON" if i else "OFF"})' for i in range(n)
    ))


def fixture_chain(folder, n):
    """Each sets up what the next requires."""
    write_lines(folder, (
        f'add_test(t{i} "/bin/true")\n'
        f"set_tests_properties(t{i} PROPERTIES FIXTURES_SETUP F{i} FIXTURES_REQUIRED F{i - 1})"
        for i in range(1, n + 1)
    ))


def test_file(folder, mib):
    """As CMake writes it."""
    line = (
        'add_test([=[suite.case_%07d]=] "/bin/true" "--case=%07d")\n'
        "set_tests_properties([=[suite.case_%07d]=] PROPERTIES  LABELS \"unit\" TIMEOUT \"30\" "
        '_BACKTRACE_TRIPLES "/source/CMakeLists.txt;%d;add_test;/source/CMakeLists.txt;0;")'
    )
    n = mib * MIB // len(line % (0, 0, 0, 1_000_000))
    write_lines(folder, (line % (i, i, i, i) for i in range(n)))


def manifest(folder, mib, subject):
    """What cctr lists of a test file, 2.7 times as long."""
    test_file(folder, round(mib / 2.7))
    with open(folder / "tests.json", "wb") as file:
        subprocess.run([subject, "--show-only=json-v1"], cwd=folder, stdout=file, check=True)
    size = (folder / "tests.json").stat().st_size
    (folder / "CTestTestfile.cmake").unlink()
    return size / MIB


def one_output(folder, mib):
    write_lines(folder, [
        f'add_test(t "/bin/sh" "-c" "yes 0123456789012345678901234567890 | head -c {mib * MIB}")',
    ])


# name, what is counted, how it is written, words, sizes, the largest size for stock ctest
SHAPES = [
    ("tests at -j64", "tests", plain, ["-j64"], [10_000, 30_000, 100_000], 0),
    ("tests at -j256", "tests", plain, ["-j256"], [2_500, 5_000, 10_000], 10_000),
    ("levels of folders, -N", "levels", folders, ["-N"], [500, 1_000, 2_000], 1_000),
    ("folders beside each other, -N", "folders", siblings, ["-N"], [2_500, 5_000, 10_000], 10_000),
    ("names of 4 KiB, -N", "tests", long_names, ["-N"], [2_500, 5_000, 10_000], 10_000),
    ("labels of one test", "labels", labels_of_one, [], [10_000, 20_000, 40_000], 10_000),
    ("a label for each test", "labels", label_for_each, [], [10_000, 20_000, 40_000], 10_000),
    ("chain of fixtures", "tests", fixture_chain, ["-j4"], [250, 500, 1_000], 1_000),
    ("chain of fixtures, -N", "tests", fixture_chain, ["-N"], [10_000, 20_000, 40_000], 0),
    ("test file, -N", "MiB", test_file, ["-N"], [12, 25, 50], 0),
    ("json-v1 manifest, -N", "MiB", manifest, ["--manifest", "tests.json", "-N"], [50, 100, 200],
     0),
    ("one test's output", "MiB", one_output, [], [256, 512, 1024], 0),
]


def row_of(chosen, place, shape, n, first):
    name, unit, write, words, _, stock_up_to = shape
    folder = place / "s"
    size = write(folder, n, chosen.subject) if write is manifest else write(folder, n)
    size = size or n
    competitors = {"cctr": [chosen.subject, *words]}
    if n <= stock_up_to:
        competitors["ctest"] = [chosen.oracle, *words]
    found = compete(chosen.timed, competitors, folder, chosen.rounds, long_run=10.0)
    subprocess.run(["rm", "-rf", folder], check=True)
    ours, theirs = found["cctr"], found.get("ctest")
    first = first or (size, ours.cpu)
    row = [
        name, f"{size:,.0f} {unit}", f"{ours.cpu:.3f}",
        f"{ours.cpu / size / (first[1] / first[0]):.2f}", f"{ours.memory / 1024:.0f}",
        f"{theirs.cpu:.2f}" if theirs else "-", ratio(theirs.cpu, ours.cpu) if theirs else "-",
        f"{theirs.memory / 1024:.0f}" if theirs else "-",
    ]
    return row, first


def scale(chosen, place):
    """Processor seconds with those of the tests; growth of those of one against the smallest."""
    rows = []
    for shape in SHAPES:
        if chosen.shapes and not any(word in shape[0] for word in chosen.shapes):
            continue
        first = None
        for n in shape[4]:
            row, first = row_of(chosen, place, shape, n, first)
            rows.append(row)
            print("#", *row, file=sys.stderr, flush=True)
    print("scale")
    table(["shape", "size", "cctr cpu s", "growth", "MiB", "ctest cpu s", "ctest/cctr",
           "ctest MiB"], rows)
