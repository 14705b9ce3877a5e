#!/bin/sh
# The system has no descriptor left, no /proc, or loses what a test wrote: limits hold, nothing
# stays, and no test passes that should not.
set -u
. tests/meta/tap.sh
search_no_leaks
test -r /proc/self/limits || skip_all "no /proc"
needs prlimit

own_folder
export CCTR_COMPAT_VERSION=3.25
"${CC:-cc}" -D_GNU_SOURCE -o "$work/escape" tests/helpers/escape.c || exit 1
mkdir "$work/many" "$work/late" "$work/one"

living() { # a zombie has no command line
	grep -ls "$work/[e]scape" /proc/[0-9]*/cmdline
}
none_soon() {
	for _ in $(seq 100); do
		[ -z "$(living)" ] && return
		sleep 0.01
	done
	living
}

for i in $(seq 60); do
	echo "add_test(t$i sh -c \"sleep 0.2\")"
done >"$work/many/CTestTestfile.cmake"
for n in 64 32 24; do
	check "-j60 with $n descriptors: every test runs" "$(
		prlimit -n=$n "$CCTR" --test-dir "$work/many" -j60 >"$work/output" 2>&1 || tail "$work/output"
		grep '0 tests failed out of 60' "$work/output" >/dev/null || tail "$work/output")"
done
check "with 3 to 20 descriptors cctr runs, or says why not" "$(for n in $(seq 3 20); do
	prlimit -n="$n" "$CCTR" --test-dir "$work/many" -I 1,2 -j2 >"$work/output" 2>&1
	status=$?
	[ $status = 0 ] && grep -q '0 tests failed out of 2' "$work/output" && continue
	[ $status -gt 0 ] && [ $status -lt 128 ] && [ -s "$work/output" ] && continue
	echo "$n descriptors: status $status"
	cat "$work/output"
done)"

for i in $(seq 30); do
	echo "add_test(t$i \"$work/escape\" pcsd \"$work/pids$i\")
set_tests_properties(t$i PROPERTIES TIMEOUT 2)"
done >"$work/late/CTestTestfile.cmake"
check "limits hold without a free descriptor" "$(
	prlimit -n=32 "$CCTR" --test-dir "$work/late" -j60 >"$work/output" 2>&1
	is "$(grep -c 'Timeout' "$work/output")" 60)"
check "... and nothing stays" "$(none_soon)"

if unshare -m mount -t tmpfs none /proc 2>/dev/null; then
	echo "add_test(late \"$work/escape\" pc \"$work/pids\")
set_tests_properties(late PROPERTIES TIMEOUT 1)" >"$work/one/CTestTestfile.cmake"
	check "limits hold without /proc" "$(rm -f "$work/pids"
		# shellcheck disable=SC2016 # for the inner shell
		unshare -m sh -c 'mount -t tmpfs none /proc && exec "$0" --test-dir "$1"' \
			"$CCTR" "$work/one" </dev/null >"$work/output" 2>&1
		grep -q 'late .*Timeout' "$work/output" || cat "$work/output"
		none_soon)"
fi

if strace -o "$work/trace" true 2>/dev/null; then
	for name in late later; do
		echo "add_test($name \"$work/escape\" p \"$work/pids\")
set_tests_properties($name PROPERTIES TIMEOUT 0.2)"
	done >"$work/one/CTestTestfile.cmake"
	for fault in getdents64:error=EIO lseek:error=ESPIPE; do
		strace -o "$work/trace" -P /proc -e "trace=${fault%%:*}" -e "inject=$fault" \
			"$CCTR" --test-dir "$work/one" </dev/null >"$work/output" 2>&1
		check "limits hold where the list of processes cannot be read: $fault" "$(
			grep -q INJECTED "$work/trace" || echo "no call failed"
			is "$(grep -c 'late.*Timeout' "$work/output")" 4 || cat "$work/output"
			none_soon)"
	done
	cat >"$work/one/CTestTestfile.cmake" <<END
