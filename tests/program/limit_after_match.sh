#!/bin/sh
# A limit that a line of output sets ends its test, and not the run, in every dialect.
set -u
. tests/meta/tap.sh
own_scripts

cat >CTestTestfile.cmake <<'END'
add_test(match /bin/sh -c "echo out; exec sleep 600")
set_tests_properties(match PROPERTIES TIMEOUT_AFTER_MATCH "0.2;out")
add_test(next /bin/true)
END
for release in 3.25 3.29 3.31 4.0 4.1 4.3 4.4; do
	CCTR_COMPAT_VERSION=$release "$cctr" >out 2>err
	check "$release: the test fails" "$(is "$?" 8)"
	check "$release: ... by its limit" "$(grep -q 'match .*\*\*\*Timeout' out || cat out)"
	check "$release: ... and the next one runs" "$(grep -q 'next .* Passed' out || cat out)"
	check "$release: ... without a word of a stop time" "$(grep 'stop time' out err)"
done
finish
