#!/bin/sh
# Help/dev/differences.rst: an entry for every case that is marked, and tests that are there.
# shellcheck disable=SC2016 # the backquotes are those of the page
set -u
. tests/meta/tap.sh
page=Help/dev/differences.rst

# "group case" of all cases with a mark.
marked() {
	awk '/^group / { group = $2 }
		/^case / { name = $2; sub(/:$/, "", name) }
		/^\t(differs|unlike) / { print group, name }' \
		tests/conformance/cases/*.cases tests/transcripts/*.transcripts
}
check "there are marks" "$([ "$(marked | wc -l)" -gt 20 ] || marked)"
check "every marked case is named" "$(marked | while read -r group name; do
	grep -qF -e "\`\`$group/$name\`\`" -e "\`\`$name\`\`" "$page" || echo "$group/$name"
done)"

# ``test_module``: ``function``, ``function``
named=$(tr '\n' ' ' <"$page" | tr -s ' ' |
	grep -oE '``test_[a-z_]+``: ``[a-z_]+``(, ``[a-z_]+``)*' | tr -d '\140:,')
check "functions of tests are named" "$([ "$(echo "$named" | wc -l)" -gt 20 ] || echo "$named")"
check "every one of them is there" "$(echo "$named" | while read -r module functions; do
	for function in $functions; do
		rows=$(sed -n 's/^#include "\(tests.*_rows.h\)"/\1/p' "tests/unit/$module.c" 2>/dev/null)
		# shellcheck disable=SC2086 # there may be none
		grep -qs "^$function(" "tests/unit/$module.c" "tests/sim/$module.c" $rows ||
			echo "$module: $function"
	done
done)"
cases=$(grep -hE '^(group|case) ' tests/conformance/cases/*.cases tests/transcripts/*.transcripts |
	awk '$1 == "group" { group = $2 } $1 == "case" { sub(/:$/, "", $2); print group "/" $2 }')
check "every case is there" "$(grep -oE '``[a-z_]+/[a-z_0-9]+``' "$page" | tr -d '\140' |
	while read -r name; do
		echo "$cases" | grep -qxF "$name" || [ -e "$name" ] || echo "$name"
	done)"
finish
