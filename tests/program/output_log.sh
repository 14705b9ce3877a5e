#!/bin/sh
# --output-log where nothing can be written, by root neither: an error, and no test runs.
set -u
. tests/meta/tap.sh
[ -d /proc/self ] || skip_all "no /proc"

own_folder
echo 'add_test(a touch ran)' >"$work/CTestTestfile.cmake"
: >"$work/file"
for release in 3.25 4.4; do
	export CCTR_COMPAT_VERSION=$release
	for words in "" -N -Q --show-only=json-v1 --print-labels; do
		(cd "$work" && "${CCTR:?}" $words -O /proc/none/x.log >out 2>err)
		check "$release: $words is an error" "$(is "$?" 8)"
		check "... that says why" "$(is "$(head -n 2 "$work/err")" \
			"CMake Error: Cannot open file for write: /proc/none/x.log.tmp
CMake Error: : System Error: No such file or directory")"
		check "... and runs nothing" "$(ls "$work/ran" 2>/dev/null; grep Start "$work/out")"
	done
	(cd "$work" && "$CCTR" -O ../"$(basename "$work")"/file/x.log >out 2>err)
	check "$release: below a file" "$(is "$? $(head -n 2 "$work/err")" \
		"8 CMake Error: Cannot open file for write: $work/file/x.log.tmp
CMake Error: : System Error: Not a directory")"
done
finish
