#!/bin/sh
# However cctr dies, what it has started ends within a second: guide/processes.
set -u
. tests/meta/tap.sh
test -r /proc/self/limits || skip_all "no /proc"

own_folder
export CCTR_COMPAT_VERSION=3.25
"${CC:-cc}" -D_GNU_SOURCE -o "$work/escape" tests/helpers/escape.c || exit 1

await() { # a test of a file
	for _ in $(seq 6000); do
		test "$@" && return
		sleep 0.01
	done
}
await_lines() { # n file
	for _ in $(seq 6000); do
		[ "$(grep -sc . "$2")" -ge "$1" ] 2>/dev/null && return
		sleep 0.01
	done
}
# Those of the numbers in a file that live, but for zombies.
living() {
	while read -r pid; do
		grep -sq '^State:.[^ZX]' "/proc/$pid/status" && echo "$pid lives"
	done <"$1"
	return 0
}
# Every process of the helper; a zombie has no command line.
all_of() {
	grep -ls "$work/[e]scape" /proc/[0-9]*/cmdline
}
gone_in_a_second() { # file
	for _ in $(seq 100); do
		[ -z "$(living "$1")$(all_of)" ] && return
		sleep 0.01
	done
	living "$1"
	all_of
}
# $1: a signal, $2: processes that write to $work/pids, $3...: cctr's words
dies_by() {
	signal=$1 n=$2
	shift 2
	rm -f "$work/pids"
	env --default-signal "$CCTR" "$@" >"$work/output" 2>&1 &
	program=$!
	await_lines "$n" "$work/pids"
	kill "-$signal" $program
	wait $program
	gone_in_a_second "$work/pids"
}

mkdir "$work/tree" "$work/build"
cat >"$work/tree/CTestTestfile.cmake" <<END
add_test(plain "$work/escape" pcgs "$work/pids")
add_test(daemons "$work/escape" pdi "$work/pids")
add_test(hops "$work/escape" pk "$work/pids")
END
for signal in KILL SEGV ABRT; do
	check "SIG$signal leaves no process of a test" \
		"$(dies_by $signal 9 --test-dir "$work/tree" -j3)"
done

cat >"$work/tree/CTestTestfile.cmake" <<END
add_test(setup "$work/escape" d "$work/pids")
add_test(user "$work/escape" p "$work/pids")
set_tests_properties(setup PROPERTIES FIXTURES_SETUP f)
set_tests_properties(user PROPERTIES FIXTURES_REQUIRED f)
END
check "... nor a server that a fixture has started" \
	"$(dies_by KILL 2 --test-dir "$work/tree")"

cat >"$work/tree/CTestTestfile.cmake" <<END
add_test(daemon "$work/escape" d "$work/pids")
END
rm -f "$work/pids"
"$CCTR" --test-dir "$work/tree" >"$work/output" 2>&1
check "a run that ends by itself lets a daemon live" \
	"$(is "$(living "$work/pids" | grep -c .)" 1)"
kill -9 "$(cat "$work/pids")"

# A cctr within a test of another one: both find what is theirs.
mkdir "$work/outer"
echo "add_test(inner \"$CCTR\" --test-dir \"$work/tree\")" >"$work/outer/CTestTestfile.cmake"
echo "add_test(all \"$work/escape\" pcgsdi \"$work/pids\")" >"$work/tree/CTestTestfile.cmake"
check "SIGKILL of an outer cctr ends what an inner one has started" \
	"$(dies_by KILL 6 --test-dir "$work/outer")"

if command -v cmake >/dev/null; then
	echo "execute_process(COMMAND \"$work/escape\" pcgsd \"$work/pids\")" >"$work/script.cmake"
	check "SIGKILL ends the cmake of a script and all below it" \
		"$(dies_by KILL 5 -S "$work/script.cmake")"
	echo "execute_process(COMMAND \"$work/escape\" pcgsd \"$work/pids\")" \
		>"$work/tree/CTestTestfile.cmake"
	check "... and that of a test file" "$(dies_by KILL 5 --test-dir "$work/tree")"
	check "... of a listing, too" "$(dies_by KILL 5 -N --test-dir "$work/tree")"
fi

cat >"$work/tree/DartConfiguration.tcl" <<END
BuildDirectory: $work/tree
SourceDirectory: $work/tree
Site: here
BuildName: this
ConfigureCommand: "$work/escape" "pcgsd" "$work/pids"
MakeCommand: "$work/escape" "pcgsd" "$work/pids"
END
echo >"$work/tree/CTestTestfile.cmake"
(cd "$work/tree" && "$CCTR" -T Start >/dev/null)
for step in Configure Build; do
	check "SIGKILL ends the command of -T $step" \
		"$(cd "$work/tree" && dies_by KILL 5 -T $step)"
