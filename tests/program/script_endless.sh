#!/bin/sh
# Commands of scripts from which ctest never returns, or of which it says something else.
set -u
. tests/meta/tap.sh
own_scripts

for release in 3.25 4.4; do
	export CCTR_COMPAT_VERSION=$release
	cat >s.cmake <<-'END'
		set(CTEST_RUN_CURRENT_SCRIPT OFF)
		ctest_sleep(-1)
		ctest_sleep(10 5 3)
		message(behind)
	END
	timeout 250 "$cctr" -S s.cmake >out 2>err
	check "$release: to sleep less than nothing" "$(is "$? $(cat out err)" "0 behind")"
	cat >s.cmake <<-'END'
		set(CTEST_RUN_CURRENT_SCRIPT OFF)
		ctest_run_script()
	END
	timeout 250 "$cctr" -S s.cmake >out 2>err
	check "$release: to run no script" "$(is "$?" 255)"
	check "$release: ... and it says so" "$(grep -q '(ctest_run_script):$' err || cat out err)"
done
finish
