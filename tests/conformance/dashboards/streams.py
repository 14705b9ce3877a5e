"""Outputs of all lengths about the sizes in which they are read, packed and encoded: CDash's
reader must get the same text from cctr's Test.xml as from stock ctest's."""

import base64
import pathlib
import random
import subprocess
import xml.etree.ElementTree
import zlib

import sides

CHUNKS = (1, 3, 57, 64, 1000, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 307200)
LENGTHS = sorted({0} | {chunk + d for chunk in CHUNKS for d in (-1, 0, 1)})
LONGEST = LENGTHS[-1]
WIDE = ["--test-output-size-passed", "1000000", "--test-output-size-failed", "1000000"]
CONFIGURATION = """BuildDirectory: {root}
Site: here
BuildName: streams
TimeOut: 1500
"""


def contents():
    chance = random.Random(7)
    letters = bytes(chance.choices(b"abcdefghijklmnopqrstuvwxyz0123456789 <>&\n", k=LONGEST))
    return {
        "same": b"a" * LONGEST,
        "lines": b"".join(b"line %d\n" % i for i in range(LONGEST // 6))[:LONGEST],
        "letters": letters,
        "bytes": bytes(chance.choices(range(1, 256), k=LONGEST)),
    }


def make(root):
    sides.remove(root)
    root.mkdir(parents=True)
    (root / "DartConfiguration.tcl").write_text(CONFIGURATION.format(root=root))
    lines = []
    for name, data in contents().items():
        (root / name).write_bytes(data)
        for length in LENGTHS:
            status = length % 2
            command = f"head -c {length} {name}; exit {status}"
            lines.append(f'add_test({name}_{length} "/bin/sh" "-c" "{command}")\n')
    (root / "CTestTestfile.cmake").write_text("".join(lines))


def outputs(root, side, words):
    """-> {test: (attributes, text as encoded, text)}"""
    root = pathlib.Path(root)
    make(root)
    subprocess.run([*side.words, "-Q", "-M", "Experimental", "-T", "Start", "-T", "Test", *words],
                   cwd=root, env=sides.environment(root, {}), stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=600, check=False)  # fmt: skip
    found = {}
    for file in root.glob("Testing/2*/Test.xml"):
        for test in xml.etree.ElementTree.parse(file).iter("Test"):
            value = test.find("Results/Measurement/Value")
            if value is None:
                continue
            packed = value.text or ""
            text = packed.encode()
            if value.get("encoding") == "base64":
                text = base64.b64decode(packed)
            if value.get("compression") == "gzip":
                text = zlib.decompress(text)
            found[test.findtext("Name")] = (value.attrib, packed, text)
    return found


def check(place, oracle, subject, words):
    """-> what is wrong"""
    expected = outputs(pathlib.Path(place) / "1", oracle, words)
    found = outputs(pathlib.Path(place) / "2", subject, words)
    wrong = []
    if len(expected) < 4 * len(LENGTHS):
        wrong.append(f"only {len(expected)} outputs of stock ctest")
    for name in sorted(expected.keys() | found.keys()):
        a, b = expected.get(name), found.get(name)
        if a is None or b is None or a[0] != b[0] or a[2] != b[2]:
            wrong.append(f"{name} is not the same text")
        elif a[1] != b[1]:
            wrong.append(f"{name} is the same text in another encoding")
    return "\n".join(wrong)
