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
check "every difference of a dialect is listed" "$(
	sed -n 's/.*\[DIALECT_[A-Z0-9_]*\] = {"\([^"]*\)".*/\1/p' runner/cmakelang/dialect.c |
		while read -r name; do
			grep -q "^$name\$" Help/guide/dialects.rst || echo "$name"
		done)"
check "the releases of the differences are in their table" "$(
	sed -n 's/.*\[DIALECT_[A-Z0-9_]*\] = {"\([^"]*\)", \([0-9]*\), \([0-9]*\)}.*/\1 \2 \3/p' \
		runner/cmakelang/dialect.c | while read -r name since until; do
		release=$((since + until))
		release=$((release / 1000)).$((release % 1000))
		[ "$until" -eq 0 ] || release="before $release"
		grep -qE "^$name +$release  " Help/guide/dialects.rst ||
			echo "$name: not $release"
	done)"
if command -v rst2man >/dev/null; then
	check "every page is well-formed" "$(find Help -name '*.rst' | sort |
		while read -r file; do
			rst2man --halt=warning "$file" /dev/null 2>&1 | head -n 5
		done)"
	# shellcheck disable=SC2016 # the backquotes are those of the pages
	check "files that pages name are there" "$(grep -rnoE \
		'``(runner|compat|manifests|cmake|tests|Help|\.ci)/[A-Za-z0-9_./-]+``' Help |
		sed 's/``//g' | while IFS=: read -r page line name; do
			[ -e "$name" ] || echo "$page:$line: $name is not there"
		done)"
fi
finish
