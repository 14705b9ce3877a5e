#!/bin/sh
# PROCESSOR_AFFINITY and --affinity with real processes, on two of this machine's processors.
# Tests meet at named pipes, so that they run at the same time for sure.
set -u
. tests/meta/tap.sh
needs taskset
[ -r /proc/self/status ] || skip_all "no /proc"

own_folder
export CCTR_COMPAT_VERSION=3.25
unset OMP_NUM_THREADS MKL_NUM_THREADS PRTE_MCA_hwloc_default_binding_policy

# The list of a process: "0-2,5" as lines.
numbers() {
	tr ',' '\n' | sed 's/-/ /' | while read -r first last; do
		seq "$first" "${last:-$first}"
	done
}
allowed() { sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$1/status"; }
mine=$(allowed self | numbers)
[ "$(echo "$mine" | wc -l)" -ge 2 ] || skip_all "needs two processors"
low=$(echo "$mine" | sed -n 1p)
high=$(echo "$mine" | sed -n 2p)

# What each test of a run may use, "name list variables", by name. $1: lines of the test file
# about the tests a, b and c; $2: how many of these run at the same time.
cat >"$work/test" <<'END'
#!/bin/sh
# name, and how many meet
allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
echo "$1 $allowed ${OMP_NUM_THREADS-} ${MKL_NUM_THREADS-} ${PRTE_MCA_hwloc_default_binding_policy-}" \
	>"$1.said"
[ "$1" = a ] || echo "$1" >"meet.$1"
[ "$1" = a ] || exit 0
[ "$2" -lt 2 ] || read -r other <meet.b
[ "$2" -lt 3 ] || read -r other <meet.c
END
chmod +x "$work/test"
run() {
	properties=$1
	meeting=$2
	shift 2
	rm -rf "$work/tree"
	mkdir "$work/tree"
	mkfifo "$work/tree/meet.b" "$work/tree/meet.c"
	for name in a b c; do
		[ "$name" = c ] && [ "$meeting" -lt 3 ] && continue
		echo "add_test($name \"$work/test\" $name $meeting)"
	done >"$work/tree/CTestTestfile.cmake"
	echo "$properties" >>"$work/tree/CTestTestfile.cmake"
	timeout 250 taskset -c "$low,$high" "$CCTR" --test-dir "$work/tree" --timeout 200 "$@" \
		>"$work/output" 2>&1 || cat "$work/output"
	cat "$work/tree/"*.said | sed 's/ *$//'
}

said=$(run 'set_tests_properties(a b PROPERTIES PROCESSOR_AFFINITY ON)' 2 -j2)
check "two tests have a processor each" \
	"$(is "$(echo "$said" | cut -d' ' -f2 | sort -n)" "$low
$high")"

said=$(run 'set_tests_properties(a PROPERTIES PROCESSOR_AFFINITY ON)' 2 -j2)
check "a test without the property runs where cctr does" "$(is "$said" "a $low
b $(taskset -c "$low,$high" sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)")"

said=$(run 'set_tests_properties(a PROPERTIES PROCESSOR_AFFINITY ON PROCESSORS 9)' 1 -j1 -R a)
check "at most as many as -j" "$(is "$said" "a $low")"

said=$(run 'set_tests_properties(a PROPERTIES PROCESSOR_AFFINITY ON PROCESSORS 9)' 1 -j9 -R a)
check "at most as many as there are" \
	"$(is "$(echo "$said" | cut -d' ' -f2 | numbers)" "$low
$high")"

said=$(run 'set_tests_properties(b PROPERTIES PROCESSORS 1 ENVIRONMENT OMP_NUM_THREADS=7)' \
	2 -j2 --affinity)
check "--affinity pins all tests" \
	"$(is "$(echo "$said" | cut -d' ' -f2 | sort -n)" "$low
$high")"
check "and says how many threads" "$(is "$(echo "$said" | cut -d' ' -f1,3-)" "a 1 1 none
b 7 1 none")"

said=$(export MKL_NUM_THREADS=5 && run 'set_tests_properties(a PROPERTIES PROCESSORS 2
	ENVIRONMENT_MODIFICATION OMP_NUM_THREADS=set:3)' 1 -j2 --affinity -R a)
check "what the environment says stays" "$(is "$(echo "$said" | cut -d' ' -f3-)" "3 5 none")"

said=$(run '' 3 -j3 --affinity)
check "one test too many is not pinned" "$(is "$(echo "$said" | cut -d' ' -f2 | numbers |
	sort -n | uniq -c | sed 's/^ *//')" "2 $low
2 $high")"

finish
