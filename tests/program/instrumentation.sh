#!/bin/sh
# What a build tree with queries records, and when the callbacks come: cmake-instrumentation(7).
# Who waits here, waits for a file that someone else writes.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh

own_folder
cctr=$(realpath "${CCTR:?}")
export CCTR_COMPAT_VERSION=4.3 HOME="$work/home"
unset CMAKE_CONFIG_DIR XDG_CONFIG_HOME
tree=$work/tree root=$work/tree/.cmake/instrumentation/v1
mkdir -p "$work/home"

# A callback: keeps the data folder as it is, and the path of the index.
cat >"$work/keep" <<'END'
#!/bin/sh
cp -r "${1%/index/*}" "${0%/*}/kept"
echo "$1" >"${0%/*}/index"
END
chmod +x "$work/keep"

# $1: the query; "": none.
new_tree() {
	rm -rf "$tree" "$work/kept" "$work/index"
	mkdir -p "$tree/CMakeFiles"
	printf '%s\n' "add_test(good /bin/echo \"a b\" c)" 'add_test(bad /bin/false)' \
		'add_test(dies /bin/sh -c "kill -KILL \$\$")' 'add_test(none /nowhere/x)' \
		'add_test(off /bin/true)' 'set_tests_properties(off PROPERTIES DISABLED TRUE)' \
		>"$tree/CTestTestfile.cmake"
	printf '%s\n' "SourceDirectory: $tree" "BuildDirectory: $tree" >"$tree/DartConfiguration.tcl"
	[ -z "$1" ] && return
	mkdir -p "$root/query"
	printf '%s\n' "$1" >"$root/query/q.json"
}
run() { # words
	(cd "$tree" && timeout 120 "$cctr" "$@") >"$work/output" 2>"$work/error"
	echo "exit $?"
}
# $1: a role; prints the snippets of that role, without what each run has anew.
snippets() {
	cat "${2:-$root/data}/$1"-*.json 2>/dev/null |
		sed -E 's/("(duration|timeStart)" : )[0-9]+/\1N/; s/("[a-z]*(Used|Average)" : ).*[0-9]/\1N/'
}
files() {
	(cd "$1" 2>/dev/null && find . -type f) |
		sed -E 's/-[0-9a-f]{20}-/-H-/; s/[0-9]{4}(-[0-9]{2}){2}T[-0-9]{13}/T/' | sort
}
query='{"version":1,"hooks":["postCTest","postBuild","preBuild"],"callbacks":["'"$work"'/keep"]}'

new_tree ''
check "--instrument without a query: the command, and nothing else" "$(
	is "$(run --instrument --command-type custom --build-dir . -- /bin/sh -c 'echo out; exit 3')" \
		"exit 3"
	is "$(cat "$work/output" "$work/error")" out
	is "$(files "$tree/.cmake")" "")"

new_tree "$query"
echo 12345 >"$tree/a.o"
check "--instrument: the snippet of a link" "$(
	is "$(run --instrument --command-type link --target-name t --target-type EXECUTABLE \
		--target-labels x,y --config --build-dir . --output a.o,b.o --language CXX \
		-- /bin/sh -c 'exit 2')" "exit 2"
	is "$(snippets link)" '{
	"command" : "/bin/sh -c \"exit 2\"",
	"config" : "",
	"duration" : N,
	"language" : "C++",
	"outputSizes" : 
	[
		6,
		0
	],
	"outputs" : 
	[
		"a.o",
		"b.o"
	],
	"result" : 2,
	"role" : "link",
	"target" : "t",
	"targetLabels" : 
	[
		"x",
		"y"
	],
	"targetType" : "EXECUTABLE",
	"timeStart" : N,
	"version" : 1,
	"workingDir" : "'"$tree"'"
}')"
check "--role beats --command-type, and --launch records, too" "$(
	is "$(run --launch --command-type custom --role install --build-dir . \
		--target-name TARGET_NAME --output '' -- /bin/true)" "exit 0"
	is "$(snippets install | grep -cE '"target"|"role" : "install"')" 1
	is "$(files "$root/data")" "./install-H-T.json
./link-H-T.json")"
check "the name has the hash of the command and of the process" "$(
	cat >"$work/echo_parent" <<-'END'
		#!/bin/sh
		echo $PPID
	END
	chmod +x "$work/echo_parent"
	command -v openssl >/dev/null || exit 0
	run --instrument --command-type hash --build-dir . -- "$work/echo_parent" >/dev/null
	hash=$(printf '%s%s' "$work/echo_parent" "$(cat "$work/output")" |
		openssl dgst -sha3-256 | sed 's/.* //' | cut -c1-20)
	[ -f "$(echo "$root/data/hash-$hash"-*.json)" ] || ls "$root/data")"

