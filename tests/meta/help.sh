#!/bin/sh
# Help/ and the tables: a page for every row, a row for every page, and pages that are
# well-formed.
set -u
. tests/meta/tap.sh

rows=$("$CCTR_BUILD_DIR/tests/meta_tables" | sort)
# Not rows of the table: they count wherever they stand on the command line.
rows="$rows
option/help --help
option/version --version"

check "the tables have rows" "$([ "$(echo "$rows" | wc -l)" -gt 50 ] || echo "$rows")"
check "every row has a page" "$(echo "$rows" | while read -r page name; do
	[ -f "Help/$page.rst" ] || echo "Help/$page.rst is missing, for $name"
done)"
check "every page has a row" "$(for file in Help/option/*.rst Help/prop_test/*.rst; do
	page=${file#Help/}
	echo "$rows" | grep -q "^${page%.rst} " || echo "$file has no row"
done)"
check "a page's title names its row" "$(echo "$rows" | while read -r page name; do
	[ -f "Help/$page.rst" ] || continue
	head -n1 "Help/$page.rst" | tr -d '\140' | grep -qE "(^|[ ,])$name([][ ,=]|\$)" ||
		echo "the title of Help/$page.rst does not name $name"
done)"
check "the manual of options includes every option page" "$(for file in Help/option/*.rst; do
	grep -q "include:: ../option/${file##*/}\$" Help/manual/cctr.1.rst || echo "$file"
done)"
check "the manual of properties includes every property page" "$(
	for file in Help/prop_test/*.rst; do
		grep -q "include:: ../prop_test/${file##*/}\$" \
			Help/manual/cctr-properties.7.rst || echo "$file"
	done)"

# Readers of foreign bytes.
own_folder
find tests/fuzz -name 'fuzz_*.c' | sed 's|.*/fuzz_||; s|\.c$||' | sort >"$work/targets"
tr -d '\140' <Help/dev/security.rst | sed -nE '/^  =+  =+$/,/^$/s/^  ([a-z_]+)  .*/\1/p' |
	sort >"$work/promised"
equal "the page on security names each fuzz target" "$(cat "$work/targets")" "$(cat "$work/promised")"

# "name since 4.4", "name before 4.0", "name during 4.0" or "name during 4.1-4.2": the rows of dialect.def, the
# texts of the page, the page's table of sources.
sed -nE 's/^(SINCE|BEFORE)\(([A-Z0-9_]+), ([0-9]+), ([0-9]+)\)$/\2 \1 \3.\4/p
	s/^DURING\(([A-Z0-9_]+), ([0-9]+), ([0-9]+), \2, \3\)$/\1 DURING \2.\3/p
	s/^DURING\(([A-Z0-9_]+), ([0-9]+), ([0-9]+), ([0-9]+), ([0-9]+)\)$/\1 DURING \2.\3-\4.\5/p' \
	runner/cmakelang/dialect.def | tr 'A-Z_' 'a-z-' | sort >"$work/rows"
awk '/^[a-z0-9-]+$/ { row = $0; next }
	row && /^  (since|before|during) [0-9.-]+: / { sub(":", "", $2); print row, $1, $2 }
	{ row = "" }' Help/guide/dialects.rst | sort >"$work/texts"
awk '/^row +release/ { in_table = 1 }
	in_table && /^[a-z0-9-]+ +(before |during )?[0-9.-]+  / {
		print $1, $2 ~ /^(before|during)$/ ? $2 " " $3 : ($2 ~ /-/ ? "during " : "since ") $2
	}' Help/guide/dialects.rst | sort >"$work/sources"
check "dialect.def has rows" "$([ "$(wc -l <"$work/rows")" -gt 90 ] || cat "$work/rows")"
grep -rhoE --include='*.c' '[A-Z][A-Z0-9_]+' runner compat manifests | sed 's/^DIALECT_//' |
	tr 'A-Z_' 'a-z-' | sort -u >"$work/asked"
check "the program asks every row of dialect.def" \
	"$(cut -d ' ' -f 1 "$work/rows" | comm -23 - "$work/asked")"
check "every row of dialect.def is on the page, with its release" \
	"$(comm -23 "$work/rows" "$work/texts")"
check "every row of the page is one of dialect.def" "$(comm -13 "$work/rows" "$work/texts")"
check "every row of dialect.def has a source" "$(comm -23 "$work/rows" "$work/sources")"
check "every source is that of a row" "$(comm -13 "$work/rows" "$work/sources")"
if python3 -c 'import docutils' 2>/dev/null; then
	check "every page is well-formed" "$(find Help -name '*.rst' | sort | python3 -c '
import sys
from docutils.core import publish_file

for page in sys.stdin.read().split():
    publish_file(source_path=page, destination_path="/dev/null", writer_name="manpage",
                 settings_overrides={"report_level": 2, "warning_stream": sys.stdout})')"
	# shellcheck disable=SC2016 # the backquotes are those of the pages
	check "files that pages name are there" "$(grep -rnoE \
		'``(runner|compat|manifests|cmake|tests|Help|\.ci)/[A-Za-z0-9_./-]+``' Help |
		sed 's/``//g' | while IFS=: read -r page line name; do
			[ -e "$name" ] || echo "$page:$line: $name is not there"
		done)"
fi
finish
