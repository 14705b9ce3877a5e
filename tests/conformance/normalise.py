"""The one normalisation: times and dates, and nothing else.

What differs between two runs of the same program is replaced by a mark of the same
width; every other byte is compared as it is.  A time is replaced only where it stands in
ctest's own format, so that a badly printed one shows up as a difference.  The times that
were taken out are handed back, for a comparison with a tolerance.

    where                       text                            becomes
    console, *.console,         right-aligned "  0.03 sec"      "TTTTTT sec", same width
    LastTest.log                "Nov 21 07:35 UTC"              "DATE"
    LastTest.log                "time elapsed: 00:00:03"        "time elapsed: ELAPSED"
    LastTest.log                "random seed: 1795841232"       "random seed: N" (ten digits: the time)
    CTestCostData.txt           "name 2 0.0268109"              "name 2 COST" (once it ran)
    JUnit                       time="0.0268109", time="3"      time="T"
    JUnit                       timestamp="2026-11-21T07:35:06" timestamp="DATE"
    everywhere, file names      "20261121-0755" (a tag)         "YYYYMMDD-HHMM"
    LastCoverage.log            "Performing coverage: 2345"     "Performing coverage: N"
    dashboard's XML             <StartTime>1795247717<          <StartTime>N<
    dashboard's XML (4.4)       <StartTestTime>1795247717.01<   <StartTestTime>N.N< (six digits)
    Done.xml                    <time>1795247717<               <time>N<
    dashboard's XML             "Execution Time", its value     "N"
    dashboard's XML             attached archives: time         left out
    console, LastConfigure, LastBuild and dashboard's XML (cmake since 3.26)
                                "Configuring done (0.3s)"       "Configuring done (Ns)"
    console (4.0)               "computed to be: 9999879"       "computed to be: 99998NN"
    console                     "Failed to connect to H port 1 after 1 ms: why"
                                                                "Failed to connect to H port 1 ..."

A run of a whole dashboard (dashboards/) has a folder of its own for each side. There also:

    everywhere                  the folder's path               "@ROOT@"
    logs of dashboards, XML     dates, tags                     as above
    dashboard's XML             <ElapsedMinutes>0.0166667<      <ElapsedMinutes>N<
    dashboard's XML             <StartTestTime>1.79525e+09<     <StartTestTime>E<
    dashboard's XML             what is compressed and encoded  the text
    with ==1234== in it         "==1234==", 0x..., BuildId      "==PID==", "0xN", "BUILD"
    names of files              "MemoryChecker.1.log.1234"      "MemoryChecker.1.log.PID"
    logs, console               "after 13 ms:" (to connect)     "after N ms:"
    LastCoverage log            "Performing coverage: 123"      "Performing coverage: N"
    console, builds             a line of "." "*" "!"           as many "."
    names of launchers' files   a digest of their command       one of their text
    requests                    MD5=, Content-Length            whether they are right
    requests, console with -VV  starttime=, endtime=, Size: 12  "N"

With `unordered` (tests that run side by side) also: lines of the console are sorted and
their completion counters taken out, entries of LastTest.log and the diagnostics between
them are sorted, and so are the names behind "---" in CTestCostData.txt; times are not
compared.  With `unaligned` the blanks before "Start N: name" are taken out: ctest 3.25
prints them with an uninitialised width for a test that lacks resources.

With `numbers` the numbers of processes ("==17==", "pid=17", "MemoryChecker.1.log.17") and
addresses ("0x4a2b") become marks, in <Log> too, whose text is unpacked for that.

Texts are bytes decoded as latin-1: every byte is one character.
"""

import base64
import hashlib
import re
import zlib

