#!/bin/sh
# What whoever starts cctr may have left it: closed streams, SIGCHLD ignored or blocked.
set -u
. tests/meta/tap.sh

own_folder
export CCTR_COMPAT_VERSION=3.25
echo 'add_test(a sh -c "echo said")' >"$work/CTestTestfile.cmake"
log=$work/Testing/Temporary/LastTest.log

# A file of cctr's that took the number of a stream would hold what the stream gets.
run() {
	rm -rf "$work/Testing"
	"$CCTR" --test-dir "$work" -V --output-junit junit.xml
}
is_whole() {
	status=$?
	[ $status = 0 ] || echo "status $status"
	is "$(head -c 14 "$log")" "Start testing:"
	is "$(grep -c said "$log")" 2
	is "$(head -c 5 "$work/junit.xml")" "<?xml"
	grep -l "Constructing" "$log" "$work/junit.xml"
}
run <&- >"$work/output" 2>&1
check "without standard input" "$(is_whole)"
run 2>"$work/output" >&-
check "without standard output" "$(is_whole)"
run >"$work/output" 2>&-
check "without standard error" "$(is_whole)"
run <&- >&- 2>&-
check "without any" "$(is_whole)"

if command -v cmake >/dev/null &&
		env --block-signal=CHLD --ignore-signal=CHLD true 2>/dev/null; then
	cat >"$work/CTestTestfile.cmake" <<'END'
execute_process(COMMAND sh -c "exit 3" RESULT_VARIABLE result)
if(NOT result EQUAL 3)
  message(FATAL_ERROR "it exited with ${result}")
endif()
add_test(a sh -c "exit 4")
END
	for how in ignore block; do
		timeout -s KILL 120 env --$how-signal=CHLD \
			"$CCTR" --test-dir "$work" >"$work/output" 2>&1
		check "a child ends where it was to $how that" \
			"$([ $? = 8 ] || cat "$work/output")"
	done
fi

finish
