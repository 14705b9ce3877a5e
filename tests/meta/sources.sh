#!/bin/sh
# The lists of sources are complete, every file says what it is, and none is there by mistake.
set -u
. tests/meta/tap.sh

for folder in $(find runner compat manifests -name '*.c' ! -name main.c -printf '%h\n' | sort -u); do
	listed=$(grep -oE '[a-z0-9_]+\.c\b' "$folder/CMakeLists.txt" | sort -u)
	here=$(find "$folder" -maxdepth 1 -name '*.c' -printf '%f\n' | sort)
	check "$folder/CMakeLists.txt lists every source" "$(
		for file in $here; do
			echo "$listed" | grep -qx "$file" || echo "$file is not listed"
		done)"
done
check "every C file begins by saying what it is" "$(
	find runner compat manifests tests -name '*.[ch]' | while read -r file; do
		head -c 2 "$file" | grep -q '/\*' || echo "$file"
	done)"
# What a program leaves where it was started, such as a core file, is easily added by mistake.
check "the top level has nothing but what belongs there" "$(
	git ls-files 2>/dev/null | sed 's,/.*,,' | sort -u | grep -vxE "$(
		printf %s '\.ci|\.clang-format|\.editorconfig|\.gitattributes|\.gitignore|' \
			'CHANGELOG\.md|CMakeLists\.txt|CMakePresets\.json|CONTRIBUTING\.md|' \
			'LICENSE|README\.md|Help|cmake|compat|manifests|runner|tests'
	)")"
finish
