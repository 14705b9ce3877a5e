#!/bin/sh
# Runs that end in the middle: what has ended is in the files, and -F and --rerun-failed
# lose no verdict.
# shellcheck disable=SC2016 # expanded by the tests
set -u
. tests/meta/tap.sh
search_no_leaks

cctr=$(realpath "${CCTR:?}")
own_folder
export CCTR_COMPAT_VERSION=3.25 WORK="$work"
tree="$work/tree"
files="$tree/Testing/Temporary"
mkdir "$tree"

# The test "stops" kills cctr, once: what comes before it has ended then.
cat >"$tree/CTestTestfile.cmake" <<'END'
add_test(passes "/bin/true")
add_test(fails "/bin/sh" "-c" "echo why; exit 1")
add_test(skips "/bin/sh" "-c" "exit 77")
add_test(stops "/bin/sh" "-c" "test ! -f $WORK/armed || { rm $WORK/armed; kill -KILL $PPID; }")
add_test(never "/bin/true")
set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 77)
END
run() {
	(cd "$tree" && exec "$cctr" "$@") >"$work/output" 2>&1
	status=$?
}
killed() { # arguments
	touch "$work/armed"
	run "$@"
	[ "$status" = 137 ] || echo "status $status"
}
numbers() {
	sed 's/:.*//' "$files/LastTestsFailed.log" 2>/dev/null | sort -nu | tr '\n' ' '
}
ran() {
	sed -n 's/^ *Start *[0-9]*: //p' "$work/output" | tr '\n' ' '
}

check "a run is killed" "$(killed)"
check "the log has the output of what ended" \
	"$(is "$(grep -c -e '^why$' -e '^"fails" end time' "$files/LastTest.log.tmp")" 2)"
check "the checkpoint has what ended well" \
	"$(is "$(cut -d' ' -f1,3 "$files/CTestCheckpoint.txt" | tr '\n' ' ')" "1 passes 3 skips ")"
check "the failed list has what failed" "$(is "$(numbers)" "2 ")"
run -F
check "-F runs what failed, and the rest" "$(is "$status $(ran)" "8 fails stops never ")"
check "costs of what ended before are counted" \
	"$(is "$(sed -n 's/^\([a-z]* [0-9]*\) .*/\1/p' "$files/CTestCostData.txt" | tr '\n' ' ')" \
		"passes 1 fails 0 stops 1 never 1 ")"
run --rerun-failed -N
check "--rerun-failed after that" "$(is "$(grep -c 'Test *#2: fails' "$work/output")" 1)"

# A run that gets no descriptor for its loop does not begin.
if command -v prlimit >/dev/null; then
	check "a run is killed before one that cannot begin" "$(killed)"
	cp "$files/CTestCheckpoint.txt" "$files/LastTestsFailed.log" "$work"
	for descriptors in $(seq 4 20); do
		(cd "$tree" && exec prlimit -n="$descriptors" "$cctr" -F) >"$work/output" 2>&1
		! grep -q 'cannot make the signal pipe' "$work/output" || break
		cp "$work/CTestCheckpoint.txt" "$work/LastTestsFailed.log" "$files"
	done
	check "no run begins" \
		"$(grep -q 'cannot make the signal pipe' "$work/output" || cat "$work/output")"
	check "and what -F needs stays" "$(for file in CTestCheckpoint.txt LastTestsFailed.log; do
		cmp "$work/$file" "$files/$file" 2>&1
	done)"
	run -F
	check "-F goes on as before" "$(is "$status $(ran)" "8 fails stops never ")"
fi

# An earlier run knows of 5; the one that is killed says nothing of it.
printf '5:never\n' >"$files/LastTestsFailed.log"
check "a run is killed after another" "$(killed)"
check "the list keeps what failed before" "$(is "$(numbers)" "2 5 ")"
run
check "a run that ends replaces the list" "$(is "$status $(numbers)" "8 2 ")"
check "and removes the checkpoint" "$(ls "$files/CTestCheckpoint.txt" 2>/dev/null)"

# Without a list --rerun-failed runs all tests, also when it is repeated after a kill.
rm -rf "$tree/Testing"
check "--rerun-failed without a list is killed" "$(killed --rerun-failed)"
run --rerun-failed -F
check "and goes on with the tests that have not run" \
	"$(is "$status $(ran) $(numbers)" "8 fails stops never  2 ")"

