#!/bin/sh
# Help/dev/pools.rst and the section of Help/dev/differences.rst on canary and open-lmake: every
# row of their documents has a place, and every test that a row names is there.
# shellcheck disable=SC2016 # the backquotes are those of the page
set -u
. tests/meta/tap.sh
own_folder
page=Help/dev/pools.rst

{
	awk '/^canary: / { of = "canary" }
		/^open-lmake: / { of = "open-lmake" }
		/^[0-9]+  / { print of, $1 }' $page
	sed -n '/^Beside canary/,/^Where only/s/^\(canary\|open-lmake\) \([^:]*\):.*/\1 \2/p' Help/dev/differences.rst |
		sed 's/, open-lmake /\nopen-lmake /' | sed 's/, \| and /\n/g' |
		awk 'NF == 2 { of = $1 } { print of, $NF }'
} | sort -u >"$work/rows"
{
	seq 25 | sed 's/^/canary /'
	seq 34 | sed 's/^/open-lmake /'
} | sort >"$work/wanted"
check "every row of both documents has a place" "$(comm -13 "$work/rows" "$work/wanted")"
check "there are no other rows" "$(comm -23 "$work/rows" "$work/wanted")"

# ``tests/program/x.sh``: "title", "title" and ``test_module``: ``function``, ``function``
tr '\n' ' ' <$page | tr -s ' ' >"$work/text"
grep -oE '``tests/program/[a-z_]+\.sh``: "[^"]+"(, "[^"]+")*' "$work/text" | tr -d '\140' |
	while IFS=: read -r file titles; do
		echo "$titles" | grep -oE '"[^"]+"' | sed "s|^|$file |"
	done >"$work/titles"
check "checks are named" "$([ "$(wc -l <"$work/titles")" -gt 40 ] || cat "$work/titles")"
check "every one of them is there" "$(while read -r file title; do
	grep -qF "check $title " "$file" || echo "$file: $title"
done <"$work/titles")"
grep -oE '``test_[a-z_]+``: ``[a-z_]+``(, ``[a-z_]+``)*' "$work/text" | tr -d '\140:,' >"$work/functions"
check "functions are named" "$([ "$(wc -l <"$work/functions")" -gt 20 ] || cat "$work/functions")"
check "every function is there" "$(while read -r module functions; do
	for function in $functions; do
		grep -qs "^$function(" "tests/unit/$module.c" "tests/sim/$module.c" || echo "$module: $function"
	done
done <"$work/functions")"
check "every file is there" "$(grep -oE '``tests/[a-z_/.]+``' "$work/text" | tr -d '\140' | sort -u |
	while read -r file; do
		[ -e "$file" ] || echo "$file"
	done)"
finish
