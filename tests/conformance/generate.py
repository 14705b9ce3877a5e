"""Random test trees and command lines for `differential`.

A tree is lists of texts, so that a shrinker can drop any element of any list:

    {"files": [{"path": text, "mode": text or None, "items": [item]}],
     "env": ["NAME=VALUE"], "steps": [[option]], "unordered": bool, ...}

An item is a text, or {"head": text, "parts": [text], "tail": text}, which goes when its
parts are gone; an option is a list of words.  Texts are bytes decoded as latin-1, and
"@DIR@" stands for the tree.  Only what the same random numbers give is made: nothing here
looks at the machine.

What Help/dev/differences.rst allows is not made; comments say which entry.

The release of ctest decides which options there are, and in which forms.  What is made
for 3.25 from a number never changes with what other releases have."""

import random

ODD = [
    " ", "  ", "'", '"', ";", "[", "]", "(", ")", "{", "}", "$", "\\", "#", "@", "&", "<",
    ">", "%", "*", "?", "|", "^", "~", "`", "!", ",", ":", "=", "+", "-", "/", ".", "\t",
    "é", "日本", "\u2028", "${x}", "$ENV{HOME}", "@x@", "]]>", "]=]", "&amp;", "--",
    "TRUE", "%s", "\\n", "\\;",
]
# What JSON, XML and logs have to cope with.
BYTES = ["\x00", "\x01", "\x1b[31m", "\x1b[0m", "\x7f", "\x80", "\xff", "\xc3",
         "\xc3\x28", "\xed\xa0\x80", "\xef\xbf\xbf", "\xef\xbb\xbf", "\xf0\x9f\x98\x80",
         "\xc0\x80", "\r", "\x0c", "\x08", "\xe2\x82", "\xf5\x80\x80\x80"]
WORDS = ["out", "out one", "error", "skip me", "ok 12", "a;b", "100% tests passed", "x",
         "PASS", "FAIL: [1]", "0.02 sec", "<b>&</b>", "]]>", "CTEST", "warning: [-Wall]"]
TAGS = [
    '<DartMeasurement name="m" type="numeric/double">1.5</DartMeasurement>',
    '<DartMeasurement type="text/string" name="a b">x &amp; y</DartMeasurement>',
    '<CTestMeasurement type="numeric/double" name="m2">2</CTestMeasurement>',
    '<CTestMeasurementFile type="file" name="f">@DIR@/out0</CTestMeasurementFile>',
    '<DartMeasurementFile name="g" type="image/png">@DIR@/gone</DartMeasurementFile>',
    "<CTestDetails>some details</CTestDetails>",
    "<CTestDetails>more\nlines</CTestDetails>",
    "<CTestLabel>from output</CTestLabel>", "<CTestLabel>a;b</CTestLabel>",
    '<DartMeasurement name="open" type="text/string">', "</DartMeasurement>",
    "<DartMeasurement>", "<CTestDetails>", "</CTestDetails>", "CTEST_FULL_OUTPUT",
    "CTEST_FULL_OUTPUT ",
]
REGEXES = [
    "out", "^out", "one$", "out|error", "skip", "[a-z]+ [0-9]+", "ok [0-9]*", ".", "^$",
    "$", "^", "x?", "(out) (one)", "\\.", "[.]", "a;b", "a\\;b", "nothing", "",
    "out;nothing", ";;out;", "\n", "out.*error", "[^a-z]", "é", "%", "(", ")", "[", "a)",
    "*", "+", "a**", "(a", "[z-a]", "\\", "a\\", "[]a]", "[^]a]", "x+?", "()", "(|out)",
    "out\nx", "((o)(u)(t))", "^.*$", "[a-c0-9_-]",
]
NAME_REGEXES = [
    "t", "^t", "[0-9]$", "t1", "t1|t2", "a", "a$", "^$", ".", "(", "[", "*", "nothing",
    "", "é", " ", "\\.", "t[0-4]", "^t2$", "\"", ";", "+", "(t)(.)", "$", "\\(", "[]]",
    "alpha|b", "a+b?",
]
BOOLEANS = ["ON", "OFF", "TRUE", "FALSE", "1", "0", "yes", "no", "Y", "N", "", "maybe",
            "2", "true", "IGNORE", "x-NOTFOUND", "on ", " ON", "-1"]
NUMBERS = ["0", "1", "2", "3", "-1", "1.5", "x", "", "1e3", " 1", "0x10", "99999999999",
           "+3", "1;2", "7", "256", "1 2", ".5", "nan", "inf"]
LABELS = ["red", "blue", "slow", "red;slow", "red;blue;red", "", ";", "a b", "é", "Red",
          "x;;y", "<l>", "a\\;b", "[a;b]", "a-label-that-is-much-longer-than-the-others",
          "\"q\"", "red "]
FIXTURES = ["f1", "f2", "f3", "f1;f2", "f2;f3", "F 4", "", "unknown"]


def latin(text):
    """As bytes in UTF-8, kept as latin-1; what is latin-1 bytes already stays."""
    return "".join(c if ord(c) < 128 else c.encode("utf-8").decode("latin-1")
                   for c in text)


ODD = [latin(text) for text in ODD]
REGEXES = [latin(text) for text in REGEXES]
NAME_REGEXES = [latin(text) for text in NAME_REGEXES]
LABELS = [latin(text) for text in LABELS]


