#!/bin/sh
# --stop-time while --repeat would run a test again: the test has failed, and is listed. The signal of
# its own limit is not sent.
set -u
. tests/meta/tap.sh
own_scripts

cat >CTestTestfile.cmake <<'END'
add_test(hangs /bin/sh -c "trap 'echo caught >caught' USR1; sleep 600 & wait; sleep 600")
set_tests_properties(hangs PROPERTIES TIMEOUT_SIGNAL_NAME SIGUSR1)
add_test(next /bin/true)
END
for release in 3.25 4.3; do
	CCTR_COMPAT_VERSION=$release "$cctr" --repeat until-pass:3 \
		--stop-time "$(date -d "@$(($(date +%s) + 4))" +%T)" >out 2>err
	check "$release: the run has failed" "$(is "$?" 8)"
	check "$release: ... and says why" \
		"$(is "$(cat out err | grep -c '^The stop time has been passed.')" 1)"
	check "$release: ... the test has had one attempt" "$(is "$(grep -c 'Start 1: hangs' out)" 1)"
	check "$release: ... and is listed" "$(is "$(grep -c 'hangs (Timeout)' out)" 1
		is "$(cat Testing/Temporary/LastTestsFailed.log)" "1:hangs")"
	check "$release: ... the next one does not start" "$(grep 'next' out)"
	check "$release: ... no signal is sent before it is killed" "$([ ! -e caught ] || echo it is sent)"
done
finish