add_test(says sh -c "echo FORBIDDEN; exec sleep 0.3")
set_tests_properties(says PROPERTIES FAIL_REGULAR_EXPRESSION FORBIDDEN)
END
	strace -o "$work/trace" -e trace=read "$CCTR" --test-dir "$work/one" >"$work/output" 2>&1
	n=$(grep -E '^read' "$work/trace" | grep -nF '"FORBIDDEN' | cut -d: -f1)
	strace -o "$work/trace" -e trace=read -e "inject=read:error=EIO:when=$n" \
		"$CCTR" --test-dir "$work/one" --output-junit "$work/junit.xml" >"$work/output" 2>&1
	status=$?
	check "what cannot be read fails the test" "$([ $status = 8 ] || echo "status $status"
		grep -q 'Failed *Output lost: i/o error' "$work/output" || cat "$work/output")"
	check "... in the log and in JUnit, too" "$(
		grep -c 'Output lost: i/o error' "$work/one/Testing/Temporary/LastTest.log" |
			grep -v '^1'
		grep -q 'Output lost: i/o error' "$work/junit.xml" || cat "$work/junit.xml")"
	strace -o "$work/trace" -e trace=read -e "inject=read:error=EINTR:when=$n" \
		"$CCTR" --test-dir "$work/one" >"$work/output" 2>&1
	check "an interrupted read is repeated" \
		"$(grep -q 'Failed *Error regular expression found' "$work/output" || cat "$work/output")"
	# Its pipe is closed then, and SIGPIPE ends it.
	cat >"$work/one/CTestTestfile.cmake" <<END
add_test(writes head -c 10000000 /dev/zero)
END
	strace -o "$work/trace" -e trace=read "$CCTR" --test-dir "$work/one" >/dev/null 2>&1
	n=$(grep -E '^read' "$work/trace" | grep -nF '"\0\0' | head -1 | cut -d: -f1)
	strace -o "$work/trace" -e trace=read -e "inject=read:error=EIO:when=$n" \
		"$CCTR" --test-dir "$work/one" >"$work/output" 2>&1
	status=$?
	check "... also one that still writes" "$([ $status = 8 ] || echo "status $status"
		grep -q 'Failed *Output lost: i/o error' "$work/output" || cat "$work/output")"
	for error in ENOMEM EINTR; do
		strace -o "$work/trace" -e trace=poll -e "inject=poll:error=$error:when=1+2" \
			"$CCTR" --test-dir "$work/many" -j8 >"$work/output" 2>&1
		check "poll may fail with $error" "$(
			grep -q '0 tests failed out of 60' "$work/output" || tail "$work/output")"
	done
	# So many tests that descriptors are registered: all wait for a lock, which the last one frees.
	mkfifo "$work/held" "$work/go"
	for i in $(seq 200); do
		echo "add_test(t$i flock -s \"$work/lock\" true)"
	done >"$work/many/CTestTestfile.cmake"
	echo "add_test(last sh -c \"echo >'$work/go'\")" >>"$work/many/CTestTestfile.cmake"
	for fault in epoll_create1:error=EMFILE epoll_create1:error=ENOSYS epoll_ctl:error=ENOSPC:when=150 \
		epoll_ctl:error=ENOMEM:when=1 epoll_wait:error=EINTR:when=1+2 epoll_wait:error=ENOMEM:when=3; do
		# shellcheck disable=SC2016 # for the inner shell
		flock "$work/lock" sh -c 'echo >"$0"; read -r _ <"$1"' "$work/held" "$work/go" &
		read -r _ <"$work/held"
		strace -o "$work/trace" -e "trace=${fault%%:*}" -e "inject=$fault" \
			"$CCTR" --test-dir "$work/many" -j201 >"$work/output" 2>&1
		check "no test is lost: $fault" "$(
			grep -q INJECTED "$work/trace" || echo "no call failed"
			grep -q '0 tests failed out of 201' "$work/output" || tail "$work/output")"
	done
fi

finish
