"""Reads a page of --html as a program does: html_page.py PAGE WHAT [KIND]."""

import html.parser
import json
import pathlib
import re
import sys

PAGE = pathlib.Path(sys.argv[1]).read_bytes().decode()


class Reader(html.parser.HTMLParser):
    """The texts of some elements; noscript is read as a browser without scripts does."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.scripts, self.rows, self.addresses = [], [], []
        self.texts = {"title": "", "h1": ""}
        self.open = None

    def handle_starttag(self, tag, attrs):
        self.addresses += [v for k, v in attrs if k in ("src", "href", "action", "data", "poster")]
        self.open = tag
        if tag == "script":
            self.scripts.append("")
        elif tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        self.open = None

    def handle_data(self, data):
        if self.open == "script":
            self.scripts[-1] += data
        elif self.open == "td":
            self.rows[-1][-1] += data.rstrip("\n")
        elif self.open in self.texts:
            self.texts[self.open] += data


reader = Reader()
reader.feed(PAGE)
reader.close()
run = json.loads(reader.scripts[0])
tests, attempts, tracks = run["tests"], run["attempts"], run["tracks"]


def name(attempt):
    return tests[attempt["test"]]["name"]


def show_tests():
    for i, test in enumerate(tests):
        print(test["name"], test["class"], *(a["result"] for a in attempts if a["test"] == i))


def show_labels():
    for test in tests:
        if "labels" in test:
            print(test["name"], "|".join(run["labels"][i] for i in test["labels"]))


def show_outputs(kind):
    """Of the first attempts the short ones, of all attempts the long ones."""
    for a in sorted(attempts, key=lambda a: a["test"]):
        o = a.get("output")
        if o and kind == "short" and "cut" not in o and (a["attempt"] == 1):
            print(name(a), ascii(o["head"]).replace("\\ufffd", "\ufffd"))
        elif o and kind == "long" and "cut" in o:
            sizes = [len(o[part].encode()) for part in ("head", "tail")]
            if not o["head"].startswith("begin") or sizes[0] + sizes[1] + o["cut"] != o["bytes"]:
                print("parts do not make the whole")
            print(f"{o['bytes']} bytes: begin {sizes[0]}, cut {o['cut']}, {sizes[1]} end {o['tail'][-6:]!r}")


def show_why():
    for a in attempts:
        if "reason" in a:
            print(name(a), a["reason"])
        elif "signal" in a:
            print(name(a), "signal", a["signal"])
        elif a.get("exit") and a["result"] == "failed":
            print(name(a), a["exit"])


def show_list():
    rows = [row for row in reader.rows if row]
    same = {(int(row[0]), row[1]) for row in rows} == {(t["number"], t["name"]) for t in tests}
    failed = sum(t["class"] == "failed" for t in tests)
    numbers = {t["number"] for t in tests if t["class"] == "failed"}
    first = {int(row[0]) for row in rows[:failed]} == numbers
    print(f"{len(rows)} of {len(tests) if same else 'others'}, {'failed first' if first else rows}")


def show_addresses():
    for address in reader.addresses:
        if not address.startswith("data:"):
            print(address)
    if "default-src 'none'" not in PAGE:
        print("nothing forbids to fetch")
    if re.search(r"@import|url\(", pathlib.Path("runner/html/page.css").read_text()):
        print("the style names an address")


def show_parts():
    """Names in braces are in no part of the page, except in data."""
    if pathlib.Path("runner/html/page.js").read_text().strip() != reader.scripts[1].strip():
        print("another script")
    if pathlib.Path("runner/html/page.css").read_text().strip() not in PAGE:
        print("another style")
    if len(reader.scripts) != 2:
        print(f"{len(reader.scripts)} scripts")


def show_path():
    for first, _, why, of in run["path"]:
        print(*filter(None, [name(attempts[first]), why, of]))


def show_tracks():
    for owner, track, amount in run["stays"]:
        print(name(attempts[owner]), tracks[track][1], *([amount] if amount > 1 else []))


def show_title():
    if not reader.texts["title"].startswith(reader.texts["h1"]):
        print("title and heading differ")
    print(reader.texts["h1"])


globals()["show_" + sys.argv[2]](*sys.argv[3:])
