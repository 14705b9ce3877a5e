#!/usr/bin/env python3
"""What normalise.py takes out and what it must leave in. Prints TAP."""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import normalise  # noqa: E402

RULE = "-" * 58 + "\n"
BEGIN = "Start testing: Nov 21 10:00 UTC\n" + RULE
END = "End testing: Nov 21 10:00 UTC\n"
LOG, COST, XML = "Testing/Temporary/LastTest.log", "Testing/Temporary/CTestCostData.txt", "j.xml"


def entry(name):
    return f"1/2 Testing: {name}\n{RULE}\n"


# what, file, unordered, two texts, whether they count as equal
ROWS = (
    ("a duration", "x.console", False, "a   Passed    0.03 sec", "a   Passed    9.99 sec", True),
    ("its width", "x.console", False, "a   Passed    0.03 sec", "a   Passed   0.03 sec", False),
    ("wide duration", "x.console", False, "   100.03 sec", "     1.03 sec", True),
    ("precision", "x.console", False, "    0.03 sec", "    0.3 sec", False),
    ("status", "x.console", False, "***Failed    0.03 sec", "***Skipped   0.03 sec", False),
    ("configured", "x.console", False, "Configuring done (0.3s)\n", "Configuring done (12.0s)\n",
     True),
    ("configured, in the log", "Testing/Temporary/LastConfigure_20200101-0000.log", False,
     "Generating done (0.0s)\n", "Generating done (0.1s)\n", True),
    ("a tag in the log of a build", "Testing/Temporary/LastBuild_20200101-0000.log", False,
     "/b/Testing/20261127-1237/Build\n", "/b/Testing/20261127-1238/Build\n", True),
    ("configured, in XML", "Testing/20200101-0000/Configure.xml", False,
     "Generating done (0.0s)\n", "Generating done (0.1s)\n", True),
    ("digits of configured", "x.console", False, "Generating done (0.3s)\n",
     "Generating done (0.30s)\n", False),
    ("counter", "x.console", False, "1/2 Test #1: a\n", "2/2 Test #1: a\n", False),
    ("counter, unordered", "x.console", True, "1/2 Test #1: a\n", "2/2 Test #1: a\n", True),
    ("order", "x.console", False, "a\nb\n", "b\na\n", False),
    ("order, unordered", "x.console", True, "a\nb\n", "b\na\n", True),
    ("lost line, unordered", "x.console", True, "a\na\n", "a\n", False),
    ("date", LOG, False, "x: Nov 21 07:35 UTC\n", "x: Jan 01 23:59 CEST\n", True),
    ("bad date", LOG, False, "x: Nov 21 07:35 UTC\n", "x: Nov 21 7:35 UTC\n", False),
    ("elapsed", LOG, False, "time elapsed: 00:00:00\n", "time elapsed: 01:02:03\n", True),
    ("bad elapsed", LOG, False, "time elapsed: 00:00:00\n", "time elapsed: 0:00:00\n", False),
    ("log order", LOG, False, BEGIN + entry("a") + entry("b") + END,
     BEGIN + entry("b") + entry("a") + END, False),
    ("log order, unordered", LOG, True, BEGIN + "no x\n" + entry("a") + entry("b") + END,
     BEGIN + entry("b") + entry("a") + "no x\n" + END, True),
    ("log entry, unordered", LOG, True, BEGIN + entry("a") + END, BEGIN + entry("b") + END, False),
    ("cost", COST, False, "a b 2 0.5\n---\n", "a b 2 1.25e-05\n---\n", True),
    ("runs", COST, False, "a 2 0.5\n", "a 3 0.5\n", False),
    ("cost without runs", COST, False, "a 0 0\n", "a 0 0.5\n", False),
    ("digits of cost", COST, False, "a 1 0.5\n", "a 1 0.50\n", False),
    ("failed names", COST, False, "---\na\nb\n", "---\nb\na\n", False),
    ("failed names, unordered", COST, True, "---\na\nb\n", "---\nb\na\n", True),
    ("JUnit time", XML, False, 'a time="0.5" s', 'a time="0.0125" s', True),
    ("JUnit digits", XML, False, 'a time="0.5" s', 'a time="0.5000000" s', False),
    ("JUnit stamp", XML, False, '\ttimestamp="2026-11-21T07:35:06"',
     '\ttimestamp="2020-01-01T00:00:00"', True),
    ("tag of an upload", "Testing/Temporary/LastSubmit_20200101-0000.log", False,
     "/site___name___20200101-0000-g___XML___", "/site___name___20200101-0001-g___XML___", True),
    ("other files", "x.txt", False, "   0.03 sec", "   0.04 sec", False),
)

