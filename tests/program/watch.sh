#!/bin/sh
# --watch: tests run again when their files have changed.
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_tree tree
needs python3
[ -e /proc/sys/fs/inotify/max_user_watches ] || skip_all "no inotify"
said="$work/said"
: >"$work/ran"

# A program that notes that it ran, complete when it appears.
program() { # name, what it does then
	printf '#!/bin/sh\necho %s >>"%s/ran"\n%s\n' "$1" "$work" "$2" >"$work/new"
	chmod +x "$work/new"
	mv "$work/new" "$tree/$1"
}
# What has been run since the last call.
ran() {
	sort "$work/ran" | paste -sd ' '
	: >"$work/ran"
}
waits_for() { # so many times
	[ "$(grep -c 'waiting for a change' "$said")" -ge "$1" ] || ! kill -0 "$watch" 2>/dev/null
}
start() { # options...
	: >"$said" # before the process that opens it: what the last one said must not count
	timeout 250 "$CCTR" --test-dir "$tree" --watch "$@" >"$work/output" 2>"$said" </dev/null &
	watch=$!
	rounds=1
	await waits_for 1
}
# Waits until the tests that the change concerns have run.
changed() {
	rounds=$((rounds + 1))
	await waits_for "$rounds"
}
end() {
	kill -TERM "$watch"
	wait "$watch" 2>"$work/job"
	ended=$?
}
state() {
	grep 'waiting' "$said" | tail -n 1 | sed 's/; .*//'
}

program a 'exit 0'
program b 'exit 1'
program c 'exit 0'
echo one >"$work/data"
declare_tests <<END
add_test(a "$tree/a")
add_test(b "$tree/b")
add_test(c "$tree/c")
set_tests_properties(c PROPERTIES REQUIRED_FILES "$work/data")
END
start -j4
equal "first all run" "a b c" "$(ran)"
equal "and it is said that it waits" "--watch: 1 of 3 tests failed" "$(state)"
program a 'exit 0 # again'
changed
equal "those whose programs change run again, and those that failed" "a b" "$(ran)"
equal "their names are said" "--watch: 2 of 3 tests: a, b" "$(grep 'tests: ' "$said")"
program b 'exit 0'
changed
equal "what passes is not run again" "b" "$(ran)"
equal "and now no test fails" "--watch: no test of 3 failed" "$(state)"
echo two >"$work/data"
changed
equal "REQUIRED_FILES count" "c" "$(ran)"
program d 'exit 0'
{
	echo
	echo "add_test(d \"$tree/d\")"
	cat "$tree/CTestTestfile.cmake"
} >"$tree/new"
mv "$tree/new" "$tree/CTestTestfile.cmake"
changed
equal "a new test runs, and those whose lines have moved do not" "d" "$(ran)"
echo 'set_tests_properties(b PROPERTIES ENVIRONMENT "X=1")' >>"$tree/CTestTestfile.cmake"
changed
equal "a test with another property runs" "b" "$(ran)"
rm "$tree/a"
changed
equal "a program that is gone is noticed" "--watch: 1 of 4 tests failed" "$(state)"
program a 'exit 0'
changed
equal "and one that comes back" "a --watch: no test of 4 failed" "$(ran) $(state)"
echo 'if(' >>"$tree/CTestTestfile.cmake"
changed
equal "test files that cannot be read fail" " --watch: the run failed" "$(ran) $(state)"
sed -i '$d' "$tree/CTestTestfile.cmake"
changed
equal "and all runs when they can be read again" "a b c d" "$(ran)"
end
equal "a signal ends the watch" 143 "$ended"

# What changes while tests run. The programs change themselves.
program once "[ -e '$work/done' ] || { : >'$work/done'; cp '$tree/once' '$tree/copy'; mv '$tree/copy' '$tree/once'; }"
program always "cp '$tree/always' '$tree/other'; mv '$tree/other' '$tree/always'"
program writes "date >>\"\$1\""
: >"$tree/written"
declare_tests <<END
add_test(once "$tree/once")
add_test(always "$tree/always")
add_test(writes "$tree/writes" "$tree/written")
END
start
equal "a program that changed while it ran is run again at once, and once only" \
	"always always once once writes" "$(ran)"