# Where tests ran, which only a run with an engine says: on the console, in LastTest.log,
# in JUnit (of a release without <properties>) and in Test.xml.
ENGINE = re.compile(
    r"^(?:Engine: [a-z]+, .*"
    r"|\d+: Node: .*"
    r"|Node: .*"
    r'|\s*<properties>\n\s*<property name="cctr_node" value="[^"\n]*"/>\n\s*</properties>'
    r'|\s*<NamedMeasurement type="text/string" name="Node">\n'
    r"\s*<Value>[^<\n]*</Value>\n\s*</NamedMeasurement>)\n",
    re.M,
)

# Files of cctr's that stay and that ctest does not have: cctr-files(5).
OWN_FILES = (
    "cctr-timings.txt",
    "cctr-history.sqlite",
    "cctr-history.sqlite-journal",
    "cctr-history.sqlite.damaged",
)

SECONDS = re.compile(r"( *)(\d+\.\d\d)(?= sec\b)")
DATE = re.compile(
    r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d\d \d\d:\d\d"
    r" (?:[A-Z]{3,5}|[+-]\d\d(?:\d\d)?)\b"  # zones have names or are numbers
)
ELAPSED = re.compile(r"(?<=time elapsed: )(\d\d):(\d\d):(\d\d)(?=\n)")
COST = re.compile(r"^(.* [1-9]\d* )(\S+)$")
CONSOLE = re.compile(r"(\[HANDLER_OUTPUT\] \n)?Test project ")
JUNIT = re.compile(r"<\?xml [^>]*>\n<testsuite\b")
JUNIT_TIME = re.compile(r'(?<=[\t ]time=")([^"]*)(?=")')
JUNIT_STAMP = re.compile(r'(?<=\ttimestamp=")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?=")')
COUNTER = re.compile(r"^ *\d+/ *\d+ (?=(?:Test|MemCheck:?) +#)", re.M)
RULE = "-" * 58 + "\n"
TESTING = re.compile(r"\d+/\d+ Testing: ")
ENTRY = re.compile(rf"^(?={TESTING.pattern})|(?<=\n{RULE}\n)", re.M)
LOG = re.compile(
    rf"((?:Start testing: [^\n]*\n{RULE})?)(.*?)((?:^End testing: DATE\n.*)?)\Z", re.M | re.S
)
TAG = re.compile(r"(?<![0-9])20\d{6}-[0-2]\d[0-5]\d(?![0-9])")
XML_SECONDS = re.compile(r"(?<=Time>)\d{10}(?=</)")
XML_MICROSECONDS = re.compile(r"(?<=Time>)\d{10}\.\d{6}(?=</)")
XML_EXECUTION = re.compile(
    r'(?<=name="Execution Time">\n\t\t\t\t\t<Value>)([^<]*)(?=</Value>)'
)
ARCHIVE = re.compile(r"(?<=<Value>H4sI)[A-Za-z0-9+/]{8}")
LAST_TEST = re.compile(
    r"(^|/)Testing/Temporary/Last(?:Test|DynamicAnalysis)(?:_[^/]+)?\.log(\.tmp)?$"
)
SEED = re.compile(r"(?<=^Test order random seed: )\d{10}$", re.M)
START = re.compile(r"^ +(?=Start +\d+: )", re.M)
MINUTES = re.compile(r"(?<=<ElapsedMinutes>)([^<]*)(?=</)")
ROUGH_SECONDS = re.compile(r"(?<=Time>)[1-9](?:\.\d{1,5})?e\+09(?=</)")
DONE_SECONDS = re.compile(r"(?<=<time>)\d{10}(?=</time>)")
ENCODED = re.compile(r'(<(?:Value|Log) [^>]*"base64"[^>]*>)([^<]*)(?=</)')
PROCESS = re.compile(r"==\d+==")
TASK = re.compile(r"\b((?:p|t)id=)\d+")
ADDRESS = re.compile(r"\b0x[0-9a-f]+")
BUILD_ID = re.compile(r"BuildId: [0-9a-f]+")
CHECKER_LOG = re.compile(r"(MemoryChecker\.\d+\.log)\.\d+")
REQUEST_TIME = re.compile(r"(?<=time=)\d+")
CONNECTING = re.compile(r"(?<=\bafter )\d+(?= ms: )")
# The rest of the line is libcurl's, of which each build of ctest has its own.
REFUSED = re.compile(r"(?<=: Failed to connect to )(\S+ port \d+) .*")
LIMIT = re.compile(r"(?<=Test timeout computed to be: )99998\d\d$", re.M)
CLOCK = re.compile(r"(?<=^Performing coverage: )\d+$", re.M)
FRAGMENT = re.compile(r"(?<=Testing/)(.*/Build/(?:error|warning)-)[0-9a-f]{32}(?=\.xml$)")
SYMBOLS = re.compile(r"(?<=^    )[.*!]+(?= Size of output: \d+K$)", re.M)
CONFIGURED = re.compile(r"(?<=ing done \()\d+\.\d(?=s\)$)", re.M)
UPLOAD_SIZE = re.compile(r"(?<= Size: )\d+$", re.M)
DIGEST = re.compile(r"(?<=\bMD5=)([0-9a-f]{32})\b")


