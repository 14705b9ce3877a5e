#!/bin/sh
# A Slurm whose nodes are all this machine, for bench_cluster.py. Prints its configuration, its
# controller's log and a job that has all nodes, a word each, and ends with its standard input.
#   sh tests/bench/slurm_of_this_machine.sh NODES CPUS
# shellcheck disable=SC2154
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh
. tests/helpers/slurm.sh

own_folder
start_slurm "$1" "$2"
allocate "-N$1" "-n$1" "-c$(($2 / 2))"
echo "$SLURM_CONF $work/slurm/slurmctld.log $job"
cat >/dev/null
