#!/bin/sh
# What cctr makes has the rights that the umask leaves and no more, temporary folders are
# for its user alone, and what it starts has none of its descriptors.
# shellcheck disable=SC2016,SC2154 # for other shells; $work is own_scripts'
set -u
. tests/meta/tap.sh
own_scripts
[ -d /proc/self/fd ] || skip_all "no /proc"
export CCTR_COMPAT_VERSION=3.25 TMPDIR="$work/tmp"
mkdir tmp
chmod 1777 tmp

# Descriptors above 2 of the process that is asked, and what is in TMPDIR. The shell looks at
# itself between its own forks: a pipeline would show the pipe that it is just making.
cat >ask <<END
#!/bin/bash
kind=\${0##*/ask_}
for fd in /proc/\$\$/fd/*; do
	[ -L "\$fd" ] || continue
	what=\$(readlink "\$fd")
	case "\${fd##*/} \$what" in
	[012]" "* | 255" "* | *" $work/ask"*) ;;
	*) echo "\${fd##*/} \$what" >>"$work/\$kind.open" ;;
	esac
done
>>"$work/\$kind.open"
find "$work/tmp" -mindepth 1 -printf '%d %y %m %f\n' >>"$work/\$kind.found"
true
END
chmod +x ask
kinds="configure build update coverage valgrind evaluation test script checkout
	script_configure script_build launcher"
for kind in itself $kinds; do
	ln -s ask "ask_$kind"
done
# What this script has itself is inherited.
./ask_itself
inherited=$(cut -d' ' -f1 itself.open | sort -u)

new_tree() {
	rm -rf tree ./*.open ./*.found
	mkdir -p tree/source/.svn tree/CMakeFiles/t.dir
	touch tree/CMakeFiles/t.dir/a.gcda tree/source/CMakeLists.txt
	echo "$work/tree/CMakeFiles/t.dir" >tree/TargetDirectories.txt
	cp tree/TargetDirectories.txt tree/CMakeFiles/
	cat >tree/DartConfiguration.tcl <<-END
		SourceDirectory: $work/tree/source
		BuildDirectory: $work/tree
		SubmitURL: http://127.0.0.1:1/x
		ConfigureCommand: "$work/ask_configure"
		MakeCommand: $work/ask_build
		UpdateCommand: $work/ask_update
		SVNCommand: $work/ask_update
		UpdateType: svn
		CoverageCommand: $work/ask_coverage
		MemoryCheckCommand: $work/ask_valgrind
	END
	cat >tree/CTestTestfile.cmake <<-END
		execute_process(COMMAND "$work/ask_evaluation")
		add_test(a "$work/ask_test")
		add_test(b "$work/ask_test")
	END
	cat >tree/s.cmake <<-END
		set(CTEST_SOURCE_DIRECTORY "$work/tree/source")
		set(CTEST_BINARY_DIRECTORY "$work/tree")
		set(CTEST_CHECKOUT_COMMAND "$work/ask_checkout")
		set(CTEST_BUILD_COMMAND "$work/ask_script_build")
		set(CTEST_CONFIGURE_COMMAND "$work/ask_script_configure")
		ctest_start(Experimental)
		execute_process(COMMAND "$work/ask_script")
		ctest_configure()
		ctest_build()
		ctest_test(PARALLEL_LEVEL 2)
		ctest_submit(RETRY_COUNT 0)
	END
}

# $1: rights that nothing may have
run_all() {
	touch before
	(
		cd tree || exit
		"$cctr" -D Experimental -j2 --private-tmp --output-log o.log
		"$cctr" -j2 -O p.log --output-junit new/j.xml --private-tmp=keep-failed
		"$cctr" -T Update -T MemCheck
		"$cctr" -S s.cmake
		"$cctr" --launch --build-dir . --target-name t --target-type EXECUTABLE \
			-- "$work/ask_launcher"
	) >output 2>&1
	find tree -mindepth 1 -newer before \( -perm "/$1" -o -type f -perm /111 \) \
		-printf '%y %m %p\n'
}

for mask in 022 027 077; do
	new_tree
	umask "$mask"
	check "rights under umask $mask" "$(run_all "$mask")"
	check "nothing stays in TMPDIR" "$(ls -A tmp)"
	check "temporary files are the user's own" "$(cat ./*.found |
		awk '$1 == 1 && ($2 != "d" || $3 != "700")')"
	check "their names cannot be known" "$(cat ./*.found | awk '$1 == 1 { print $4 }' | sort -u |
		grep -vE '^(cctr-[A-Za-z0-9]{6}|cctr-scratch-[0-9a-f-]+[A-Za-z0-9]{6})$')"
done
umask 022
check "all kinds of children were asked" "$(for kind in $kinds; do
	[ -e "$kind.open" ] || echo "$kind"
done)"
check "no descriptor is left to any" "$(for file in ./*.open; do
	while read -r fd what; do
		echo "$inherited" | grep -qx "$fd" || echo "$file: $fd $what"
	done <"$file"
done)"
check "there were private folders" "$(cat ./*.found | grep -q '^1 d 700 cctr-[A-Za-z0-9]*$' ||
	echo none)"
finish
