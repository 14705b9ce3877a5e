"""One tree and the command line that runs in it."""

import contextlib
import pathlib
import shlex
import subprocess
import time

import dashboard_server
import observe
import sides
from suite import Tree

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 120  # seconds for an undisturbed run


def build_actor(cc, folder):
    """-> the program that tests run; linked statically where that works, as it starts sooner"""
    actor = folder / "actor"
    words = [*shlex.split(cc), "-O1", "-o", str(actor), str(HERE / "actor.c")]
    static = subprocess.run([*words, "-static"], capture_output=True, check=False)
    if static.returncode:
        subprocess.run(words, check=True)
    return str(actor)


class Scene:
    def __init__(self, place, subject, actor):
        self.subject = subject
        self.server = dashboard_server.Server()
        self.tree = Tree(place, actor, self.server.port, subject)
        self.mode = None

    def words(self, words, wrapper=()):
        """wrapper: what stands in the place of {wrapper}"""
        text = shlex.join(wrapper)
        return [self.subject, *(self.tree.fill(word, text) for word in words)]

    def run(self, words, wrapper=(), extra=None, **others):
        """The others are as observe.run has them."""
        self.server.journal.begin([])
        inside = ()
        if self.mode.inside:
            inside = (*(f"{name}={value}" for name, value in (extra or {}).items()), *wrapper)
            wrapper, extra = (), None
        with self.beside():
            return observe.run(self.tree, self.mode.where, self.words(words, inside),
                               wrapper=wrapper, extra=extra, exact=self.mode.exact, **others)  # fmt: skip

    @contextlib.contextmanager
    def beside(self):
        """The other run of the mode, whose test has begun."""
        if not self.mode.beside:
            yield
            return
        mark, folder = observe.new_mark(), self.tree.root / "tree" / self.mode.where
        env = dict(observe.environment(self.tree, mark, {}), PWD=str(folder))
        process = subprocess.Popen(self.words(self.mode.beside), cwd=folder, env=env,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)  # fmt: skip
        until = time.monotonic() + LIMIT
        while not (folder / "begun").exists() and time.monotonic() < until:
            time.sleep(0.005)
        try:
            yield
        finally:
            observe.end_all(mark)
            process.wait()

    def prepare(self, mode):
        """Make the tree of this mode."""
        self.mode = mode
        self.tree.make()
        if "suite.json" in mode.words:
            env = sides.environment(self.tree.root, {})
            done = subprocess.run(self.words(["--show-only=json-v1"]), cwd=self.tree.build, env=env,
                                  check=True, capture_output=True, text=True)  # fmt: skip
            self.tree.write("build/suite.json", done.stdout)
        for name, text in mode.files:
            self.tree.write(name, self.tree.fill(text))
        for words in mode.before:
            self.run(words, limit=LIMIT)
        self.tree.keep()
