# shellcheck shell=sh disable=SC2034,SC2154
# A Grid Engine of the test's own, in $work/ge: one master and one execution daemon of this
# host, at ports that are free. Sourced, after own_folder and tests/helpers/tree.sh.
#
#   grid_engine_start SLOTS    or skips the test
#   ge_unheard                 after what time a silent host is lost; set before (00:00:10)
#   ge_flush                   after what time an end is in the accounting; set before (00:00:15)
#
# The programs are those of Debian's packages gridengine-master, -exec and -client. It needs no rights.
ge_programs=/usr/lib/gridengine
ge_shared=/usr/share/gridengine

ge_free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# An execution daemon ends all processes of the machine with the group of a job that has ended; those of two
# daemons must not have the same groups.
ge_write_settings() {
	ge_groups=$((10000 + $$ % 500 * 100))
	ge_groups=$ge_groups-$((ge_groups + 99))
	mkdir -p "$ge_common" "$ge_folder/qmaster/job_scripts" "$ge_folder/execd" "$ge_folder/tmp" \
		"$SGE_ROOT/bin" "$SGE_ROOT/utilbin" "$SGE_ROOT/lib"
	chmod 755 "$work" "$ge_folder"
	for name in bin utilbin lib; do
		ln -s "$ge_programs" "$SGE_ROOT/$name/$SGE_ARCH"
	done
	ln -s "$ge_shared/util" "$SGE_ROOT/util"
	echo "$ge_host" >"$ge_common/act_qmaster"
	# A host name that leads to 127.0.0.1 leads back to "localhost".
	[ "$ge_host" = localhost ] || echo "$ge_host localhost" >"$ge_common/host_aliases"
	cat >"$ge_common/bootstrap" <<-END
		admin_user $ge_admin
		default_domain none
		ignore_fqdn true
		spooling_method classic
		spooling_lib libspoolc
		spooling_params $ge_common;$ge_folder/qmaster
		binary_path $SGE_ROOT/bin
		qmaster_spool_dir $ge_folder/qmaster
		security_mode none
		listener_threads 2
		worker_threads 2
		scheduler_threads 1
	END
	sed -e "s|^execd_spool_dir.*|execd_spool_dir $ge_folder/execd|" \
		-e 's/^min_uid.*/min_uid 0/' -e 's/^min_gid.*/min_gid 0/' \
		-e 's/^load_report_time.*/load_report_time 00:00:01/' \
		-e "s/^max_unheard.*/max_unheard ${ge_unheard:-00:00:10}/" \
		-e "s/^\(reporting_params.*\)/\1 accounting_flush_time=${ge_flush:-00:00:15}/" \
		-e "s/^gid_range.*/gid_range $ge_groups/" -e 's|^mailer.*|mailer /bin/true|' \
		"$ge_shared/default-configuration" >"$ge_folder/configuration"
	(
		export LD_LIBRARY_PATH="$ge_programs"
		cd "$ge_programs" || exit 1
		./spoolinit classic libspoolc "$ge_common;$ge_folder/qmaster" init &&
			./spooldefaults.bin configuration "$ge_folder/configuration" &&
			./spooldefaults.bin complexes "$ge_shared/util/resources/centry" &&
			./spooldefaults.bin usersets "$ge_shared/util/resources/usersets" &&
			./spooldefaults.bin managers "$(id -un)"
	)
}

# One queue of the host, in which all is scheduled at once; two GPUs of the host; the parallel
# environment "make", as Grid Engine comes with it, "smp", which starts no tasks, and "spread", which gives a
# slot of each host.
ge_write_queue() { # slots
	qconf -ah "$ge_host" || :
	qconf -as "$ge_host"
	qconf -sc >"$ge_folder/complexes"
	echo "gpus gpus INT <= YES YES 0 0" >>"$ge_folder/complexes"
	qconf -Mc "$ge_folder/complexes"
	qconf -ssconf | sed -e 's/^schedule_interval.*/schedule_interval 0:0:1/' \
		-e 's/^flush_submit_sec.*/flush_submit_sec 1/' \
		-e 's/^flush_finish_sec.*/flush_finish_sec 1/' \
		-e 's/^load_formula.*/load_formula slots/' \
		-e 's/^job_load_adjustments.*/job_load_adjustments NONE/' >"$ge_folder/scheduler"
	qconf -Msconf "$ge_folder/scheduler"
	printf 'group_name @allhosts\nhostlist %s\n' "$ge_host" >"$ge_folder/hosts"
	qconf -Ahgrp "$ge_folder/hosts"
	qconf -Ap "$ge_shared/util/resources/pe/make"
	sed -e 's/^pe_name.*/pe_name smp/' -e 's/^control_slaves.*/control_slaves FALSE/' \
		"$ge_shared/util/resources/pe/make" >"$ge_folder/smp"
	qconf -Ap "$ge_folder/smp"
	sed -e 's/^pe_name.*/pe_name spread/' -e 's/^allocation_rule.*/allocation_rule 1/' \
		"$ge_shared/util/resources/pe/make" >"$ge_folder/spread"
	qconf -Ap "$ge_folder/spread"
	{
		echo "qname all.q"
		echo "hostlist @allhosts"
		echo "slots $1"
		echo "qtype BATCH INTERACTIVE"
		echo "pe_list make smp spread"
		echo "shell /bin/sh"
		echo "shell_start_mode unix_behavior"
		# The folder of a job is named by its number, and the numbers of the processes to end are in it. Two
		# Grid Engines with one folder for job 1 end each other's processes.
		echo "tmpdir $ge_folder/tmp"
		echo "seq_no 0"
		echo "nsuspend 1"
		echo "priority 0"
		echo "rerun FALSE"
		echo "initial_state default"
		echo "processors UNDEFINED"
		echo "notify 00:00:02"
		echo "suspend_interval 00:05:00"
		echo "min_cpu_interval 00:05:00"
		for name in load_thresholds suspend_thresholds ckpt_list prolog epilog \
			starter_method suspend_method resume_method terminate_method owner_list \
			user_lists xuser_lists subordinate_list complex_values projects xprojects \
			calendar; do
			echo "$name NONE"
		done
		for name in rt cpu fsize data stack core rss vmem; do
			[ $name = core ] || echo "s_$name INFINITY"
			[ $name = core ] || echo "h_$name INFINITY"
		done
		# Tests that crash leave no file.
		echo "s_core 0"
		echo "h_core 0"
	} >"$ge_folder/queue"
	qconf -Aq "$ge_folder/queue"
	qconf -aattr exechost complex_values gpus=2 "$ge_host"
}

