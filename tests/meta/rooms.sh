#!/bin/sh
# A plain run of tests links and works without the rooms of dashboards, and
# Help/dev/architecture.rst names every module once, below its room.
set -u
. tests/meta/tap.sh
needs nm
own_folder

# "room module" of the tree, and of the page's list of rooms.
find runner compat manifests -name '*.[ch]' ! -path runner/main.c |
	sed 's,/\([^/]*\)\.[ch]$, \1,; s,_null$,,' | sort -u >"$work/tree"
awk '
	/^``[a-z]+\/[a-z_\/]*``/ { room = substr($1, 3, length($1) - 5); next }
	/^[^ ]/ { room = "" }
	room {
		while (match($0, /``[a-z][a-z0-9_]*``/)) {
			print room, substr($0, RSTART + 2, RLENGTH - 4)
			$0 = substr($0, RSTART + RLENGTH)
		}
	}' Help/dev/architecture.rst | sort >"$work/page"
check "every module is on the page, below its room" "$(comm -23 "$work/tree" "$work/page")"
check "the page has no other modules, and each once" "$(comm -13 "$work/tree" "$work/page")"

program=$CCTR_BUILD_DIR/tests/meta_plain_run
cat >"$work/CTestTestfile.cmake" <<'END'
add_test(passes true)
add_test(fails false)
END
mkdir "$work/Testing"
(cd "$work" && "$program" -j2 >"$work/out" 2>&1)
check "it runs tests" "$(is "$?" 8)"
check "it reports them" "$(grep -q '^50% tests passed, 1 tests failed out of 2' "$work/out" ||
	cat "$work/out")"
nm -g --defined-only "$CCTR_BUILD_DIR"/compat/dashboard/*/*.a 2>/dev/null |
	awk 'NF == 3 { print $3 }' | sort -u >"$work/dashboard"
check "the dashboard has functions" "$([ "$(wc -l <"$work/dashboard")" -gt 100 ] ||
	echo "only $(wc -l <"$work/dashboard")")"
check "it has none of them" "$(nm -g --defined-only "$program" |
	awk 'NF == 3 { print $3 }' | sort -u | comm -12 - "$work/dashboard" |
	grep -vx main)"
finish
