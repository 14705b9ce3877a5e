"""Looks at a page of --html in a headless Chromium: html_browser.py PAGE. Prints a line for each
point, and what is wrong after those that fail."""

import pathlib
import signal
import sys

sys.path.insert(0, "tests/helpers")
from browser import Browser  # noqa: E402

PAGE = pathlib.Path(sys.argv[1]).as_uri()
FAILED = []


def equal(title, expected, got):
    print(f"{'ok' if got == expected else 'not ok'} - {title}")
    if got != expected:
        FAILED.append(title)
        print(f"got: {got!r}\nexpected: {expected!r}")


def names(browser):
    """-> the names of the rows that are made, from top to bottom."""
    return browser.evaluate("""[...document.querySelectorAll('#list .row')]
        .sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top))
        .map((row) => row.querySelector('.name').textContent)""")


def text(browser, selector):
    return browser.evaluate(f"document.querySelector({selector!r})?.textContent ?? null")


def chosen(browser):
    return text(browser, "#details h2")


def count(browser):
    return text(browser, "#count")


def search(browser, words):
    browser.press("/")
    browser.type(words)
    result = count(browser)
    browser.press("Escape")
    return result


def pixels(browser, colour):
    """-> how many pixels of the timeline have the colour of that name."""
    return browser.evaluate("""(() => {
        const style = getComputedStyle(document.documentElement);
        const probe = document.createElement("canvas").getContext("2d");
        probe.fillStyle = style.getPropertyValue("--%s").trim();
        probe.fillRect(0, 0, 1, 1);
        const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
        const canvas = document.getElementById("canvas");
        const all = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        let n = 0;
        for (let i = 0; i < all.length; i += 4)
            n += all[i] === r && all[i + 1] === g && all[i + 2] === b;
        return n;
    })()""" % colour)


def check_tests(browser):
    browser.open(PAGE)
    equal("failures are first, and the first is chosen",
          (["alone_fails", "other_fails", "flaky", "part_00001"], "alone_fails"),
          (names(browser)[:4], chosen(browser)))
    equal("the output is text, and no part of the page", (1, True),
          (browser.evaluate("document.scripts.length - 1"),
           "</script><script>alert(1)</script><!--" in text(browser, "pre.output")))
    equal("colours are colours, and odd bytes are signs", ("red", "␁"),
          (text(browser, "pre.output .a-31"), text(browser, "pre.output .odd")))
    equal("only rows that are seen are made", True, len(names(browser)) < 43)
    equal("a word of the search", "10 of 43 tests", search(browser, "part_0003"))
    equal("words without others", "2 of 43 tests", search(browser, "fails -x"))
    equal("an expression", "2 of 43 tests", search(browser, "/^(alone|other)_/"))
    equal("a label in the search", "2 of 43 tests", search(browser, "label:few"))
    equal("a result in the search", "1 of 43 tests", search(browser, "result:flaky"))
    equal("a time in the search", "0 of 43 tests", search(browser, "time:>900"))
    browser.press("/")
    browser.type("/(/")
    equal("an expression that is none is marked", (True, "0 of 43 tests"),
          (browser.evaluate("document.getElementById('search').classList.contains('wrong')"), count(browser)))
    browser.press("Escape")
    equal("Escape leaves the search", "43 tests", count(browser))
    browser.evaluate("document.querySelector('[data-result=failed]').click()")
    equal("a result is a filter", ["alone_fails", "other_fails"], names(browser))
    browser.evaluate("""(() => { const s = document.getElementById('label');
        s.value = 'few'; s.dispatchEvent(new Event('change')); })()""")
    equal("and a label besides", ["alone_fails"], names(browser))
    equal("the address keeps them", "#result=failed&label=few&test=41", browser.evaluate("location.hash"))


def check_keys(browser):
    browser.open(PAGE)
    browser.press("ArrowDown")
    equal("down", "other_fails", chosen(browser))
    browser.press("k")
    equal("up", "alone_fails", chosen(browser))
    browser.press("n", "n")
    equal("failure after failure", "flaky", chosen(browser))
    browser.press("n")
    equal("after the last there is none", "flaky", chosen(browser))
    browser.press("f")
    equal("failures alone", "3 of 43 tests", count(browser))
    browser.press("f")
    browser.press("End")
    equal("the last one is seen", ("part_00040", True),
          (chosen(browser), browser.evaluate("""(() => {
              const row = document.querySelector('#list .row[aria-selected=true]').getBoundingClientRect();
              const box = document.getElementById('list').getBoundingClientRect();
              return row.top >= box.top && row.bottom <= box.bottom + 1; })()""")))
    equal("readers of screens get it", "part_00040", browser.evaluate("""document.getElementById(
        document.getElementById('list').getAttribute('aria-activedescendant')).querySelector('.name').textContent"""))
    browser.press("Enter")
    equal("Enter goes to the details", "details", browser.evaluate("document.activeElement.id"))
    browser.press("Escape")
    equal("and Escape back", "list", browser.evaluate("document.activeElement.id"))
    browser.press("?")
    equal("keys are shown", False, browser.evaluate("document.getElementById('help').hidden"))
    browser.press("Escape")
    browser.press("Home", "j")
    equal("the command that runs the test again has the configuration",
          " -C 'one two' --test other_fails",
          browser.evaluate("[...document.querySelectorAll('#details .code code')].at(-1).textContent")[-32:])
    equal("the cut is said", "496,126 bytes are left out here; the log of the run has them", text(browser, ".cut"))
    browser.evaluate("document.getElementById('list').blur()")
    browser.press("n")
    browser.evaluate("document.querySelector('.attempts button').click()")
    equal("each attempt is shown", ("Failed", "first\n"),
          (text(browser, ".result").split(" ")[0], text(browser, "pre.output")))


