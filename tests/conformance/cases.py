"""Reads *.cases: groups of cases that share a tree.  README.rst describes the format."""

import codecs
import copy
import pathlib
import shlex


# The rest of the line, as it is.
PLAIN = ("shell", "input", "differs", "not_by_cmake", "not_by_json", "not_under_valgrind",
         "unlike", "undecided")


class CaseError(Exception):
    pass


class Change:
    """One step that makes or changes the tree, or runs ctest in it before the case."""

    def __init__(self, kind, words, body=None):
        self.kind, self.words, self.body = kind, words, body


class Case:
    def __init__(self, group, name):
        self.group, self.name = group, name
        self.changes = []  # in order of appearance
        self.after = []  # argument lists of the oracle, run after the case
        self.env = {}
        self.arguments = []
        self.directory = ""  # where to run, below the tree
        self.input = None
        self.unordered = False
        self.unaligned = False
        self.numbers = False
        self.merged = False
        self.terminal = False
        self.tolerance = 60.0
        self.limit = 600.0
        self.ignored = []
        self.differs = ""  # why the two sides are known not to be equal
        self.unlike = []  # (releases, reason): why they are not beside these releases
        self.undecided = []  # the same, where a release does not equal itself
        self.not_by_cmake = ""  # why `cmake -P` cannot tell the suite (three_way)
        self.not_by_json = ""  # why json-v1 cannot tell it (three_way)
        self.not_under_valgrind = ""  # why a cctr that it runs cannot be equal

    @property
    def title(self):
        return f"{self.group.name}/{self.name}"

    def known(self, release):
        """-> why the two sides are not equal beside a release, or \"\""""
        return self.differs or reason_for(release, self.unlike)

    def not_compared(self, release):
        """-> why the case is not compared with a release, or \"\""""
        return reason_for(release, self.undecided)


def is_among(release, releases):
    """Whether "4.0.2" is one of "3.25-4.0", or of "4.0"."""
    numbers = [tuple(map(int, text.split(".")))[:2]
               for text in (release, *releases.split("-"))]
    return numbers[1] <= numbers[0] <= numbers[-1]


def reason_for(release, marks):
    return next((reason for releases, reason in marks if is_among(release, releases)), "")


class Group:
    def __init__(self, name, source):
        self.name, self.source = name, source
        self.common = Case(self, "")  # what all cases of the group start with
        self.project = None  # words of `project`: a CMake project to configure
        self.needs = []
        self.cases = []


def _unescape(text):
    return codecs.escape_decode(text.encode("utf-8"))[0]


def _body(lines, start, indent):
    """Indented lines after a `file` line; blank lines inside count, those behind do not."""
    prefix, body, i = "\t" * indent, [], start
    while i < len(lines) and (lines[i].startswith(prefix) or not lines[i].strip()):
        body.append(lines[i][len(prefix):])
        i += 1
    while body and not body[-1].strip():
        body.pop()
        i -= 1
    return body, i


def _file(words, body):
    """file PATH [MODE] [escaped]: escaped text has C escapes and no newlines of its own."""
    if "escaped" in words:
        return _unescape("".join(body))
    return "".join(line + "\n" for line in body).encode("utf-8")


def _set(case, key, rest, words, body):
    if key in ("file", "testfile"):
        if key == "testfile":
            words = ["CTestTestfile.cmake", *words]
        modes = [w for w in words[1:] if w != "escaped"]
        case.changes.append(Change("file", [words[0], *modes], _file(words, body)))
    elif key in ("link", "directory", "mode", "remove", "touch", "before", "self", "shell"):
        case.changes.append(Change(key, [rest] if key == "shell" else words))
    elif key == "env":
        case.env.update(word.split("=", 1) for word in words)
    elif key == "after":
        case.after.append(words)
    elif key == "cd":
        case.directory = words[0]
    elif key == "input":
        case.input = _unescape(rest)
    elif key in ("unordered", "unaligned", "numbers", "merged", "terminal"):
        setattr(case, key, True)
    elif key in ("tolerance", "limit"):
        setattr(case, key, float(words[0]))
    elif key in PLAIN[6:]:
        releases, _, reason = rest.partition(" ")
        getattr(case, key).append((releases, reason))
    elif key in PLAIN[2:6]:
        setattr(case, key, rest)
    elif key == "ignore":
        case.ignored += words
    else:
        return False
    return True


class Reader:
    def __init__(self, path, text=None):
        self.path = path
        if text is None:
            text = path.read_text(encoding="utf-8")
        self.lines = text.split("\n")
        self.groups = []
        self.case = None

    def fail(self, at, why):
        raise CaseError(f"{self.path}:{at + 1}: {why}")

    def start(self, at, key, rest):
        if key == "group":
            if any(group.name == rest for group in self.groups):
                self.fail(at, f"a second group {rest}")
            self.groups.append(Group(rest, self.path))
            self.case = None
            return True
        if key != "case":
            return False
        name, colon, arguments = rest.partition(":")
        if not colon or not self.groups:
            self.fail(at, "expected `case NAME: ARGUMENTS` in a group")
        group = self.groups[-1]
        if any(case.name == name for case in group.cases):
            self.fail(at, f"a second case {name}")
        self.case = copy.copy(group.common)
        self.case.name = name
        for member in ("changes", "after", "ignored", "unlike", "undecided"):
            setattr(self.case, member, list(getattr(group.common, member)))
        self.case.env = dict(group.common.env)
        self.case.arguments = shlex.split(arguments)
        group.cases.append(self.case)
        return True

    def setting(self, at, key, rest, indent):
        words = [] if key in PLAIN else shlex.split(rest)
        target = self.case if indent else self.groups[-1].common
        body, end = [], at + 1
        if key in ("file", "testfile"):
            body, end = _body(self.lines, at + 1, indent + 1)
        if not indent and key == "project":
            self.groups[-1].project = words
        elif not indent and key == "needs":
            self.groups[-1].needs += words
        elif not _set(target, key, rest, words, body):
            self.fail(at, f"unknown word {key}")
        return end

    def read(self):
        at = 0
        while at < len(self.lines):
            line = self.lines[at]
            text = line.strip()
            indent = len(line) - len(line.lstrip("\t"))
            if not text or text.startswith("#"):
                at += 1
                continue
            key, _, rest = text.partition(" ")
            if not indent and self.start(at, key, rest.strip()):
                at += 1
                continue
            if not self.groups or indent > 1 or (indent and not self.case):
                self.fail(at, "a setting that belongs to no group or case")
            if not indent and self.groups[-1].cases:
                self.fail(at, "settings of a group stand before its cases")
            at = self.setting(at, key, rest.strip(), indent)
        return self.groups


def read_all(folder):
    groups = []
    for path in sorted(pathlib.Path(folder).glob("*.cases")):
        groups += Reader(path).read()
    names = [group.name for group in groups]
    for name in names:
        if names.count(name) > 1:
            raise CaseError(f"group {name} is in two files")
    return groups