def without_engine(text):
    """What the same run without an engine would have written."""
    return ENGINE.sub("", text)


def _seconds(text, times):
    def mark(match):
        times.append((float(match.group(2)), 0.01))
        return "T" * len(match.group(0))

    return SECONDS.sub(mark, text)


def _plain_number(text, form="%g"):
    """A number as C++ streams print it by default, six significant digits."""
    try:
        return form % float(text) == text
    except ValueError:
        return False


def console(text, times, unordered, unaligned=False):
    text = TAG.sub("YYYYMMDD-HHMM", CONFIGURED.sub("N", _seconds(text, times)))
    text = REFUSED.sub(r"\1 ...", LIMIT.sub("99998NN", text))
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
    text = SEED.sub("N", DATE.sub("DATE", ELAPSED.sub(elapsed, text)))
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
    """Behind the first time with six digits all numbers have them."""
    first = XML_MICROSECONDS.search(text)

    def mark(match):
        fixed = first and first.start() < match.start()
        if not _plain_number(match.group(1), "%.6f" if fixed else "%g"):
            return match.group(1)
        times.append((float(match.group(1)), 0.01))
        return "N"

    text = XML_EXECUTION.sub(mark, text)
    text = ARCHIVE.sub("TIMETIME", DATE.sub("DATE", text))
    text = DONE_SECONDS.sub("N", XML_MICROSECONDS.sub("N.N", XML_SECONDS.sub("N", text)))
    return TAG.sub("YYYYMMDD-HHMM", CONFIGURED.sub("N", text))


def last_configure(text, _times, _unordered):
    return TAG.sub("YYYYMMDD-HHMM", CONFIGURED.sub("N", text))


def last_coverage(text, _times, _unordered):
    return TAG.sub("YYYYMMDD-HHMM", CLOCK.sub("N", text))


def tag(text, _times, _unordered):
    return TAG.sub("YYYYMMDD-HHMM", text)


def path(name):
    """A file's name, its tag taken out."""
    return TAG.sub("YYYYMMDD-HHMM", name)


FILES = (
    (re.compile(r"(^|/)Testing/TAG$"), tag),
    (re.compile(r"(^|/)Testing/Temporary/LastSubmit[^/]*\.log$"), tag),
    (re.compile(r"(^|/)Testing/[^/]+/[A-Za-z0-9_-]+\.xml$"), dashboard),
    (LAST_TEST, last_test),
    (re.compile(r"(^|/)Testing/Temporary/Last(?:Configure|Build)[^/]*\.log$"), last_configure),
    (re.compile(r"(^|/)Testing/Temporary/LastCoverage[^/]*\.log$"), last_coverage),
    (re.compile(r"(^|/)Testing/Temporary/CTestCostData\.txt$"), cost_data),
    (re.compile(r"\.xml$"), junit),
)