# The list of a dashboard has a name of its own.
rm -rf "$tree/Testing"
run
check "a dashboard is killed" "$(killed -T Start -T Test)"
run --rerun-failed -N
check "its list begins with that of the run before" \
	"$(is "$(grep -c 'Test *#2: fails' "$work/output")" 1)"

# Tests that harm the log while it is written.
mkdir "$work/harm"
cat >"$work/harm/CTestTestfile.cmake" <<'END'
add_test(before "/bin/echo" "said before")
add_test(harms "/bin/sh" "-c" "eval \"$HARM\"")
add_test(after "/bin/echo" "said after")
END
harm() { # what the test does; $3: the exit code
	rm -rf "$work/harm/Testing"
	(cd "$work/harm" && HARM=$2 exec timeout 60 "$cctr") >"$work/output" 2>&1
	status=$?
	check "$1: the log is whole" "$(is "$status $(grep -c -e '^said ' -e '^End testing' \
		"$work/harm/Testing/Temporary/LastTest.log")" "0 3"
		[ -L "$work/harm/Testing/Temporary/LastTest.log" ] && echo "it is a link")"
}
harm "the folder is removed" 'rm -r Testing'
harm "the log is removed" 'rm Testing/Temporary/LastTest.log.tmp'
harm "the log is replaced" 'echo forged >x; mv x Testing/Temporary/LastTest.log.tmp'
harm "the log is replaced by a link" \
	'echo forged >x; ln -sf $PWD/x Testing/Temporary/LastTest.log.tmp'
harm "the log is replaced by a FIFO" \
	'rm Testing/Temporary/LastTest.log.tmp; mkfifo Testing/Temporary/LastTest.log.tmp'
harm "FIFOs are in the way of all files" 'for f in CTestCostData.txt LastTestsFailed.log; do
	mkfifo Testing/Temporary/$f.tmp; done'

# By stock ctest: numbers of all tests, the failed one too.
rm -rf "$tree/Testing"
mkdir -p "$files"
printf '1\n2\n3\n4\n5\n' >"$files/CTestCheckpoint.txt"
run -F
check "numbers of ctest lose no failure" \
	"$(is "$status $(ran)" "8 passes fails skips stops never ")"

# Numbers that have moved.
sed -i '1i add_test(new "/bin/true")' "$tree/CTestTestfile.cmake"
printf '1 0.1 passes\n4 - skips\n' >"$files/CTestCheckpoint.txt"
run -F
check "a number counts for its test alone" \
	"$(is "$status $(ran)" "8 new passes fails stops never ")"

if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	# What must not stay cannot be removed.
	touch "$files/CTestCheckpoint.txt"
	(cd "$tree" && strace -qq -o /dev/null -P "$files/CTestCheckpoint.txt" \
		-e inject=unlink:error=EIO "$cctr" -R passes) >"$work/output" 2>&1
	check "a checkpoint that cannot be removed is an error" \
		"$(is "$? $(grep -c 'CTestCheckpoint.txt: cannot be removed' "$work/output")" "8 1")"

	# The list is on the disk before it gets its name, and so is the name before the
	# checkpoint goes. A green run does not wait for the disk.
	synced() { # arguments
		rm -f "$files/CTestCheckpoint.txt"
		(cd "$tree" && strace -qq -y -o "$work/calls" -e trace=fsync,rename,unlink "$cctr" "$@") \
			>/dev/null 2>&1
		grep -E 'fsync|Failed|Checkpoint' "$work/calls" | grep -v ENOENT |
			sed "s|^\([a-z]*\)[^/]*$files/*\([A-Za-z.]*\).*|\1 \2|" | tr '\n' ' '
	}
	check "a failed list is written before its name and before the checkpoint goes" \
		"$(is "$(synced -R 'passes|fails')" \
			"fsync LastTestsFailed.log.tmp rename LastTestsFailed.log.tmp fsync  unlink CTestCheckpoint.txt ")"
	check "a green run waits for no disk" \
		"$(is "$(synced -R passes)" "unlink CTestCheckpoint.txt ")"
fi

finish