class Generator:
    def __init__(self, seed, release):
        self.r = random.Random(seed)
        self.release = tuple(map(int, release.split(".")))
        self.names, self.outputs, self.steps = [], 0, []
        self.files, self.env = {}, []
        self.unordered = self.unaligned = False
        self.case = {}

    # ---- chance ------------------------------------------------------------------------

    def often(self, share):
        return self.r.random() < share

    def one(self, values):
        return self.r.choice(values)

    def some(self, values, most):
        return [self.one(values) for _ in range(self.r.randint(0, most))]

    def weighted(self, *pairs):
        return self.r.choices([p[1] for p in pairs], [p[0] for p in pairs])[0]

    # ---- words of CMake ----------------------------------------------------------------

    def quote(self, text):
        """A text as an argument of CMake's language, in one of the ways there are."""
        how = self.r.random()
        if text and how < 0.2 and all(c.isalnum() or c in "_./-+" for c in text):
            return text
        if how < 0.5 and "\\" not in text[-1:] and not text.startswith("\n"):
            for n in range(4):
                close = "]" + "=" * n + "]"
                if close not in text + "]" + "=" * 9 and not text.endswith("]"):
                    return "[" + "=" * n + "[" + text + close
        escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
        return '"' + escaped + '"'

    def odd(self, most=4):
        parts = []
        for _ in range(self.r.randint(1, most)):
            parts.append(self.one(ODD) if self.often(0.6)
                         else self.one(["a", "b1", "Test", "x_y"]))
        return "".join(parts)

    def fresh_name(self):
        n = len(self.names) + 1
        plain = f"t{n}"
        return self.weighted(
            (60, plain), (8, self.one(["alpha", "beta", "a.b", "Suite.Case/0", "b"])),
            (12, self.odd()), (6, plain + self.odd(2)),
            (4, "long_" + "x" * self.r.randint(20, 150)),
            (3, self.one(self.names or [plain])), (1, ""), (1, str(self.r.randint(0, 9))),
            (1, "new\nline"), (1, "bad" + self.one(BYTES[1:])),
        )

    def known_name(self):
        if self.names and self.often(0.93):
            return self.one(self.names)
        return self.one(["unknown", "", "t99", "t1 "])

    # ---- commands and their outputs ----------------------------------------------------

    def output(self):
        """Contents of a file that a test prints."""
        lines = []
        for _ in range(self.weighted((6, 1), (4, 3), (2, 8), (1, 0), (1, 40))):
            line = self.one(WORDS)
            kind = self.r.random()
            if kind < self.spice["bytes"]:
                line += self.one(BYTES) + self.one(WORDS)
            elif kind < self.spice["bytes"] + self.spice["tags"]:
                line = self.one(["", "", "out "]) + self.one(TAGS) + self.one(["", "",
                                                                               " x"])
            elif kind > 0.97:
                line = self.one(["long ", latin("é"), "ab"]) * self.r.randint(50, 1500)
            lines.append(line)
        end = self.one(["\n", "\n", "\n", "", "\r\n", "\n\n"])
        return "\n".join(lines) + end

    def code(self):
        return self.weighted((6, 0), (4, 1), (1, 2), (2, 7), (1, 77), (1, 255), (1, 127),
                             (1, 126))

    def printing(self):
        name = f"out{self.outputs}"
        if self.outputs < 4 and self.often(0.8):
            self.outputs += 1
            self.files[name] = {"path": name, "mode": None, "items": [self.output()]}
        else:
            name = f"out{self.r.randrange(max(self.outputs, 1))}"
        end = self.weighted((8, f"exit {self.code()}"), (1, "kill -SEGV $$"),
                            (1, "kill -KILL $$"))
        return ["/bin/sh", "-c", f"cat @DIR@/{name}; {end}"]

    def script(self, name, text, mode):
        self.files[name] = {"path": name, "mode": mode, "items": [text]}

    def missing(self):
        kind = self.r.randrange(8)
        if kind == 0:
            return ["/nonexistent/program", "x"]
        if kind == 1:
            return [self.one(["nowhere", "no/where", "./nowhere", "", " ",
                              "NOT_AVAILABLE", "a;b"])]
        if kind == 2:
            return [self.one(["@DIR@", "/", ".", "sub", "@DIR@/sub"])]
        if kind == 3:
            self.script("plain", "#!/bin/sh\nexit 0\n", "0644")
            return [self.one(["@DIR@/plain", "./plain", "plain"]), "arg"]
        if kind == 4:
            self.script("nobody", "#!/nonexistent/interpreter\n", "0755")
            return ["@DIR@/nobody"]
        if kind == 5:
            self.script("empty", self.one(["", "exit 3\n", "\x00\x01"]), "0755")
            return ["@DIR@/empty"]
        if kind == 6:
            self.script("Debug/tool", "#!/bin/sh\necho $0; exit 0\n", "0755")
            return [self.one(["tool", "./tool", "@DIR@/tool"])]
        return [self.odd()]

    def command(self):
        kind = self.weighted(
            (22, "true"), (8, "false"), (12, "exit"), (18 * self.spice["print"], "print"),
            (4, "signal"), (7 * self.spice["missing"], "missing"), (6, "echo"),
            (3, "count"), (4, "script"), (3, "environment"), (2, "where"), (1, "stdin"),
            (1, "quiet"))
        if kind == "true":
            return ["/bin/true"] + self.some(["x", ""], 1)
        if kind == "false":
            return [self.one(["/bin/false", "false"])]
        if kind == "exit":
            return ["/bin/sh", "-c", f"exit {self.code()}"]
        if kind == "print":
            return self.printing()
        if kind == "signal":
            name = self.one(["SEGV", "KILL", "ABRT", "TERM", "ILL", "FPE", "INT", "HUP",
                             "BUS", "USR1", "PIPE", "ALRM", "TRAP", "SYS", "QUIT",
                             "XCPU"])
            return ["/bin/sh", "-c", self.one(["", "echo out; "]) + f"kill -{name} $$"]
        if kind == "missing":
            return self.missing()
        if kind == "echo":
            return ["/bin/echo"] + [self.odd() for _ in range(self.r.randint(1, 3))]
        if kind == "count":
            name = f"count{self.r.randrange(4)}"
            test = self.one(["-ge 2", "-ge 3", "-lt 2", "-lt 3"])
            return ["/bin/sh", "-c",
                    f"echo x >>@DIR@/{name}; test `wc -l <@DIR@/{name}` {test}"]
        if kind == "script":
            self.script("run.sh", "#!/bin/sh\necho \"$0 $*\"\nexit $#\n", "0755")
            return [self.one(["./run.sh", "@DIR@/run.sh", "run.sh",
                              "../run.sh"])] + self.some(
                ["a", "b c", ""], 2)
        if kind == "environment":
            # Whatever PATH is: two shells that do not find grep write into each other's lines.
            return ["/bin/sh", "-c",
                    "/usr/bin/env | /bin/grep -a '^[A-D][_A-Z]*=' |"
                    " /bin/grep -Eav '^CCTR_(SOCKET|TOKEN)=' | LC_ALL=C /usr/bin/sort"]
        if kind == "where":
            return [self.one(["/bin/pwd", "pwd"])]
        if kind == "stdin":
            return ["/bin/cat"]
        return ["/bin/sh", "-c", "exec >&- 2>&-; exit " + str(self.code())]

    # ---- properties --------------------------------------------------------------------

    def names_list(self):
        return ";".join(self.known_name() for _ in range(self.weighted((6, 1), (3, 2),
                                                                       (1, 0), (1, 4))))

    def environment_modification(self):
        names = ["AA", "BB", "PATH", "C_D"]
        kinds = ["set", "unset", "reset", "string_append", "string_prepend",
                 "path_list_append", "path_list_prepend", "cmake_list_append",
                 "cmake_list_prepend"]
        values = ["x", "", "/y", "a=b", ":"]
        entries = [f"{self.one(names)}={self.one(kinds)}:{self.one(values)}"
                   for _ in range(self.r.randint(1, 4))]
        if self.often(0.12):
            entries.append(self.one(["AA", "AA=set", "AA=bad:x", "=set:1", "AA=:",
                                     "AA=SET:x", "="]))
            self.case["cannot_start"] = True
        return ";".join(entries)

    def resource_groups(self):
        if self.spice["odd"]:
            # "Calls that are refused later": no bad ones where cmake may be needed.
            return self.one(["gpus:1", "2,gpus:1", "gpus:4,cpus:1", "gpus:99"])
        # "Numbers in RESOURCE_GROUPS": neither counts nor slots that large.
        return self.weighted(
            (9, self.one(["gpus:1", "gpus:2", "2,gpus:1", "gpus:1;gpus:1",
                          "gpus:4,cpus:1", "3", "gpus:1,gpus:1", "2,gpus:2,gpus:1;cpus:2",
                          "gpus:0", "1,gpus:1;"])),
            (2, self.one(["gpus:99", "none:1", "gpus:3;gpus:3;gpus:3", "4,gpus:2", "0"])),
            (1, self.one(["", ";", "x y", "gpus", "gpus:", ",", "1,2", "GPUS:1",
                          "gpus:-1", "a:b:1", " gpus:1", "gpus:1,", "gpus:1 ", "-1",
                          "1;;2"])))

    def hang(self):
        """A test that a limit ends."""
        self.case["hangs"] = True
        command = ["/bin/sh", "-c", self.one(["exec sleep 5", "echo out; exec sleep 5"])]
        limit = ("TIMEOUT", "0.2")
        if self.often(0.3):
            command = ["/bin/sh", "-c", "echo out; exec sleep 5"]
            # Not "0": "TIMEOUT_AFTER_MATCH".
            after_match = ("TIMEOUT_AFTER_MATCH", self.one(["0.2;out", "0.3;nothing\\;out"]))
            # Not where it ends the run: "TIMEOUT_AFTER_MATCH".
            limit = limit if (3, 27) <= self.release < (4, 2) else after_match
        return command, limit

    def property(self):
        makers = self.spice["properties"]
        key = self.one(makers)
        return key, getattr(self, "make_" + key.lower(), self.make_other)(key)

    def make_other(self, key):
        if key in ("WILL_FAIL", "RUN_SERIAL", "DISABLED", "PROCESSOR_AFFINITY"):
            return self.one(BOOLEANS[:2] * 3 + BOOLEANS)
        if key.endswith("REGULAR_EXPRESSION"):
            return self.one(REGEXES[:15] * 3 + REGEXES)
        if key == "SKIP_RETURN_CODE":
            return self.one(["0", "1", "7", "77"] * 5 + NUMBERS)
        if key == "COST":
            # Of these ctest does not make the same every time.
            return self.one([number for number in NUMBERS
                             if number not in ("nan", "inf")])
        if key == "PROCESSORS":
            # Not what atoi has no answer for, and times of labels stay comparable.
            return self.one([number for number in NUMBERS
                             if number not in ("99999999999", "256")])
        if key == "TIMEOUT":
            # Nothing that a loaded machine may or may not reach.
            return self.one(["0", "", "x", "100", "1000.5", "1e4", "100x", " 100",
                             "99999999999"])
        if key == "LABELS":
            return self.one(LABELS)
        if key.startswith("FIXTURES_"):
            return self.one(FIXTURES[:5] * 3 + FIXTURES)
        if key == "RESOURCE_LOCK":
            return self.one(["lock", "lock;other", "", "other", latin("é")])
        if key == "ENVIRONMENT":
            return self.one(["AA=1", "AA=1;BB=2", "AA", "=x", "AA=;BB", "AA=1;AA=2", "",
                             "C_D=a=b;PATH", "PATH=/bin", "AA=a\\;b", "BB= x ", "HOME",
                             "AA=[a;b]"])
        if key == "REQUIRED_FILES":
            return self.one(["@DIR@/out0", "@DIR@/gone", "out0", "gone", "",
                             "@DIR@/out0;gone", "sub", ";",
                             "@DIR@/CTestTestfile.cmake;@DIR@"])
        if key.startswith("ATTACHED_FILES"):
            return self.one(["@DIR@/out0", "@DIR@/gone;@DIR@/out0", "", "out0"])
        if key == "MEASUREMENT":
            return self.one(["a=1", "b", "a=2;b=3", "", "=x", "<m>=&"])
        if key == "TIMEOUT_AFTER_MATCH":
            return self.one(["100;out", "100;out\\;x", "100", "", "100;x;y", "x", ";",
                             "100;(", "50.5;one"])
        if key == "TIMEOUT_SIGNAL_NAME":
            return self.one(["SIGTERM", "SIGINT", "TERM", ""])
        if key == "TIMEOUT_SIGNAL_GRACE_PERIOD":
            return self.one(NUMBERS)
        if key == "_BACKTRACE_TRIPLES":
            return self.one(["@DIR@/CMakeLists.txt;3;add_test;@DIR@/CMakeLists.txt;0;",
                             "f;1", "f;x;c", "", "f;1;c", ";;"])
        return self.one(["x", "", "1"])

    def make_depends(self, _key):
        return self.names_list()

    def make_environment_modification(self, _key):
        return self.environment_modification()

    def make_resource_groups(self, _key):
        self.unaligned = True  # "Tests that are refused before they start"
        return self.resource_groups()

    def make_working_directory(self, _key):
        where = self.one(["@DIR@", "@DIR@/sub", "sub", ".", "/", "@DIR@/sub/..",
                          "sub/deep"] * 2
                         + ["@DIR@/gone", "gone", "", "@DIR@/CTestTestfile.cmake"])
        if self.release >= (4, 0) and where in ("sub", ".", "sub/deep"):
            where = "@DIR@/" + where  # "Relative directories"
        self.unaligned = True  # the same entry
        return where

    def make_generated_resource_spec_file(self, _key):
        return self.one(["@DIR@/spec.json", "@DIR@/gone.json", "spec.json", ""])

    # ---- statements --------------------------------------------------------------------

    def add_test(self, command=None):
        name = self.fresh_name()
        self.names.append(name)
        words = command or self.command()
        parts = [" " + self.quote(word) for word in words]
        return {"head": "add_test(" + self.quote(name), "parts": parts,
                "tail": ")\n"}, name

    def set_properties(self, names, pairs):
        parts = [f" {key} {self.quote(value)}" for key, value in pairs]
        if self.often(0.01):
            parts.append(" LABELS")  # without a value
        head = "set_tests_properties(" + " ".join(self.quote(name)
                                                  for name in names) + " PROPERTIES"
        return {"head": head, "parts": parts, "tail": ")\n"}

    def one_test(self):
        items = []
        command, pairs = None, []
        if self.often(self.spice["hang"]) and not self.case.get("hangs"):
            command, limit = self.hang()
            pairs.append(limit)
        item, name = self.add_test(command)
        items.append(item)
        pairs += [self.property() for _ in range(self.weighted(*self.spice["per_test"]))]
        if pairs:
            self.r.shuffle(pairs)
            names = [name]
            if self.often(0.08):
                names += [self.known_name() for _ in range(2)]
            if command:
                names = [name]
            items.append(self.set_properties(names, pairs))
        return items

    def configured_test(self):
        items, name = self.add_test()
        fallback = self.quote(name)
        return [{
            "head": "if(CTEST_CONFIGURATION_TYPE MATCHES "
                    "\"^([Dd][Ee][Bb][Uu][Gg])$\")\n  ",
            "parts": [items["head"] + "".join(items["parts"]) + items["tail"]],
            "tail": f"else()\n  add_test({fallback} NOT_AVAILABLE)\nendif()\n",
        }]

    def directory_statement(self):
        return self.weighted(
            (6,
             "set_directory_properties(PROPERTIES LABELS " +
             self.quote(self.one(LABELS)) + ")\n"),
            (1, self.one(["set_directory_properties(LABELS x)\n",
                          "set_directory_properties()\n",
                          "set_directory_properties(PROPERTIES LABELS)\n",
                          "set_directory_properties(PROPERTIES OTHER x)\n"])))

    def odd_statement(self):
        n = len(self.names) + 1
        self.names += [f"t{n}"]
        return self.one([
            f"# comment\nadd_test(t{n} /bin/true)\n",
            f"set(x one)\nadd_test(t{n} /bin/echo \"${{x}}\" ${{x}})\n",
            f"foreach(i 1 2)\n  add_test(t{n}${{i}} /bin/true)\nendforeach()\n",
            f"if(EXISTS \"@DIR@/gone\")\n  include(gone)\nelse()\n"
            f"  add_test(t{n} /bin/false)\nendif()\n",
            f"add_test(t{n})\n" if self.often(0.3) else f"ADD_TEST(t{n} /bin/true)\n",
            "include(gone.cmake OPTIONAL)\n",
            "include(gone.cmake)\n" if self.often(0.3) else "subdirs(gone)\n",
            "subdirs()\n", "add_subdirectory(gone)\n",
            "add_test(NAME t COMMAND /bin/true)\n",
            f"list(APPEND args a b)\nadd_test(t{n} /bin/echo ${{args}} \"${{args}}\")\n",
            "unknown_command(x)\n" if self.often(0.3) else "\n\n",
            f"add_test(t{n} /bin/true" if self.often(0.3)
            else f"add_test( t{n}\n /bin/true # x\n)\n",
            "set_tests_properties(gone PROPERTIES LABELS x)\n",
            "set_tests_properties(gone LABELS x)\n" if self.often(0.4) else "set(y)\n",
            "return()\n" if self.often(0.3) else "unset(x)\n",
            f"add_test(t{n} [==[/bin/echo]==] [[a;b]] \"a;b\" a;b)\n",
            f"add_test(t{n} /bin/echo \"a\\;b\" a\\ b \"a\\\nb\" \\\"q\\\")\n",
        ])

    def cmake_statement(self):
        """What only cmake can evaluate."""
        n = len(self.names) + 1
        self.names.append(f"t{n}")
        return self.one([
            f"set(x one)\nadd_test(t{n} /bin/echo \"@x@\")\n",
            "execute_process(COMMAND /bin/echo hi OUTPUT_VARIABLE o)\n"
            f"add_test(t{n} /bin/echo ${{o}})\n",
            "execute_process(COMMAND /bin/false)\nfunction(f)\n"
            f"  add_test(t{n} /bin/true)\nendfunction()\nf()\n",
        ])

    def test_file(self, budget):
        items = []
        if self.spice["cmake"] and self.often(0.5):
            items.append(self.cmake_statement())
        for _ in range(budget):
            items += self.weighted((90, self.one_test), (4, self.configured_test),
                                   (5 * self.spice["odd"],
                                    lambda: [self.odd_statement()]))()
        if self.often(0.15 * self.spice["odd"] + 0.03):
            items.insert(self.r.randint(0, len(items)), self.directory_statement())
        if self.names and self.often(0.2):
            pairs = [self.property() for _ in range(self.r.randint(1, 2))]
            items.append(self.set_properties([self.known_name(), self.known_name()],
                                             pairs))
        return items

    # ---- the tree ----------------------------------------------------------------------

    def test_files(self):
        count = self.weighted((3, 1), (6, 3), (6, 5), (4, 8), (2, 12), (1, 0))
        top = self.test_file(count if self.often(0.6) else count // 2)
        if self.often(0.4):
            how = self.one(["subdirs(sub)\n", "add_subdirectory(sub)\n",
                            'subdirs("@DIR@/sub")\n', "subdirs(sub/deep sub)\n",
                            'include("@DIR@/sub/CTestTestfile.cmake")\n',
                            "include(sub/CTestTestfile.cmake)\n",
                            "subdirs(sub)\nsubdirs(sub)\n"])
            if self.spice["cmake"]:
                # "CMAKE_CURRENT_LIST_FILE": names of included files
                how = "subdirs(sub)\n"
            top.insert(self.r.randint(0, len(top)), how)
            below = self.test_file((count + 1) // 2)
            self.put("sub/CTestTestfile.cmake", below)
            if self.often(0.3):
                below.append("subdirs(deep)\n")
                self.put("sub/deep/CTestTestfile.cmake", self.test_file(1))
        else:
            self.put("sub/keep", [""])
        if self.often(0.4):
            self.put("sub/deep/keep", [""])
        self.put("CTestTestfile.cmake" if self.often(0.99) else "DartTestfile.txt", top)

    def put(self, path, items, mode=None):
        self.files[path] = {"path": path, "mode": mode, "items": items}

    def custom(self):
        lines = []
        for _ in range(self.r.randint(1, 3)):
            lines.append(self.weighted(
                (4,
                 f"set(CTEST_CUSTOM_TESTS_IGNORE {self.quote(self.known_name())} t2)\n"),
                (2, "set(CTEST_CUSTOM_MAXIMUM_PASSED_TEST_OUTPUT_SIZE "
                    + self.one(["10", "100", "0", "-1", "x", "5000"]) + ")\n"),
                (2, "set(CTEST_CUSTOM_MAXIMUM_FAILED_TEST_OUTPUT_SIZE "
                    + self.one(["10", "100", "0", "x"]) + ")\n"),
                (1, "set(CTEST_CUSTOM_TEST_OUTPUT_TRUNCATION "
                    + self.one(["head", "middle", "tail", "bad", '""']) + ")\n"),
                (1, "set(CTEST_CUSTOM_PRE_TEST "
                    + self.one(['"/bin/echo pre"', "/bin/false", "/nonexistent",
                                '"/bin/sh -c \\"exit 3\\""',
                                "/bin/true /bin/false"]) + ")\n"),
                (1, "set(CTEST_CUSTOM_POST_TEST "
                    + self.one(['"/bin/echo post"', "/bin/false",
                                '"/nonexistent x"']) + ")\n"),
                (1, self.one(["set(CTEST_CUSTOM_WARNING_MATCH x)\n",
                              "set(CTEST_EXTRA_COVERAGE_GLOB x)\n",
                              "set(CTEST_CUSTOM_MAXIMUM_NUMBER_OF_ERRORS 3)\n",
                              "bad_command()\n", "set(\n",
                              "set(CTEST_CUSTOM_COVERAGE_EXCLUDE a b)\n"]))))
        self.put(self.one(["CTestCustom.cmake"] * 4 + ["CTestCustom.ctest"]), lines)

    def spec(self):
        good = '{"version": {"major": 1, "minor": 0}, "local": [{%s}]}\n'
        gpus = '"gpus": [{"id": "0", "slots": 2}, {"id": "1", "slots": 4}, {"id": "2"}]'
        return self.weighted(
            (10, good % (gpus + ', "cpus": [{"id": "c", "slots": 3}]')), (3, good % gpus),
            (1, good % ""),
            # "A resource specification of an unsupported version": no other numbers.
            (2, self.one(["", "{", "[]", "{}", '{"version": 1}', '{"version": {}}',
                          "null", '{"version": {"major": 1, "minor": 0}}',
                          '{"version": {"major": 1, "minor": 0}, "local": {}}',
                          good % '"gpus": {}', good % '"gpus": [1]',
                          good % '"gpus": [{"slots": 1}]', good % '"gpus": [{"id": "A"}]',
                          good % '"gpus": [{"id": "0", "slots": -1}]',
                          good % '"gpus": [{"id": "0", "slots": "2"}]',
                          good % '"GPUS": [{"id": "0"}]',
                          good % '"gpus": [{"id": "0"}, {"id": "0", "slots": 5}]',
                          good % (gpus + ",")])))

    def earlier_files(self):
        if self.often(0.5):
            # One only: "Several LastTestsFailed files".
            name = self.one(["LastTestsFailed.log"] * 3 +
                            ["LastTestsFailed_20200101-0000.log"])
            lines = [self.one(["1:t1\n", "2:t2\n", "3:x\n", "99:gone\n", "0:zero\n",
                               "2:t2\n2:t2\n", "x:y\n", "\n", "4", "5:\n", "1\n"])
                               for _ in range(self.r.randint(0, 3))]
            self.case["is_tagged"] = name != "LastTestsFailed.log"
            self.put("Testing/Temporary/" + name, lines)
        else:
            lines = [self.one(["t1 1 0.5\n", "t2 3 12.5\n", "t3 0 0\n", "t2 x y\n",
                               "a b 1 2\n", "\n", "t4 1 1e3\n", "gone 1 1\n", "t5 -1 2\n",
                               "t1 2 3 4\n"])
                     for _ in range(self.r.randint(0, 4))]
            failed = [self.one(["t1\n", "t3\n", "gone\n", "t2"])
                      for _ in range(self.r.randint(0, 2))]
            self.put("Testing/Temporary/CTestCostData.txt",
                     lines + self.one([["---\n"], ["---\n"], []]) + failed)

    # ---- command lines -----------------------------------------------------------------

    def number_range(self):
        return self.one(["1", "2,3", ",2", "1,,2", "1,7,2", "0,0,0,2", "3,1", "2,4,1,1,6",
                         "", "a", "1,3,0", "1,9,1.5", "range.txt", "1,2,3,4,5,6", "-1,2",
                         "2,2", ",,,3,1", "1,4,-1"])

    def names_file(self):
        self.put("names", [self.one(["t1\n", "t2", "t1\nt2\n", "\n", "# t1\n", " t1 \n",
                                     "alpha\r\n", "gone\n", "t3#t4\n", "t.*\n"])
                           for _ in range(self.r.randint(0, 3))])
        # No directory: "Files that cannot be written or read".
        return self.one(["names"] * 4 + ["@DIR@/names", "gone", "sub/../names", ""])

    def selection(self):
        kinds = ["-R", "-R", "-E", "-E", "-L", "-LE", "-I", "-FA", "-FS", "-FC"]
        # "-U with a value" from 4.0 on
        kinds += ["-U", "--union"] if self.release < (4, 0) else []
        kinds += (["--tests-from-file", "--exclude-from-file"] if self.release >= (3, 29)
                  else [])
        kind = self.one(kinds)
        if kind.endswith("-from-file"):
            return [[kind, self.names_file()]]
        if kind in ("-U", "--union"):
            return [[kind], ["-I", self.number_range()]]
        if kind == "-I":
            value = self.number_range()
            if value == "range.txt" and self.often(0.7):
                self.put("range.txt", [self.one(["1,2\n", "2\n1\n", "", ",,,3", "x\n"])])
            return [[kind, value]]
        if kind in ("-L", "-LE"):
            value = self.one(["red", "slow", "^red$", "b", "", "(", ".", "nothing", "a b",
                              "é", "e", "l"])
            return [[kind, latin(value)]]
        if kind[:2] == "-F":
            return [[kind, self.one(["f1", "f", "f2|f3", "", "(", "^f1$", "."])]]
        long_names = {"-R": "--tests-regex", "-E": "--exclude-regex"}
        return [[long_names[kind] if self.often(0.2) else kind, self.one(NAME_REGEXES)]]

    def output_option(self):
        return [self.weighted(
            (5, ["-V"]), (2, ["-VV"]), (4, ["--output-on-failure"]), (1, ["-Q"]),
            (1, ["--verbose"]), (1, ["--extra-verbose"]), (1, ["--quiet"]),
            (1, ["--progress"]), (1, ["--no-label-summary"]),
            (1, ["--no-subproject-summary"]),
            (2, [self.one(["-W", "--max-width"]),
                 self.one(["0", "10", "40", "x", "200", ""])]),
            (2, ["--test-output-size-passed", self.one(["0", "10", "100", "5000", "-1",
                                                        "x", "", "1e3"])]),
            (2, ["--test-output-size-failed", self.one(["0", "10", "100", "5000", "-1",
                                                        "x", "99"])]),
            (2, ["--test-output-truncation", self.one(["head", "middle", "tail", "tail",
                                                       "bad", ""])]),
            (5, ["--output-junit", self.one(["j.xml", "j.xml", "@DIR@/sub/j.xml",
                                             "made/j.xml"])]))]

    def repeat(self):
        modes = ["until-fail:2", "until-fail:3", "after-timeout:2", "until-fail:1",
                 "until-fail:0"]
        # "--repeat until-pass and a test that cannot be started".
        if not self.case.get("cannot_start") and not {"plain", "nobody",
                                                      "empty"} & self.files.keys():
            modes += ["until-pass:2", "until-pass:3"] * 2
        modes += ["until-fail", "x:2", "until-pass:", "until-pass:-1", "until-pass:x",
                  "until-fail:2x", ""]
        if self.often(0.1):
            return [["--repeat-until-fail", self.one(["2", "1", "x", "", "-1", "0",
                                                      "2x"])]]
        return [["--repeat", self.one(modes)]]

    def run_option(self):
        kind = self.weighted((3, "-C"), (2, "--timeout"), (3, "--stop-on-failure"),
                             (4, "--repeat"), (2, "--no-tests"), (1, "--test-dir"),
                             (1, "--interactive-debug-mode"), (2, "wrong"), (3, "other"),
                             (4 if self.spice["spec"] else 0, "spec"))
        if kind == "-C":
            return [[self.one(["-C", "--build-config"]),
                     self.one(["Debug", "debug", "Release", "", ".\\Debug"])]]
        if kind == "--timeout":
            if self.case.get("hangs"):
                return []
            return [["--timeout", self.one(["100", "x", "", "200.5", "1e3", "0"])]]
        if kind == "--stop-on-failure":
            return [["--stop-on-failure"]]
        if kind == "--repeat":
            return self.repeat()
        if kind == "--no-tests":
            return [[self.one(["--no-tests=error", "--no-tests=ignore", "--no-tests=x",
                               "--no-tests="])]]
        if kind == "--test-dir":
            return [["--test-dir", self.one([".", "sub", "@DIR@", "gone", "", "sub/..",
                                             "CTestTestfile.cmake", "@DIR@/sub/"])]]
        if kind == "--interactive-debug-mode":
            return [[kind, self.one(BOOLEANS)]]
        if kind == "other":
            # No --stop-time that is one but midnight: the run may be near it.
            return [self.one([["-O", "log.console"], ["--output-log", "made/log.console"],
                              ["-F"], ["--stop-time", "x"], ["--stop-time", ""],
                              ["--test-load", "1000"],
                              ["--test-load", "0"], ["--test-load", "x"],
                              ["--test-load", ""], ["--overwrite", "TimeOut=100"],
                              ["--overwrite", "x"], ["--overwrite", "TestLoad=x"],
                              ["--overwrite", "BuildDirectory=@DIR@/sub"],
                              # Later: "Relative directories"
                              ["--overwrite", "BuildDirectory=sub"
                               if self.release < (4, 0) else "BuildDirectory=@DIR@"]])]
        if kind == "spec":
            names = ["spec.json"] * 4 + ["gone.json", "", "@DIR@/spec.json", "sub"]
            name = self.one(names)
            if name == "sub" and self.release > (3, 25):
                name = "spec.json"  # "A resource specification of an unsupported version"
            return [["--resource-spec-file", name]]
        if self.release >= (3, 30):
            return [self.other_form()]
        # "./stray": "A first word that is no option"
        words = [["./stray"], ["-Z"], ["--no-such"], ["-VR"], ["-R=a"], [""],
                 ["--tests-regex=t"], ["-jx"], ["-j", "-R"], ["--show-only=x"],
                 ["-j0"], ["-j-1"], ["--parallel", "1"], ["--force-new-ctest-process"],
                 ["--http1.0"], ["--tomorrow-tag"], ["--no-compress-output"], ["--no-tests"],
                 ["-"]]
        if self.release >= (3, 29):  # more than one at a time: parallel() has them
            words = [word for word in words if word not in (["-j0"], ["-j", "-R"])]
        return [self.one(words)]

    def other_form(self):
        """Of what 3.30 and later refuse, and 4.0 and later have more forms for."""
        refused = [["-Z"], ["--no-such"], ["-VR"], ["-jx"], ["-j-1"], ["-"],
                   ["--show-only=x"], ["--no-tests"]]
        passed = [["./stray"], [""], ["-R=a"], ["--tests-regex=t"], ["-R t"], ["-W=9"],
                  ["--parallel", "1"], ["--parallel=1"], ["--tomorrow-tag"], ["--http1.0"],
                  ["--no-compress-output"], ["--force-new-ctest-process"],
                  ["--http-header", "x: y"], ["--show-only", "human"], ["--no-tests", "ignore"],
                  ["--schedule-random-seed", self.one(["4", "x", ""])],
                  ["--presets-file", "gone"], ["--list-presets"], ["--preset", "x"]]
        if self.release >= (4, 4):
            passed += [["--source-dir", self.one(["sub", "gone", "@DIR@"])],
                       ["--build-dir", self.one([".", "sub", "@DIR@", "gone"])]]
        return self.one(refused if self.often(0.2) else passed)

    def formed(self, option):
        """An option with a value, in one of the forms of 4.0."""
        if len(option) != 2 or not option[0].startswith("-") or not self.often(0.3):
            return option
        return [option[0] + self.one(["=", "=", " "]) + option[1]]

    def passed_on(self):
        """Words for the tests."""
        return [["--", *[self.odd(2) for _ in range(self.r.randint(0, 3))]]]

    def listing(self):
        return [self.weighted((4, ["-N"]), (4, ["--show-only=json-v1"]),
                              (1, ["--show-only"]), (1, ["--show-only=human"]),
                              (2, ["--print-labels"]))]

    def parallel(self):
        """More than one at a time: no order is compared, nor may any be seen."""
        self.unordered = True
        n = self.one(["2", "3", "8"])
        if self.release >= (3, 29) and self.often(0.3):
            return [self.one([["-j"], ["-j0"], ["--parallel"]])]
        return [self.one([["-j", n], ["-j" + n], ["--parallel", n]])]

    def wants_value(self):
        """Options that are wrong without their value; -j only was."""
        wrong = ["-j", "-C", "-R", "--timeout", "--repeat", "-W", "--test-dir", "-I", "-L",
                 "--output-junit", "--max-width", "--resource-spec-file"]
        return wrong if self.release < (3, 29) else wrong[1:]

    def command_line(self, parallel):
        options = []
        if parallel:
            options += self.parallel()
        elif self.often(0.05):
            options += [self.one([["-j1"], ["-j", "1"]])]
        if self.often(0.25):
            options += self.listing()
        for share, maker in ((0.45, self.selection), (0.15, self.selection),
                             (0.5, self.output_option), (0.2, self.output_option),
                             (0.3, self.run_option), (0.1, self.run_option)):
            if self.often(share):
                made = maker()
                if parallel and made and (made[0][0] == "--stop-on-failure"
                                          or made[0][0] in ("-j", "-jx")):
                    continue
                options += made
        if self.spice["spec"] and self.often(0.6):
            options += [["--resource-spec-file", "spec.json"]]
        if ["--stop-time", ""] in options:
            # Until midnight: -V would say how long that is.
            options = [option for option in options
                       if option[0] not in ("-V", "-VV", "--verbose", "--extra-verbose")]
        self.r.shuffle(options)
        if self.often(0.02):  # without its value
            options.append([self.one(self.wants_value())])
        if self.release >= (4, 0):
            options = [self.formed(option) for option in options]
        if self.release >= (4, 4) and self.often(0.05):
            options += self.passed_on()
        return options

    def command_lines(self):
        parallel = self.spice["parallel"]
        self.steps.append(self.command_line(parallel))
        if self.often(0.25) and not self.case.get("is_tagged"):
            again = self.weighted((3, [["--rerun-failed"]]),
                                  (1, [["--rerun-failed"], ["--output-on-failure"]]),
                                  (1, [["--rerun-failed"], ["-N"]]), (2, self.steps[0]),
                                  (1, []), (2, self.command_line(parallel)))
            self.steps.append(again)
        elif self.often(0.05):
            self.steps[0].insert(0, ["--rerun-failed"])

    # ---- all of it ---------------------------------------------------------------------

    PROPERTIES = [
        "WILL_FAIL", "PASS_REGULAR_EXPRESSION", "FAIL_REGULAR_EXPRESSION",
        "SKIP_REGULAR_EXPRESSION", "SKIP_RETURN_CODE", "TIMEOUT", "LABELS", "COST",
        "DEPENDS", "FIXTURES_SETUP", "FIXTURES_CLEANUP",
        "FIXTURES_REQUIRED", "RESOURCE_LOCK", "RUN_SERIAL", "PROCESSORS", "ENVIRONMENT",
        "ENVIRONMENT_MODIFICATION", "WORKING_DIRECTORY", "REQUIRED_FILES", "DISABLED",
        "RESOURCE_GROUPS", "ATTACHED_FILES", "ATTACHED_FILES_ON_FAIL", "MEASUREMENT",
        "TIMEOUT_AFTER_MATCH", "GENERATED_RESOURCE_SPEC_FILE", "PROCESSOR_AFFINITY",
        "_BACKTRACE_TRIPLES", "TIMEOUT_SIGNAL_NAME",
        "TIMEOUT_SIGNAL_GRACE_PERIOD", "UNKNOWN",
    ]
    THEMES = {
        "plain": [],
        "verdict": ["WILL_FAIL", "PASS_REGULAR_EXPRESSION", "FAIL_REGULAR_EXPRESSION",
                    "SKIP_REGULAR_EXPRESSION", "SKIP_RETURN_CODE", "DISABLED"],
        "order": ["COST", "DEPENDS", "PROCESSORS", "RUN_SERIAL", "RESOURCE_LOCK",
                  "DISABLED"],
        "fixtures": ["FIXTURES_SETUP", "FIXTURES_CLEANUP", "FIXTURES_REQUIRED",
                     "DISABLED", "DEPENDS"],
        "surroundings": ["ENVIRONMENT", "ENVIRONMENT_MODIFICATION", "WORKING_DIRECTORY",
                         "REQUIRED_FILES"],
        "labels": ["LABELS", "PROCESSORS"],
        "resources": ["RESOURCE_GROUPS"],
        "limits": ["TIMEOUT", "TIMEOUT_AFTER_MATCH", "TIMEOUT_SIGNAL_NAME"],
        "every": PROPERTIES,
    }

    def choose_spice(self):
        themes = [self.one(list(self.THEMES)) for _ in range(self.r.randint(1, 3))]
        properties = [key for theme in themes for key in self.THEMES[theme]]
        self.spice = {
            "properties": properties or ["LABELS"],
            "per_test": [(3, 0), (4, 1), (2, 2), (1, 4)] if properties
            else [(20, 0), (1, 1)], "print": self.one([0.3, 1, 4]),
            "bytes": self.one([0, 0, 0.1, 0.5]),
            "tags": self.one([0, 0, 0.1, 0.5]),
            "missing": self.one([0, 0, 0.5, 3]),
            "odd": self.one([0, 0, 0, 2]),
            "hang": 0.02 if "limits" in themes else 0.003,
            "cmake": self.often(0.03),
            "spec": "resources" in themes or self.often(0.03),
            "parallel": self.often(0.12),
        }
        if self.spice["cmake"]:
            # "Calls that are refused later": nothing that ctest complains about while
            # it reads.
            self.spice["properties"] = ["LABELS", "WILL_FAIL", "DEPENDS",
                                        "SKIP_RETURN_CODE", "DISABLED"]

    def environment(self):
        return [self.one([
            "CLICOLOR_FORCE=1", "CLICOLOR_FORCE=1", "CLICOLOR=1",
            "CTEST_OUTPUT_ON_FAILURE=1", "CTEST_OUTPUT_ON_FAILURE=0",
            "CTEST_PARALLEL_LEVEL=1", "CTEST_PARALLEL_LEVEL=x",
            "CTEST_NO_TESTS_ACTION=error", "CTEST_NO_TESTS_ACTION=ignore",
            "CTEST_NO_TESTS_ACTION=x", "CTEST_NO_TESTS_ACTION=",
            "CTEST_PROGRESS_OUTPUT=1", "CMAKE_CONFIG_TYPE=Debug",
            "CTEST_INTERACTIVE_DEBUG_MODE=0", "AA=outer", "BB=",
            "CTEST_RESOURCE_GROUP_COUNT=9"])]

    def make(self):
        self.choose_spice()
        self.test_files()
        if self.often(0.1):
            self.custom()
        if self.spice["spec"] and self.often(0.95):
            self.put("spec.json", [self.spec()])
        if self.often(0.08):
            self.earlier_files()
        if self.often(0.04):
            self.put("DartConfiguration.tcl",
                     [self.one(["TimeOut: 100\n", "BuildDirectory: @DIR@\n", "x\n",
                                "TimeOut: x\n"])])
        if self.often(0.12):
            self.env = self.environment()
        self.command_lines()
        return {
            "files": list(self.files.values()), "env": self.env, "steps": self.steps,
            "unordered": self.unordered, "unaligned": self.unaligned,
            "merged": self.often(0.1),
        }


def make(seed, release):
    return Generator(seed, release).make()
