"""Inputs on which stock ctest breaks down: for tests/conformance/pathologies, which says
what must come out of them, and for the bench, which says how long they take.

A function writes one input into a folder and returns the arguments to run it with. The
letters and numbers are those of Help/dev/performance.rst.

    pathologies.py NAME SIZE    writes one into the current folder"""

import json
import pathlib
import sys


def _spec(folder, slots):
    """A resource specification: one GPU for each number of slots."""
    gpus = [{"id": str(i), "slots": n} for i, n in enumerate(slots)]
    text = json.dumps({"version": {"major": 1, "minor": 0}, "local": [{"gpus": gpus}]})
    (folder / "spec.json").write_text(text)
    return ["--resource-spec-file", "spec.json"]


def _suite(folder, lines):
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "CTestTestfile.cmake", "w", encoding="ascii") as file:
        file.writelines(f"{line}\n" for line in lines)


def _test(name, command="/bin/true", **properties):
    """Lines of a test and its properties."""
    words = " ".join(f'{key} "{value}"' for key, value in properties.items())
    yield f"add_test({name} {command})"
    if words:
        yield f"set_tests_properties({name} PROPERTIES {words})"


def refusal(folder, n):
    """P1: a request that fits nowhere: each of n GPUs, all different, holds one group, and
    n + 1 are asked for. Trying all ways takes n! steps."""
    need = max(20, 2 * n)
    _suite(folder, _test("refused", RESOURCE_GROUPS=f"{n + 1},gpus:{need}"))
    return _spec(folder, [need + 1 + i for i in range(n)])


def misled(folder, k):
    """P2: a request that fits exactly in one way, which the most free GPU first is not."""
    _suite(folder, _test("exact", RESOURCE_GROUPS=f"{k},gpus:3000;{2 * k},gpus:2000"))
    return _spec(folder, [4000 + i for i in range(k)] + [3000 + i for i in range(k)])


def freeze(folder, _size=None):
    """P3: while ten tests hold GPUs, one waits that cannot fit beside them, and one has a
    timeout that must not wait for that."""
    lines = []
    for i in range(10):
        lines += _test(f"holds_{i}", '"/bin/sleep" "1"', COST=1000 - i,
                       RESOURCE_GROUPS=f"gpus:{62 + i}")
    lines += _test("wide", RESOURCE_GROUPS="11,gpus:20")
    lines += _test("must_time_out", '"/bin/sleep" "100"', TIMEOUT=2)
    _suite(folder, lines)
    return [*_spec(folder, [100] * 10), "-j64"]


def queued(folder, n):
    """P4: n tests with one request, which fits only when all of eight holders are gone."""
    lines = []
    for i in range(8):
        lines += _test(f"holds_{i}", '"/bin/sleep" "1"', COST=1000 - i,
                       RESOURCE_GROUPS=f"gpus:{41 + i}")
    for i in range(n):
        lines += _test(f"queued_{i}", RESOURCE_GROUPS="9,gpus:20")
    _suite(folder, lines)
    return [*_spec(folder, [80] * 8), "-j64"]


def layers(folder, n):
    """P5: n layers of two tests, each after both of the layer before: 2^n ways."""
    lines = []
    for i in range(n):
        before = {"DEPENDS": f"a{i - 1};b{i - 1}"} if i else {}
        for letter in "ab":
            lines += _test(f"{letter}{i}", **before)
    _suite(folder, lines)
    return ["-j1"]


def fixture_layers(folder, n):
    """P5 with fixtures: both tests of a layer set up what the next layer requires."""
    lines = []
    for i in range(n):
        required = {"FIXTURES_REQUIRED": f"f{i - 1}"} if i else {}
        for letter in "ab":
            lines += _test(f"{letter}{i}", FIXTURES_SETUP=f"f{i}", **required)
    _suite(folder, lines)
    return ["-j1"]


def disabled(folder, n):
    """P6: n tests that are not run; what is left is the keeping of the books."""
    lines = []
    for i in range(n):
        lines += _test(f"test_{i}", DISABLED="TRUE")
    _suite(folder, lines)
    return ["-j2"]


def chain(folder, n):
    """P7: n tests, each after the one before; only the books are kept."""
    lines = []
    for i in range(n):
        after = {"DEPENDS": f"test_{i - 1}"} if i else {}
        lines += _test(f"test_{i}", DISABLED="TRUE", **after)
    _suite(folder, lines)
    return ["-j2"]


def labels(folder, n):
    """One test, whose output adds n labels to it."""
    script = f"seq {n} | sed 's:.*:<CTestLabel>label_&</CTestLabel>:'"
    _suite(folder, _test("labels", f'"/bin/sh" "-c" "{script}"'))
    return []


STARVED_SECONDS = {
    **{f"small_{i}": 1.0 for i in range(40)},
    "setup": 0.3,
    "wide": 1.0,
    **{f"after_{i}": 2.0 for i in range(5)},
}


def starved(folder, _size=None):
    """P9: forty small tests, and one that needs all processors, and is the first of a
    chain. The file ``timings`` has the seconds of each."""
    lines = []
    for i in range(40):
        lines += _test(f"small_{i}", '"/bin/sleep" "1"')
    lines += _test("setup", '"/bin/sleep" "0.3"', FIXTURES_SETUP="begun")
    lines += _test("wide", '"/bin/sleep" "1"', PROCESSORS=4, FIXTURES_REQUIRED="begun",
                   FIXTURES_SETUP="widened")
    required = "widened"
    for i in range(5):
        lines += _test(f"after_{i}", '"/bin/sleep" "2"', FIXTURES_REQUIRED=required,
                       FIXTURES_SETUP=f"chain_{i}")
        required = f"chain_{i}"
    _suite(folder, lines)
    times = "".join(f"{seconds} 1 - {name}\n" for name, seconds in STARVED_SECONDS.items())
    (folder / "timings").write_text(f"cctr-timings 1\n{times}")
    return ["-j4"]


INPUTS = {
    function.__name__: function
    for function in (refusal, misled, freeze, queued, layers, fixture_layers, disabled,
                     chain, labels, starved)
}

if __name__ == "__main__":
    INPUTS[sys.argv[1]](pathlib.Path(), int(sys.argv[2]))
