"""The part `agents` of the bench: what it costs to run tests by agents."""

import pathlib
import subprocess
import sys

from measuring import compete, medians, table

SIZES = ((1, 64, 100000), (100, 64, 300000), (1000, 64, 1000000), (4096, 4, 100000))
BY_AGENTS = ["--launcher", "{agent}", "--nodes"]
GIB = 1 << 30


def scale(chosen):
    """Agents that are played, without processes."""
    program = pathlib.Path(chosen.subject).with_name("tests") / "bench_agents"
    if not program.exists():
        sys.exit(f"no {program}: configure with BUILD_TESTING")
    rows = []
    for agents, slots, tests in SIZES:
        words = [program, "run", *map(str, (agents, slots, tests))]
        done = subprocess.run(words, check=True, capture_output=True, text=True)
        ready, each, per_test, _, memory = done.stdout.split()
        rows.append([f"{agents:,}", slots, f"{tests:,}", ready, each, per_test, memory])
    print("agents: the scheduler and the engine, agents without processes")
    table(["agents", "slots", "tests", "s until ready", "KiB/agent", "cpu us/test", "MiB"], rows)


def overhead(chosen, place):
    """The same tests by four agents of this machine, and without agents, in turn."""
    folder, ours = place / "agents", [chosen.subject, f"-j{chosen.width}"]
    folder.mkdir()
    with open(folder / "CTestTestfile.cmake", "w", encoding="ascii") as file:
        for i in range(chosen.runs):
            file.write(f'add_test(test_{i} "/bin/true")\n')
    figures = compete(
        chosen.timed, {"this machine": ours, "4 agents": [*ours, *BY_AGENTS, "n[1-4]"]}, folder,
        chosen.rounds,
    )
    floor = figures["this machine"]
    rows = [[name, f"{f.wall:.2f}", *medians(f, floor)]
            for name, f in figures.items()]
    print(f"agents: {chosen.runs:,} x /bin/true, -j{chosen.width}")
    table(["", "wall s", "wall ratio", "cpu ratio"], rows)


def output(chosen, place):
    """One test that prints a GiB: what cctr and the agent have needed at most until its end."""
    folder = place / "agents_output"
    folder.mkdir()
    said = folder / "said"
    (folder / "long").write_text(
        f"head -c {GIB} /dev/zero | tr '\\0' x\n"
        "for pid in $(ps -o ppid= -p $PPID) $PPID; do\n"
        f"\tsed -n 's/VmHWM:[^0-9]*//p' /proc/$pid/status >>'{said}'\n"
        "done\n", encoding="ascii")
    (folder / "CTestTestfile.cmake").write_text(
        f'add_test(long /bin/sh "{folder}/long")\n', encoding="ascii")
    subprocess.run([chosen.subject, *BY_AGENTS, "one"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    rows = [[name, f"{int(line.split()[0]) / 1024:.1f}"]
            for name, line in zip(("cctr", "agent"), said.read_text().splitlines())]
    print("agents: one test that prints 1 GiB")
    table(["", "MiB at most"], rows)


def agents(chosen, place):
    overhead(chosen, place)
    output(chosen, place)
    scale(chosen)
