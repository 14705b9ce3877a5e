"""What is submitted, how the server answers: a table.

answers: see dashboard_server.py.  rounds: so many calls one after the other; from the
second on the server says yes.  call: words of ctest_submit in a script; set: its variables.
secrets: what ctest shows, and what cctr shows in its place.  sent: which of these headers
each request of cctr has."""

ERROR = '<cdash>\n<status>ERROR</status>\n<message>no such thing</message>\n</cdash>\n'
RETRY = {"CTestSubmitRetryCount": "2", "CTestSubmitRetryDelay": "0"}
ACCEPTED = "<cdash><status>OK</status><message>m</message><buildId>7</buildId></cdash>"
EVERYTHING = [
    "Update", "Configure", "Build", "Test", "Coverage", "CoverageLog-0",
    "DynamicAnalysis", "DynamicAnalysis-Test", "Purify", "Notes", "Upload",
    "Other",
]  # fmt: skip


def answer(body, **more):
    return dict({"body": body}, **more)


UPLOAD = ["CDASH_UPLOAD", "@ROOT@/props.json", "CDASH_UPLOAD_TYPE", "Build Properties"]
FILE = {"props.json": '{"a":1}\n'}
ASKED = answer('{"status":0,"buildid":123,"datafilesmd5":[0]}')
NEWER = {"CCTR_COMPAT_VERSION": "4.4"}
GROUP = "   Send to group: Experimental"
URL = "   SubmitURL: http://127.0.0.1:@PORT@/submit.php?project=Some"
SUCCESS = "   Submission successful"
ENDED = ["value=0", "BUILD_ID=7"]
TOKENS = ["HTTPHEADER", "Authorization: Bearer s3c", "Private-Token: s3c"]
TLS_PLACE = "https://127.0.0.1:@TLS@/submit.php?project=Some"
TLS_URL = f"   SubmitURL: {TLS_PLACE}"
UNTRUSTED = [
    "   Error when uploading file: Test.xml",
    "   Error message was: SSL certificate problem: self-signed certificate",
    "   Problems when submitting via HTTP",
    "value=-1",
    "BUILD_ID=",
]
REFUSED = [
    "   Error when uploading file: Test.xml",
    "   Error message was: ",
    "   Problems when submitting via HTTP",
]