def check_earlier(browser):
    """Each test has run twice before, and once now; with a history."""
    browser.open(PAGE)
    if not browser.evaluate("'earlier' in JSON.parse(document.getElementById('data').textContent)"):
        return
    equal("earlier runs are bars, the last is of this run", (3, 1, 3),
          (browser.evaluate("document.querySelectorAll('.earlier rect').length"),
           browser.evaluate("document.querySelectorAll('.earlier rect.now').length"),
           browser.evaluate("document.querySelectorAll('.earlier rect.failed').length")))
    said = text(browser, ".earlier figcaption")
    equal("and are said", (True, True),
          (said.startswith("2 earlier attempts since 2") and ": 2 failed, median " in said,
           browser.evaluate("document.querySelector('.earlier svg').getAttribute('aria-label')") == said))
    browser.press("End")
    equal("of each test", "none failed", text(browser, ".earlier figcaption").split(": ")[1].split(",")[0])
    browser.dark(True)
    equal("dark, too", "rgb(53, 105, 79)",
          browser.evaluate("getComputedStyle(document.querySelector('.earlier rect.passed')).fill"))
    browser.dark(False)


def check_timeline(browser):
    browser.open(PAGE)
    browser.press("2")
    equal("slots and instances are tracks", True, "tracks" in text(browser, "#range"))
    equal("passed and failed tests are drawn", (True, True),
          (pixels(browser, "passed-bar") > 20, pixels(browser, "failed") > 20))
    whole = text(browser, "#range")
    browser.press("+", "+")
    equal("it is zoomed", True, text(browser, "#range") != whole and " to " in text(browser, "#range"))
    browser.press("0")
    equal("and whole again", whole, text(browser, "#range"))
    before = chosen(browser)
    browser.press("ArrowRight", "ArrowLeft", "ArrowRight")
    browser.press("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft")
    equal("arrows go from test to test", True, chosen(browser) not in (None, before))
    place = browser.evaluate("""(() => {
        const probe = document.createElement("canvas").getContext("2d");
        probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--passed-bar").trim();
        probe.fillRect(0, 0, 1, 1);
        const wanted = probe.getImageData(0, 0, 1, 1).data.join();
        const canvas = document.getElementById("canvas"), box = canvas.getBoundingClientRect();
        const row = canvas.getContext("2d").getImageData(0, 31, canvas.width, 1).data;
        for (let x = 0; x < canvas.width; x++)
            if (row.slice(4 * x, 4 * x + 4).join() === wanted)
                return [box.left + x, box.top + 31];
        return null;
    })()""")
    browser.mouse("mouseMoved", *place)
    browser.settle()
    tip = browser.evaluate("document.querySelector('#tip:not([hidden]) b')?.textContent ?? null")
    browser.click(*place)
    equal("a test is named and chosen by the mouse", (True, tip), (tip is not None, chosen(browser)))
    browser.press("3")
    steps = browser.evaluate("document.querySelectorAll('#path .step').length")
    equal("the critical path has tests", True, steps > 0)
    equal("and says what it is", True, "kept the run from ending sooner" in text(browser, "#path-text"))


def check_dark(browser):
    browser.open(PAGE)
    paper = "getComputedStyle(document.body).backgroundColor"
    light = browser.evaluate(paper)
    browser.dark(True)
    equal("dark is dark", ("rgb(251, 250, 248)", "rgb(22, 24, 28)"), (light, browser.evaluate(paper)))
    browser.press("2")
    equal("so is the timeline", True, pixels(browser, "failed") > 20)
    browser.dark(False)


def check_plain():
    """Without JavaScript."""
    with Browser(script=False) as browser:
        browser.open(PAGE)
        tree = browser.call("DOM.getDocument", depth=-1)["root"]
        found = {}

        def walk(node):
            found.setdefault(node["nodeName"], []).append(node)
            for child in node.get("children", []):
                walk(child)

        walk(tree)
        box = browser.call("DOM.getBoxModel", nodeId=found["TABLE"][0]["nodeId"])["model"]
        equal("without JavaScript there are the summary and all tests", (1, 44, True),
              (len(found["H1"]), len(found["TR"]), box["height"] > 43 * 15))


# A browser that does not answer is an error.
signal.alarm(200)
with Browser() as one:
    check_tests(one)
    check_keys(one)
    check_earlier(one)
    check_timeline(one)
    check_dark(one)
    one.resize(390, 800)
    one.open(PAGE)
    equal("a narrow window has no width to scroll", True,
          one.evaluate("document.documentElement.scrollWidth <= innerWidth"))
    equal("nothing was asked for", [], [url for url in one.requests if not url.startswith(("file:", "data:", "about:"))])
    equal("the script reported nothing", [], one.problems)
check_plain()
print("done")
sys.exit(1 if FAILED else 0)
