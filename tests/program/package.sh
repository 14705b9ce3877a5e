#!/bin/sh
# The package for Debian: what it says and holds, a project's tests by what it installs, and that
# nothing is left when it is removed. Nothing outside of a folder of its own is changed.
set -u
. tests/meta/tap.sh
needs dpkg-deb
needs dpkg
needs cpack
needs cmake
grep -q '"DEB"' "$CCTR_BUILD_DIR/CPackConfig.cmake" || skip_all "cpack makes no package for Debian"

own_folder
check "cpack makes a package" "$(
	cpack --config "$CCTR_BUILD_DIR/CPackConfig.cmake" -G DEB -B "$work/out" >"$work/said" 2>&1 ||
		cat "$work/said")"
deb=$(find "$work/out" -maxdepth 1 -name '*.deb')
[ -f "$deb" ] || {
	check "... in a file" "there is none"
	finish
	exit
}
field() {
	dpkg-deb -f "$deb" "$1"
}
has() { # what, the text
	case ", $2, " in
	*"$1"*) ;;
	*) echo "no $1 in: $2" ;;
	esac
}
check "its file has name, version and architecture" "$(is "${deb##*/}" \
	"cctr_$(field Version)_$(dpkg --print-architecture).deb")"
check "its version is cctr's" "$(is "$(field Version)" "$("$CCTR" --version | cut -d ' ' -f 3)")"
check "it depends on the libraries that are linked" "$(has ", libcjson1 " "$(field Depends)"
	has ", libc6 " "$(field Depends)")"
check "... and on what reads XML" "$(has ", libexpat1" "$(field Depends)")"
check "it recommends what is loaded where it is there" "$(
	has ", cmake," "$(field Recommends)"
	for pair in hwloc:libhwloc libyaml:libyaml libcurl:libcurl; do
		"$CCTR" --version=full | grep -q "without ${pair%:*}" ||
			has ", ${pair#*:}" "$(field Recommends)"
	done)"
dpkg-deb -c "$deb" | awk '{ print $6 }' | sed 's/^\.//' >"$work/list"
check "it has what policy asks for" "$(for file in bin/cctr share/doc/cctr/copyright \
	share/doc/cctr/changelog.gz share/bash-completion/completions/cctr \
	share/zsh/vendor-completions/_cctr share/fish/vendor_completions.d/cctr.fish \
	lib/cmake/cctr/cctrConfig.cmake share/cctr/Help/manual/cctr.1.rst; do
	grep -qx "/usr/$file" "$work/list" || echo "no /usr/$file"
done)"
if command -v rst2man >/dev/null; then
	check "... and compressed man pages" "$(is "$(grep -c '/share/man/man[157]/cctr.*\.gz$' "$work/list")" \
		"$(find Help/manual -name '*.rst' | wc -l)")"
fi
if command -v lintian >/dev/null; then
	check "lintian finds nothing" "$(lintian --allow-root --fail-on none "$deb" 2>&1 | grep -v '^N:')"
fi

# ---- installed into a root of its own ----------------------------------------------------

root=$work/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers"
: >"$root/var/lib/dpkg/status"
: >"$root/var/lib/dpkg/available"
everything() {
	find "$root" ! -path "$root" ! -path "$root/var*" | sort
}
in_root() {
	dpkg --root="$root" --log=/dev/null --force-depends --force-not-root "$@" >"$work/said" 2>&1 ||
		cat "$work/said"
}
check "dpkg installs it" "$(in_root --install "$deb")"
cctr=$root/usr/bin/cctr
check "the program runs" "$("$cctr" --version >"$work/said" 2>&1 || cat "$work/said")"
check "--version=full names the commit" "$(
	commit=$("$cctr" --version=full | sed -n 's/^commit: //p')
	wanted=$(git -C "$CCTR_SOURCE_DIR" rev-parse HEAD 2>/dev/null || echo unknown)
	[ "$commit" = unknown ] || is "$commit" "$wanted")"
