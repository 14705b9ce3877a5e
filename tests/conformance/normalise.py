"""The one normalisation: times and dates, and nothing else.

What differs between two runs of the same program is replaced by a mark of the same
width; every other byte is compared as it is.  A time is replaced only where it stands in
ctest's own format, so that a badly printed one shows up as a difference.  The times that
were taken out are handed back, for a comparison with a tolerance.

    where                       text                            becomes
    console, *.console,         right-aligned "  0.03 sec"      "TTTTTT sec", same width
    LastTest.log                "Nov 21 07:35 UTC"              "DATE"
    LastTest.log                "time elapsed: 00:00:03"        "time elapsed: ELAPSED"
    CTestCostData.txt           "name 2 0.0268109"              "name 2 COST" (once it ran)
    JUnit                       time="0.0268109", time="3"      time="T"
    JUnit                       timestamp="2026-11-21T07:35:06" timestamp="DATE"
    everywhere, file names      "20261121-0755" (a tag)         "YYYYMMDD-HHMM"
    dashboard's XML             <StartTime>1795247717<          <StartTime>N<
    dashboard's XML             "Execution Time", its value     "N"
    dashboard's XML             attached archives: time         left out

With `unordered` (tests that run side by side) also: lines of the console are sorted and
their completion counters taken out, entries of LastTest.log and the diagnostics between
them are sorted, and so are the names behind "---" in CTestCostData.txt; times are not
compared.  With `unaligned` the blanks before "Start N: name" are taken out: ctest 3.25
prints them with an uninitialised width for a test that lacks resources.

Texts are bytes decoded as latin-1: every byte is one character.
"""

import re

SECONDS = re.compile(r"( *)(\d+\.\d\d)(?= sec\b)")
DATE = re.compile(
    r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d\d \d\d:\d\d [A-Z]{3,5}\b"
)
ELAPSED = re.compile(r"(?<=time elapsed: )(\d\d):(\d\d):(\d\d)(?=\n)")
COST = re.compile(r"^(.* [1-9]\d* )(\S+)$")
JUNIT_TIME = re.compile(r'(?<=[\t ]time=")([^"]*)(?=")')
JUNIT_STAMP = re.compile(r'(?<=\ttimestamp=")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?=")')
COUNTER = re.compile(r"^ *\d+/ *\d+ (?=Test +#)", re.M)
RULE = "-" * 58 + "\n"
TESTING = re.compile(r"\d+/\d+ Testing: ")
ENTRY = re.compile(rf"^(?={TESTING.pattern})|(?<=\n{RULE}\n)", re.M)
LOG = re.compile(
    rf"((?:Start testing: [^\n]*\n{RULE})?)(.*?)((?:^End testing: DATE\n.*)?)\Z", re.M | re.S
)
TAG = re.compile(r"\b20\d{6}-[0-2]\d[0-5]\d\b")
XML_SECONDS = re.compile(r"(?<=Time>)\d{10}(?=</)")
XML_EXECUTION = re.compile(
    r'(?<=name="Execution Time">\n\t\t\t\t\t<Value>)([^<]*)(?=</Value>)'
)
ARCHIVE = re.compile(r"(?<=<Value>H4sI)[A-Za-z0-9+/]{8}")
START = re.compile(r"^ +(?=Start +\d+: )", re.M)


def _seconds(text, times):
    def mark(match):
        times.append((float(match.group(2)), 0.01))
        return "T" * len(match.group(0))

    return SECONDS.sub(mark, text)


def _plain_number(text):
    """A number as C++ streams print it by default, six significant digits."""
    try:
        return "%g" % float(text) == text
    except ValueError:
        return False


def console(text, times, unordered, unaligned=False):
    text = TAG.sub("YYYYMMDD-HHMM", _seconds(text, times))
    if unaligned:
        text = START.sub("", text)
    if unordered:
        text = COUNTER.sub("N/N ", text)
        text = "".join(sorted(text.splitlines(keepends=True)))
    return text


def last_test(text, times, unordered):
    def elapsed(match):
        hours, minutes, seconds = (int(part) for part in match.groups())
        times.append((3600.0 * hours + 60 * minutes + seconds, 1.0))
        return "ELAPSED"

    text = _seconds(text, times)
    text = DATE.sub("DATE", ELAPSED.sub(elapsed, text))
    if unordered:
        head, body, tail = LOG.match(text).groups()
        parts = ENTRY.split(body)
        entries = [part for part in parts if TESTING.match(part)]
        others = "".join(part for part in parts if not TESTING.match(part))
        text = head + "".join(sorted(entries) + sorted(others.splitlines(True))) + tail
    return text


def cost_data(text, times, unordered):
    lines = text.splitlines(keepends=True)
    cut = next((i for i, line in enumerate(lines) if line == "---\n"), len(lines))
    costs, failed = lines[:cut], lines[cut:]
    for i, line in enumerate(costs):
        match = COST.match(line.rstrip("\n"))
        if match and _plain_number(match.group(2)):
            times.append((float(match.group(2)), 0.01))
            costs[i] = match.group(1) + "COST\n"
    if unordered:
        failed = failed[:1] + sorted(failed[1:])
    return "".join(costs + failed)


def junit(text, times, _unordered):
    def mark(match):
        if not _plain_number(match.group(1)):
            return match.group(1)
        times.append((float(match.group(1)), 0.01 if "." in match.group(1) else 1.0))
        return "T"

    return JUNIT_STAMP.sub("DATE", JUNIT_TIME.sub(mark, text))


def dashboard(text, times, _unordered):
    def mark(match):
        if not _plain_number(match.group(1)):
            return match.group(1)
        times.append((float(match.group(1)), 0.01))
        return "N"

    text = XML_EXECUTION.sub(mark, text)
    text = ARCHIVE.sub("TIMETIME", DATE.sub("DATE", text))
    return TAG.sub("YYYYMMDD-HHMM", XML_SECONDS.sub("N", text))


def tag(text, _times, _unordered):
    return TAG.sub("YYYYMMDD-HHMM", text)


def path(name):
    """A file's name, its tag taken out."""
    return TAG.sub("YYYYMMDD-HHMM", name)


FILES = (
    (re.compile(r"(^|/)Testing/TAG$"), tag),
    (re.compile(r"(^|/)Testing/20\d{6}-\d{4}/[A-Za-z-]+(?:_\d+)?\.xml$"), dashboard),
    (re.compile(r"(^|/)Testing/Temporary/LastTest(?:_\d+)?(?:_20\d{6}-\d{4})?\.log(\.tmp)?$"), last_test),
    (re.compile(r"(^|/)Testing/Temporary/CTestCostData\.txt$"), cost_data),
    (re.compile(r"\.xml$"), junit),
    (re.compile(r"\.console$"), console),
)


def file(path, text, times, unordered):
    """The text of the file at `path`, times taken out into the list `times`."""
    for pattern, rule in FILES:
        if pattern.search(path):
            return rule(text, times, unordered)
    return text


def times_agree(oracle, subject, tolerance):
    """Whether two lists of (time, resolution), in order of appearance, differ by at most
    the tolerance and the resolution in which they were printed."""
    if len(oracle) != len(subject):
        return False
    return all(abs(a - b) <= tolerance + max(r, s)
               for (a, r), (b, s) in zip(oracle, subject))
