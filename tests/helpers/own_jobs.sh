# shellcheck shell=sh disable=SC2034,SC2120,SC2154
# A cctr that asks a batch system for jobs, in the background, and what it leaves. Sourced
# after tests/helpers/tree.sh and the batch system's own file, which has
#   engine              its name for --engine
#   list_jobs [STATES]  the jobs that have not ended, one a line

jobs_are_gone() { # [states]
	[ -z "$(list_jobs "$@")" ]
}
jobs_left() { # [states]
	await jobs_are_gone "$@" || list_jobs "$@"
}
files_left() {
	find "$tree/Testing/Temporary" -name 'cctr-job-*' -o -name 'cctr-run-*' -o -name 'cctr-nodes-*'
}

needs_default_signals() {
	env --default-signal=INT true 2>/dev/null || skip_all "env has no --default-signal"
}
# As $program, which prints to $work/output.
begin() { # options
	rm -f "$work/pid"
	: >"$work/output"
	env --default-signal=INT,TERM "$CCTR" --test-dir "$tree" --engine="$engine" "$@" \
		>"$work/output" 2>&1 </dev/null &
	program=$!
}
lines() { # text, expression
	printf '%s\n' "$1" | grep -c "$2"
}
said() { # expression
	grep -q "$1" "$work/output"
}
waits() {
	said '^Waiting for job'
}
# By itself, or by the signal that it got.
ended() { # title
	wait "$program" 2>/dev/null
	status=$?
	check "$1" "$([ $status -gt 128 ] || cat "$work/output")"
}

# What the commands of a guide need: cctr in PATH, and two tests, of which the second says what started it.
begin_guide() {
	mkdir "$work/bin"
	ln -s "$(realpath "$CCTR")" "$work/bin/cctr"
	export PATH="$work/bin:$PATH"
	declare_tests <<-'END'
		add_test(one "/bin/true")
		add_test(two "/bin/sh" "-c" "ps -o args= $PPID")
	END
}

# A test that no signal but SIGKILL ends. It writes its process to $work/pid.
declare_deaf_test() {
	declare_tests <<-END
		add_test(deaf "/bin/sh" "-c" "trap '' INT TERM; echo \$\$ >'$work/pid'; while :; do sleep 1; done")
	END
}
check_signals() {
	for signal in INT TERM; do
		begin
		await test -s "$work/pid"
		kill -"$signal" "$program"
		ended "SIG$signal ends cctr"
		check "... and gives the job back" "$(jobs_left)"
		check "... and leaves no process" "$(left "$(cat "$work/pid")")"
		check "... and no file" "$(files_left)"
	done
}
# After a begin that waits for its job.
check_signal_while_it_waits() {
	await waits
	kill -TERM "$program"
	ended "SIGTERM while the job waits ends cctr"
}
# After a cctr was killed with all that would have given its job back.
check_next_cctr() {
	check "SIGKILL leaves no process" "$(left "$(cat "$work/pid")")"
	check "... but a file that names the job" "$(is "$(files_left | grep -c cctr-job-)" 1)"
	declare_tests <<-END
		add_test(passes "/bin/true")
	END
	text=$(cctr --engine="$engine")
	check "the next cctr passes" "$(is $? 0)"
	check "... and says what it has given back" "$(is \
		"$(echo "$text" | grep -c 'job .*cctr-.* of an earlier run, which was killed, was given back')" 1)"
	check "... no job is left" "$(jobs_left)"
	check "... and no file that names one" "$(files_left | grep cctr-job-)"
}
