"""The command lines that are disturbed."""

import dataclasses
import json
import shutil
import subprocess
import time

SPEC = ["--resource-spec-file", "spec.json"]
TAGGED = "a tag"  # Testing/TAG is there, as after a start step


@dataclasses.dataclass(frozen=True)
class Mode:
    """words: the command line; where: folder in the tree; before: command lines that run
    undisturbed first; files: path and text with {actor} and the like, written first; following: whether the
    runs that follow (-F, then all tests) can be held to the verdicts of this one; beside: the command line
    of a run that goes on meanwhile; inside: not cctr is disturbed but what begins at {wrapper} in the
    words; exact: nothing is measured, so that the numbers that are printed count"""

    name: str
    words: tuple
    where: str = "build"
    before: tuple = ()
    files: tuple = ()
    following: bool = False
    needs: tuple = ()  # programs, and libraries of cctr: "libpmix"
    beside: tuple = ()
    inside: bool = False
    exact: bool = False


def mode(name, *words, **others):
    return Mode(name, words, **others)


def is_there(need, subject):
    if not need.startswith("lib"):
        return bool(shutil.which(need))
    said = subprocess.run([subject, "--version=full"], capture_output=True, text=True, check=True)
    return f", {need} " in said.stdout


def possible(modes, subject):
    """-> those that have what they need"""
    return [m for m in modes if all(is_there(need, subject) for need in m.needs)]


# Of today: a step that finds an older tag makes a new one.
TODAY = time.strftime("%Y%m%d-0000", time.gmtime())
TAG = (("build/Testing/TAG", f"{TODAY}\nExperimental\nExperimental\n"),)
UPLOADS = TAG + tuple(
    (f"build/Testing/{TODAY}/{kind}.xml", "<Site><Build/></Site>\n")
    for kind in ("Configure", "Build", "Test")
)
FEW = ("-R", "^(passes|fails|forbidden)$")
FLAKY = (("build/below/CTestTestfile.cmake", 'add_test(flaky "{actor}" once "{build}/tried")\n'),)
MANIFEST = ("--show-only=json-v1",)


def declare(*lines):
    return (("build/below/CTestTestfile.cmake", "".join(f"{line}\n" for line in lines)),)


GOOGLE = declare(*(f'add_test({name} "{{actor}}" "--gtest_filter={name}")' for name in
                   ("A.one", "A.two", "A.fails", "B.three", "B.crashes", "B.four", "B.five")))  # fmt: skip
CATCH = declare(*(f'add_test(case:{name} "{{actor}}" "case:{name}")' for name in
                  ("one", "two", "fails", "three", "four")))  # fmt: skip
# What a run tells those who ask while it goes on.
# An answer that does not come is said to the test.
ASK = "timeout 2 \'{cctr}\'"
ASKING = declare(f'add_test(asks "/bin/sh" "-c" "({ASK} ctl ps; {ASK} ctl why second) >/dev/null 2>&1; true")',
                 f'add_test(leases "/bin/sh" "-c" "({ASK} alloc new gpus:1 --id x --now && '
                 f'{ASK} alloc release --id x) >/dev/null 2>&1; true")',
                 'set_tests_properties(leases PROPERTIES RESOURCE_GROUPS "gpus:1")',
                 'add_test(second "{actor}" say second)')  # fmt: skip
FAULTY = (*declare('add_test(faulty "{actor}" say "{source}/faulty.c:1: error: bad" exit 1)'),
          ("source/faulty.c", "\n"))  # fmt: skip
WAITING = declare('add_test(waits "{actor}" make "{build}/begun" wait)',
                  'add_test(second "{actor}" say second)')  # fmt: skip
PMIX = declare('add_test(by_pmix "{actor}" told PMIX_NAMESPACE)',
               'add_test(by_pmix_too "{actor}" told PMIX_SERVER_URI41 exit 3)')  # fmt: skip


def reply(file, **members):
    return (f"build/.cmake/api/v1/reply/{file}.json", json.dumps(members).replace("{", "{{")
            .replace("}", "}}").replace("ACTOR", "{actor}").replace("BUILD", "{build}"))  # fmt: skip


# A tree that has a target whose file is the program of all tests, and is always built.
CONFIGURED = (
    ("build/CMakeCache.txt", "CMAKE_GENERATOR:INTERNAL=Unix Makefiles\n"
     "CMAKE_MAKE_PROGRAM:FILEPATH={actor}\nCMAKE_PROJECT_NAME:STATIC=p\n"),
    ("build/.cmake/api/v1/query/client-cctr/codemodel-v2", ""),
    reply("index-1", objects=[{"kind": "codemodel", "version": {"major": 2}, "jsonFile": "model.json"}]),
    reply("model", paths={"build": "BUILD", "source": "BUILD"}, configurations=[
        {"name": "", "targets": [{"name": "actor", "jsonFile": "target.json"}]}]),
    reply("target", name="actor", artifacts=[{"path": "ACTOR"}]),
)  # fmt: skip

