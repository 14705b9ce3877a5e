"""A server that stands for CDash: takes down every request and answers by a list.

The journal has what a client can be held to: method, target, headers in their order and
the body.  Answers are dictionaries, used one after the other; the last one stays.

    {"status": 200, "body": "...", "headers": {"Location": "..."}}
    {"drop": True}          the connection is closed without an answer
    {"cut": 10}             so many bytes of the body, then the connection is closed
    {"silent": True}        nothing is said until the client gives up
    {"password": "u:p"}     401 unless the request brings it

In "body" and headers, @PORT@ becomes the port and @TARGET@ the request's target."""

import base64
import hashlib
import http.server
import ssl
import threading

PLAIN_ANSWER = (
    '<cdash version="1.0">\n<message></message>\n<status>OK</status>\n'
    "<buildId>7</buildId>\n</cdash>\n"
)


class Journal:
    def __init__(self):
        self.lock = threading.Lock()
        self.begin([])

    def begin(self, answers):
        self.requests, self.answers = [], list(answers) or [{}]
        self.over = threading.Event()

    def take(self, request):
        with self.lock:
            self.requests.append(request)
            if len(self.answers) > 1:
                return self.answers.pop(0)
            return self.answers[0]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    journal = None

    def log_message(self, *_):
        pass

    def version_string(self):
        return "stand-in"

    def body(self):
        size = self.headers.get("Content-Length")
        if size is not None:
            return self.rfile.read(int(size))
        body = b""
        while "chunked" in self.headers.get("Transfer-Encoding", ""):
            size = int(self.rfile.readline(), 16)
            body += self.rfile.read(size)
            self.rfile.readline()
            if size == 0:
                break
        return body

    def handle_any(self):
        body = self.body()
        request = {
            "method": self.command,
            "target": self.path,
            "version": self.request_version,
            "headers": list(self.headers.items()),
            "digest": hashlib.md5(body).hexdigest(),
            "size": len(body),
            "bytes": body,
        }
        if self.command == "POST" or len(body) < 200:
            request["body"] = body.decode("latin-1")
        self.answer(self.journal.take(request))

    do_PUT = do_POST = do_GET = handle_any

    def filled(self, text):
        text = text.replace("@PORT@", str(self.server.server_address[1]))
        return text.replace("@TARGET@", self.path)

    def refused(self, answer):
        expected = base64.b64encode(answer["password"].encode()).decode()
        if self.headers.get("Authorization") == f"Basic {expected}":
            return False
        self.say(401, "who?", {"WWW-Authenticate": 'Basic realm="dashboard"'})
        return True

    def say(self, status, body, headers):
        body = self.filled(body).encode("latin-1")
        self.send_response(status)
        self.send_header("Content-Type", "text/xml; charset=UTF-8")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, self.filled(value))
        self.end_headers()
        self.wfile.write(body)

    def answer(self, answer):
        if answer.get("drop") or answer.get("silent"):
            if answer.get("silent"):
                self.journal.over.wait(30)
            self.close_connection = True
            return
        if "password" in answer and self.refused(answer):
            return
        body, cut = answer.get("body", PLAIN_ANSWER), answer.get("cut")
        if cut is not None:
            self.send_response(answer.get("status", 200))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:cut].encode("latin-1"))
            self.close_connection = True
            return
        self.say(answer.get("status", 200), body, answer.get("headers", {}))


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, certificate=None, journal=None):
        self.journal = journal or Journal()
        handler = type("Bound", (Handler,), {"journal": self.journal})
        super().__init__(("127.0.0.1", 0), handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server_address[1]

    def handle_error(self, *_):
        pass
