#!/bin/sh
# A signal and what a script asks for are there at the same time: nothing begins any more.
set -u
. tests/meta/tap.sh
needs cmake
for file in /proc/locks "/proc/$$/task/$$/children"; do
	[ -r "$file" ] || skip_all "nobody tells who waits for a lock"
done

own_folder
mkfifo "$work/ready" "$work/go"
export CCTR_COMPAT_VERSION=3.25
cat >"$work/script.cmake" <<END
set(CTEST_SOURCE_DIRECTORY $work)
set(CTEST_BINARY_DIRECTORY $work/build)
execute_process(COMMAND sh -c "echo >$work/ready; read _ <$work/go")
ctest_start(Experimental)
END

"$CCTR" -S "$work/script.cmake" >"$work/output" 2>&1 &
program=$!
read -r _ <"$work/ready"
kill -STOP $program
echo >"$work/go"
# The script has asked when its cmake waits for the lock that cctr has.
tr " " "\n" <"/proc/$program/task/$program/children" >"$work/children"
while read -r child; do
	grep -q guardian "/proc/$child/comm" || cmake=$child
done <"$work/children"
for _ in $(seq 6000); do
	waits=$(grep -E -- "-> .* $cmake " /proc/locks) && break
	sleep 0.01
done
kill -TERM $program
kill -CONT $program
wait $program
status=$?
check "the script has asked" "$([ -n "$waits" ] || cat /proc/locks)"
check "the signal ends it" "$([ $status = 143 ] || echo "status $status"; cat "$work/output")"
check "what the script asked for is not begun" "$(cd "$work" && find build 2>/dev/null)"

finish
