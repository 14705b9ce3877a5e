"""Scripts for beside_cdash: what a server that checks and stores makes of them.  Words are those
of scenarios.py; options are the server's, and an answer may have what its plans have."""

from scenarios import REPOSITORY

HEAD = """get_filename_component(top "${{CTEST_SCRIPT_DIRECTORY}}" DIRECTORY)
set(CTEST_SITE "here")
set(CTEST_BUILD_NAME "a build")
set(CTEST_SOURCE_DIRECTORY "${{top}}/source")
set(CTEST_BINARY_DIRECTORY "${{top}}/build")
set(CTEST_CMAKE_GENERATOR "Unix Makefiles")
{before}
ctest_start(Experimental {start})
{after}
{body}"""
SUBMIT = """ctest_submit({0} RETURN_VALUE value BUILD_ID id CAPTURE_CMAKE_ERROR error)
message("{1}: ${{value}} '${{id}}' ${{error}}")
"""


def submit(words=""):
    return SUBMIT.format(words, "submit " + words.replace('"', "").replace("${top}/", ""))


def scenario(name, body, *, before="", start="", after="", project="words", shell=(), **more):
    text = HEAD.format(before=before, start=start, after=after, body=body)
    write = f"cat >scripts/{name}.cmake <<'END OF SCRIPT'\n{text}\nEND OF SCRIPT"
    return {"name": name, "project": project, "shell": [*shell, write], **more}


def project_url(rest):
    return f'set(CTEST_SUBMIT_URL "http://127.0.0.1:$ENV{{DASHBOARD_PORT}}/submit.php{rest}")'


CONFIGURE = "ctest_configure(QUIET)\n"
TEST = CONFIGURE + "ctest_test()\n"
FULL = "ctest_configure()\nctest_build()\nctest_test(EXCLUDE missing)\n"
FILE = 'file(WRITE "${top}/build/f" "{}")\n'
TOKEN = 'HTTPHEADER "Authorization: Bearer t0"'
RETRY = "RETRY_COUNT 2 RETRY_DELAY 0"
SECRET = project_url("?project=Secret")
DOWN = {"status": 503, "body": ""}


def xml(text):
    return f'file(WRITE "${{top}}/build/e.xml" "{text}")\n' + submit('FILES "${top}/build/e.xml"')


def upload(kind, words=""):
    return FILE + submit(f'CDASH_UPLOAD "${{top}}/build/f" CDASH_UPLOAD_TYPE {kind} {words}')


STEPS = [
    scenario("stored_configure", "ctest_configure()\n" + submit()),
    scenario("stored_build", CONFIGURE + "ctest_build()\n" + submit("PARTS Build")
             + submit("PARTS Configure")),
    scenario("stored_test", TEST + submit("PARTS Test")),
    scenario("stored_test_appended", TEST + "ctest_test(APPEND INCLUDE hello)\n"
             + submit("PARTS Test")),
    scenario("stored_full", FULL + submit()),
    scenario("stored_in_parts", FULL + "".join(
        submit(f"PARTS {part}") for part in ("Configure", "Build", "Test", "Done"))),
    scenario("stored_update", "ctest_update()\n" + FULL + submit(), shell=[REPOSITORY],
             before="find_program(CTEST_GIT_COMMAND git)"),
    scenario("stored_coverage", CONFIGURE + "ctest_build()\nctest_test()\nctest_coverage()\n"
             + submit(), project="small", needs=["gcov"],
             before='find_program(CTEST_COVERAGE_COMMAND gcov)\n'
             'set(ENV{CFLAGS} "--coverage -O0")\nset(ENV{LDFLAGS} --coverage)'),
    scenario("stored_memcheck", CONFIGURE + "ctest_memcheck(INCLUDE hello)\n"
             + submit("PARTS MemCheck"), needs=["valgrind"],
             before="find_program(CTEST_MEMORYCHECK_COMMAND valgrind)"),
    scenario("stored_notes", submit("PARTS Notes"),
             before='set(CTEST_NOTES_FILES "${top}/source/version.txt" "${top}/source/says.txt")'),
    scenario("stored_upload", 'ctest_upload(FILES "${top}/source/version.txt")\n'
             + submit("PARTS Upload")),
    scenario("stored_uploads",
             'ctest_upload(FILES "${top}/source/version.txt" "${top}/source/says.txt")\n'
             + submit()),
    scenario("stored_done", submit("PARTS Done")),
    scenario("stored_nothing", submit("PARTS Test")),
    scenario("stored_extra", 'file(WRITE "${top}/build/e.xml" "<Notes></Notes>")\n'
             + submit("PARTS ExtraFiles"),
             before='set(CTEST_EXTRA_SUBMIT_FILES "${top}/build/e.xml")'),
    scenario("stored_file", xml("<Done></Done>")),
    scenario("unknown_file", xml("<Nobody></Nobody>")),
    scenario("broken_file", xml("<Testing><a></Testing>")),
]  # fmt: skip

