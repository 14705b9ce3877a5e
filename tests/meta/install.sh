#!/bin/sh
# What cmake --install leaves works, moved to another place too.
set -u
. tests/meta/tap.sh
needs cmake

own_folder

check "installs" "$(cmake --install "$CCTR_BUILD_DIR" --prefix "$work/first" 2>&1 >/dev/null)"
mv "$work/first" "$work/moved"
check "the program runs where it was moved" \
	"$("$work/moved/bin/cctr" --version >/dev/null 2>&1 || echo "exit code $?")"
check "the files cctr runs are installed" "$(for file in cmake/*.cmake; do
	name=${file##*/}
	grep -qx "  cmake/$name" cmake/CctrInstall.cmake || continue
	cmp "$file" "$work/moved/share/cctr/$name" 2>&1
done
[ -f "$work/moved/share/cctr/CctrManifest.cmake" ] || echo "no manifest driver"
[ -f "$work/moved/share/cctr/CctrScript.cmake" ] || echo "no script prelude")"
check "completions are installed" "$(for script in bash-completion/completions/cctr \
	zsh/site-functions/_cctr fish/vendor_completions.d/cctr.fish; do
	[ -s "$work/moved/share/$script" ] || echo "no $script"
done)"
if command -v rst2man >/dev/null; then
	check "man pages are installed" "$(for page in man1/cctr.1 man5/cctr-files.5 \
		man1/cctr-advise.1 man1/cctr-alloc.1 man1/cctr-compare.1 man1/cctr-history.1 man1/cctr-log.1 man1/cctr-merge.1 man7/cctr-control.7 man7/cctr-filter.7 man7/cctr-pmix.7 \
		man7/cctr-presets.7 man7/cctr-properties.7; do
		[ -s "$work/moved/share/man/$page" ] || echo "no $page"
	done)"
fi

# A test file that only cmake can read: the driver is found from the moved program.
mkdir "$work/tree"
cat >"$work/tree/CTestTestfile.cmake" <<'END'
execute_process(COMMAND cmake -E echo name OUTPUT_VARIABLE name
  OUTPUT_STRIP_TRAILING_WHITESPACE)
add_test("${name}" "/bin/true")
END
check "the moved program finds its manifest driver" "$(
	cd "$work/tree" && said=$("$work/moved/bin/cctr" -N 2>&1)
	echo "$said" | grep -q 'Test #1: name$' || echo "$said")"

# A project that finds the package.
mkdir "$work/user"
cat >"$work/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(user NONE)
find_package(cctr 0.1 REQUIRED CONFIG)
execute_process(COMMAND "${CCTR_EXECUTABLE}" --version RESULT_VARIABLE result)
if(NOT TARGET cctr::cctr OR NOT result EQUAL 0)
  message(FATAL_ERROR "cctr::cctr cannot be used: ${result}")
endif()
enable_testing()
add_test(NAME passes COMMAND "${CMAKE_COMMAND}" -E true)
add_test(NAME other COMMAND "${CMAKE_COMMAND}" -E true)
add_custom_target(before COMMAND "${CMAKE_COMMAND}" -E touch before)
cctr_add_test_target(run_them DEPENDS before ARGS -R "^passes$")
END
check "find_package(cctr) gives the program" "$(
	cmake -S "$work/user" -B "$work/user/build" -DCMAKE_PREFIX_PATH="$work/moved" \
		2>&1 >/dev/null)"
check "cctr_add_test_target adds a target that runs tests" "$(
	cmake --build "$work/user/build" --target run_them >"$work/said" 2>&1 || cat "$work/said"
	[ -e "$work/user/build/before" ] || echo "it depends on nothing"
	is "$(grep -c 'Test *#' "$work/said")" 1)"
check "--help-manual prints the installed manuals" "$(
	"$work/moved/bin/cctr" --help-manual cctr-files >"$work/said" 2>&1 || cat "$work/said"
	grep -q '^CTestTestfile.cmake$' "$work/said" || echo "no files"
	"$work/moved/bin/cctr" --help-manual cctr | grep -q '^Run tests whose name matches' || echo "no options")"

# The target "uninstall", with what the last installation of a tree wrote.
uninstall() {
	cmake "-DMANIFEST=$work/manifest" -P cmake/CctrUninstall.cmake >"$work/said" 2>&1
}
check "uninstall leaves nothing of cctr" "$(
	cmake --install "$CCTR_BUILD_DIR" --prefix "$work/gone" >"$work/said" 2>&1 || cat "$work/said"
	cp "$CCTR_BUILD_DIR/install_manifest.txt" "$work/manifest"
	echo mine >"$work/gone/share/cctr/mine"
	uninstall || cat "$work/said"
	is "$(find "$work/gone" -type f)" "$work/gone/share/cctr/mine"
	[ ! -e "$work/gone/lib/cmake/cctr" ] || echo "lib/cmake/cctr is left"
	[ ! -e "$work/gone/share/doc/cctr" ] || echo "share/doc/cctr is left")"
check "... and says where nothing was installed" "$(
	uninstall && echo "ended with 0"
	tr -s '\n ' ' ' <"$work/said" | grep -q 'cctr is not installed from this build tree' || cat "$work/said")"
finish
