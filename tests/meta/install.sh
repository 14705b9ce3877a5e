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
	grep -qw "cmake/$name" cmake/CctrInstall.cmake || continue
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
		man1/cctr-alloc.1 man7/cctr-control.7 man7/cctr-presets.7 man7/cctr-properties.7; do
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
END
check "find_package(cctr) gives the program" "$(
	cmake -S "$work/user" -B "$work/user/build" -DCMAKE_PREFIX_PATH="$work/moved" \
		2>&1 >/dev/null)"
finish