NAMES = [
    scenario("group", TEST + submit(), start='GROUP "My Group"'),
    scenario("track", TEST + submit(), start="TRACK Other"),
    scenario("track_nightly", TEST + submit(), start="TRACK Nightly"),
    scenario("one_after_another", 'foreach(p core shell)\n'
             "set_property(GLOBAL PROPERTY SubProject ${p})\n"
             "set_property(GLOBAL PROPERTY Label ${p})\n"
             "ctest_configure()\nctest_build()\nctest_test(INCLUDE_LABEL ${p})\n"
             + submit() + "endforeach()\n", project="parts"),
    scenario("labels_for_subprojects", FULL + submit(), project="parts",
             before="set(CTEST_LABELS_FOR_SUBPROJECTS core shell)"),
    scenario("start_again", TEST + submit("PARTS Test") + "ctest_start(Experimental APPEND)\n"
             "ctest_test(APPEND INCLUDE version)\n" + submit("PARTS Test")),
    scenario("names", TEST + submit(),
             before='set(CTEST_SITE "a b/c&d")\nset(CTEST_BUILD_NAME "x+y=z?100%:*<>|é")'),
    scenario("no_names", TEST + submit(), before='set(CTEST_SITE "")\nset(CTEST_BUILD_NAME "")'),
]  # fmt: skip

PROJECTS = [
    scenario("token_missing", TEST + submit(), after=SECRET),
    scenario("token_wrong", TEST + submit('HTTPHEADER "Authorization: Bearer no"'), after=SECRET),
    scenario("token_right", TEST + submit(TOKEN), after=SECRET),
    scenario("token_and_others",
             TEST + submit('HTTPHEADER "X-A: b" "Authorization: Bearer t0" "X-C: d"'),
             after=SECRET),
    scenario("token_each_time", TEST + submit(f"PARTS Test {TOKEN}") + submit(f"PARTS Done {TOKEN}"),
             after=SECRET),
    scenario("token_not_needed", TEST + submit(TOKEN)),
    scenario("project_unknown", TEST + submit(), after=project_url("?project=Nobody")),
    scenario("project_missing", TEST + submit(), after=project_url("")),
    scenario("project_refused", TEST + submit(), after=project_url("?project=a%3Cb")),
]  # fmt: skip

UPLOADS = [
    *(scenario(f"upload_{kind}", upload(kind)) for kind in (
        "BuildPropertiesJSON", "GcovTar", "JavaJSONTar", "JSCoverTar", "BazelJSON", "Unknown")),
    scenario("upload_token_missing", upload("GcovTar"), after=SECRET),
    scenario("upload_token_right", upload("GcovTar", TOKEN), after=SECRET),
    scenario("upload_to_a_build",
             TEST + submit("PARTS Test") + upload("BuildPropertiesJSON")),
    scenario("upload_refused", upload("GcovTar", "RETRY_COUNT 1 RETRY_DELAY 0"),
             answers=[{"status": 500, "body": "", "times": 3}]),
]  # fmt: skip

MOODS = [
    *(scenario(f"http_{status}", TEST + submit("PARTS Test") + submit("PARTS Done"),
               answers=[{"status": status, "body": "no\n"}])
      for status in (400, 401, 403, 404, 413, 429, 500, 502, 503)),
    scenario("second_refused", FULL + submit(), answers=[{}, DOWN]),
    scenario("last_refused", FULL + submit(), answers=[{}, {}, {}, DOWN]),
    scenario("there_at_last", FULL + submit(RETRY), answers=[{}, DOWN, DOWN]),
    scenario("never_there", FULL + submit(RETRY) + submit(), answers=[dict(DOWN, times=3)]),
    scenario("closed", TEST + submit(RETRY), answers=[{"drop": True}]),
    scenario("reset", TEST + submit(RETRY), answers=[{"reset": True}]),
    scenario("repeated", FULL + submit() + submit(), answers=[{}, {"drop": True}]),
    scenario("slow", TEST + submit(), answers=[{"delay": 0.4, "store": True, "times": -1}]),
    scenario("silent", TEST + submit("PARTS Test"), answers=[{"hang": 4}],
             before="set(CTEST_SUBMIT_INACTIVITY_TIMEOUT 1)"),
    scenario("half_an_answer", TEST + submit(), answers=[{"truncate": 20, "store": True}]),
    *(scenario(f"redirect_{status}", TEST + submit("PARTS Test"),
               answers=[{"status": status, "body": "", "headers": {"Location": to}}])
      for status, to in ((301, "/other"), (302, "/submit.php?project=Small"),
                         (307, "/submit.php?project=Small"))),
    scenario("garbage", TEST + submit(), answers=[{"body": "\x01<<<garbage"}]),
    scenario("empty_answer", TEST + submit(), answers=[{"body": ""}]),
    scenario("json_answer", TEST + submit(), answers=[{"json": {"status": 1}}]),
    scenario("status_error", TEST + submit(),
             answers=[{"cdash": {"status": "ERROR", "message": "not <now> & here"}}]),
    scenario("warning", TEST + submit(), answers=[
        {"cdash": {"status": "OK", "message": "a warning", "buildId": "9"}, "store": True}]),
    scenario("no_database", FULL + submit(), options={"db_down": True}),
    scenario("validation_rejects", FULL + submit(), options={"validate": "REJECT"}),
    scenario("validation_silent", FULL + submit(), options={"validate": "SILENT"}),
    scenario("errors_at_once", FULL + submit(), options={"sync": True}),
]  # fmt: skip

STORED = STEPS + NAMES + PROJECTS + UPLOADS + MOODS
