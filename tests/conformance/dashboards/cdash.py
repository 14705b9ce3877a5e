"""What CDash checks, and how it answers: enough of it for a client to go on as with the
real one.  Builds have numbers, from 1, by site, name, stamp and subproject."""

import hashlib
import json
import pathlib
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import dashboard_server  # noqa: E402

# The first that is found in the text says what it is.
KINDS = ("Update", "Build", "Configure", "Testing", "CoverageLog", "Coverage", "report",
         "Notes", "DynamicAnalysis", "Project", "Upload", "testsuite", "Done")  # fmt: skip
SAID = """<cdash version="5.3.0">
    <message>{}</message>
    <status>{}</status>
{}</cdash>
"""


def refusal(status, text):
    return {"status": status, "body": json.dumps({"status": 1, "description": text})}


class Journal(dashboard_server.Journal):
    def begin(self, answers):
        super().begin(answers)
        self.builds = {}

    def take(self, request):
        return super().take(request) or self.own(request)

    def build(self, query):
        names = ("project", "site", "build", "stamp", "subproject")
        key = tuple(query.get(name, "") for name in names)
        return self.builds.setdefault(key, len(self.builds) + 1)

    def own(self, request):
        parts = urllib.parse.urlsplit(request["target"])
        query = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
        if request["method"] == "POST":
            form = request["bytes"].decode("latin-1")
            return self.announced(dict(urllib.parse.parse_qsl(form, keep_blank_values=True)))
        if "buildid" in query:
            return {"body": '{"status":0}'}
        if not query.get("project"):
            return refusal(400, "No project name provided.")
        digest = hashlib.md5(request["bytes"]).hexdigest()
        if query.get("MD5", digest) != digest:
            return refusal(400, f"md5 mismatch. expected: {query['MD5']}, received: {digest}")
        if not any(b"<" + kind.encode() in request["bytes"] for kind in KINDS):
            return refusal(500, "Could not determine submission file type for: 'inbox/x'")
        known = all(query.get(name) for name in ("build", "site", "stamp"))
        number = f"    <buildId>{self.build(query)}</buildId>\n" if known else ""
        return {"body": SAID.format("", "OK", number)}

    def announced(self, form):
        """The first of the two steps of an upload by type."""
        for name in ("project", "build", "stamp", "site", "starttime", "endtime"):
            if not form.get(name):
                return {"status": 400, "body": SAID.format(f"The {name} field is required.",
                                                           "ERROR", "")}
        answer = {"status": 0, "buildid": self.build(form), "datafilesmd5": [0]}
        return {"body": json.dumps(answer)}


def server():
    return dashboard_server.Server(journal=Journal())