check "--help-manual cctr has the options" "$(
	"$cctr" --help-manual cctr >"$work/said" 2>&1 || cat "$work/said"
	grep -q '^List the tests' "$work/said" || echo "no page of -N"
	"$cctr" --help-manual 'cctr-files(5)' | grep -q '^cctr-files' || echo "no cctr-files(5)"
	"$cctr" --help-manual cctr "$work/manual" && cmp "$work/manual" "$work/said")"
if command -v man >/dev/null && command -v rst2man >/dev/null; then
	check "man shows its page" "$(MANPATH="$root/usr/share/man" man -P cat cctr 2>&1 |
		grep -q 'SYNOPSIS' || echo "no page")"
fi

cp -R tests/projects/plain "$work/source"
cat >>"$work/source/CMakeLists.txt" <<'TEXT'
find_package(cctr REQUIRED CONFIG)
cctr_add_test_target(run_passes ARGS -R passes)
cctr_add_test_target(run_all ARGS --output-on-failure)
TEXT
check "a project is configured with it" "$(
	cmake -S "$work/source" -B "$work/build" -DCMAKE_PREFIX_PATH="$root/usr" >"$work/said" 2>&1 ||
		cat "$work/said"
	cmake --build "$work/build" >"$work/said" 2>&1 || cat "$work/said")"
"$cctr" --test-dir "$work/build" >"$work/cctr.said" 2>&1
cctr_ends=$?
(cd "$work/build" && ctest) >"$work/ctest.said" 2>&1
check "its tests run, as by ctest" "$(is "$cctr_ends" "$?"
	is "$(grep -c 'Test *#' "$work/cctr.said")" "$(grep -c 'Test *#' "$work/ctest.said")"
	[ "$(grep -c 'Test *#' "$work/cctr.said")" -gt 0 ] || cat "$work/cctr.said")"
check "the target of cctr_add_test_target runs them" "$(
	cmake --build "$work/build" --target run_all >"$work/said" 2>&1
	is "$(grep -c 'Test *#' "$work/said")" "$(grep -c 'Test *#' "$work/ctest.said")")"

# ---- instead of ctest ----------------------------------------------------------------------

instead=$root/usr/share/cctr/instead-of-ctest
if [ "$(id -u)" -eq 0 ]; then
	echo "ctest" >"$root/usr/bin/ctest"
	check "cctr takes the place of ctest" "$(
		CCTR="$cctr" DPKG_ROOT="$root" "$instead" system >"$work/said" 2>&1 || cat "$work/said"
		"$root/usr/bin/ctest" --version | grep -q '^ctest version ' || echo "not as ctest"
		is "$(cat "$root/usr/bin/ctest.cmake")" ctest)"
	check "... once" "$(CCTR="$cctr" DPKG_ROOT="$root" "$instead" system >"$work/said" 2>&1 &&
		cat "$work/said")"
	check "... and gives it back" "$(
		DPKG_ROOT="$root" "$instead" system-off >"$work/said" 2>&1 || cat "$work/said"
		is "$(cat "$root/usr/bin/ctest")" ctest
		[ ! -e "$root/usr/bin/ctest.cmake" ] || echo "ctest.cmake is left")"
	rm "$root/usr/bin/ctest"
fi
check "a folder with cmake and cctr as its ctest" "$(
	CCTR="$cctr" "$instead" folder "$work/tools" >"$work/said" 2>&1 || cat "$work/said"
	"$work/tools/bin/cmake" -S tests/projects/plain -B "$work/served" >"$work/said" 2>&1 ||
		cat "$work/said"
	cmake --build "$work/served" >"$work/said" 2>&1 || cat "$work/said"
	cmake --build "$work/served" --target test >"$work/said" 2>&1
	grep -qF "$work/tools/bin/ctest" "$work/served/Makefile" "$work/served/build.ninja" 2>/dev/null ||
		echo "another ctest"
	is "$(grep -c 'Test *#' "$work/said")" "$(grep -c 'Test *#' "$work/ctest.said")")"
check "wrong words are refused" "$("$instead" systen >/dev/null 2>&1; is "$?" 2)"

# ---- removed -----------------------------------------------------------------------------

check "dpkg removes it" "$(in_root --purge cctr)"
check "nothing is left" "$(everything)"
finish
