"""The command lines that are disturbed."""

import dataclasses
import time

SPEC = ["--resource-spec-file", "spec.json"]
TAGGED = "a tag"  # Testing/TAG is there, as after a start step


@dataclasses.dataclass(frozen=True)
class Mode:
    """words: the command line; where: folder in the tree; before: command lines that run
    undisturbed first; files: path and text with {actor} and the like, written first; following: whether the
    runs that follow (-F, then all tests) can be held to the verdicts of this one"""

    name: str
    words: tuple
    where: str = "build"
    before: tuple = ()
    files: tuple = ()
    following: bool = False
    needs: tuple = ()  # programs


def mode(name, *words, **others):
    return Mode(name, words, **others)


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
    mode("shared", "-j4", "--share-host={tree}/host", *SPEC, following=True),
    mode("selected", "-j1", "-f", "name(passes) or name(~^f) or rdeps(set_up)",
         "--with-depends", "--shard=1/2"),
    mode("merge", "merge", "--output-junit", "out.xml", "Testing",
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
    mode("list", "-N"),
    mode("json", "--show-only=json-v1"),
    mode("print_command", "--print-command", "passes", "--print-command", "gpu"),
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
