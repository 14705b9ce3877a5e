#!/bin/sh
# Conformance cases on a node of a real Slurm, with the arguments of tests/conformance/run. A
# test's input is empty there. Without a resource specification ctest's tests have no limits,
# and those of a job have its resources. Without PATH there is no Slurm.
set -u
. tests/meta/tap.sh
. tests/helpers/slurm.sh

own_folder
start_slurm 1 64
allocate -N1 -n1 -c64 --mem=4000
[ -n "$job" ] || {
	echo "1..1"
	echo "not ok 1 - there is an allocation"
	exit 1
}
export SLURM_JOB_ID="$job"
for group in properties fixtures environment resources selection ends processes; do
	set -- "$@" "tests/conformance/cases/$group.cases"
done
tests/conformance/run --with "--engine=slurm -j1" \
	--filter "^(?!.*(with_input|input_is_inherited|resource_spec/without_spec|refused_twice|empty_path))" "$@"
