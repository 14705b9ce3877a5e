#!/bin/sh
# A function is global because another file of the program calls it, never for a test alone.
set -u
. tests/meta/tap.sh
needs nm
own_folder

find "$CCTR_BUILD_DIR/runner" "$CCTR_BUILD_DIR/compat" "$CCTR_BUILD_DIR/manifests" -name '*.a' \
	-exec nm -A {} + 2>/dev/null >"$work/symbols"
grep -q 'http_curl\.c\.o:' "$work/symbols" || skip_all "a build without libcurl calls less"
nm -A "$CCTR_BUILD_DIR"/CMakeFiles/cctr.dir/runner/main.c.o >>"$work/symbols"
# Global functions that no other file calls. nm names the file, the address and the type: an
# undefined function has no address.
uncalled() {
	awk 'NF < 2 || $NF == "main" { next }
		$(NF - 1) == "U" { called[$NF] = 1 }
		$(NF - 1) == "T" { defined[$NF] = 1 }
		END { for (name in defined) if (!(name in called)) print name }' "$@" | sort
}

printf '%s\n' 'a.o:0 T used' 'a.o:1 T for_a_test' 'a.o:2 t own' 'b.o: U used' 'b.o:3 T main' \
	>"$work/example"
check "such a function is found" "$(is "$(uncalled "$work/example")" for_a_test)"
check "the program's functions are known" "$([ "$(grep -c ' T ' "$work/symbols")" -gt 500 ] ||
	echo "only $(grep -c ' T ' "$work/symbols")")"
check "no function is global for a test alone" "$(uncalled "$work/symbols")"
finish
