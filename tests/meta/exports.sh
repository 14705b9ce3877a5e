#!/bin/sh
# A function is global because another file of the program calls it. Those that tests alone call
# are in exports.list, each with what a test can only see by it.
set -u
. tests/meta/tap.sh
needs nm
own_folder

find "$CCTR_BUILD_DIR/runner" "$CCTR_BUILD_DIR/compat" "$CCTR_BUILD_DIR/manifests" -name '*.a' \
	-exec nm -A {} + 2>/dev/null >"$work/symbols"
grep -q 'http_curl\.c\.o:' "$work/symbols" || skip_all "a build without libcurl calls less"
nm -A "$CCTR_BUILD_DIR"/CMakeFiles/cctr.dir/runner/main.c.o >>"$work/symbols"
# nm names the file, the address and the type: an undefined function has no address.
awk 'NF < 2 || $NF == "main" { next }
	$(NF - 1) == "U" { called[$NF] = 1 }
	$(NF - 1) == "T" { defined[$NF] = 1 }
	END { for (name in defined) if (!(name in called)) print name }' "$work/symbols" |
	sort >"$work/exported"
sed -e '/^#/d' -e 's/ .*//' tests/meta/exports.list >"$work/listed"

check "the program's functions are known" "$([ "$(grep -c ' T ' "$work/symbols")" -gt 500 ] ||
	echo "only $(grep -c ' T ' "$work/symbols")")"
check "no other function is global for a test alone" "$(comm -23 "$work/exported" "$work/listed")"
check "the list names no function that the program calls" \
	"$(comm -13 "$work/exported" "$work/listed")"
check "each has a reason" "$(grep -vE '^(#|[a-z0-9_]+ +[a-z])' tests/meta/exports.list)"
check "they do not become more" "$([ "$(wc -l <"$work/listed")" -le 1 ] ||
	wc -l <"$work/listed")"
finish
