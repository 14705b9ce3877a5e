"""The part `page` of the bench: --html with many tests and a history, in cctr and in a browser."""

import pathlib
import sqlite3
import subprocess
import sys

from measuring import measure, table

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "helpers"))
from browser import Browser, program  # noqa: E402

EARLIER = 30


def write_tests(folder, n):
    """Every fiftieth fails, with some output."""
    folder.mkdir()
    with open(folder / "CTestTestfile.cmake", "w", encoding="ascii") as file:
        for i in range(n):
            name = f"room_{i % 37}.case_number_{i}"
            command = f'"/bin/sh" "-c" "seq {i % 900}; exit 1"' if i % 50 == 0 else '"/bin/true"'
            file.write(f"add_test({name} {command})\n"
                       f'set_tests_properties({name} PROPERTIES LABELS "label_{i % 37}")\n')


def add_history(base):
    """The attempts of the run again and again, as of earlier runs."""
    with sqlite3.connect(base) as history:
        for run in range(1, EARLIER):
            history.execute("INSERT INTO run SELECT id + ?, began_us - ? * 3600000000, host, revision, slots "
                            "FROM run WHERE id = 1", (run, run))
            history.execute("INSERT INTO attempt(test, run, number, is_last, verdict, why, host, began_us, wall_us, "
                            "processor_us, peak_bytes, slots) SELECT test, run + ?, number, is_last, verdict, why, host, "
                            "began_us - ? * 3600000000, wall_us, processor_us, peak_bytes, slots "
                            "FROM attempt WHERE run = 1", (run, run))


class Page:
    """Processor seconds of the page's thread, by what was done."""

    def __init__(self, browser):
        self.browser = browser
        browser.call("Performance.enable", timeDomain="threadTicks")
        self.before = 0.0

    def metric(self, name):
        return {m["name"]: m["value"] for m in self.browser.call("Performance.getMetrics")["metrics"]}[name]

    def took(self):
        """-> milliseconds since the last call"""
        now = self.metric("TaskDuration")
        self.before, before = now, self.before
        return f"{(now - before) * 1000:.0f}"


def look(path):
    """-> how long it takes to load, to search, to filter and to draw"""
    with Browser() as browser:
        page = Page(browser)
        page.took()
        browser.open(path.as_uri())
        browser.settle()
        figures = [page.took()]
        browser.press("/")
        page.took()
        browser.type("number_1")
        figures.append(page.took())
        browser.press("Escape")
        page.took()
        browser.evaluate("document.querySelector('[data-result=failed]').click()")
        browser.settle()
        figures.append(page.took())
        browser.press("2")
        figures.append(page.took())
        browser.evaluate("window.gc?.()")
        return figures + [f"{page.metric('JSHeapUsedSize') / 2**20:.0f}"]


def page(chosen, place):
    if not program():
        sys.exit("no chromium")
    rows = []
    for n in chosen.page_tests:
        folder = place / f"page-{n}"
        write_tests(folder, n)
        words = [chosen.subject, "-j4", "--history=on"]
        measure(chosen.timed, words, folder, 8)
        add_history(folder / "Testing/cctr-history.sqlite")
        shown = measure(chosen.timed, [*words, "--html", folder / "page.html"], folder, 8)
        size = (folder / "page.html").stat().st_size
        rows.append([f"{n:,}", f"{shown[1]:.2f}", f"{shown[2] / 1024:.0f}", f"{size / 2**20:.1f}", *look(folder / "page.html")])
    print("page: --html and --history=on, processor seconds of cctr with its tests; then of the page's thread")
    table(["tests", "cpu s", "MiB", "page MiB", "load ms", "search ms", "filter ms", "timeline ms",
           "heap MiB"], rows)
