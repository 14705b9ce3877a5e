#!/bin/sh
# The guides as they are written: each block of shell is run, in order, in the build tree of a
# small project, and must end with 0. A server stands for the dashboard of the guide cdash.
set -u
. tests/meta/tap.sh
needs cmake
needs ctest
needs make
needs python3
"${CCTR:?}" --version=full | grep -qE 'without (SQLite|libyaml)' && skip_all "built without SQLite or libyaml"

own_folder
cctr=$(realpath "$CCTR")
mkdir -p "$work/bin" "$work/source"
ln -s "$cctr" "$work/bin/cctr"
export PATH="$work/bin:$PATH"
# Guides are for a machine without settings of its own.
unset CCTR_CONFIG XDG_CONFIG_HOME CCTR_PROFILE
export HOME="$work/home"
mkdir "$HOME"

# ---- the server ----------------------------------------------------------------------------

cat >"$work/server.py" <<'TEXT'
"""Takes whatever is submitted, and writes down what it was."""
import http.server
import sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_PUT(self):
        size = int(self.headers.get("Content-Length", 0))
        self.rfile.read(size)
        with open(sys.argv[2], "a") as journal:
            journal.write(self.path + "\n")
        body = b'<cdash version="1.0"><status>OK</status><message></message></cdash>\n'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_PUT

    def log_message(self, *words):
        pass

server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], file=open(sys.argv[1], "w"), flush=True)
server.serve_forever()
TEXT
mkfifo "$work/port"
: >"$work/submitted"
python3 "$work/server.py" "$work/port" "$work/submitted" &
server=$!
trap 'kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
read -r port <"$work/port"

# ---- the project ---------------------------------------------------------------------------

cat >"$work/source/CTestConfig.cmake" <<TEXT
set(CTEST_PROJECT_NAME "Sample")
set(CTEST_NIGHTLY_START_TIME "01:00:00 UTC")
set(CTEST_SUBMIT_URL "http://127.0.0.1:$port/submit.php?project=Sample")
TEXT
cat >"$work/source/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.16)
project(sample NONE)
include(CTest)
foreach(name IN ITEMS unit.parse unit.print net.load passes)
  add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" -E echo "this is ${name}")
endforeach()
set_tests_properties(unit.parse unit.print net.load PROPERTIES LABELS fast)
add_test(NAME unit.broken COMMAND "${CMAKE_COMMAND}" -E false)
set_tests_properties(unit.broken PROPERTIES LABELS broken)
add_test(NAME gpu.shows COMMAND "${CMAKE_COMMAND}" -E environment)
set_tests_properties(gpu.shows PROPERTIES RESOURCE_GROUPS "gpus:1")
TEXT

# blocks FILE: the blocks of shell of the page, one after the other
blocks() {
	awk '
		/^\.\. code-block:: sh$/ { inside = 1; next }
		inside && /^[^ ]/ { inside = 0 }
		inside { sub(/^  /, ""); print }' "$1"
}

guides='build-tree ci gpus partitions cdash from-ctest'
# alloc.sh runs the commands of the guide leases, inside of tests.
check "no guide with commands is left out" "$(grep -l '^\.\. code-block:: sh$' Help/guide/*.rst |
	while read -r page; do
		case " $guides leases " in
		*" $(basename "$page" .rst) "*) ;;
		*) echo "$page" ;;
		esac
	done)"
for guide in $guides; do
	rm -rf "$work/build"
	(cd "$work" && cmake -S source -B build -G "Unix Makefiles") >"$work/said" 2>&1 ||
		check "$guide: the project is configured" "$(cat "$work/said")"
	# The guide from-ctest begins where everything passes.
	if [ "$guide" = from-ctest ]; then
		sed -i '/unit\.broken/d' "$work/build/CTestTestfile.cmake"
	fi
	blocks "Help/guide/$guide.rst" >"$work/$guide.sh"
	check "$guide has commands" "$([ "$(grep -c cctr "$work/$guide.sh")" -ge 3 ] ||
		cat "$work/$guide.sh")"
	check "$guide: they do what is written" "$(
		cd "$work/build" || exit
		sh -e -x "$work/$guide.sh" >"$work/said" 2>&1 </dev/null || tail -n 40 "$work/said")"
done
check "the dashboard got what was submitted" "$(
	[ "$(grep -c 'FileName=.*Test\.xml' "$work/submitted")" -ge 3 ] || cat "$work/submitted")"
check "cctr(1): its examples are right" "$(
	awk '/^EXAMPLES$/ { inside = 1; next } /^FILES$/ { exit } inside && /^  / { print }' \
		Help/manual/cctr.1.rst >"$work/examples.sh"
	[ "$(grep -c cctr "$work/examples.sh")" -ge 5 ] || cat "$work/examples.sh"
	sed -i '/unit\.broken/d' "$work/build/CTestTestfile.cmake"
	cd "$work/build" || exit
	sh -e -x "$work/examples.sh" >"$work/said" 2>&1 </dev/null || tail -n 40 "$work/said")"
finish