new_tree "$query"
check "a run: its tests, itself, and the callback" "$(
	is "$(run)" "exit 8"
	is "$(files "$work/kept")" "./ctest-H-T.json
./index/index-T.json
./test-H-T.json
./test-H-T.json
./test-H-T.json"
	is "$(snippets test "$work/kept" | grep -E 'command|result|Name' | sort)" \
		'	"command" : "/bin/echo \"a b\" c",
	"command" : "/bin/false ",
	"command" : "/bin/sh -c \"kill -KILL $$\"",
	"result" : 0,
	"result" : 0,
	"result" : 1,
	"testName" : "bad",
	"testName" : "dies",
	"testName" : "good",'
	is "$(snippets ctest "$work/kept" | grep -E 'result|showOnly')" '	"result" : 8,
	"showOnly" : false,'
	is "$(sed -n '/snippets/,/]/d; p' "$work"/kept/index/*.json)" '{
	"buildDir" : "'"$tree"'",
	"dataDir" : "'"$root"'/data",
	"hook" : "postCTest",
	"version" : 1
}'
	is "$(grep -c json "$work"/kept/index/*.json)" 4
	is "$(cat "$work/index")" "$root/data/index/$(ls "$work/kept/index")"
	is "$(files "$root/data")" "")"
check "the callback comes before the last messages" "$(
	echo '{"version":1,"hooks":["postCTest"],"callbacks":["/bin/sh -c \"echo CALLED >&2\""]}' \
		>"$root/query/q.json"
	run -R bad >/dev/null
	is "$(grep -E '^CALLED|^Errors' "$work/error")" "CALLED
Errors while running CTest")"

new_tree '{"version":1,"hooks":["manual"],"options":["trace","staticSystemInformation"],
"callbacks":["'"$work"'/keep"]}'
run -R 'good|bad' >/dev/null
check "--collect-instrumentation, with a trace and the machine" "$(
	is "$(run --collect-instrumentation .)" "exit 0"
	python3 - "$work/kept" <<-'END'
		import json, pathlib, sys
		kept = pathlib.Path(sys.argv[1])
		index = json.loads(next((kept / "index").iterdir()).read_text())
		events = json.loads((kept / index["trace"]).read_text())
		if [e["cat"] for e in events] != ["ctest", "test", "test"]:
		    print([e["cat"] for e in events])
		if [e["tid"] for e in events] not in ([0, 1, 1], [0, 1, 2]):
		    print([e["tid"] for e in events])
		for e in events:
		    args = e["args"]
		    if (e["ts"], e["dur"]) != (args["timeStart"] * 1000, args["duration"] * 1000):
		        print("times", e)
		if {e["name"] for e in events} != {"ctest", "test: good", "test: bad"}:
		    print([e["name"] for e in events])
		if len(index["staticSystemInformation"]) != 19:
		    print(index["staticSystemInformation"])
	END
	is "$(files "$root/data")" "./trace/trace-T.json")"
check "what another command is still writing stays" "$(
	mkdir "$root/data/content"
	: >"$root/data/content/.content-1.json.77"
	is "$(run --collect-instrumentation .)" "exit 0"
	is "$(files "$root/data/content")" ./.content-1.json.77)"
check "a folder without a tree" "$(
	is "$(run --collect-instrumentation "$work/elsewhere")" "exit 0")"
check "another number of words" "$(
	is "$(run --collect-instrumentation)" "exit 1"
	is "$(cat "$work/error")" "CMake Error: Unknown argument: --collect-instrumentation
CMake Error: Run 'ctest --help' for all supported options.")"

new_tree "$query"
check "a simulation records nothing" "$(
	is "$(run --simulate)" "exit 0"
	is "$(files "$root")" ./query/q.json)"

new_tree '{"version":1,"hooks":["bogus"],"extra":[]}'
check "a wrong query: no test runs" "$(
	is "$(run)" "exit 8"
	is "$(cat "$work/output")" "Test project $tree"
	is "$(sed '/^Errors/,$d' "$work/error")" \
		"CMake Error: Could not load instrumentation queries from $root/query:
q.json:1: Not a valid hook: \"bogus\"
{\"version\":1,\"hooks\":[\"bogus\"],\"extra\":[]}
                      ^
q.json:1: Invalid extra field \"extra\" in root object
{\"version\":1,\"hooks\":[\"bogus\"],\"extra\":[]}
                                       ^"
	is "$(snippets ctest | grep result)" '	"result" : 8,')"
new_tree '{'
check "a query that is no JSON is only complained of" "$(
	is "$(run -R good)" "exit 0"
	is "$(grep -c "Missing '}'" "$work/error")" 2)"
