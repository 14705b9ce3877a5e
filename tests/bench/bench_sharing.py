"""The parts `control` and `share` of the bench: a run with and without the socket of cctr ctl, and
five runs on one machine against one."""

import json
import shlex
import statistics

from measuring import compete, table

TREES, GPUS, EACH = 5, 4, 60
SECONDS = 0.1


def shares(figure, floor):
    """Wall and processor time above those of another, the median of the rounds."""
    return [f"{statistics.median(a / b for a, b in zip(*pair)) - 1:+.2%}"
            for pair in ((figure.walls, floor.walls), (figure.cpus, floor.cpus))]


def print_shares(figures):
    floor = next(iter(figures.values()))
    table(["", "wall s", "cpu s", "wall", "cpu", "MiB"],
          [[name, f"{f.wall:.2f}", f"{f.cpu:.2f}", *shares(f, floor), f"{f.memory / 1024:.1f}"]
           for name, f in figures.items()])


def control(chosen, folder):
    """What the socket costs a run that nobody asks."""
    words = [chosen.subject, f"-j{chosen.width}"]
    figures = compete(
        chosen.timed,
        {f"--control={value}": [*words, f"--control={value}"] for value in ("off", "on")},
        folder, chosen.rounds,
    )
    print(f"control: {chosen.runs:,} x /bin/true, -j{chosen.width}; the line is 1 %")
    print_shares(figures)


def write_gpu_tests(folder, n, slots):
    """Tests that hold a GPU, or `slots` of one in turn, for SECONDS."""
    folder.mkdir(parents=True)
    with open(folder / "CTestTestfile.cmake", "w", encoding="ascii") as file:
        for i in range(n):
            file.write(f"add_test(t{i} sleep {SECONDS})\nset_tests_properties(t{i} PROPERTIES "
                       f"RESOURCE_GROUPS gpus:{slots[i % len(slots)]})\n")


def share_gpus(chosen, place, slots):
    """Five trees side by side, and one with the tests of all."""
    most = max(slots)
    spec = {"version": {"major": 1, "minor": 0},
            "local": [{"gpus": [{"id": str(i), "slots": most} for i in range(GPUS)]}]}
    place.mkdir()
    (place / "spec.json").write_text(json.dumps(spec), encoding="ascii")
    (place / "book").mkdir(mode=0o700)
    trees = [f"tree{i}" for i in range(TREES)]
    for tree in trees:
        write_gpu_tests(place / tree, EACH, slots)
    write_gpu_tests(place / "all", EACH * TREES, slots)
    run = shlex.join([chosen.subject, "-j16", "--resource", "cpus=16", "--resource-spec-file",
                      str(place / "spec.json")])
    side_by_side = "".join(
        f"{run} --test-dir {tree} --share-host={shlex.quote(str(place / 'book'))} & p=\"$p $!\"\n"
        for tree in trees) + "for i in $p; do wait $i || exit 1; done"
    figures = compete(
        chosen.timed,
        {"one run": ["/bin/sh", "-c", f"{run} --test-dir all"],
         "five runs": ["/bin/sh", "-c", side_by_side]},
        place, chosen.rounds,
    )
    least = TREES * sum(slots[i % len(slots)] for i in range(EACH)) * SECONDS / (GPUS * most)
    print(f"share: {TREES} x {EACH} tests of {SECONDS} s on {GPUS} GPUs of {most} slots, "
          f"{' or '.join(str(n) for n in sorted(set(slots)))} each, at least {least:.2f} s; "
          "the line is 5 % of wall")
    print_shares(figures)


def share(chosen, place):
    """Runs with --share-host against one run of all tests."""
    share_gpus(chosen, place / "share", [1])
    share_gpus(chosen, place / "share-mixed", [1, 1, 1, 1, 2])
