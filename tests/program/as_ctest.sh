#!/bin/sh
# cctr under the name ctest serves the target "test". That runs the ctest beside the cmake which
# configured the tree, wherever PATH points: a copy of cmake gets cctr for its ctest.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh
cmake=$(command -v cmake) || skip_all "no cmake"
cmake=$(readlink -f "$cmake")

own_folder
echo 'message("${CMAKE_ROOT}")' >"$work/root.cmake"
root=$("$cmake" -P "$work/root.cmake" 2>&1)
[ -d "$root" ] || skip_all "no folder of cmake's modules: $root"
mkdir -p "$work/bin" "$work/share" "$work/source"
cp "$cmake" "$work/bin/cmake"
ln -s "$root" "$work/share/$(basename "$root")"
ln -s "$CCTR" "$work/bin/ctest"
cat >"$work/source/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(served NONE)
enable_testing()
add_test(NAME passes COMMAND ${CMAKE_COMMAND} -E true)
add_test(NAME fails COMMAND ${CMAKE_COMMAND} -E false)
END
check "--version by that name" "$(
	"$work/bin/ctest" --version >"$work/said" 2>&1
	grep -q '^ctest version ' "$work/said" || cat "$work/said")"
check "a first word that is no option is ignored" "$(
	cd "$work" && echo 'add_test(a true)' >CTestTestfile.cmake
	bin/ctest -V stray >said 2>&1 || cat said
	bin/ctest stray >>said 2>&1 || cat said
	[ "$(grep -c '1/1 Test #1: a .* Passed' said)" -eq 2 ] || cat said)"
serves() { # generator, its program, its file
	tree=$work/$2
	"$work/bin/cmake" -S "$work/source" -B "$tree" -G "$1" >"$work/said" 2>&1 || cat "$work/said"
	check "$1: the target names the ctest beside cmake" \
		"$(grep -qF "$work/bin/ctest" "$tree/$3" || echo "another ctest")"
	"$2" -C "$tree" test >"$work/said" 2>&1
	status=$?
	check "$2 test: as ctest says and ends" "$(
		[ "$status" -ne 0 ] || echo "ended with 0"
		for text in "Test project $tree" '1/2 Test #1: passes' '2 - fails (Failed)' \
			'50% tests passed, 1 tests failed out of 2'; do
			grep -qF "$text" "$work/said" || { echo "no $text in:"; cat "$work/said"; }
		done)"
	"$work/bin/cmake" --build "$tree" --target test >"$work/said" 2>&1
	status=$?
	check "cmake --build, $1: the same" "$(
		[ "$status" -ne 0 ] || echo "ended with 0"
		grep -qF '2 - fails (Failed)' "$work/said" || cat "$work/said")"
}
command -v ninja >/dev/null && serves Ninja ninja build.ninja
command -v make >/dev/null && serves "Unix Makefiles" make Makefile
finish
