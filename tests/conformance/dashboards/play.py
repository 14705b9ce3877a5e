"""Plays a scenario on one side, in a folder of that side's own, and takes down all that is
to be seen of it."""

import collections
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import normalise  # noqa: E402
import sides  # noqa: E402

GIT = {
    "GIT_AUTHOR_NAME": "A U Thor",
    "GIT_AUTHOR_EMAIL": "author@example.com",
    "GIT_COMMITTER_NAME": "C O Mitter",
    "GIT_COMMITTER_EMAIL": "committer@example.com",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
}
LAUNCHER = '#!/bin/sh\nexec "{}" "$@"\n'
# A start in another minute makes another tag: then once more, from the begin of a minute.
ATTEMPTS = 4


class TooSlow(Exception):
    """No minute was enough."""


class Run:
    """What sides.execute wants to know of a run."""

    terminal = merged = False
    input, limit = None, 600


class Played:
    """What was seen (sides.Record), and every XML that was made or sent."""

    def __init__(self):
        self.record = sides.Record()
        self.xml = {}  # text: name


def in_order(text):
    return "".join(sorted(text.splitlines(keepends=True)))


class Stage:
    def __init__(self, place, side, server):
        # Of one length on both sides, so that nothing is laid out in another way.
        self.root = pathlib.Path(place) / {"oracle": "1", "subject": "2"}[side.name]
        self.side, self.server = side, server

    def environment(self, scenario):
        url = f"http://127.0.0.1:{self.server.port}/submit.php?project=Small"
        own = {"DASHBOARD_URL": url, "DASHBOARD_PORT": str(self.server.port)}
        return sides.environment(self.root, dict(GIT, **own, **scenario.get("environment", {})))

    def make(self, scenario, env):
        sides.remove(self.root)
        (self.root / "bin").mkdir(parents=True)
        (self.root / "build").mkdir()
        shutil.copytree(HERE / "scripts", self.root / "scripts")
        shutil.copytree(HERE / "projects" / scenario["project"], self.root / "source")
        launcher = self.root / "bin" / "launcher"
        launcher.write_text(LAUNCHER.format(self.side.words[0]))
        launcher.chmod(0o755)
        for command in scenario.get("shell", []):
            subprocess.run(["/bin/sh", "-ec", command], cwd=self.root, env=env, check=True)

    def play(self, scenario):
        for _ in range(ATTEMPTS):
            env = self.environment(scenario)
            self.make(scenario, env)
            self.server.journal.begin(scenario.get("answers", []))
            played = self.perform(scenario, env)
            tags = [path.parent for path in self.root.glob("**/Testing/2*-*")]
            if len(tags) == len(set(tags)):
                return played
            time.sleep(60 - time.time() % 60)
        raise TooSlow(f"{scenario['name']} does not start twice within a minute")

    def perform(self, scenario, env):
        played = Played()
        where = self.root / scenario.get("directory", ".")
        default = [["-V", "-S", f"scripts/{scenario['name']}.cmake"]]
        for number, words in enumerate(scenario.get("runs", default), 1):
            out = self.root.parent / f"{self.side.name}.{number}"
            status = sides.execute(self.side, Run, words, where, env, out)
            self.take_run(played.record, number, status, out)
            if scenario.get("unordered"):
                text = played.record.streams[f"run {number}: stdout"]
                played.record.streams[f"run {number}: stdout"] = in_order(text)
        self.take_files(played, scenario)
        self.take_requests(played)
        return played

    def take_run(self, record, number, status, out):
        record.streams[f"run {number}: exit status"] = f"{status}\n"
        for stream in ("stdout", "stderr"):
            text = pathlib.Path(f"{out}.{stream}").read_bytes().decode("latin-1")
            text = self.own_name(normalise.scenario_console(text, str(self.root)))
            record.streams[f"run {number}: {stream}"] = text

    def own_name(self, text):
        """Only a launcher's command line says by whom it is launched."""
        return text.replace(self.side.words[0], "@PROGRAM@")

    def looked_at(self, scenario):
        """Everything below a Testing folder, and what the scenario names."""
        for path in sorted(self.root.rglob("*")):
            name = path.relative_to(self.root)
            if path.name in normalise.OWN_FILES:
                continue
            if "Testing" in name.parts or any(name.match(p) for p in scenario.get("seen", [])):
                yield path, str(name)

    def take_files(self, played, scenario):
        for path, name in self.looked_at(scenario):
            info = path.lstat()
            mode, text = stat.filemode(info.st_mode), ""
            if stat.S_ISLNK(info.st_mode):
                text = normalise.placed(os.readlink(path), str(self.root))
            elif stat.S_ISREG(info.st_mode):
                text = path.read_bytes().decode("latin-1")
                if "Testing/2" in name and name.endswith(".xml"):
                    played.xml[text] = path.name
                text = self.own_name(normalise.scenario_text(name, text, str(self.root)))
            name = normalise.scenario_path(name, text, str(self.root))
            played.record.files[name] = (mode, text)

    def take_requests(self, played):
        order, counts = [], collections.Counter()
        for request in self.server.journal.requests:
            name = "of no file"
            if "XML___" in request["target"]:
                name = request["target"].split("XML___")[1].split("&")[0]
                played.xml[request["bytes"].decode("latin-1")] = name
            counts[name] += 1
            order.append(f"{name}\n")
            text = self.own_name(normalise.scenario_request(request, str(self.root)))
            played.record.streams[f"request {name} {counts[name]}"] = text
        played.record.streams["requests"] = "".join(order)
