#!/bin/sh
# The files that steps on the command line leave, in the dialects that make them
# otherwise: by steps of their own, and by the commands of scripts.
set -u
. tests/meta/tap.sh

own_folder
cctr=$(realpath "${CCTR:?}")

for version in 3.25 3.31 4.0 4.4; do
	rm -rf "$work/tree"
	mkdir "$work/tree"
	echo 'project(none NONE)' >"$work/tree/CMakeLists.txt"
	echo 'add_test(a /bin/true)' >"$work/tree/CTestTestfile.cmake"
	printf '%s\n' "BuildDirectory: $work/tree" "SourceDirectory: $work/tree" \
		'ConfigureCommand: /bin/true' 'MakeCommand: /bin/true' \
		>"$work/tree/DartConfiguration.tcl"
	(cd "$work/tree" && CCTR_COMPAT_VERSION=$version "$cctr" -T Start -T Configure \
		-T Build -T Test -T Notes -A CTestTestfile.cmake) >"$work/output" 2>&1
	check "files of a line in $version" "$(is \
		"$(cd "$work/tree/Testing" && ls -- *-*/)" "Build.xml
Configure.xml
Notes.xml
Test.xml")"

	rm -rf "$work/tree/Testing"
	(cd "$work/tree" && CCTR_COMPAT_VERSION=$version "$cctr" -T Test) \
		>"$work/output" 2>&1
	check "and without a start" "$(is "$(cd "$work/tree/Testing" && ls -- *-*/)" Test.xml)"
done

finish
