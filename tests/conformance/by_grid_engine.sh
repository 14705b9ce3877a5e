#!/bin/sh
# Conformance cases ("run"), or random ones ("differential"), by agents that are tasks of a job of
# a real Grid Engine, with the arguments of that program of tests/conformance. A test's input is
# empty there. The one host of Grid Engine is this machine. Agents there need no task, so that the
# launcher is said here. --engine would also give random tests the resources of the job.
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh
. tests/helpers/grid_engine.sh

own_folder
# A busy machine is not lost.
ge_unheard=01:00:00
grid_engine_start 64
job=$(timeout 60 qsub -terse -b y -shell n -wd / -j y -o /dev/null -pe make 64 /bin/sleep infinity)
job_runs() {
	qstat | awk -v job="$job" '$1 == job && $5 == "r" { found = 1 } END { exit !found }'
}
await job_runs || {
	echo "1..1"
	echo "not ok 1 - Grid Engine starts the job"
	exit 1
}
echo "$ge_host 64 all.q@$ge_host UNDEFINED" >"$work/hosts"

# Cases choose their environment.
cat >"$work/job" <<END
export SGE_ROOT='$SGE_ROOT' SGE_CELL='$SGE_CELL' SGE_ARCH='$SGE_ARCH'
export SGE_QMASTER_PORT='$SGE_QMASTER_PORT' SGE_EXECD_PORT='$SGE_EXECD_PORT'
export JOB_ID='$job' SGE_TASK_ID=undefined NSLOTS=64 PE_HOSTFILE='$work/hosts'
END
cat >"$work/cctr" <<END
#!/bin/sh
. '$work/job'
exec '$CCTR' "\$@"
END
cat >"$work/launcher" <<END
#!/bin/sh
. '$work/job'
node=\$1
shift
exec setsid -w '$SGE_ROOT/bin/$SGE_ARCH/qrsh' -inherit -noshell "\$node" /bin/sh -c '"\$@"; exit 0' sh "\$@"
END
chmod +x "$work/cctr" "$work/launcher"
program=$1
shift
if [ "$program" = differential ]; then
	tests/conformance/differential "$@" --with "--nodes $ge_host --launcher '$work/launcher {node} {agent}'"
	exit
fi
for group in properties fixtures environment selection ends processes; do
	set -- "$@" "tests/conformance/cases/$group.cases"
done
tests/conformance/run --subject "$work/cctr" \
	--with "--engine=gridengine --launcher '$work/launcher {node} {agent}' -j1" \
	--filter "^(?!.*(with_input|input_is_inherited|resource_spec/without_spec|refused_twice|empty_path))" "$@"
