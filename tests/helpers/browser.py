"""A headless Chromium, driven by its DevTools protocol through pipes. Nothing is downloaded, and
no network is used."""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
# Chromium's sandbox needs rights that containers do not have; the page is our own file.
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--remote-debugging-pipe", "--host-resolver-rules=MAP * ~NOTFOUND")
# Names of keys that are no characters, with their codes.
KEYS = {"Enter": 13, "Escape": 27, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36, "ArrowLeft": 37,
        "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9}


def program():
    """-> its path, or None."""
    return os.environ.get("CCTR_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def move_up(descriptor):
    """-> the same, with a number that is not 3 or 4."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return moved


class Browser:
    """One page of one browser. Use it with with."""

    def __init__(self, width=1280, height=800, script=True):
        self.profile = tempfile.mkdtemp(prefix="browser-")
        self.number = 0
        self.session = None
        self.is_loaded = False
        self.requests = []
        self.problems = []
        self.size = (width, height)
        self.script = script

    def __enter__(self):
        hears, to_it = map(move_up, os.pipe())
        from_it, says = map(move_up, os.pipe())
        # The protocol's descriptors are 3 and 4.
        command = f'exec "$@" 3<&{hears} 4>&{says} {hears}<&- {says}>&-'
        with open(os.path.join(self.profile, "log"), "wb") as log:
            self.process = subprocess.Popen(
                ["bash", "-c", command, "bash", program(), *FLAGS, f"--user-data-dir={self.profile}/own"],
                pass_fds=(hears, says), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        os.close(hears)
        os.close(says)
        self.to_it = os.fdopen(to_it, "wb", 0)
        self.from_it = os.fdopen(from_it, "rb")
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for name in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{name}.enable")
        self.resize(*self.size)
        if not self.script:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, EOFError):
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.to_it.close()
        self.from_it.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def read(self):
        text = bytearray()
        while not text.endswith(b"\0"):
            part = self.from_it.peek()
            if not part:
                raise EOFError("the browser has ended")
            at = part.find(b"\0")
            text += self.from_it.read(len(part) if at < 0 else at + 1)
        return json.loads(text[:-1])

    def note(self, event):
        what, of = event.get("method"), event.get("params", {})
        if what == "Page.loadEventFired":
            self.is_loaded = True
        elif what == "Network.requestWillBeSent":
            self.requests.append(of["request"]["url"])
        elif what == "Runtime.exceptionThrown":
            details = of["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        elif what == "Log.entryAdded" and of["entry"]["level"] == "error":
            self.problems.append(of["entry"]["text"])

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.to_it.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.note(answer)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)

    def open(self, url):
        for address in ("about:blank", url):
            self.is_loaded = False
            self.call("Page.navigate", url=address)
            while not self.is_loaded:
                self.note(self.read())

    def evaluate(self, expression):
        """-> its value; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", expression))
        return answer["result"].get("value")

    def settle(self):
        """Until what was asked for is drawn."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))")

    def press(self, *keys):
        for key in keys:
            code = KEYS.get(key)
            event = {"key": key, "windowsVirtualKeyCode": code or ord(key.upper())}
            text = "\r" if key == "Enter" else None if code else key
            self.call("Input.dispatchKeyEvent", type="keyDown", **event, **({"text": text} if text else {}))
            self.call("Input.dispatchKeyEvent", type="keyUp", **event)
        self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.settle()

    def dark(self, is_dark):
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])
        self.settle()

    def picture(self, path):
        self.settle()
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))


if __name__ == "__main__":
    # browser.py PAGE PICTURE: a picture of a page.
    with Browser() as browser:
        browser.open(sys.argv[1])
        browser.picture(sys.argv[2])