DASHBOARD = "Testing/20261121-0755/Test.xml"
PACKED = '<Value encoding="base64" compression="gzip">%s</Value>'
STARTED = "<StartTestTime>1795247717.%s</StartTestTime>"
TOOK = 'name="Execution Time">\n\t\t\t\t\t<Value>%s</Value>'
SENT = {"method": "PUT", "version": "HTTP/1.1", "headers": [("Content-Length", "1")]}


def request(target, body):
    sent = dict(SENT, target=target, bytes=body, headers=[("Content-Length", str(len(body)))])
    return normalise.scenario_request(sent, "/r")


def file(text):
    return normalise.scenario_text(DASHBOARD, text, "/r")


def console(text):
    return normalise.scenario_console(text, "/r")


# what, two texts after the normalisation, whether they count as equal
SCENARIO_ROWS = (
    ("folder", console("in /r/x"), "in @ROOT@/x", True),
    ("minutes", file("<ElapsedMinutes>0.0166667</"), file("<ElapsedMinutes>2</"), True),
    ("digits of minutes", file("<ElapsedMinutes>0.10</"), file("<ElapsedMinutes>2</"), False),
    ("rough seconds", file("<StartTestTime>1.79525e+09</"), file("<StartTestTime>N</"), False),
    ("six digits", file(STARTED % "123456"), file(STARTED % "654320"), True),
    ("five digits", file(STARTED % "123456"), file(STARTED % "65432"), False),
    ("no digits", file(STARTED % "123456"), file("<StartTestTime>1795247717</"), False),
    ("took", file(TOOK % "0.012"), file(TOOK % "0.000123"), True),
    ("took, six digits", file(TOOK % "0.012"), file(TOOK % "0.012000"), False),
    ("took, six digits behind such", file(STARTED % "123456" + TOOK % "0.012000"),
     file(STARTED % "654320" + TOOK % "0.000123"), True),
    ("took, few digits behind such", file(STARTED % "123456" + TOOK % "0.012000"),
     file(STARTED % "654320" + TOOK % "0.012"), False),
    ("done", file("<time>1795247717</time>"), file("<time>1795247718</time>"), True),
    ("packed text", file(PACKED % "eJxLBAAAYgBi"), file(PACKED % "eNpLBAAAYgBi"), True),
    ("other packed text", file(PACKED % "eJxLBAAAYgBi"), file(PACKED % "eJxLAgAAYwBj"), False),
    ("process", console("==12== at 0x1a2b"), console("==345== at 0x3c"), True),
    ("no process", console("at 0x1a2b"), console("at 0x3c"), False),
    ("digest", request("/x?MD5=0cc175b9c0f1b6a831c399e269772661", b"a"),
     request("/x?MD5=0cc175b9c0f1b6a831c399e269772661", b"b"), False),
    ("time of upload", request("/x", b"starttime=12&endtime=13"),
     request("/x", b"starttime=14&endtime=155"), True),
)


def main():
    failed = 0
    print(f"1..{len(ROWS) + len(SCENARIO_ROWS)}")
    for number, (what, path, unordered, a, b, equal) in enumerate(ROWS, 1):
        results = [normalise.file(path, text, [], unordered) for text in (a, b)]
        good = (results[0] == results[1]) == equal
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {what}")
    for number, (what, a, b, equal) in enumerate(SCENARIO_ROWS, len(ROWS) + 1):
        good = (a == b) == equal
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - dashboards: {what}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