mkdir -p "$work/home/.config/cmake/instrumentation/v1/query"
new_tree ''
echo "$query" >"$work/home/.config/cmake/instrumentation/v1/query/user.json"
check "a query of the user counts for each tree" "$(
	is "$(run -R good)" "exit 0"
	is "$(files "$work/kept" | grep -c /test-)" 1)"
rm -r "$work/home/.config"

# A build tool: starts the watcher, builds, and says when it has ended.
cat >"$work/build" <<END
#!/bin/sh
"$cctr" --start-instrumentation "$tree"
echo "start \$?"
"$cctr" --instrument --command-type compile --build-dir "$tree" -- /bin/true
touch "$work/built"
END
chmod +x "$work/build"
await() {
	looks=0
	while [ ! -e "$1" ] && [ $looks -lt 6000 ]; do
		sleep 0.01
		looks=$((looks + 1))
	done
	[ -e "$1" ] || echo "$1 does not come"
}
new_tree '{"version":1,"hooks":["postBuild"],"callbacks":["'"$work"'/keep"]}'
check "the watcher records the build when the tool has ended" "$(
	is "$("$work/build" | cat)" "start 0"
	await "$work/index"
	is "$(files "$work/kept")" "./build-H-T.json
./compile-H-T.json
./index/index-T.json"
	is "$(snippets build "$work/kept" | grep -E 'command|result|role')" '	"result" : 0,
	"role" : "build",')"
check "one watcher is enough for a tree" "$(
	# Locks as a watcher does, while another one is asked to wait for a process that lives.
	python3 - "$root/.build.lock" "$cctr" "$tree" <<-'END'
		import fcntl, os, subprocess, sys
		with open(sys.argv[1], "r+") as lock:
		    fcntl.lockf(lock, fcntl.LOCK_EX)
		    words = [sys.argv[2], "--wait-and-collect-instrumentation", sys.argv[3], str(os.getpid())]
		    if subprocess.run(words, timeout=100).returncode != 0:
		        print("it failed")
	END
	is "$(files "$root/data")" "")"

check "a build tool that has ended, of which nobody asks how, ends the watch" "$(
	mkfifo "$work/end" "$work/reader"
	(cat "$work/end" & echo $! >"$work/tool"; exec cat "$work/reader") &
	reader=$!
	exec 9>"$work/reader"
	while [ "$(cat /proc/$reader/comm)" != cat ]; do sleep 0.01; done
	: >"$work/end"
	is "$(run --wait-and-collect-instrumentation "$tree" "$(cat "$work/tool")")" "exit 0"
	exec 9>&-
	wait $reader)"
check "... and what is no process is refused" "$(
	for id in 0 -1 x 99999999999; do
		is "$(run --wait-and-collect-instrumentation "$tree" $id)" "exit 1"
		is "$(cat "$work/error")" "cctr: cannot watch the build: '$id' is no process id"
	done)"

new_tree "$query"
printf '%s\n' 'add_test(child /bin/sh -c "sleep 20 & exit 5")' \
	'set_tests_properties(child PROPERTIES TIMEOUT 2)' >"$tree/CTestTestfile.cmake"
check "a program that ended before its test timed out has its exit code" "$(
	is "$(run)" "exit 8"
	is "$(snippets test "$work/kept" | grep '"result"')" '	"result" : 5,')"

new_tree '{"version":1,"hooks":["manual"],"options":["cdashSubmit"]}'
check "Test.xml has what the tests have measured" "$(
	is "$(run -M Experimental -T Start -T Test -R good)" "exit 0"
	is "$(sed -n 's/.*name="\(After\|Before\)\([A-Za-z]*\)".*/\1\2/p' \
		"$tree"/Testing/*/Test.xml)" "AfterCPULoadAverage
AfterHostMemoryUsed
BeforeCPULoadAverage
BeforeHostMemoryUsed"
	is "$(files "$root/cdash")" "")"
check "... the last time that they ran, and no snippet of the times before is left" "$(
	is "$(run -M Experimental -T Start -T Test -R good --repeat until-fail:3)" "exit 0"
	is "$(grep -c AfterHostMemoryUsed "$tree"/Testing/*/Test.xml | sed 's/.*://' | sort -u)" 1
	is "$(files "$root/cdash")" "")"
