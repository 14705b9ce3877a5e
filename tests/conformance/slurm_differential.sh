#!/bin/sh
# Random cases by agents that are steps of a job of a real Slurm, with the arguments of
# tests/conformance/differential. --engine would also give tests the resources of the job, which
# ctest's do not have; so the launcher is said here.
set -u
. tests/meta/tap.sh
. tests/helpers/slurm.sh

own_folder
start_slurm 2 32
allocate -N2 --ntasks-per-node=32
[ -n "$job" ] || {
	echo "1..1"
	echo "not ok 1 - there is an allocation"
	exit 1
}
tests/conformance/differential "$@" --with "--nodes n[1-2] --launcher \
'env SLURM_CONF=$SLURM_CONF PATH=$PATH srun -Q --jobid $job --overlap --cpu-bind=none --mpi=none -N1 -n1 -w {node} {agent}'"
