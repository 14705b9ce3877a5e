#!/bin/sh
# A Grid Engine of scripts, for answers that a real one gives rarely: each job is 7, runs at once, and its tasks
# are on this machine.
# shellcheck disable=SC2016,SC2154
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_folder
tree="$work/tree"
mkdir "$tree" "$work/bin"
unset JOB_ID NSLOTS SGE_TASK_ID PE_HOSTFILE
program() { # name; the script on standard input
	{ echo '#!/bin/sh' && cat; } >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}
export work
program qconf </dev/null
program qsub <<'END'
echo asked >>"$work/asked"
echo 7
END
# Where $work/garbled is, the next list of states is none.
program qstat <<'END'
[ $# -eq 1 ] && rm "$work/garbled" 2>/dev/null && exec cat "$work/text"
cat <<LIST
<job_info><job_list><JB_job_number>7</JB_job_number><state>r</state>
<queue_name>all.q@here</queue_name><master>SLAVE</master></job_list></job_info>
LIST
END
program qrsh <<'END'
shift 3
exec "$@"
END
# Where $work/slow is, the next job is given back when it is too late.
program qdel <<'END'
rm "$work/slow" 2>/dev/null && exec sleep 600
exit 0
END
declare_tests <<'END'
add_test(one "/bin/true")
END
by_pilots() {
	rm -f "$work/asked"
	PATH="$work/bin:$PATH" "$CCTR" --test-dir "$tree" --engine=gridengine >"$work/output" 2>&1 </dev/null
}
said() { # expression
	grep -q "$1" "$work/output" || cat "$work/output"
}

while read -r text; do
	echo "$text" >"$work/text"
	: >"$work/garbled"
	by_pilots
	check "'$text' of qstat does not end a job" "$(is "$? $(wc -l <"$work/asked")" "0 1" || cat "$work/output"
		test ! -e "$work/garbled" || echo "no one has asked")"
done <<'END'

error: commlib error: got select error
<?xml version='1.0'?><job_info><job_list>
END

: >"$work/slow"
by_pilots
check "a job that its pilot cannot give back in time is given back" "$(is "$?" 0
	said '^job .*cctr-.* of a pilot, which did not end in time, was given back$'
	find "$tree" -name 'cctr-job-*')"
finish