MODES = [
    mode("version", "--version"),
    mode("plain", "-j4", *SPEC, following=True),
    mode("serial", "-j1", *SPEC, following=True),
    mode("green", "-j4", *SPEC, where="green", following=True),
    mode("verbose", "-V", "-j4", *SPEC, following=True),
    mode("junit", "-j1", "--output-junit", "out.xml", *SPEC, following=True),
    mode("streams", "-j1", "--events", "out.events", "--tap", "out.tap",
         "--trace", "out.trace", *FEW),
    mode("html", "-j1", "--html", "out.html", *FEW),
    mode("history", "-j1", "--history=on", *FEW, before=(("-j1", "--history=on", *FEW),)),
    mode("tell_history", "history", "passes", "fails", before=(("-j1", "--history=on", *FEW),) * 2, exact=True),
    mode("advise", "advise", before=(
        ("-j1", "--history=on", "--repeat", "until-fail:6", "-R", "^(passes|locked)$"),), exact=True),
    mode("timings", "-j1", "--timings", "out.times", *FEW, before=(("-j1", "--timings", "out.times", *FEW),)),
    mode("batch", "-j1", "--batch", "--output-junit", "out.xml", *SPEC, files=GOOGLE, following=True),
    mode("batch_catch", "-j1", "--batch", "-R", "^case:", files=CATCH),
    mode("partition", "-j4", "--partition", "gpu:gpus=all:-R gpu", "--partition", "slow::-R limit -j 1",
         "--output-junit", "out.xml", *SPEC, following=True),
    mode("pmix", "-j1", "--pmix", "-R", "^(passes|fails|by_pmix.*)$", files=PMIX, needs=("libpmix",)),
    mode("github", "-j1", "--annotations=github", "-R", "^(passes|fails|faulty)$", files=FAULTY),
    mode("gitlab", "-j1", "--annotations=gitlab", "-R", "^(passes|fails|faulty)$", files=FAULTY),
    mode("build_first", "--build", "-j1", *FEW, files=CONFIGURED, needs=("cmake",)),
    mode("log", "log", "fails", "forbidden", "passes", before=(("-j1", *FEW),), exact=True),
    mode("compare", "compare", "-j1", "-R", "^(passes|fails)$", needs=("ctest",),
         files=(("build/Testing/mine", "of the user\n"),)),
    mode("asked", "-j1", "--resource", "gpus=2", "-R", "^(passes|fails|asks|leases|second)$", files=ASKING),
    mode("ctl", "ctl", "why", "second", beside=("-j1", "-R", "^(waits|second)$"), files=WAITING, exact=True),
    mode("shared", "-j4", "--share-host={tree}/host", *SPEC, following=True),
    mode("selected", "-j1", "-f", "name(passes) or name(~^f) or rdeps(set_up)",
         "--with-depends", "--shard=1/2"),
    mode("merge", "merge", "--output-junit", "out.xml", "Testing",
         before=(("-j1", "--shard=1/2", *FEW), ("-j1", "--shard=2/2", *FEW)), exact=True),
    mode("merge_into", "merge", "--into", ".", "--timings", "out.times", "Testing", files=TAG,
         before=(("-j1", "--shard=1/2", *FEW), ("-j1", "--shard=2/2", *FEW))),
    mode("strict", "-j4", "--strict", *FEW),
    mode("flaky", "-j1", "--flaky=fail", "--repeat", "until-pass:2", "--output-junit", "out.xml",
         "-R", "^(passes|flaky)$", files=FLAKY),
    mode("hang_report", "-j1", "--hang-report", "-R", "^(passes|limit)$"),
    mode("profile", "--profile", "few",
         files=(("build/cctr.yaml", "profiles:\n  few:\n    events: out.events\n"),)),
    mode("output_log", "-j1", "-O", "out.console", *FEW),
    mode("resumed", "-F", "-j1", *SPEC, before=(("-j1", *SPEC),),
         files=(("build/armed", ""),), following=True),
    mode("rerun", "--rerun-failed", "-j4", *SPEC, before=(("-j4", *SPEC),)),
    mode("repeat", "--repeat", "until-pass:2", "-j4", *FEW),
    mode("agents", "-j4", "--launcher", "env {{agent}}", *SPEC, following=True),
    mode("in_agent", "-j4", "--launcher", "env {wrapper} {{agent}}", *SPEC, inside=True),
    mode("list", "-N", exact=True),
    mode("json", "--show-only=json-v1", exact=True),
    mode("print_command", "--print-command", "passes", "--print-command", "gpu", exact=True),
    mode("manifest", "--manifest", "suite.json", "-j4", *FEW),
    mode("presets", "--preset", "t", *FEW, where="source"),
    mode("test_step", "-T", "Test", "-j1", *SPEC, files=TAG),
    mode("start", "-M", "Nightly", "-T", "Start"),
    mode("configure", "-T", "Configure", files=TAG),
    mode("build", "-T", "Build", files=TAG),
    mode("coverage", "-T", "Coverage", files=TAG),
    mode("memcheck", "-T", "MemCheck", *FEW, files=TAG),
    mode("notes", "-T", "Notes", "-A", "notes.txt", files=TAG),
    mode("submit", "-T", "Submit", files=UPLOADS),
    mode("script", "-S", "script.cmake", *FEW, files=TAG, needs=("cmake",)),
    mode("build_and_test", "--build-and-test", "{source}", "{build}", "--build-generator",
         "Ninja", "--build-nocmake", "--build-makeprogram", "{actor}",
         "--test-command", "{actor}", "say", "tested", "exit", "3"),
]  # fmt: skip
