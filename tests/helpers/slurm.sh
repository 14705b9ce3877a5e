# A Slurm of a test's own, whose nodes are all this machine. Sourced after tap.sh and
# own_folder, not run; it needs no rights, only Debian's packages slurmctld, slurmd,
# slurm-client and slurm-wlm-basic-plugins.
# shellcheck disable=SC2154,SC2034 # own_folder sets work, and those who source this use job
#   start_slurm NODES CPUS [line of slurm.conf]   or skips the test; every node has two GPUs
PATH="$PATH:/usr/sbin:/sbin"
slurm_daemons=

slurm_conf() { # port nodes cpus line
	port=$1
	shift
	mkdir -p "$work/slurm/state"
	for gpu in 0 1; do
		ln -sfn /dev/null "$work/slurm/gpu$gpu"
	done
	cat >"$SLURM_CONF" <<END
ClusterName=cctr
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=$work/slurm/state
SlurmdSpoolDir=$work/slurm/spool.%n
SlurmctldPidFile=$work/slurm/slurmctld.pid
SlurmdPidFile=$work/slurm/slurmd.%n.pid
SlurmctldLogFile=$work/slurm/slurmctld.log
SlurmdLogFile=$work/slurm/slurmd.%n.log
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=100
SchedulerParameters=bf_interval=1
SlurmdParameters=config_overrides
SlurmdTimeout=10
ReturnToService=2
KillWait=2
MpiDefault=none
SwitchType=switch/none
GresTypes=gpu
$3
END
	for k in $(seq "$1"); do
		echo "NodeName=n$k NodeHostname=$(hostname -s) NodeAddr=127.0.0.1" \
			"Port=$((port + k)) CPUs=$2 RealMemory=4000 TmpDisk=4000 Gres=gpu:fake:2"
	done >>"$SLURM_CONF"
	echo "PartitionName=main Nodes=ALL Default=YES State=UP" >>"$SLURM_CONF"
	# Else slurmd looks for control groups, and ends where there are none.
	echo "CgroupPlugin=cgroup/v1" >"$work/slurm/cgroup.conf"
	echo "NodeName=n[1-$1] Name=gpu Type=fake File=$work/slurm/gpu[0-1]" >"$work/slurm/gres.conf"
}

# The daemons in the background, as children of this shell, so that they can be waited for.
slurm_node() { # name
	slurmd -D -f "$SLURM_CONF" -N "$1" >"$work/slurm/$1.out" 2>&1 </dev/null &
	echo $! >"$work/slurm/$1.daemon"
	slurm_daemons="$slurm_daemons $!"
}
slurm_controller() {
	slurmctld -D -f "$SLURM_CONF" >"$work/slurm/slurmctld.out" 2>&1 </dev/null &
	echo $! >"$work/slurm/slurmctld.daemon"
	slurm_daemons="$slurm_daemons $!"
}

# Processes that know this Slurm: what its jobs have left.
slurm_processes() {
	grep -lsz -- "^SLURM_CONF=$SLURM_CONF\$" /proc/[0-9]*/environ | cut -d / -f 3 | grep -vx $$
}
# slurmd may wait for ever for what its jobs do, so only SIGKILL ends it.
stop_slurm() {
	[ -z "$slurm_daemons" ] || timeout 20 scancel -f -u "$(id -un)" 2>/dev/null
	for pid in $slurm_daemons; do
		kill -9 "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	slurm_daemons=
	for pid in $(slurm_processes); do
		kill -9 "$pid" 2>/dev/null
	done
}

slurm_is_up() { # nodes
	[ "$(timeout 20 sinfo -h -N -o %T 2>/dev/null | grep -cx idle)" = "$1" ]
}
# false: a daemon has ended, or the nodes do not come up.
slurm_comes_up() { # nodes
	for _ in $(seq 300); do
		for pid in $slurm_daemons; do
			kill -0 "$pid" 2>/dev/null || return 1
		done
		slurm_is_up "$1" && return
		sleep 0.1
	done
	return 1
}

start_slurm() { # nodes cpus line
	needs_clusters
	for program in slurmctld slurmd srun salloc sbatch squeue scancel scontrol sinfo; do
		needs $program
	done
	export SLURM_CONF="$work/slurm/slurm.conf"
	# The GPUs of this machine are not those of its Slurm.
	export HWLOC_COMPONENTS=-linuxio
	trap 'stop_slurm; rm -rf "$work"' EXIT
	# A port may be in use by another test.
	for try in 0 1 2; do
		slurm_conf $((20000 + ($$ * 16 + try * 4000) % 12000)) "$1" "$2" "${3:-}"
		slurm_controller
		for k in $(seq "$1"); do
			slurm_node "n$k"
		done
		slurm_comes_up "$1" && return
		stop_slurm
	done
	skip_all "Slurm cannot be started: $(tail -n 1 "$work/slurm/slurmctld.log" 2>/dev/null)"
}

engine=slurm
list_jobs() { # states, or all that have not ended
	timeout 20 squeue -h -t "${1:-pending,configuring,running,completing}" -o %A
}

# An allocation without a process, as $job.
allocate() { # options of salloc
	job=$(timeout 60 salloc --no-shell --no-kill "$@" 2>&1 |
		sed -n 's/.*Granted job allocation //p')
}