check "... and the elements of commands are there without commands, too" "$(
	printf '%s\n' 'ConfigureCommand: /bin/true' 'MakeCommand: /bin/true' >>"$tree/DartConfiguration.tcl"
	is "$(run -M Experimental -T Start -T Configure -T Build)" "exit 0"
	is "$(cat "$tree"/Testing/*/Configure.xml "$tree"/Testing/*/Build.xml |
		grep -oE '<(Commands|Targets)/>')" "<Commands/>
<Targets/>
<Commands/>")"
check "... an index that cannot be written fails the step" "$(
	rm -rf "$root/data/index"
	: >"$root/data/index"
	is "$(run -M Experimental -T Start -T Test -R good)" "exit 1"
	grep -q '^cctr: cannot write .*index-.*: File exists$' "$work/error" || cat "$work/error"
	rm "$root/data/index"
	rm -f "$root"/data/*.json)"
check "... and a snippet that cannot be moved to it stays, and fails the command" "$(
	run --instrument --command-type custom --build-dir . -- /bin/true >/dev/null
	rm -rf "$root/cdash/build"
	: >"$root/cdash/build"
	is "$(run --collect-instrumentation .)" "exit 1"
	grep -q '^CMake Error: Failed to copy .* to build/commands$' "$work/error" || cat "$work/error"
	is "$(files "$root/data")" "./custom-H-T.json"
	rm "$root/cdash/build"
	is "$(run --collect-instrumentation .)" "exit 0"
	is "$(files "$root/data"; files "$root/cdash")" "./build/commands/custom-H-T.json")"

new_tree '{"version":{"major":1,"minor":1},"options":["captureOutput","compileTrace"]}'
export CCTR_COMPAT_VERSION=4.4
compile() { # script
	rm -rf "$root/data"
	run --instrument --command-type compile --build-dir "$tree" --output o/x.c.o -- /bin/sh -c "$1"
}
members() { snippets compile | grep -E '"(stdout|stderr|traceFile)"'; }
check "4.4: what a command writes is recorded, and passed on" "$(
	is "$(compile 'echo out; echo "a \"b\"" >&2; exit 3')" "exit 3"
	is "$(cat "$work/output" "$work/error")" 'out
a "b"'
	is "$(members)" '	"stderr" : "a \"b\"\n",
	"stdout" : "out\n",
	"traceFile" : null,')"
check "4.4: the trace of a compiler is kept" "$(
	mkdir -p "$tree/o"
	is "$(compile 'echo trace >o/x.c.json')" "exit 0"
	is "$(files "$root/data")" "./compile-H-T.json
./compile-trace/x.c-H-T.json"
	is "$(members | grep trace)" \
		"	\"traceFile\" : \"compile-trace/$(ls "$root/data/compile-trace")\","
	is "$(cat "$root/data/compile-trace"/*)" trace)"
check "4.4: ... from the file that -ftime-trace names, but not an old one" "$(
	is "$(compile 'exit 0')" "exit 0"
	is "$(members | grep trace)" '	"traceFile" : null,'
	rm -rf "$root/data"
	cat >"$work/cc" <<-'END'
		#!/bin/sh
		echo named >"${1#*=}"
	END
	chmod +x "$work/cc"
	is "$(run --instrument --command-type compile --build-dir . --output a.o -- \
		"$work/cc" "-ftime-trace=$tree/n.t")" "exit 0"
	is "$(cat "$root/data/compile-trace"/n-*.t)" named)"
check "4.4: only a compiler has a trace" "$(
	run --instrument --command-type link --build-dir . --output o/x.c.o -- /bin/true >/dev/null
	is "$(snippets link | grep -cE '"(traceFile|stdout)"')" 1)"
check "4.4: the output of a test" "$(
	is "$(run -R good)" "exit 0"
	is "$(snippets test | grep -E '"(stdout|stderr)"')" '	"stderr" : "",
	"stdout" : "a b c\n",'
	rm -rf "$root/data"
	is "$(run --test-output-size-passed 3 -R good)" "exit 0"
	is "$(snippets test | grep -c '"stdout" : "a b.*threshold of 3 bytes')" 1)"
export CCTR_COMPAT_VERSION=4.3

if [ "$(id -u)" != 0 ]; then
	new_tree "$query"
	mkdir -p "$root/data"
	chmod 500 "$root/data"
	check "a run that cannot be recorded is not green" "$(
		is "$(run -R good)" "exit 8"
		grep -q 'cannot be recorded' "$work/error" || cat "$work/error")"
fi
rm -rf "$root/data"
new_tree "$query"
: >"$root/data"
check "... nor one whose folder for it is a file" "$(
	is "$(run -R good)" "exit 8"
	grep -q "$root/data" "$work/error" || cat "$work/error")"
finish