SCENARIOS = [
    {"title": "three files"},
    {"title": "three files, -V", "arguments": ["-V", "-T", "Submit"]},
    {"title": "three files, -VV", "arguments": ["-VV", "-T", "Submit"]},
    {"title": "three files, -Q", "arguments": ["-Q", "-T", "Submit"]},
    {"title": "every file there is", "xml": EVERYTHING},
    {"title": "no file at all", "xml": []},
    {"title": "a summary of coverage without logs", "xml": ["Test", "Coverage"]},
    {
        "title": "a directory in the place of a log of coverage",
        "xml": ["Test", "Coverage"],
        "files": {"Testing/@TAG@/CoverageLog-0.xml/x": ""},
    },
    {"title": "logs of coverage without a summary", "xml": ["CoverageLog-0", "CoverageLog-1"]},
    {
        "title": "SubmitInactivityTimeout is no number",
        "configuration": {"SubmitInactivityTimeout": "5x"},
    },
    {
        "title": "SubmitInactivityTimeout is large",
        "configuration": {"SubmitInactivityTimeout": "99999999999"},
        "xml": [],
    },
    {"title": "-D ExperimentalSubmit", "arguments": ["-D", "ExperimentalSubmit"]},
    {"title": "-M Experimental -T Submit", "arguments": ["-M", "Experimental", "-T", "Submit"]},
    {
        "title": "a group",
        "tag": "@TAG@\nMy Group+1\nExperimental\n",
    },
    {"title": "a tag without a group", "tag": "@TAG@\n"},
    {
        "title": "--group on the command line",
        "arguments": ["--group", "Other", "-T", "Submit"],
    },
    {
        "title": "names that need escapes",
        "configuration": {"Site": "a b/c&d", "BuildName": "x+y=z?100%\\:*\"<>|é"},
    },
    {"title": "no names", "configuration": {"Site": "", "BuildName": ""}},
    {
        "title": "a URL without query",
        "configuration": {"SubmitURL": "http://127.0.0.1:@PORT@/submit"},
    },
    {
        "title": "a URL in parts",
        "configuration": {
            "SubmitURL": None,
            "DropMethod": "http",
            "DropSite": "127.0.0.1:@PORT@",
            "DropLocation": "/submit.php?project=Parts",
        },
    },
    {
        "title": "a URL in parts with a user",
        "configuration": {
            "SubmitURL": None,
            "DropSite": "127.0.0.1:@PORT@",
            "DropSiteUser": "me",
            "DropSitePassword": "secret",
            "DropLocation": "/submit.php?project=Parts",
        },
        "answers": [{"password": "me:secret"}],
        "secrets": {"me:secret@": "me:***@"},
    },
    {
        "title": "a URL with a password, -VV",
        "configuration": {"SubmitURL": "http://me:secret@127.0.0.1:@PORT@/submit.php?project=P"},
        "answers": [{"password": "me:secret"}],
        "arguments": ["-VV", "-T", "Submit"],
        "secrets": {"me:secret@": "me:***@"},
    },
    {
        "title": "a URL with a token, -VV",
        "configuration": {"SubmitURL": "http://127.0.0.1:@PORT@/submit.php?token=s3c&project=P"},
        "arguments": ["-VV", "-T", "Submit"],
        "secrets": {"token=s3c": "token=***"},
    },
    {"title": "no URL", "configuration": {"SubmitURL": None}},
    {
        "title": "a method that nobody knows",
        "configuration": {"SubmitURL": "cp://127.0.0.1/x"},
    },
    {"title": "nobody listens", "configuration": {"SubmitURL": "http://127.0.0.1:1/x"}},
    {
        "title": "a host that is none",
        "configuration": {"SubmitURL": "http://host.invalid/x"},
    },
    {"title": "400", "answers": [answer('{"status":1,"description":"no"}', status=400)]},
    {"title": "404", "answers": [answer("", status=404)]},
    {"title": "500 for the second file", "answers": [{}, answer("broken", status=500)]},
    {"title": "201 counts", "answers": [{"status": 201}]},
    {
        "title": "302 counts",
        "answers": [answer("", status=302, headers={"Location": "/elsewhere"})],
    },
    {"title": "status ERROR", "answers": [answer(ERROR)]},
    {"title": "status ERROR once", "answers": [answer(ERROR), {}]},
    {
        "title": "status WARNING",
        "answers": [answer("<cdash><status>WARNING</status><message>m</message></cdash>")],
    },
    {
        "title": "status SUCCESS in lower case",
        "answers": [answer("<cdash><status>success</status></cdash>")],
    },
    {
        "title": "a message that warns",
        "answers": [
            answer("<cdash><status>OK</status><message>a Warning</message>"
                   "<buildId>12</buildId></cdash>")
        ],
    },
    {
        "title": "a message with an error in it",
        "answers": [
            answer("<cdash><status>OK</status><message>an error</message></cdash>")
        ],
    },
    {"title": "an empty answer", "answers": [answer("")]},
    {"title": "an empty answer after a warning", "answers": [answer("a warning"), answer("")]},
    {"title": "an empty answer after an error", "answers": [answer(ERROR), answer("")]},
    {"title": "text without XML", "answers": [answer("hello\nworld\n")]},
    {"title": "text without XML that warns", "answers": [answer("a warning\n")]},
    {
        "title": "XML that is broken",
        "answers": [answer("<cdash>\n<status>OK</stat>\n</cdash>\n")],
    },
    {
        "title": "a NUL behind the XML",
        "answers": [answer(f"{ACCEPTED}\0tail a warning\nx")],
    },
    {
        "title": "a NUL in the XML, -VV",
        "arguments": ["-VV", "-T", "Submit"],
        "answers": [answer(ACCEPTED.replace("m<", "a\0 warning<"))],
    },
    {"title": "a NUL behind a refusal", "answers": [answer(ERROR + "\0x")]},
    {"title": "a NUL in text that warns", "answers": [answer("a warning\0more\n")]},
    {
        "title": "a NUL in the answer to an upload",
        "call": UPLOAD,
        "files": FILE,
        "answers": [answer("{\0}")],
    },
    {
        "title": "XML that ends early",
        "answers": [answer("<cdash><status>OK</status><buildId>3</buildId>")],
    },
    {
        "title": "XML with text behind it",
        "answers": [answer("<cdash><status>OK</status><buildId>3</buildId></cdash>tail")],
    },
    {
        "title": "XML with text before it",
        "answers": [answer("note\n<cdash><status>OK</status></cdash>")],
    },
    {
        "title": "XML with entities and attributes",
        "answers": [
            answer('<?xml version="1.0"?><!-- c --><cdash version="a>b"><status>O&#75;</status>'
                   "<message>a &lt;b&gt; &amp; <![CDATA[<c>]]></message>"
                   "<filename>f</filename><md5>m</md5><buildId>1&#x32;</buildId></cdash>")
        ],
    },
    {
        "title": "status ERROR with a message in pieces",
        "answers": [
            answer("<cdash><status>FAILED</status>"
                   "<message>a &lt;b&gt;\n &amp; <![CDATA[<c>]]></message></cdash>")
        ],
    },
    {
        "title": "elements within elements, the last one counts",
        "answers": [
            answer("<cdash><x><status>ERROR</status></x><y><status>OK</status>"
                   "<buildId>5</buildId></y><buildId></buildId></cdash>")
        ],
    },
    {"title": "no answer", "answers": [{"drop": True}]},
    {"title": "half an answer", "answers": [{"cut": 10}]},
    {
        "title": "a server that sleeps",
        "answers": [{"silent": True}],
        "configuration": {"SubmitInactivityTimeout": "1"},
    },
    {
        "title": "retry until it is there",
        "configuration": RETRY,
        "answers": [{}, answer("", status=503), answer("", status=503), {}],
    },
    {
        "title": "retry in vain",
        "configuration": RETRY,
        "answers": [answer("", status=503)],
    },
    {
        "title": "retry with a delay",
        "configuration": {"CTestSubmitRetryCount": "1", "CTestSubmitRetryDelay": "1"},
        "answers": [{"drop": True}, {}],
    },
    {
        "title": "retry after status ERROR",
        "configuration": RETRY,
        "answers": [answer(ERROR), {}],
    },
    {
        "title": "retry after status ERROR in vain",
        "configuration": RETRY,
        "answers": [answer(ERROR)],
    },
    {
        "title": "retry, 503 and then status ERROR",
        "configuration": {"CTestSubmitRetryCount": "1", "CTestSubmitRetryDelay": "0"},
        "answers": [answer("", status=503), answer(ERROR), {}],
    },
    {
        "title": "retries that are no numbers",
        "configuration": {"CTestSubmitRetryCount": "x", "CTestSubmitRetryDelay": "y"},
        "answers": [answer("", status=503)],
    },
    {
        "title": "what failed can be repeated",
        "answers": [{}, {"drop": True}],
        "rounds": 2,
    },
    {
        "title": "a proxy",
        "configuration": {"SubmitURL": "http://dashboard.invalid/submit.php?project=P"},
        "environment": {"HTTP_PROXY": "127.0.0.1", "HTTP_PROXY_PORT": "@PORT@"},
    },
    {
        "title": "a proxy with a type, a user and a password",
        "configuration": {"SubmitURL": "http://dashboard.invalid/submit.php?project=P"},
        "environment": {
            "HTTP_PROXY": "127.0.0.1",
            "HTTP_PROXY_PORT": "@PORT@",
            "HTTP_PROXY_TYPE": "HTTP",
            "HTTP_PROXY_USER": "me",
            "HTTP_PROXY_PASSWD": "secret",
        },
    },
    {
        "title": "a proxy of libcurl's own",
        "configuration": {"SubmitURL": "http://dashboard.invalid/submit.php?project=P"},
        "environment": {"http_proxy": "http://127.0.0.1:@PORT@"},
    },
    {
        "title": "a proxy for others",
        "environment": {"HTTP_PROXY": "127.0.0.1:1", "no_proxy": "127.0.0.1"},
    },
    {"title": "HTTP 1.0", "arguments": ["--http1.0", "-T", "Submit"]},
    {
        "title": "--extra-submit",
        "arguments": ["--extra-submit", "a.xml"],
        "files": {"a.xml": "<a/>\n"},
    },
    {
        "title": "--extra-submit of two files, and -T Submit",
        "arguments": ["--extra-submit", "a.xml;@ROOT@/b.xml", "-T", "Submit"],
        "files": {"a.xml": "<a/>\n", "b.xml": "<b/>\n"},
    },
    {
        "title": "--extra-submit without its file",
        "arguments": ["--extra-submit", "a.xml", "-T", "Submit"],
    },
    {
        "title": "a file of the same name where ctest was started",
        "files": {"Test.xml": "<other/>\n"},
    },
    {
        "title": "a Done.xml where ctest was started",
        "files": {"Done.xml": "<other/>\n"},
    },
    {"title": "--submit-index", "arguments": ["--submit-index", "3", "-T", "Submit"]},
    {
        "title": "-T Submit -T Submit",
        "arguments": ["-T", "Submit", "-T", "Submit"],
    },
    {
        "title": "-T Upload -T Done -T Submit",
        "arguments": ["-T", "Upload", "-T", "Done", "-T", "Submit"],
    },
    {
        "title": "without a tag",
        "tag": "",
    },
    {
        "title": "CompressSubmission",
        "configuration": {"CompressSubmission": "ON"},
    },
    {
        "title": "TriggerSite is not asked",
        "configuration": {"TriggerSite": "http://127.0.0.1:@PORT@/trigger"},
    },
    {
        "title": "a certificate that nobody signed",
        "configuration": {"SubmitURL": "https://127.0.0.1:@TLS@/submit.php?project=P"},
    },
    {
        "title": "a certificate that is not looked at",
        "configuration": {
            "SubmitURL": "https://127.0.0.1:@TLS@/submit.php?project=P",
            "CurlOptions": "CURLOPT_SSL_VERIFYPEER_OFF;CURLOPT_SSL_VERIFYHOST_OFF",
        },
        "arguments": ["-VV", "-T", "Submit"],
    },
    {
        "title": "a certificate that SSL_CERT_FILE knows",
        "configuration": {"SubmitURL": "https://127.0.0.1:@TLS@/submit.php?project=P"},
        "environment": {"SSL_CERT_FILE": "@CERTIFICATE@"},
    },
    {"title": "call: all", "call": []},
    {"title": "call: parts", "call": ["PARTS", "test", "DONE"]},
    {"title": "call: no parts", "call": ["PARTS"]},
    {"title": "call: a part that is none", "call": ["PARTS", "Foo", "Test"]},
    {
        "title": "call: files, sorted",
        "call": ["FILES", "@ROOT@/b.xml", "@ROOT@/a.xml", "@ROOT@/b.xml"],
        "files": {"a.xml": "<a/>", "b.xml": "<b/>"},
    },
    {
        "title": "call: files beside a summary of coverage",
        "call": ["FILES", "@ROOT@/b.xml"],
        "files": {"b.xml": "<b/>"},
        "xml": ["Coverage"],
    },
    {
        "title": "call: QUIET, a summary of coverage without logs",
        "call": ["QUIET"],
        "xml": ["Coverage"],
    },
    {
        "title": "call: files and parts",
        "call": ["FILES", "@ROOT@/b.xml", "PARTS", "Done"],
        "files": {"b.xml": "<b/>"},
    },
    {
        "title": "call: a file that is not there",
        "call": ["FILES", "@ROOT@/a.xml", "@ROOT@/b.xml"],
        "files": {"b.xml": "<b/>"},
    },
    {
        "title": "call: headers",
        "call": ["PARTS", "Done", "HTTPHEADER", "Authorization: Bearer tok", "X-Y: z"],
    },
    {
        "title": "call: headers for those of libcurl",
        "call": ["PARTS", "Done", "HTTPHEADER", "Content-Type: foo/bar", "Expect:"],
    },
    {"title": "call: a wrong checksum", "call": ["PARTS", "Test", "INTERNAL_TEST_CHECKSUM"]},
    {
        "title": "call: retries",
        "call": ["RETRY_COUNT", "2", "RETRY_DELAY", "0"],
        "answers": [answer("", status=503), {}],
    },
    {
        "title": "call: retries that are no numbers",
        "call": ["RETRY_COUNT", "x", "RETRY_DELAY", "0"],
        "answers": [answer("", status=503), {}],
    },
    {"title": "call: QUIET, refused", "call": ["PARTS", "Test", "QUIET"], "answers": [answer(ERROR)]},
    {
        "title": "call: QUIET, a message that warns",
        "call": ["PARTS", "Test", "QUIET"],
        "answers": [answer("a Warning")],
    },
    {
        "title": "call: another URL",
        "call": ["SUBMIT_URL", "http://127.0.0.1:@PORT@/other", "PARTS", "Done"],
    },
    {"title": "call: no answer", "call": [], "answers": [{"drop": True}]},
    {
        "title": "an upload",
        "call": UPLOAD + ["HTTPHEADER", "Authorization: Bearer tok"],
        "files": FILE,
        "answers": [ASKED, answer('{"status":0}')],
    },
    {
        "title": "an upload that is there already",
        "call": UPLOAD,
        "files": FILE,
        "answers": [answer('{"status":0,"buildid":"u-1","datafilesmd5":[1]}')],
    },
    {
        "title": "an upload to a build that has no number",
        "call": UPLOAD,
        "files": FILE,
        "answers": [answer('{"datafilesmd5":[]} // comment'), answer("{}")],
    },
    {
        "title": "an upload with a bad status",
        "call": UPLOAD,
        "files": FILE,
        "answers": [answer('{"status":1,"buildid":"u-1","datafilesmd5":[1]}')],
    },
    {
        "title": "an upload with a bad list",
        "call": UPLOAD,
        "files": FILE,
        "answers": [answer('{"status":0,"buildid":"u-1","datafilesmd5":3}')],
    },
    {
        "title": "an upload that is answered with XML",
        "call": UPLOAD,
        "files": FILE,
        "answers": [answer("<cdash>")],
    },
    {
        "title": "an upload that is answered with XML in the end",
        "call": UPLOAD,
        "files": FILE,
        "answers": [ASKED, answer("<cdash>")],
    },
    {
        "title": "an upload, asked for twice",
        "call": UPLOAD + ["RETRY_COUNT", "1", "RETRY_DELAY", "0"],
        "files": FILE,
        "answers": [answer("", status=500), ASKED, answer("{}")],
    },
    {
        "title": "an upload, refused when it is asked for",
        "call": UPLOAD + ["RETRY_COUNT", "1", "RETRY_DELAY", "0"],
        "files": FILE,
        "answers": [answer("", status=403)],
    },
    {
        "title": "an upload with half an answer",
        "call": UPLOAD,
        "files": FILE,
        "answers": [answer('{"status":0}', cut=10)],
    },
    {
        "title": "an upload with retries that are no numbers",
        "call": UPLOAD + ["RETRY_COUNT", "1x", "RETRY_DELAY", "-1"],
        "files": FILE,
        "answers": [answer("", status=500)],
    },
    {
        "title": "an upload to a build with a long number",
        "call": UPLOAD,
        "files": FILE,
        "answers": [answer('{"buildid":12345678901234567,"datafilesmd5":[0.5]}'), answer("{}")],
    },
    {
        "title": "an upload that is there already, in another word",
        "call": UPLOAD,
        "files": FILE,
        "answers": [answer('{"status":0.5,"buildid":7,"datafilesmd5":[true]}')],
    },
    {
        "title": "an upload with a status that is true",
        "call": UPLOAD,
        "files": FILE,
        "answers": [answer('{"status":true,"datafilesmd5":[0]}')],
    },
    # ctest aborts.
    {
        "title": "an upload with a text as its status",
        "call": UPLOAD,
        "files": FILE,
        "answers": [answer('{"status":"no","datafilesmd5":[0]}')],
        "expected": ["Bad status returned from CDash: novalue=-1", "BUILD_ID=", "POST /submit.php 244"],
    },
    {
        "title": "an upload to a build whose number is none",
        "call": UPLOAD,
        "files": FILE,
        "answers": [answer('{"status":0,"buildid":"<&>","datafilesmd5":[0]}'), answer("{}")],
    },
    {
        "title": "an upload that is answered with a byte order mark",
        "call": UPLOAD,
        "files": FILE,
        "answers": [answer("\xef\xbb\xbf" + ASKED["body"]), answer("{}")],
    },
    # ctest also says where.
    {
        "title": "an upload that is answered with half of an object",
        "call": UPLOAD,
        "files": FILE,
        "answers": [answer('{"stat')],
        "expected": ['error parsing json string [{"stat]', "* Line 1, Column 1"]
        + ["  Syntax error: value, object or array expected.", "", "value=-1", "BUILD_ID="]
        + ["POST /submit.php 244"],
    },
    {"title": "an upload of nothing", "call": UPLOAD},
    {"title": "an upload of nothing, with retries", "call": [*UPLOAD, "RETRY_COUNT", "x"]},
    {"title": "an upload of a file without a name", "call": ["CDASH_UPLOAD", ""]},
    {
        "title": "newer: an upload of a file without a name",
        "call": ["CDASH_UPLOAD", ""],
        "environment": NEWER,
        "expected": ["Upload file not found: ''", "value=-1", "BUILD_ID="],
    },
    {
        "title": "an upload by another protocol",
        "call": UPLOAD + ["SUBMIT_URL", "ftp://127.0.0.1/x", "RETRY_DELAY", "x"],
        "files": FILE,
    },
    # What ctest 4.4.2 said and asked for, in short.
    {
        "title": "newer: a redirection is followed with method and body",
        "call": ["PARTS", "Test"],
        "environment": NEWER,
        "answers": [answer("", status=307, headers={"Location": "/other"}), {}],
        "expected": ["Submit files", GROUP, URL, "   Uploaded: Test.xml", SUCCESS, *ENDED]
        + ["PUT /submit.php 86", "PUT /other 86"],
    },
    # In ctest the status decides.
    {
        "title": "newer: half an answer is no success",
        "call": ["PARTS", "Test"],
        "environment": NEWER,
        "answers": [{"cut": 10}],
        "expected": ["Submit files", GROUP, URL]
        + ["Error parsing XML in stream at line 1: unclosed token", REFUSED[0]]
        + ["   Error message was: transfer closed with 82 bytes remaining to read"]
        + ["CURL output: [<cdash ver]", REFUSED[2], "value=-1", "BUILD_ID="]
        + ["PUT /submit.php 86"],
    },
    {
        "title": "newer: 201 is no success",
        "call": ["PARTS", "Test"],
        "environment": NEWER,
        "answers": [answer("", status=201)],
        "expected": ["Submit files", GROUP, URL, *REFUSED, "value=-1", "BUILD_ID="]
        + ["PUT /submit.php 86"],
    },
    {
        "title": "newer: the answer of an error is shown",
        "call": ["PARTS", "Test"],
        "environment": NEWER,
        "answers": [answer('{"description":"Invalid Token"}', status=403)],
        "expected": ["Submit files", GROUP, URL, *REFUSED[:2]]
        + ['CURL output: [{"description":"Invalid Token"}]', REFUSED[2]]
        + ["value=-1", "BUILD_ID=", "PUT /submit.php 86"],
    },
    {
        "title": "newer: an answer with NULs is shown",
        "call": ["PARTS", "Test"],
        "environment": NEWER,
        "answers": [answer(f"{ACCEPTED}\0a warning\0", status=403)],
        "expected": ["Submit files", GROUP, URL]
        + ["   Server Response:", f"{ACCEPTED}\0a warning\0", *REFUSED[:2]]
        + [f"CURL output: [{ACCEPTED}\0a warning\0]", REFUSED[2]]
        + ["value=-1", "BUILD_ID=7", "PUT /submit.php 86"],
    },
    {
        "title": "newer: 503 and then status ERROR is a failure",
        "call": ["PARTS", "Test", "RETRY_COUNT", "1", "RETRY_DELAY", "0"],
        "environment": NEWER,
        "answers": [answer("", status=503), answer("<cdash><status>no</status></cdash>")],
        "expected": ["Submit files", GROUP, URL, "   Submit failed, waiting 0 seconds..."]
        + ["   Retry submission: Attempt 1 of 1", "   Submission failed: ", *REFUSED[:2]]
        + ["CURL output: [<cdash><status>no</status></cdash>]", REFUSED[2]]
        + ["value=-1", "BUILD_ID=", "PUT /submit.php 86", "PUT /submit.php 86"],
    },
    {
        "title": "newer: a certificate that is not looked at",
        "call": ["PARTS", "Test"],
        "set": {
            "CTEST_SUBMIT_URL": TLS_PLACE,
            "CTEST_TLS_VERIFY": "OFF",
            "CTEST_TLS_VERSION": "1.3",
        },
        "environment": NEWER,
        "expected": ["Submit files", GROUP, URL.replace("http:", "https:").replace("PORT", "TLS")]
        + ["   Uploaded: Test.xml", SUCCESS, *ENDED, "PUT /submit.php 86"],
    },
    {
        "title": "newer: a certificate that nobody signed",
        "call": ["PARTS", "Test"],
        "set": {"CTEST_SUBMIT_URL": TLS_PLACE},
        "environment": NEWER,
        "expected": ["Submit files", GROUP, TLS_URL, *UNTRUSTED],
    },
    {
        "title": "newer: CMAKE_TLS_VERIFY of the environment is OFF",
        "call": ["PARTS", "Test"],
        "set": {"CTEST_SUBMIT_URL": TLS_PLACE},
        "environment": dict(NEWER, CMAKE_TLS_VERIFY="OFF"),
        "expected": ["Submit files", GROUP, TLS_URL, "   Uploaded: Test.xml", SUCCESS]
        + [*ENDED, "PUT /submit.php 86"],
    },
    {
        "title": "newer: CTEST_TLS_VERIFY is stronger than the environment",
        "call": ["PARTS", "Test"],
        "set": {
            "CTEST_SUBMIT_URL": TLS_PLACE,
            "CTEST_TLS_VERIFY": "ON",
        },
        "environment": dict(NEWER, CMAKE_TLS_VERIFY="OFF"),
        "expected": ["Submit files", GROUP, TLS_URL, *UNTRUSTED],
    },
    {
        "title": "newer: CTEST_TLS_VERIFY is stronger than CTEST_CURL_OPTIONS",
        "call": ["PARTS", "Test"],
        "set": {
            "CTEST_SUBMIT_URL": TLS_PLACE,
            "CTEST_TLS_VERIFY": "ON",
            "CTEST_CURL_OPTIONS": "CURLOPT_SSL_VERIFYPEER_OFF;CURLOPT_SSL_VERIFYHOST_OFF",
        },
        "environment": NEWER,
        "expected": ["Submit files", GROUP, TLS_URL, *UNTRUSTED],
    },
    {
        "title": "newer: an empty CTEST_TLS_VERIFY is stronger than CMAKE_TLS_VERIFY",
        "call": ["PARTS", "Test"],
        "set": {
            "CTEST_SUBMIT_URL": TLS_PLACE,
            "CTEST_TLS_VERIFY": "",
            "CMAKE_TLS_VERIFY": "OFF",
        },
        "environment": dict(NEWER, CMAKE_TLS_VERIFY="OFF"),
        "expected": ["Submit files", GROUP, TLS_URL, *UNTRUSTED],
    },
    {
        "title": "3.31: CMAKE_TLS_VERIFY of the environment is for scripts",
        "configuration": {"SubmitURL": TLS_PLACE},
        "environment": {"CCTR_COMPAT_VERSION": "3.31", "CMAKE_TLS_VERIFY": "OFF"},
        "xml": ["Test"],
        "expected": ["   Site: here", "   Build name: some build", "Submit files", GROUP, TLS_URL]
        + [*UNTRUSTED[:3], "Errors while running CTest"]
        + ["Output from these tests are in: @ROOT@/Testing/Temporary/LastTest.log"]
        + ['Use "--rerun-failed --output-on-failure" to re-run the failed cases verbosely.'],
    },
    {
        "title": "older: CTEST_TLS_VERIFY has no meaning",
        "call": ["PARTS", "Test"],
        "set": {
            "CTEST_SUBMIT_URL": TLS_PLACE,
            "CTEST_TLS_VERIFY": "OFF",
            "CMAKE_TLS_VERIFY": "OFF",
        },
        "environment": {"CMAKE_TLS_VERIFY": "OFF"},
    },
    {
        "title": "a certificate of another host",
        "configuration": {"SubmitURL": "https://localhost:@TLS@/submit.php?project=P"},
        "environment": {"SSL_CERT_FILE": "@CERTIFICATE@"},
    },
    {
        "title": "newer: a redirection on the same host gets all headers",
        "call": ["PARTS", "Test", *TOKENS],
        "environment": NEWER,
        "answers": [answer("", status=307, headers={"Location": "/other"}), {}],
        "expected": ["Submit files", GROUP, URL, "   Uploaded: Test.xml", SUCCESS, *ENDED]
        + ["PUT /submit.php 86", "PUT /other 86"],
        "sent": [["Authorization", "Private-Token"], ["Authorization", "Private-Token"]],
    },
    {
        "title": "newer: the same host gets the password again",
        "call": ["PARTS", "Test", *TOKENS[:1], TOKENS[2]],
        "set": {"CTEST_SUBMIT_URL": "http://me:secret@127.0.0.1:@PORT@/submit.php?project=Some"},
        "environment": NEWER,
        "answers": [
            {"password": "me:secret"},
            answer("", status=307, headers={"Location": "/other"}),
            {"password": "me:secret"},
        ],
        "expected": ["Submit files", GROUP, URL.replace("127", "me:***@127")]
        + ["   Uploaded: Test.xml", SUCCESS, *ENDED, "PUT /submit.php 86"]
        + ["PUT /submit.php 86", "PUT /other 86"],
        "sent": [["Private-Token"], *[["Authorization", "Private-Token"]] * 2],
    },
    {
        "title": "newer: another host gets no tokens",
        "call": ["PARTS", "Test", *TOKENS],
        "environment": NEWER,
        "answers": [
            answer("", status=307, headers={"Location": "http://localhost:@PORT@/other"}),
            answer("", status=308, headers={"Location": "http://127.0.0.1:@PORT@/third"}),
            {},
        ],
        "expected": ["Submit files", GROUP, URL, "   Uploaded: Test.xml", SUCCESS, *ENDED]
        + ["PUT /submit.php 86", "PUT /other 86", "PUT /third 86"],
        "sent": [["Authorization", "Private-Token"], [], []],
    },
    {
        "title": "newer: another host gets no password",
        "call": ["PARTS", "Test"],
        "set": {"CTEST_SUBMIT_URL": "http://me:secret@127.0.0.1:@PORT@/submit.php?project=Some"},
        "environment": NEWER,
        "answers": [
            {"password": "me:secret"},
            answer("", status=307, headers={"Location": "http://localhost:@PORT@/other"}),
            answer("", status=401, headers={"WWW-Authenticate": 'Basic realm="x"'}),
        ],
        "expected": ["Submit files", GROUP, URL.replace("127", "me:***@127"), *REFUSED]
        + ["value=-1", "BUILD_ID="]
        + ["PUT /submit.php 86", "PUT /submit.php 86", "PUT /other 86"],
        "sent": [[], ["Authorization"], []],
    },
    {
        "title": "newer: no redirection leaves HTTP",
        "call": ["PARTS", "Test"],
        "environment": NEWER,
        "answers": [answer("", status=307, headers={"Location": "file:///etc/hostname"})],
        "expected": ["Submit files", GROUP, URL, REFUSED[0]]
        + ['   Error message was: Protocol "file" not supported or disabled in libcurl']
        + [REFUSED[2], "value=-1", "BUILD_ID=", "PUT /submit.php 86"],
    },
    {
        "title": "newer: an answer that fills the memory",
        "call": ["PARTS", "Test"],
        "environment": NEWER,
        "answers": [answer("x" * (17 << 20))],
        "expected": ["Submit files", GROUP, URL, REFUSED[0]]
        + ["   Error message was: Failure writing output to destination", REFUSED[2]]
        + ["value=-1", "BUILD_ID=", "PUT /submit.php 86"],
    },
    {
        "title": "newer: no redirection to FTP, with tokens",
        "call": ["PARTS", "Test", *TOKENS],
        "environment": NEWER,
        "answers": [answer("", status=307, headers={"Location": "ftp://127.0.0.1:1/x"})],
        "expected": ["Submit files", GROUP, URL, REFUSED[0]]
        + ['   Error message was: Protocol "ftp" not supported or disabled in libcurl']
        + [REFUSED[2], "value=-1", "BUILD_ID=", "PUT /submit.php 86"],
    },
    {
        "title": "newer: redirections without an end",
        "call": ["PARTS", "Test", *TOKENS],
        "environment": NEWER,
        "answers": [answer("", status=307, headers={"Location": "/submit.php"})],
        "expected": ["Submit files", GROUP, URL, REFUSED[0]]
        + ["   Error message was: Maximum (30) redirects followed", REFUSED[2]]
        + ["value=-1", "BUILD_ID=", *["PUT /submit.php 86"] * 31],
    },
]