def file(path, text, times, unordered, unaligned=False):
    """The text of the file at `path`, times taken out into the list `times`."""
    if path.endswith(".console") or CONSOLE.match(text):
        return console(text, times, unordered, unaligned)
    if JUNIT.match(text):
        return junit(text, times, unordered)
    for pattern, rule in FILES:
        if pattern.search(path):
            return rule(text, times, unordered)
    return text


# ---- dashboards: a folder of its own for each side -------------------------------------


def decoded(text):
    """Dashboard's XML with the text of what is compressed and encoded in it."""

    def read(match):
        packed = base64.b64decode(match.group(2).encode("latin-1"))
        return match.group(1) + zlib.decompress(packed).decode("latin-1")

    return ENCODED.sub(read, text)


def placed(text, root):
    """ctest also looks for programs below the path without its first slash."""
    for quoted in (root, root.replace("/", "#"), root.replace("/", "%2F"), root[1:]):
        text = text.replace(quoted, "@ROOT@")
    return text


def checked(text):
    """What a memory checker says differs in its process and where that has its memory."""
    if not PROCESS.search(text):
        return text
    return BUILD_ID.sub("BUILD", ADDRESS.sub("0xN", PROCESS.sub("==PID==", text)))


def numbers(text):
    """Without numbers of processes and addresses."""
    text = TASK.sub(r"\1PID", PROCESS.sub("==PID==", decoded(text)))
    return CHECKER_LOG.sub(r"\1.PID", ADDRESS.sub("0xN", text))


def scenario_path(name, text, root):
    """text: the file's, as scenario_text made it"""
    digest = hashlib.md5(text.encode("latin-1")).hexdigest()
    name = FRAGMENT.sub(lambda m: m.group(1) + digest, name)
    return CHECKER_LOG.sub(r"\1.PID", path(placed(name, root)))


def scenario_text(name, text, root):
    """A file of a dashboard."""
    if name.endswith(".xml"):
        text = ROUGH_SECONDS.sub("E", decoded(text))
        text = MINUTES.sub(lambda m: "N" if _plain_number(m.group(1)) else m.group(1), text)
    text = TAG.sub("YYYYMMDD-HHMM", DATE.sub("DATE", file(name, text, [], False)))
    text = CONNECTING.sub("N", text)
    return checked(placed(CLOCK.sub("N", CHECKER_LOG.sub(r"\1.PID", text)), root))


def scenario_console(text, root):
    text = SYMBOLS.sub(lambda m: "." * len(m.group()), console(text, [], False))
    text = CONNECTING.sub("N", UPLOAD_SIZE.sub("N", DIGEST.sub("D", text)))
    return checked(placed(CHECKER_LOG.sub(r"\1.PID", text), root))


def scenario_request(request, root):
    """A request: its line, its headers, and its body as the file that it is."""
    body, digest = request["bytes"].decode("latin-1"), hashlib.md5(request["bytes"]).hexdigest()
    target = DIGEST.sub(lambda m: "right" if m.group(1) == digest else "wrong", request["target"])
    lines = [f"{request['method']} {target} {request['version']}"]
    for name, value in request["headers"]:
        if name == "Content-Length":
            value = "right" if value == str(len(body)) else "wrong"
        lines.append(f"{name}: {value}")
    head = placed(TAG.sub("YYYYMMDD-HHMM", "\n".join(lines)), root)
    # Dashboard's XML is known by where it lies.
    name = "Testing/20000101-0000/Any.xml" if request["method"] == "PUT" else "form"
    body = scenario_text(name, REQUEST_TIME.sub("N", body), root)
    return f"{head}\n\n{body}\n"


def times_agree(oracle, subject, tolerance):
    """Whether two lists of (time, resolution), in order of appearance, differ by at most
    the tolerance and the resolution in which they were printed."""
    if len(oracle) != len(subject):
        return False
    return all(abs(a - b) <= tolerance + max(r, s)
               for (a, r), (b, s) in zip(oracle, subject))
