#!/bin/sh
# --stop-time while --repeat would run a test again: the test has failed, and is listed.
set -u
. tests/meta/tap.sh
own_scripts

printf 'add_test(hangs /bin/sleep 600)\nadd_test(next /bin/true)\n' >CTestTestfile.cmake
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
done
finish
