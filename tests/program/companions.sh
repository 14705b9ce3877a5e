#!/bin/sh
# Options of cctr's own that would do nothing are refused, with what they lack.
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_tree tree
declare_tests <<'END'
add_test(a "/bin/true")
set_tests_properties(a PROPERTIES LABELS slow)
END
echo 'set(CTEST_RUN_CURRENT_SCRIPT OFF)' >"$work/s.cmake"

refused() { # title, exit code, message, options...
	title=$1 code=$2 message=$3
	shift 3
	said=$(cctr "$@" >"$work/said" 2>&1
		echo "$? $(grep -c ' Start ' "$work/said") $(grep -o -e "$message" "$work/said")")
	equal "$title" "$code 0 $message" "$said"
}
works() { # title, options...
	title=$1
	shift
	equal "$title" "0" "$(cctr "$@" >"$work/said" 2>&1
		echo "$?$(grep -e ' does nothing ' "$work/said")")"
}
lacks() { # code, option, why, further words
	code=$1 option=$2 why=$3
	shift 3
	refused "$option $why" "$code" "'$option' does nothing $why" "$@"
}

# ---- the command line --------------------------------------------------------------------

lacks 1 --build "in a dashboard or a script" --build -T Test
lacks 1 --build "in a dashboard or a script" --build -S "$work/s.cmake"
lacks 1 --script-host "without '-S' or '-SP'" --script-host=ctest
lacks 1 --plan-json "without '--simulate' or '--explain'" --plan-json "$work/file"
lacks 1 --reserve "without '--schedule=pressure'" --reserve 4
lacks 1 --schedule "with '--schedule-random'" --schedule=pressure --schedule-random
works "--reserve with --schedule=pressure" --reserve 4 --schedule=pressure
works "--schedule=ctest with --schedule-random" --schedule=ctest --schedule-random
for option in profile compat-version plan-json manifest; do
	refused "an empty --$option" 1 "'--$option' requires an argument" "--$option" ""
done
refused "an empty --explain" 1 '--explain: no test "" is selected' --explain ""
for words in "config zzz" "config --jsn" "history --jsn" "advise --jsn" "log --json"; do
	# shellcheck disable=SC2086 # two words
	text=$(cd "$tree" && "$CCTR" $words 2>&1)
	equal "cctr $words" "1 Unknown argument: ${words#* }" "$? $(echo "$text" | grep -o 'Unknown.*')"
done

# ---- where tests run ---------------------------------------------------------------------

lacks 8 --nodes "without '--launcher'" --nodes n1,n2
lacks 8 --node-timeout "without '--launcher' or '--engine'" --node-timeout 5
lacks 8 --backend-opt "without '--engine'" --backend-opt=-x
lacks 8 --backend-opt "without '--engine'" --backend-opt=-x \
	--launcher="sh -c {agent}"
works "what --engine=local switches off" --engine=local --node-timeout 5 --backend-opt=-x
echo '{"launcher": "env {agent}"}' >"$tree/cctr.json"
works "the launcher of a file" --nodes n1,n2 --node-timeout 50
echo '{"engine": "slurm", "launcher": "env {agent}"}' >"$tree/cctr.json"
lacks 8 --nodes "without '--launcher'" --nodes n1,n2
rm "$tree/cctr.json"

# ---- a pool ------------------------------------------------------------------------------

pool="without a resource pool, such as that of --resource-spec-file=auto"
lacks 8 --insufficient-resources "$pool" --insufficient-resources=skip
lacks 8 --resource-placement "$pool" --resource-placement pack
lacks 8 --resource-environment "$pool" --resource-environment=cctr
lacks 8 --gpu-backend "$pool" --gpu-backend=auto
lacks 8 --gpu-visible "$pool" --gpu-visible
works "with a pool" --insufficient-resources=skip --resource-placement=pack \
	--resource-environment=cctr -r cards=2
refused "a pool that has no such GPUs" 8 "--gpu-backend does nothing: the pool has its GPUs" \
	--gpu-backend=auto -r gpus=2
refused "a factor of nothing" 8 "--oversubscribe cards=2: the pool has no instance of the type" \
	-r cards=0 --oversubscribe cards=2
echo '{"oversubscribe": "cards=2", "gpu-visible": "true", "reserve": 3, "flaky": "fail", "build": "false",
	"timeout-multiplier": "quik=2", "insufficient-resources": "skip"}' >"$tree/cctr.json"
works "a file is for the calls in which an option does something" -r cards=0

# ---- labels ------------------------------------------------------------------------------

missing='--timeout-multiplier: no test has the label "quik"'
refused "a label of a file, with --strict" 8 "$missing" -r cards=0 --strict
rm "$tree/cctr.json"
refused "a label that no test has, with --strict" 8 "$missing" --timeout-multiplier quik=2 --strict
equal "a warning without it" "0 --timeout-multiplier: no test has the label \"slwo\"; did you mean \"slow\"?" \
	"$(cctr --timeout-multiplier slwo=2 --timeout-multiplier slow=2 >"$work/said"
		echo "$? $(grep -o -e '--timeout-multiplier: .*' "$work/said")")"
refused "a label of --filter, with --strict" 1 "column 1: no test matches label(slwo); did you mean slow?" \
	--strict --filter "label(slwo) | all()"
works "a label that a test has" --timeout-multiplier slow=2 --strict
finish
