#!/bin/sh
# --build: builds what the selected tests need, and nothing runs if that fails.
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_folder
needs cmake
needs make
source="$work/source"
tree="$work/the tree"
mkdir -p "$source"
equal() { # title, what is expected, what is there
	check "$1" "$(is "$3" "$2")"
}
cat >"$source/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(p LANGUAGES C)
enable_testing()
add_executable(good good.c)
add_executable(other good.c)
set_target_properties(other PROPERTIES OUTPUT_NAME "renamed")
add_executable(bad bad.c)
add_test(NAME good COMMAND good)
add_test(NAME other COMMAND other "$<TARGET_FILE:good>")
add_test(NAME bad COMMAND bad)
add_test(NAME script COMMAND "${CMAKE_COMMAND}" -E true)
END
echo 'int main(void) { return 0; }' >"$source/good.c"
echo 'int main(void) {' >"$source/bad.c"
cmake -G "Unix Makefiles" -S "$source" -B "$tree" >"$work/output" 2>&1 || skip_all "no C compiler"
built() {
	for name in good renamed bad; do
		test -e "$tree/$name" && echo "$name"
	done | paste -sd ' '
}
said() {
	grep -c -- "$1" "$work/said"
}
run() { # options...
	timeout 250 "$CCTR" --test-dir "$tree" "$@" >"$work/output" 2>"$work/said" </dev/null
}

run --build -R good
equal "without a reply all is built, and what fails keeps the tests from running" "8 1 1 0" \
	"$? $(said 'everything is built: CMake.s file API') $(said 'the build failed, no test runs: .*cmake --build') $(
	grep -c Start "$work/output")"
cmake "$tree" >"$work/output" 2>&1
cmake --build "$tree" --target clean
run --build -N -R good
equal "a listing builds nothing" "0 " "$? $(built)"
run --build -R good
equal "only the target of the test is built" "0 good" "$? $(built)"
equal "it was not said that all is" 0 "$(said everything)"
run --build -R other -j2
equal "and those that its command names" "0 good renamed" "$? $(built)"
rm "$tree/good"
run --build -R other
equal "also where the program is there" "0 good renamed" "$? $(built)"
run --build -R 'good|bad'
equal "a build that fails" "8 1 0" "$? $(said 'no test runs: .* --target bad good\|no test runs: .* --target good bad') $(
	grep -c Start "$work/output")"
run --build -R script
equal "of a script nothing is known" "8 1" "$? $(said 'the program of a test is of no target: script')"
run --build -R nothing
equal "where no test is known, all is built" "8 1" "$? $(said 'everything is built: no tests are known')"
# Which target a test needs changes with the build itself.
cp "$source/good.c" "$source/now.c"
sed '/^add_test/d' "$source/CMakeLists.txt" >"$work/lists"
{
	cat "$work/lists"
	echo 'add_executable(now now.c)'
	echo 'add_test(NAME good COMMAND good)'
} >"$source/CMakeLists.txt"
cmake "$tree" >"$work/output" 2>&1
cmake --build "$tree" --target good now >"$work/output" 2>&1
run --build
equal "a test passes" "0 0" "$? $(said everything)"
echo 'int main(void) { return 7; }' >"$source/now.c"
sed -i 's/COMMAND good/COMMAND now/' "$source/CMakeLists.txt"
run --build
equal "its other program is built before it runs" "8 0 1" \
	"$? $(said 'everything\|no test runs') $(grep -c 'good \.*\*\*\*Failed' "$work/output")"

printf 'add_test(later "later_NOT_BUILT")\n' >>"$tree/CTestTestfile.cmake"
run --build -R good
equal "or where some appear with the build" "8 1" "$? $(said 'tests are not known before: later')"
echo 'broken' >"$(find "$tree/.cmake/api/v1/reply" -name 'target-good*')"
run --build -R good
equal "a reply that cannot be read is none" "8 1" "$? $(said 'everything is built: CMake')"
finish