ge_begin_master() {
	"$ge_programs/sge_qmaster" && await qconf -sh
}

ge_begin_execution() {
	"$ge_programs/sge_execd"
}

ge_is_ready() {
	qstat -f | grep -q "lx-amd64 *$"
}

# Sets the environment of the cluster, or skips the test.
grid_engine_start() { # slots
	needs_clusters
	for program in sge_qmaster sge_execd qsub qstat qconf qdel qrsh; do
		[ -x "$ge_programs/$program" ] || skip_all "no Grid Engine: $program"
	done
	needs python3
	# The GPUs of this machine are not those of its Grid Engine.
	export HWLOC_COMPONENTS=-linuxio
	ge_folder=$work/ge
	ge_host=$(hostname)
	ge_admin=none
	[ "$(id -u)" -eq 0 ] || ge_admin=$(id -un)
	SGE_ROOT=$ge_folder/root
	SGE_CELL=default
	SGE_ARCH=lx-amd64
	SGE_CLUSTER_NAME=cctr
	SGE_QMASTER_PORT=$(ge_free_port)
	SGE_EXECD_PORT=$(ge_free_port)
	export SGE_ROOT SGE_CELL SGE_ARCH SGE_CLUSTER_NAME SGE_QMASTER_PORT SGE_EXECD_PORT
	PATH=$SGE_ROOT/bin/$SGE_ARCH:$PATH
	ge_common=$SGE_ROOT/$SGE_CELL/common
	mkdir "$ge_folder"
	trap 'grid_engine_stop; rm -rf "$work"' EXIT
	ge_set_up "$1" >"$ge_folder/setup.log" 2>&1 ||
		skip_all "Grid Engine cannot be started: $(tail -n 1 "$ge_folder/setup.log")"
}
ge_set_up() { # slots
	ge_write_settings && ge_begin_master || return 1
	qconf -ah "$ge_host"
	ge_begin_execution && await sh -c 'qconf -sel | grep -q .' &&
		ge_write_queue "$1" && await ge_is_ready
}

# Ends a daemon, with a signal (default: TERM).
ge_pids() { # qmaster or execd
	cat "$ge_folder/$1/qmaster.pid" "$ge_folder/$1"/*/execd.pid 2>/dev/null
}
ge_end() { # qmaster or execd, signal
	for pid in $(ge_pids "$1"); do
		case $(cat "/proc/$pid/comm" 2>/dev/null) in
		sge_*) kill "-${2:-TERM}" "$pid" ;;
		esac
		for _ in $(seq 200); do
			kill -0 "$pid" 2>/dev/null || break
			sleep 0.05
		done
		kill -9 "$pid" 2>/dev/null
	done
}
# The jobs of an execution daemon that ended before it had ended them.
ge_end_jobs() {
	for folder in /proc/[0-9]*/cwd; do
		case $(readlink "$folder" 2>/dev/null) in
		"$ge_folder"/execd/*)
			pid=${folder#/proc/}
			pkill -KILL -P "${pid%/cwd}"
			kill -KILL "${pid%/cwd}" 2>/dev/null
			;;
		esac
	done
}
grid_engine_stop() {
	qdel -u "$(id -un)" >/dev/null 2>&1
	ge_end execd
	ge_end qmaster KILL
	ge_end_jobs
}

# ---- jobs ----------------------------------------------------------------------------

engine=gridengine
await_pause=0.05
# A build tree, and a Grid Engine for the pilots of runs in it. After tests/helpers/own_jobs.sh.
begin_outside_of_a_job() { # slots
	own_folder
	ge_flush=00:00:01
	unset JOB_ID NSLOTS SGE_TASK_ID PE_HOSTFILE
	tree="$work/a tree"
	mkdir "$tree"
	grid_engine_start "$1"
	needs_default_signals
}
list_jobs() {
	qstat
}
by_pilots() { # options
	cctr --engine=gridengine "$@"
}
count_jobs() { # letters of a state
	list_jobs | awk -v state="$1" '$5 == state { n++ } END { print n + 0 }'
}
has_jobs() { # number, letters of a state
	[ "$(count_jobs "$2")" = "$1" ]
}
# All other slots are in use.
fill() { # slots
	qsub -b y -shell n -wd / -j y -o /dev/null -N fills -pe make "$1" /bin/sleep infinity >"$work/qsub"
	await has_jobs 1 r
}
