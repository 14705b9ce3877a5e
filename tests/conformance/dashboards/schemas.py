"""CDash's schemas, by xmllint: as CDash has them ("strict"), and relaxed for what stock ctest
really writes.  ../schemas, or the folder that CCTR_CDASH_SCHEMAS names."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = pathlib.Path(os.environ.get("CCTR_CDASH_SCHEMAS", HERE.parent / "schemas"))


def missing():
    """-> why nothing can be checked, or nothing"""
    if not shutil.which("xmllint"):
        return "no xmllint"
    return "" if (FOLDER / "Test.xsd").exists() else f"no schemas in {FOLDER}"


def kind(name):
    """Test_2.xml is a Test, CoverageLog-0.xml a CoverageLog."""
    kind = re.sub(r"(_\d+)?\.xml$", "", name)
    if kind == "DynamicAnalysis-Test":
        return "Test"
    return re.sub(r"-\d+$", "", kind)


def judge(schema, files):
    """-> {path: what xmllint says} of those that are not valid"""
    words = ["xmllint", "--noout", "--nonet", "--huge", "--schema", str(schema), *files]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    wrong = {}
    for file in files:
        if f"{file} validates\n" not in done.stderr:
            lines = [line for line in done.stderr.splitlines() if line.startswith(file)]
            wrong[file] = "\n".join(lines) or done.stderr
    return wrong


def check(xml, breaks):
    """xml: {text: name}. breaks: kinds of which one file is refused by the strict schemas.
    -> what is wrong"""
    wrong, broken, by_kind = [], set(), {}
    with tempfile.TemporaryDirectory(prefix="xml-") as folder:
        for number, (text, name) in enumerate(xml.items()):
            path = pathlib.Path(folder) / f"{number}-{name}"
            path.write_bytes(text.encode("latin-1"))
            by_kind.setdefault(kind(name), []).append(str(path))
        for which, files in sorted(by_kind.items()):
            if not (FOLDER / f"{which}.xsd").exists():
                continue
            wrong += judge(FOLDER / "relaxed" / f"{which}.xsd", files).values()
            strict = judge(FOLDER / f"{which}.xsd", files)
            if which in breaks:
                broken.update([which] if strict else [])
            else:
                wrong += strict.values()
    wrong += [f"{which}: valid now, though said to break" for which in set(breaks) - broken]
    return "\n".join(wrong)
