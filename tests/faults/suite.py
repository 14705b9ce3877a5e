"""The fixed suite: a folder with every kind of test whose verdict can be lost, one in which
all tests pass, and what dashboards, presets and scripts need beside it."""

import json
import pathlib
import shutil

PASSING = """add_test(passes "{actor}" say fine)
add_test(big "{actor}" big 1536 say end)
add_test(required "{actor}" say "it is there")
set_tests_properties(required PROPERTIES PASS_REGULAR_EXPRESSION "is there")
add_test(set_up "{actor}" make "{build}/data")
set_tests_properties(set_up PROPERTIES FIXTURES_SETUP data)
add_test(uses "{actor}" need "{build}/data")
set_tests_properties(uses PROPERTIES FIXTURES_REQUIRED data)
add_test(clean_up "{actor}" say clean)
set_tests_properties(clean_up PROPERTIES FIXTURES_CLEANUP data)
add_test(will_fail "{actor}" exit 1)
set_tests_properties(will_fail PROPERTIES WILL_FAIL ON)
add_test(gpu "{actor}" told CTEST_RESOURCE_GROUP_0)
set_tests_properties(gpu PROPERTIES RESOURCE_GROUPS "gpus:1")
add_test(locked "{actor}" say a)
add_test(locked_too "{actor}" say b)
set_tests_properties(locked locked_too PROPERTIES RESOURCE_LOCK door)
add_test(serial "{actor}" say alone)
set_tests_properties(serial PROPERTIES RUN_SERIAL ON)
"""
FAILING = """add_test(fails "{actor}" say bad exit 3)
add_test(kills "{actor}" killer "{build}/armed")
add_test(forbidden "{actor}" say "all of it is FORBIDDEN here")
set_tests_properties(forbidden PROPERTIES FAIL_REGULAR_EXPRESSION "FORBIDDEN")
add_test(forbidden_late "{actor}" big 768 say "now FORBIDDEN")
set_tests_properties(forbidden_late PROPERTIES FAIL_REGULAR_EXPRESSION "FORB[A-Z]*EN")
add_test(required_missing "{actor}" big 64 say "it is away")
set_tests_properties(required_missing PROPERTIES PASS_REGULAR_EXPRESSION "is there")
add_test(skip_code "{actor}" say skip exit 77)
set_tests_properties(skip_code PROPERTIES SKIP_RETURN_CODE 77)
add_test(skip_text "{actor}" say "please skip me" exit 1)
set_tests_properties(skip_text PROPERTIES SKIP_REGULAR_EXPRESSION "skip me")
add_test(bad_set_up "{actor}" exit 1)
set_tests_properties(bad_set_up PROPERTIES FIXTURES_SETUP bad)
add_test(bad_uses "{actor}" say never)
set_tests_properties(bad_uses PROPERTIES FIXTURES_REQUIRED bad)
add_test(bad_clean_up "{actor}" say clean)
set_tests_properties(bad_clean_up PROPERTIES FIXTURES_CLEANUP bad)
add_test(limit "{actor}" say before wait)
set_tests_properties(limit PROPERTIES TIMEOUT 0.2)
add_test(will_not_fail "{actor}" exit 0)
set_tests_properties(will_not_fail PROPERTIES WILL_FAIL ON)
add_test(two_gpus "{actor}" told CTEST_RESOURCE_GROUP_7)
set_tests_properties(two_gpus PROPERTIES RESOURCE_GROUPS "2,gpus:1")
add_test(without_file "{actor}" say never)
set_tests_properties(without_file PROPERTIES REQUIRED_FILES "{build}/no_such_file")
add_test(disabled "{actor}" say never)
set_tests_properties(disabled PROPERTIES DISABLED ON)
add_test(crashes "{actor}" say last abort)
"""
SUBDIRECTORY = """add_test(deep "{actor}" say deep exit 4)
"""
CONFIGURATION = """SourceDirectory: {source}
BuildDirectory: {build}
Site: here
BuildName: faults
NightlyStartTime: 00:00:00 UTC
ConfigureCommand: {actor} say configured
MakeCommand: {actor} big 64 say "file.c:7: error: broken" exit 2
CoverageCommand: /usr/bin/gcov
SubmitURL: http://127.0.0.1:{port}/submit.php?project=Faults
CTestSubmitRetryCount: 0
CTestSubmitRetryDelay: 0
TimeOut: 1500
"""
SCRIPT = """set(CTEST_SITE here)
set(CTEST_BUILD_NAME faults)
set(CTEST_SOURCE_DIRECTORY "{source}")
set(CTEST_BINARY_DIRECTORY "{build}")
set(CTEST_CONFIGURE_COMMAND "{actor} say configured")
set(CTEST_BUILD_COMMAND "{actor} say built")
ctest_start(Experimental APPEND)
ctest_configure(RETURN_VALUE configured)
ctest_build(RETURN_VALUE built)
ctest_test(RETURN_VALUE tested)
message("ended with ${{configured}} ${{built}} ${{tested}}")
if(tested)
  message(FATAL_ERROR "tests failed")
endif()
"""
SPEC = {"version": {"major": 1, "minor": 0}, "local": [{"gpus": [{"id": "0"}, {"id": "1"}]}]}


