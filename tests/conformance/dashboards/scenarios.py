"""Dashboards of the kinds that projects run.  Words of a scenario:

name        also its script's, where none is named
project     of projects/; it becomes the folder source
runs        command lines, one after the other (default: -V -S scripts/NAME.cmake)
directory   where they run, below the scenario's folder
needs       programs without which it is skipped
environment further variables
answers     of the server, one after the other; {} is CDash's own (dashboard_server.py)
shell       what is done before the first run
unordered   lines of standard output come in any order
seen        patterns of further files that are compared
breaks      XML that CDash's own schemas refuse, as stock ctest writes it, and why
"""

import random

import seeds

DOWN = {"status": 503, "body": "down\n"}
SAYS_ERROR = {
    "body": '<cdash version="1"><status>ERROR</status><message>not now</message></cdash>\n'
}
REPOSITORY = "sh scripts/repository.sh source"
OFFLINE = ["--overwrite", "SubmitURL=http://127.0.0.1:1/submit.php?project=Small"]
CONFIGURE = (
    "cmake -S source -B build -G Ninja -DSITE=here -DBUILDNAME=line"
    " -DCTEST_SUBMIT_RETRY_COUNT=1 -DCTEST_SUBMIT_RETRY_DELAY=0 >configured.log"
)

SCENARIOS = [
    {
        "name": "experimental",
        "project": "small",
        "shell": [REPOSITORY],
    },
    {
        "name": "experimental_without_v",
        "project": "small",
        "shell": [REPOSITORY],
        "runs": [["-S", "scripts/experimental.cmake"]],
    },
    {
        "name": "nightly",
        "project": "words",
        "needs": ["ninja"],
    },
    {
        "name": "continuous",
        "project": "words",
        "shell": [REPOSITORY],
    },
    {
        "name": "pipeline",
        "project": "words",
        "needs": ["ninja"],
        "runs": [
            ["-V", "-S", "scripts/step.cmake,Configure"],
            ["-V", "-S", "scripts/step.cmake,Build"],
            ["-S", "scripts/step.cmake,Test"],
            ["-VV", "-S", "scripts/step.cmake,Test again"],
            ["-V", "-S", "scripts/step.cmake,Submit"],
        ],
        "environment": {"CI_JOB": "17"},
        "seen": ["build/junit.xml"],
    },
    {
        "name": "coverage",
        "project": "small",
        "needs": ["gcov"],
    },
    {
        "name": "valgrind",
        "project": "small",
        "needs": ["valgrind"],
    },
    {
        "name": "sanitizer",
        "project": "small",
        "runs": [["-V", "-S", "scripts/sanitizer.cmake,AddressSanitizer"]],
        "needs": ["ninja"],
    },
    {
        "name": "several",
        "project": "words",
        "needs": ["ninja"],
        "seen": ["*/junit.xml", "junit.xml"],
    },
    {
        "name": "subprojects",
        "project": "parts",
    },
    {
        "name": "labels",
        "project": "parts",
        "needs": ["ninja"],
    },
    {
        "name": "properties",
        "project": "words",
        "breaks": dict.fromkeys(
            ("Configure", "Build", "Test", "Notes", "Upload"), "several labels of a subproject"
        ),
    },
    {
        "name": "append",
        "project": "words",
    },
    {
        "name": "notes",
        "project": "words",
        "breaks": {"Upload": "a subproject"},
    },
    {
        "name": "custom",
        "project": "words",
        "breaks": {"Test": "a measurement whose file is missing"},
    },
    {
        "name": "launchers",
        "project": "small",
        "needs": ["ninja"],
    },
    {
        "name": "nested",
        "project": "words",
    },
    {
        "name": "nested_process",
        "project": "words",
        "runs": [["-V", "-SP", "scripts/inner.cmake,p"], ["-VV", "-SP", "scripts/inner.cmake"]],
        "unordered": True,  # both streams of the process come through one
    },
    {
        "name": "captured",
        "project": "words",
    },
    {
        "name": "not_captured",
        "project": "words",
    },
    {
        "name": "fatal",
        "project": "words",
    },
    {
        "name": "common",
        "project": "words",
        "needs": ["ninja"],
        "breaks": {"Update": "a number of a change that is not small"},
        "shell": [REPOSITORY],
        "runs": [["-V", "-S", "scripts/machine.cmake"], ["-S", "scripts/machine.cmake"]],
    },
    {
        "name": "retries",
        "project": "words",
        "answers": [DOWN, {}, {"drop": True}, DOWN, {}, DOWN, DOWN, DOWN, SAYS_ERROR, {}],
    },
    # Without a script.
    {
        "name": "line_experimental",
        "project": "small",
        "shell": [REPOSITORY, CONFIGURE.replace("Ninja", "'Unix Makefiles'")],
        "directory": "build",
        "runs": [["-D", "Experimental"], ["-V", "-D", "ExperimentalSubmit"]],
    },
    {
        "name": "line_steps",
        "project": "words",
        "needs": ["ninja"],
        "shell": [REPOSITORY, CONFIGURE],
        "directory": "build",
        "runs": [
            ["-D", "NightlyStart"],
            ["-D", "NightlyUpdate"],
            ["-D", "NightlyConfigure"],
            ["-V", "-D", "NightlyBuild"],
            ["-D", "NightlyTest"],
            ["-D", "NightlyCoverage"],
            ["-D", "NightlyMemCheck", "-R", "hello"],
            ["-D", "NightlySubmit", "-A", "../source/version.txt"],
        ],
    },
    {
        "name": "line_offline",
        "project": "words",
        "needs": ["ninja"],
        "shell": [REPOSITORY, CONFIGURE],
        "directory": "build",
        "runs": [
            ["-M", "Experimental", "-T", "Start", "-T", "Configure", "-T", "Test", "-T", "Submit"]
            + OFFLINE,
            ["-T", "Build"],
            ["-T", "Submit", *OFFLINE],
            ["-T", "Submit"],
            ["-V", "-T", "Submit"],
        ],
        "answers": [{}, *[{"drop": True}] * 2, {}, DOWN, {}],
    },
]


def one_of(share, seed=None):
    """One of so many scenarios, which the seed chooses (default: the commit's)"""
    if share == 1:
        return SCENARIOS
    seed = seeds.of_checkout() if seed is None else seed
    print(f"# --share {share} --seed {seed}")
    return random.Random(seed).sample(SCENARIOS, max(1, len(SCENARIOS) // share))
