"""The parts `resources` and `output` of the bench."""

import json
import random
import shutil

from measuring import compete, measure, medians, ratio, table

GPUS, SLOTS, MOST = 4, 8, 4
MIB = 1 << 20


def write_resource_tests(folder, n):
    """Tests that ask for 1 to 4 groups of 1 to 4 slots of a GPU."""
    choose = random.Random(1).randint
    folder.mkdir()
    gpus = [{"id": str(i), "slots": SLOTS} for i in range(GPUS)]
    spec = {"version": {"major": 1, "minor": 0}, "local": [{"gpus": gpus}]}
    (folder / "spec.json").write_text(json.dumps(spec), encoding="ascii")
    with open(folder / "CTestTestfile.cmake", "w", encoding="ascii") as file:
        for i in range(n):
            groups = f"{choose(1, MOST)},gpus:{choose(1, MOST)}"
            file.write(
                f'add_test(test_{i} "/bin/true")\nset_tests_properties(test_{i} '
                f'PROPERTIES RESOURCE_GROUPS "{groups}")\n'
            )


def resources(chosen, place, loop):
    """What packing costs; stock ctest has a tenth of the tests, since it is slow."""
    n = chosen.runs
    # As many as fit, on average.
    width = round(GPUS * SLOTS / ((MOST + 1) / 2) ** 2)
    words = ["-j16", "--resource-spec-file", "spec.json"]
    for tests in (n, n // 10):
        write_resource_tests(place / f"resources-{tests}", tests)
    bare = {f"bare loop, {width} at a time": [loop, str(n), str(width), "/bin/true"]}
    figures = compete(
        chosen.timed, {**bare, "cctr": [chosen.subject, *words]}, place / f"resources-{n}",
        chosen.rounds,
    )
    few = compete(
        chosen.timed, {"ctest": [chosen.oracle, *words]}, place / f"resources-{n // 10}", 1
    )
    floor = next(iter(figures.values()))
    rows = []
    for tests, found in ((n, figures), (n // 10, few)):
        for name, f in found.items():
            ratios = medians(f, floor) if tests == n else [
                ratio(f.wall / tests, floor.wall / n), ratio(f.cpu / tests, floor.cpu / n)]
            rows.append([name, f"{tests:,}", f"{f.wall:.2f}", f"{f.wall / tests * 1e3:.3f}",
                         *ratios, f"{f.memory / 1024:.1f}"])
    print(f"resources: 1 to 4 groups of 1 to 4 slots on {GPUS} GPUs of {SLOTS}, -j16")
    table(["", "tests", "wall s", "ms/test", "wall/bare", "cpu/bare", "MiB"], rows)


def write_output_tests(folder, n, size):
    """Each prints some size bytes of numbers of its own; nothing with size 0."""
    folder.mkdir()
    first, lines = 100_000_000, size // 10
    with open(folder / "CTestTestfile.cmake", "w", encoding="ascii") as file:
        for i in range(n):
            command = '"/bin/true"'
            if size:
                at = first + i * lines
                command = f'"/usr/bin/seq" "{at}" "{at + lines - 1}"'
            file.write(f"add_test(test_{i} {command})\n")


def log_is_complete(folder, n, size):
    return (folder / "Testing/Temporary/LastTest.log").stat().st_size > n * size


def many_outputs(chosen, place):
    rows = []
    for n in chosen.outputs:
        for program in (chosen.subject, chosen.oracle):
            is_ours = program == chosen.subject
            if not is_ours and n > chosen.runs:
                continue
            for size in (0, 10240):
                folder = place / f"output-{n}-{size}"
                write_output_tests(folder, n, size)
                wall, cpu, memory = measure(chosen.timed, [program, "-j2", "-V"], folder)
                rows.append([
                    "cctr" if is_ours else "ctest", f"{n:,}", f"{size:,}", f"{wall:.1f}",
                    f"{cpu:.1f}", f"{memory / 1024:.1f}",
                    "yes" if log_is_complete(folder, n, size) else "no",
                ])
                shutil.rmtree(folder)
    print("output: -j2 -V, the console to /dev/null")
    table(["", "tests", "bytes each", "wall s", "cpu s", "MiB", "log complete"], rows)


def one_output(chosen, place):
    rows = []
    for size, programs in (
        (20 * MIB, {"cctr": chosen.subject, "ctest": chosen.oracle}),
        (1024 * MIB, {"cctr": chosen.subject}),
    ):
        folder = place / f"output-{size}"
        folder.mkdir()
        command = f"head -c {size} /dev/zero | tr '\\\\0' x"
        (folder / "CTestTestfile.cmake").write_text(
            f'add_test(large "/bin/sh" "-c" "{command}")\n', encoding="ascii"
        )
        competitors = {name: [program] for name, program in programs.items()}
        for name, f in compete(chosen.timed, competitors, folder, chosen.rounds).items():
            rows.append([
                name, f"{size // MIB:,}", f"{f.wall:.2f}", f"{f.cpu:.2f}",
                f"{f.memory / 1024:.1f}",
                "yes" if log_is_complete(folder, 1, size) else "no",
            ])
        shutil.rmtree(folder)
    print("output: one test, one line")
    table(["", "MiB printed", "wall s", "cpu s", "MiB", "log complete"], rows)


def output(chosen, place):
    """Many outputs, and a large one."""
    many_outputs(chosen, place)
    one_output(chosen, place)