class Tree:
    """Where a worker runs cctr; it is made anew for each run."""

    def __init__(self, place, actor, port=9, subject="cctr"):
        self.root = pathlib.Path(place)
        self.build, self.source = self.root / "tree/build", self.root / "tree/source"
        self.green, self.temporary = self.root / "tree/green", self.root / "tree/tmp"
        self.kept = self.root / "kept"
        self.words = {"actor": actor, "build": self.build, "source": self.source,
                      "green": self.green, "port": port, "tree": self.root / "tree",
                      "cctr": subject}  # fmt: skip

    def fill(self, text, wrapper=""):
        return text.format(**self.words, wrapper=wrapper)

    def make(self):
        shutil.rmtree(self.root, ignore_errors=True)
        for folder in (self.build / "below", self.source, self.green, self.temporary):
            folder.mkdir(parents=True)
        self.write("build/CTestTestfile.cmake", self.fill(PASSING + FAILING) + "subdirs(below)\n")
        self.write("build/below/CTestTestfile.cmake", self.fill(SUBDIRECTORY))
        green = self.fill(PASSING).replace(str(self.build), str(self.green))
        self.write("green/CTestTestfile.cmake", green)
        for folder in ("build", "green"):
            self.write(f"{folder}/spec.json", json.dumps(SPEC))
        self.write("build/DartConfiguration.tcl", self.fill(CONFIGURATION))
        self.write("build/notes.txt", "a note\n")
        self.write("build/script.cmake", self.fill(SCRIPT))
        self.write("source/CTestConfig.cmake", "")
        self.write("source/CMakePresets.json", json.dumps(self.presets()))

    def presets(self):
        return {
            "version": 3,
            "configurePresets": [
                {"name": "c", "generator": "Ninja", "binaryDir": str(self.build)}
            ],
            "testPresets": [
                {"name": "t", "configurePreset": "c", "execution": {"jobs": 4},
                 "filter": {"exclude": {"name": "gpu"}}}
            ],
        }  # fmt: skip

    def write(self, name, text):
        path = self.root / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def keep(self):
        """The tree as it is becomes the one that restore() makes."""
        shutil.rmtree(self.kept, ignore_errors=True)
        # The socket of a run that was killed cannot be copied.
        shutil.copytree(self.root / "tree", self.kept, symlinks=True,
                        ignore=shutil.ignore_patterns("cctr.sock"))  # fmt: skip

    def restore(self):
        shutil.rmtree(self.root / "tree", ignore_errors=True)
        shutil.copytree(self.kept, self.root / "tree", symlinks=True)
