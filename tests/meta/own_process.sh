#!/bin/sh
# The working directory and the environment are data that are handed to the programs that
# cctr starts. Only main and children change their own process. Two files have a function of
# main called, because libc and libcurl read what changes by getenv(). The list may only
# shrink: a file that no longer does it leaves the list.
set -u
. tests/meta/tap.sh

# A file, a tab, the calls in it, a tab, why.
allowed='compat/dashboard/script/script_steps.c	own_replace	a step of a script, whose variables libc and libcurl read
compat/run/run_suite.c	own_change	set(ENV{X}) of a test file: libc reads TZ, libcurl proxies of a later submission
runner/main.c	chdir clearenv setenv unsetenv	--test-dir, the build tree, the variables of a run, of a preset and of CTestCustom.cmake, and that which a build step removes
runner/process/guardian.c	chdir	in the child
runner/resources/probe.c	setenv unsetenv	in the child: hwloc reads the environment itself'

# "FILE: CALL CALL" for each file below the folders that has such calls; a definition begins
# its line.
changes() {
	grep -rEo --include='*.c' \
		'[^_[:alnum:]]((set|unset|put|clear)env|f?chdir|own_(change|replace))\(' \
		"$@" | sed 's/:[^_[:alnum:]]/:/; s/($//' | sort -u |
		awk -F: '$1 != file { printf "%s%s:", file ? "\n" : "", $1; file = $1 }
			{ printf " %s", $2 } END { if (file) print "" }'
}

own_folder
printf '%s\n' 'void f(void) { setenv("A", "b", 1); }' 'int g(void) { return(chdir("/")); }' \
	'void my_setenv(void);' >"$work/wrong.c"
check "changes are found" "$(is "$(changes "$work" | sed 's|.*/||')" "wrong.c: chdir setenv")"
check "only main and children change their own process, and only these files ask main" "$(is "$(changes runner compat manifests)" \
	"$(printf '%s\n' "$allowed" | sed 's/	/: /; s/	.*//')")"
finish