done

check "--build-and-test: SIGKILL ends its command" \
	"$(dies_by KILL 5 --build-and-test "$work/tree" "$work/build" --build-nocmake \
		--build-noclean --build-generator "Unix Makefiles" --build-makeprogram true \
		--test-command "$work/escape" pcgsd "$work/pids")"

# cctr and its guardian are killed together: the next run names what they left.
echo "add_test(all \"$work/escape\" pd \"$work/pids\")" >"$work/tree/CTestTestfile.cmake"
rm -f "$work/pids"
record=$work/tree/Testing/Temporary/cctr-run.txt
"$CCTR" --test-dir "$work/tree" >"$work/output" 2>&1 &
program=$!
await_lines 2 "$work/pids"
check "a run has its record" "$(test -s "$record" || echo "there is none")"
guardian=$(tr ' ' '\n' <"/proc/$program/task/$program/children" | while read -r child; do
	[ "$(cat "/proc/$child/comm")" != cctr-guardian ] || echo "$child"
done)
kill -STOP "$guardian"
kill -9 $program
kill -9 "$guardian"
wait $program
check "without the guardian the processes of a test go on" "$(is "$(living "$work/pids" | grep -c .)" 2)"
echo "add_test(a true)" >"$work/tree/CTestTestfile.cmake"
"$CCTR" --test-dir "$work/tree" >/dev/null 2>"$work/output"
check "... and the next run passes" "$(is $? 0)"
while read -r pid; do
	check "... and names one" "$(grep -q \
		"process $pid (escape) of an earlier run, which was killed, still runs" "$work/output" ||
		cat "$work/output")"
	kill -9 "$pid"
done <"$work/pids"
check "the record goes with the run" "$(test ! -e "$record" || echo "it is there")"
ln -s "$work/elsewhere" "$record"
"$CCTR" --test-dir "$work/tree" >/dev/null 2>&1
check "a link in the record's place is not followed" "$(is $? 0; ! test -e "$work/elsewhere" || echo "written")"
rm -f "$record"

if strace -o "$work/trace" true 2>/dev/null; then
	echo 2305843009213693952 >"$record"
	strace -o "$work/trace" -P /proc -e trace=getdents64 -e inject=getdents64:error=EIO \
		"$CCTR" --test-dir "$work/tree" >/dev/null 2>"$work/output"
	check "processes of an earlier run that cannot be looked for are reported" \
		"$(grep -q 'of an earlier run.* is not known' "$work/output" || cat "$work/output")"
	for call in openat pread64; do
		echo 2305843009213693952 >"$record"
		strace -qq -o "$work/trace" -P "$record" -e "inject=$call:error=EIO" \
			"$CCTR" --test-dir "$work/tree" >/dev/null 2>"$work/output"
		check "... and so is a record that cannot be read: $call" "$(grep -q \
			'cctr-run.txt: cannot be read: .*an earlier run.* is not known' "$work/output" ||
			cat "$work/output")"
	done
	rm -f "$record"

	echo "add_test(all \"$work/escape\" pcgs \"$work/pids\")" >"$work/tree/CTestTestfile.cmake"
	rm -f "$work/pids"
	strace -f -o "$work/trace" -P /proc -e trace=getdents64 \
		-e inject=getdents64:error=EIO:when=1 \
		"$CCTR" --test-dir "$work/tree" >/dev/null 2>&1 &
	program=$!
	await_lines 4 "$work/pids"
	kill -9 "$(cat "/proc/$program/task/$program/children")"
	check "a guardian that cannot read the list of processes reads it again" "$(
		gone_in_a_second "$work/pids"
		grep -q INJECTED "$work/trace" || echo "no call failed")"
	xargs kill -9 <"$work/pids" 2>/dev/null
	wait $program
fi

command -v bash >/dev/null || { finish; exit; }
mkdir "$work/limit"
echo 'add_test(limit bash -c "ulimit -R; ulimit -HR")' >"$work/limit/CTestTestfile.cmake"
check "a test sees the mark in its soft limit alone" "$("$CCTR" --test-dir "$work/limit" -V |
	sed -n 's/^1: //p' | tail -n 2 |
	awk -v before="$(bash -c 'ulimit -HR' 2>/dev/null)" '
		NR == 1 && (length($0) != 19 || $0 < 2300000000000000000) { print "soft: " $0 }
		NR == 2 && $0 != before { print "hard: " $0 }')"

# Nobody waits for what a guardian holds, and none stays.
echo "add_test(a true)" >"$work/tree/CTestTestfile.cmake"
check "the guardian holds no stream" "$("$CCTR" --test-dir "$work/tree" 2>&1 | cat >/dev/null
	grep -ls "$work/[t]ree" /proc/[0-9]*/cmdline)"

finish
