#!/bin/sh
# --no-resource-spec: what tests with RESOURCE_GROUPS find where no resources are said.
set -u
. tests/meta/tap.sh

own_folder
export CCTR_COMPAT_VERSION=3.25 SAID="$work/said"
unset CTEST_RESOURCE_GROUP_COUNT CTEST_RESOURCE_GROUP_0

cat >"$work/CTestTestfile.cmake" <<'END'
add_test(plain "/bin/sh" "-c" [[echo plain ${CTEST_RESOURCE_GROUP_COUNT-unset} >>$SAID]])
add_test(groups "/bin/sh" "-c"
  [[echo groups ${CTEST_RESOURCE_GROUP_COUNT-unset} ${CTEST_RESOURCE_GROUP_0-} >>$SAID]])
set_tests_properties(groups PROPERTIES RESOURCE_GROUPS "cpus:1" DEPENDS plain)
add_test(nowhere "/bin/sh" "-c" "echo nowhere >>$SAID")
set_tests_properties(nowhere PROPERTIES RESOURCE_GROUPS "no_such_type:1" DEPENDS groups)
END
run() {
	: >"$SAID"
	timeout 250 "$CCTR" --test-dir "$work" "$@" >"$work/output" 2>&1
	echo "exit $?" >>"$SAID"
	cat "$SAID"
}
free="plain unset
groups unset
nowhere
exit 0"
trimmed() { run "$@" | sed 's/ *$//'; }

check "nothing said" "$(is "$(trimmed)" "$free")"
check "unlimited" "$(is "$(trimmed --no-resource-spec=unlimited)" "$free")"
check "serial" "$(is "$(trimmed --no-resource-spec serial -j3)" "$free")"
check "auto" "$(is "$(trimmed --no-resource-spec auto)" "plain 0
groups 1 cpus
exit 8")"
check "another value" "$(is "$(trimmed --no-resource-spec=most)" "exit 1")"

cat >"$work/spec.json" <<'END'
{"version": {"major": 1, "minor": 0}, "local": [{"no_such_type": [{"id": "0"}]}]}
END
for value in unlimited serial auto; do
	check "with a file $value has no effect" "$(is "$(trimmed \
		--resource-spec-file "$work/spec.json" --no-resource-spec "$value" | sort)" \
		"exit 8
nowhere
plain 0")"
done

# Two at a time would meet in the folder.
i=0
while [ $i -lt 20 ]; do
	echo "add_test(t$i \"/bin/sh\" \"-c\" \"mkdir here && echo $i >>\$SAID && rmdir here\")"
	echo "set_tests_properties(t$i PROPERTIES RESOURCE_GROUPS \"type_$((i % 3)):1\")"
	i=$((i + 1))
done >"$work/CTestTestfile.cmake"
check "serial ones do not meet" "$(is "$(run --no-resource-spec serial -j8 | sort -n | uniq |
	grep -c .) $(run --no-resource-spec serial -j8 | tail -n1)" "21 exit 0")"

finish