equal "that it changes each time is said" 1 "$(grep -c 'what always needs changes in each run' "$said")"
echo more >>"$tree/written"
changed
equal "files of a command count, though not what tests write into them" "writes" "$(ran)"
end

# What failed or did not run is not forgotten.
program a 'exit 1'
program b 'exit 0'
declare_tests <<END
add_test(a "$tree/a")
add_test(b "$tree/b")
END
start --stop-on-failure
equal "tests that --stop-on-failure keeps from running are counted" \
	"a --watch: 1 of 2 tests failed, 1 did not run" "$(ran) $(state)"
program a 'exit 0'
changed
equal "and run in the next round" "a b --watch: no test of 2 failed" "$(ran) $(state)"
end
rm -f "$tree/Testing/Temporary/LastTestsFailed.log"
mkdir "$tree/Testing/Temporary/LastTestsFailed.log"
touch -d 2000-01-01 "$tree/Testing/Temporary/LastTestsFailed.log"
echo 1:a >"$tree/Testing/Temporary/LastTestsFailed_20200101-0000.log"
program b 'exit 1'
start
equal "a failure that could not be written counts, not that of an old list" "a b --watch: 1 of 2 tests failed" \
	"$(ran) $(state)"
program a 'exit 0 # again'
changed
equal "and runs again" "a b" "$(ran)"
end
rm -r "$tree/Testing/Temporary/LastTestsFailed.log"

for option in -N '--shard 1/2' '-T Test' --simulate -F; do
	# shellcheck disable=SC2086 # two words
	equal "$option does not go with it" 1 "$(cctr --watch $option >"$work/refused"; echo $?)"
done
equal "and that is said" 1 "$(grep -c "'--watch' runs tests again and again" "$work/refused")"

# On a terminal, where each text that it waits is answered.
declare_tests <<END
add_test(a "$tree/a")
add_test(fails "/bin/false")
END
on_terminal() { # keys...
	timeout 250 python3 tests/program/watch_terminal.py "$CCTR" "$tree" "$@" </dev/null
}
: >"$work/ran"
equal "q ends it, with the exit code of the last run" "8 a" "$(on_terminal 'q\n') $(ran)"
equal "Enter runs all" "8 a a" "$(on_terminal '\n' 'q\n') $(ran)"
echo 'add_test(a "/bin/true")' >"$tree/CTestTestfile.cmake"
equal "Ctrl-C ends it, too" "0" "$(on_terminal '\x03')"

needs cmake
needs make
source="$work/source"
mkdir "$source"
tree="$work/build"
cat >"$source/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(p LANGUAGES C)
enable_testing()
add_executable(one one.c)
add_executable(two two.c)
add_test(NAME one COMMAND one)
add_test(NAME two COMMAND two)
END
body() { # name, exit code
	cat >"$source/new" <<END
#include <stdio.h>
int main(void) { FILE *f = fopen("$work/ran", "a"); fputs("$1\n", f); return fclose(f) + $2; }
END
	mv "$source/new" "$source/$1.c"
}
body one 0
body two 0
mkdir -p "$tree/.cmake/api/v1/query"
: >"$tree/.cmake/api/v1/query/codemodel-v2"
cmake -G "Unix Makefiles" -S "$source" -B "$tree" >"$work/output" 2>&1 || skip_all "no C compiler"
: >"$work/ran"
start --build
equal "with --build it builds first" "one two" "$(ran)"
body one 1
changed
equal "a source that changes is built, and the tests of its program run" "one --watch: 1 of 2 tests failed" \
	"$(ran) $(state)"
echo 'int main(' >"$source/one.c"
changed
equal "no test runs where the build fails" " --watch: the build failed" "$(ran) $(state)"
body one 0
changed
equal "and they run when it succeeds" "one --watch: no test of 2 failed" "$(ran) $(state)"
end
finish
