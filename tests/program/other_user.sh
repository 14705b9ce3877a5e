#!/bin/sh
# A test that has become another user cannot be ended: cctr ends without it, and names it.
# shellcheck disable=SC2086 # $unprivileged is words
set -u
. tests/meta/tap.sh
needs setpriv
[ "$(id -u)" = 0 ] || skip_all "only root makes setuid programs"
test -r /proc/self/limits || skip_all "no /proc"

own_folder
chmod 755 "$work"
export CCTR_COMPAT_VERSION=3.25
"${CC:-cc}" -D_GNU_SOURCE -o "$work/other" tests/helpers/other_user.c || exit 1
cp "$CCTR" "$work/cctr"
chmod 4755 "$work/other"
mkdir -m 777 "$work/tree"
cd "$work/tree" || exit 1
unprivileged="setpriv --reuid 65534 --regid 65534 --clear-groups env --default-signal"
cat >CTestTestfile.cmake <<END
add_test(other "$work/other" "$work/tree/pid")
add_test(after true)
END
$unprivileged "$work/cctr" -N >/dev/null 2>&1 || skip_all "another user cannot run cctr"
stop_other() {
	kill -9 "$(cat pid)"
	rm -rf pid Testing
}
named() { # how cctr names it
	is "$(grep -E 'could not be ended' "$work/output")" \
		"process $(cat pid) (other) could not be ended and still runs"
}

for signal in INT TERM; do
	$unprivileged "$work/cctr" >"$work/output" 2>&1 &
	program=$!
	for _ in $(seq 3000); do
		[ -s pid ] && break
		sleep 0.01
	done
	kill -$signal $program
	read -r before _ </proc/uptime
	wait $program
	read -r after _ </proc/uptime
	check "SIG$signal ends cctr" "$(
		[ "$((${after%.*} - ${before%.*}))" -lt 20 ] || echo "$before to $after")"
	check "... and the test is named" "$(named)"
	stop_other
done

# The first test has much memory, which is not that of the next one.
{
	echo 'add_test(large sh -c "head -c 60000000 /dev/zero | tail -n 1 | wc -c")'
	cat CTestTestfile.cmake
} >new
mv new CTestTestfile.cmake
$unprivileged "$work/cctr" --timeout 1 --events "$work/tree/events" >"$work/output" 2>&1
status=$?
check "at its limit the test has timed out, and others run" "$([ $status = 8 ] || echo "status $status"
	grep -q 'other .*\*\*\*Timeout' "$work/output" || cat "$work/output"
	grep -q 'after .* Passed' "$work/output" || cat "$work/output")"
check "... and it is named" "$(named)"
check "... and what it has used is not known" "$(
	is "$(grep '"end".*"other"' events | grep -oE '"peak_bytes":[0-9]*')" '"peak_bytes":0')"
stop_other

# A command apart from the tests.
echo "set(CTEST_CUSTOM_PRE_TEST \"$work/other $work/tree/pid\")" >CTestCustom.cmake
timeout --foreground -s KILL 60 $unprivileged "$work/cctr" >"$work/output" 2>&1 &
program=$!
for _ in $(seq 3000); do
	[ -s pid ] && break
	sleep 0.01
done
kill -INT $program
wait $program
status=$?
check "a command that cannot be ended is not waited for" \
	"$([ $status = 130 ] || { echo "status $status" && cat "$work/output"; })"
check "... and it is named" "$(named)"
stop_other

# Another user's run in the same tree.
rm -rf CTestCustom.cmake Testing
mkdir Testing Testing/Temporary
chmod 777 Testing Testing/Temporary
cat >CTestTestfile.cmake <<END
add_test(waits sh -c "[ $(id -u) != \$(id -u) ] || { echo >pid; until [ -e go ]; do sleep 0.01; done; }")
END
"$CCTR" >"$work/output" 2>&1 &
program=$!
for _ in $(seq 3000); do
	[ -s pid ] && break
	sleep 0.01
done
before=$(stat -c %i Testing/Temporary/cctr.sock)
$unprivileged "$work/cctr" >"$work/other_output" 2>&1
check "a run leaves the socket of another user's run alone" "$(is "$(stat -c %i Testing/Temporary/cctr.sock)" "$before" || cat "$work/other_output")"
: >go
wait $program

finish
