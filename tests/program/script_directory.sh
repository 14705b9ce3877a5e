#!/bin/sh
# A step of a script works in its build tree: names from the user and programs are looked for
# there, while cctr itself stays where the script is. That folder has another file of each
# name, which says so.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh
own_scripts

export CCTR_COMPAT_VERSION=3.30
for folder in here tree; do
	mkdir -p $folder/bin $folder/sub
	for name in program sub/program bin/tool; do
		printf '#!/bin/sh\necho "%s of %s in $(pwd -P)"\n' $name $folder >$folder/$name
		chmod +x $folder/$name
	done
	# A memory checker.
	cat >$folder/bin/valgrind <<-'TOOL'
		#!/bin/sh
		while case ${1-} in -*) ;; *) false ;; esac do shift; done
		exec "$@"
	TOOL
	chmod +x $folder/bin/valgrind
	for name in note attached; do
		echo "$name of $folder" >$folder/$name
	done
done
echo good >tree/suppressions
echo needed >tree/required
printf 'one\ntwo\nfour\nattaches\nneeds\nmeasures\n' >tree/names
echo two >here/names
echo two >tree/others
echo '1,6' >tree/range
echo '2,2' >here/range
slots='"version": {"major": 1, "minor": 0}, "local": [{"gpus": [{"id": "0", "slots":'
echo "{$slots 4}]}]}" >tree/spec
echo "{$slots 1}]}]}" >here/spec
cat >tree/CTestTestfile.cmake <<'END_OF_FILE'
add_test(one program)
add_test(two program)
add_test(four program)
set_tests_properties(four PROPERTIES RESOURCE_GROUPS gpus:4 WORKING_DIRECTORY sub)
add_test(attaches program)
set_tests_properties(attaches PROPERTIES ATTACHED_FILES "attached;lacking")
add_test(needs program)
set_tests_properties(needs PROPERTIES REQUIRED_FILES required)
add_test(measures /bin/echo
  "<CTestMeasurementFile type=\"text/plain\" name=\"m\">note</CTestMeasurementFile>")
END_OF_FILE
cat >here/s.cmake <<'END_OF_FILE'
set(CTEST_SOURCE_DIRECTORY .)
set(CTEST_BINARY_DIRECTORY ../tree)
set(CTEST_SITE s)
set(CTEST_BUILD_NAME n)
set(CTEST_CONFIGURE_COMMAND "bin/tool")
set(CTEST_BUILD_COMMAND "bin/tool")
set(CTEST_CUSTOM_PRE_TEST "bin/tool")
set(CTEST_MEMORYCHECK_COMMAND bin/valgrind)
set(CTEST_MEMORYCHECK_SUPPRESSIONS_FILE suppressions)
ctest_start(Experimental QUIET)
ctest_configure(RETURN_VALUE configured)
ctest_build(RETURN_VALUE built)
ctest_test(RETURN_VALUE tested RESOURCE_SPEC_FILE spec OUTPUT_JUNIT reports/junit.xml
  INCLUDE_FROM_FILE names EXCLUDE_FROM_FILE others)
file(GLOB results ../tree/Testing/*/Test.xml)
file(RENAME "${results}" ../tree/Test.xml)
ctest_memcheck(RETURN_VALUE checked RESOURCE_SPEC_FILE spec INCLUDE one)
ctest_test(RETURN_VALUE refused BUILD ../nowhere CAPTURE_CMAKE_ERROR error)
message("results ${configured} ${built} ${tested} ${checked} ${refused} ${error}")
execute_process(COMMAND pwd -P OUTPUT_VARIABLE place)
message("place ${place}")
END_OF_FILE
top=$(pwd -P)
cd here || exit 1
"$cctr" -S s.cmake -VV -I range --events events --tap tap --html page --trace trace \
	--timings times >../out 2>../err
cd ..

check "all steps but that of a missing tree succeed" "$(is "$(grep '^results' err)" \
	"results 0 0 0 0  -1")"
check "... which says why" "$(grep -qF \
	"ctest_test failed to change directory to $top/nowhere : No such file" err ||
	cat err)"
check "the script stays where it was" "$(is "$(grep '^place' err)" "place $top/here")"
check "no file of its folder is used" "$(! grep -rn 'of here' out err tree/Testing tree/Test.xml)"
check "a test starts where it should" "$(grep -qF \
	"sub/program of tree in $top/tree/sub" out || cat out)"
check "CTEST_CUSTOM_PRE_TEST, configure, build" "$(is \
	"$(cat out tree/Testing/Temporary/Last* | grep -cF "bin/tool of tree in $top/tree")" 5)"
check "the lists and the range choose" "$(is "$(sed -n 's/.*<Name>//; s/<.Name>//p' tree/Test.xml |
	sort -u | tr '\n' ' ')" "attaches four measures needs one ")"
check "a missing attached file" "$(grep -qF "Can't lstat lacking" err || cat err)"
for file in reports/junit.xml events tap page trace times; do
	check "$file is in the build tree" "$([ -s tree/$file ] || ls tree)"
	check "... and not here" "$(! ls here/$file 2>/dev/null)"
done
finish
