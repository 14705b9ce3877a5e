#!/bin/sh
# No name of a test, a file or a branch becomes a command or an option.
# shellcheck disable=SC2016,SC2154 # names that a shell would expand; $work is own_scripts'
set -u
. tests/meta/tap.sh
own_scripts
export CCTR_COMPAT_VERSION=3.25

# A tool that keeps its words, one a line, and says what is in said.WORD.
cat >tool <<END
#!/bin/sh
printf '<%s>\n' "\$@" >>"$work/words"
for word; do
	if [ -e "$work/said.\$word" ]; then cat "$work/said.\$word"; break; fi
done
END
chmod +x tool
new_tree() {
	rm -rf tree words said.*
	mkdir -p tree/source
	{
		echo "SourceDirectory: $work/tree/source"
		echo "BuildDirectory: $work/tree"
	} >tree/DartConfiguration.tcl
	: >tree/CTestTestfile.cmake
	: >words
}
steered() {
	find . -name stolen
}
well_formed() {
	python3 -c 'import sys, xml.dom.minidom
for name in sys.argv[1:]: xml.dom.minidom.parse(name)' "$@" 2>&1
}

# ---- tests
new_tree
odd='$(touch stolen) `touch stolen` ;touch stolen; "touch stolen" -rf'
mkdir "tree/$odd"
cat >tree/CTestTestfile.cmake <<END
set(odd [==[$odd]==])
set(quotes [==['"; touch stolen '"]==])
set(lines "\$(touch stolen)\ntouch stolen\n")
foreach(name IN ITEMS "\${odd}" "\${quotes}" "\${lines}" --help -rf)
  add_test("\${name}" "$work/tool" "\${name}" "\${odd}")
  set_tests_properties("\${name}" PROPERTIES LABELS "\${name}" WORKING_DIRECTORY "$work/tree/\${odd}"
    ENVIRONMENT "A=\${name}" ATTACHED_FILES "$work/tree/\${odd}/none" RESOURCE_LOCK "\${name}"
    FIXTURES_SETUP "\${name}")
endforeach()
END
for words in "-V" "-j4 --private-tmp" "-N -VV" "--show-only=json-v1" "-M Experimental -T Start -T Test" \
	"--output-junit j.xml --output-log o.log" "--rerun-failed" "-T MemCheck"; do
	echo "MemoryCheckCommand: $work/tool" >>tree/DartConfiguration.tcl
	: >words
	# shellcheck disable=SC2086 # words
	(cd tree && "$cctr" $words) >output 2>&1
	check "names of tests steer nothing: $words" "$(steered)"
	case $words in
	-V) check "a test gets its words as they are" "$(is "$(cat words)" "$(for name in "$odd" \
		"'\"; touch stolen '\"" '$(touch stolen)
touch stolen
' --help -rf; do printf '<%s>\n<%s>\n' "$name" "$odd"; done)")" ;;
	esac
done
check "files stay well-formed" "$(well_formed tree/j.xml tree/Testing/*/*.xml)"

# ---- notes
touch "tree/$odd/n" "tree/-n"
(cd tree && "$cctr" -A "$odd/n;-n" -M Experimental -T Start -T Notes) >output 2>&1
check "names of notes steer nothing" "$(steered)"

# ---- version control
if command -v git >/dev/null; then
	new_tree
	branch='$(touch${IFS}stolen);"`touch${IFS}stolen`'
	export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
	(
		git init -q -b "$branch" origin && cd origin || exit
		git config user.name '$(touch stolen)' && git config user.email '`touch stolen`'
		touch first && git add . && git commit -qm one
		git clone -q . ../tree/source
		for name in '$(touch stolen)' ';touch stolen' '"q"' "'" '-rf' '--upload-pack=touch stolen' \
			'two
lines'; do echo >"$name"; done
		git add . && git commit -qm '$(touch stolen)'
	) >output 2>&1
	echo 'UpdateCommand: git' >>tree/DartConfiguration.tcl
	(cd tree && "$cctr" -M Experimental -T Start -T Update) >>output 2>&1
	check "names in git steer nothing" "$(steered)"
	check "git was updated" "$([ -e 'tree/source/--upload-pack=touch stolen' ] || cat output)"
	check "Update.xml is well-formed" "$(well_formed tree/Testing/*/Update.xml)"
fi

new_tree
mkdir tree/source/CVS
printf 'U -x\nU d/-y\n' >said.update
echo "UpdateCommand: $work/tool" >>tree/DartConfiguration.tcl
(cd tree && "$cctr" -M Experimental -T Start -T Update) >output 2>&1
check "a file in cvs is no option" "$(is "$(grep -e '-[xy]' words)" '<./-x>
<d/-y>')"

new_tree
mkdir tree/source/.svn
printf 'X      --config-dir=stolen\nX      d/-y\n' >said.status
printf 'URL: file:///r\nRepository Root: file:///r\nRevision: 9\n' >said.info
echo "UpdateCommand: $work/tool" >>tree/DartConfiguration.tcl
(cd tree && "$cctr" -M Experimental -T Start -T Update) >output 2>&1
check "an external of svn is no option" "$(is "$(grep -e stolen -e '-y' words | sort -u)" \
	'<./--config-dir=stolen>
<d/-y>')"

# ---- coverage
new_tree
echo "CoverageCommand: $work/tool" >>tree/DartConfiguration.tcl
mkdir -p "tree/CMakeFiles/$odd.dir"
for name in "$odd" -o '"q"'; do
	touch "tree/CMakeFiles/$odd.dir/$name.gcda"
done
echo "$work/tree/CMakeFiles/$odd.dir" >tree/CMakeFiles/TargetDirectories.txt
cp tree/CMakeFiles/TargetDirectories.txt tree/
(cd tree && "$cctr" -M Experimental -T Start -T Coverage) >output 2>&1
check "names of coverage data steer nothing" "$(steered)"
check "gcov gets whole paths" "$(is "$(grep -c "^<$work/tree/CMakeFiles/.*gcda>$" words)" 3)"
finish
