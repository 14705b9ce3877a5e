#!/bin/sh
# Steps go on where one of the commands of a tool fails, as ctest's do. But where the system cannot
# start it or a signal ends it, nobody knows what it would have said: that is told, and the exit
# code is not 0.
set -u
. tests/meta/tap.sh
search_no_leaks
strace -qq -o /dev/null true 2>/dev/null || skip_all "strace cannot trace"

cctr=$(realpath "${CCTR:?}")
own_folder
cd "$work" || exit 1
export CCTR_COMPAT_VERSION=3.25
mkdir source
cat >DartConfiguration.tcl <<END
SourceDirectory: $work/source
BuildDirectory: $work
Site: here
BuildName: this
UpdateCommand: $work/tool
UpdateType: git
GITUpdateCustom: true
END
cp DartConfiguration.tcl tree.tcl
"$cctr" -M Experimental -T Start >output 2>&1

tool() { # a word of the command that a signal ends
	cat >tool <<-END
		#!/bin/sh
		case "\$*" in
		*$1*) kill -KILL \$\$ ;;
		*rev-list*HEAD* | identify*) echo 1234567 ;;
		esac
	END
	chmod +x tool
}
update() { # type, wrapper...
	sed "s/^UpdateType:.*/UpdateType: $1/" tree.tcl >DartConfiguration.tcl
	shift
	"$@" "$cctr" -T Update >output 2>&1 </dev/null
	status=$?
}
lost() { # title, what the line says
	check "$1" "$([ "$status" != 0 ] || echo "exit code 0"
		grep -q "cctr: the result of .* is lost: $2" output || cat output)"
}

tool none
for type in git hg; do
	update $type env
	check "$type: nothing is lost" "$(is "$status" 0; grep lost output)"
done
for type in git hg; do
	for n in 1 2 3 4 5 6 7 8 9 10 11; do
		update $type strace -qq -o log -e signal=none -e trace=vfork \
			-e "inject=vfork:error=EAGAIN:when=$n"
		grep -q INJECTED log || break
		lost "$type: command $n is not started" "Resource temporarily unavailable"
	done
done
while read -r type word; do
	tool "$word"
	update "$type" env
	lost "$type: $word is ended by a signal" "Subprocess killed"
done <<END
git reverse
git diff-tree
git diff-index
hg log
hg status
END

# Coverage: a tool that a signal ends, files beside a name that is taken.
mkdir -p bin CMakeFiles/t.dir && touch CMakeFiles/t.dir/t.gcda source/a.c
echo "$work/CMakeFiles/t.dir" >CMakeFiles/TargetDirectories.txt
PATH=$work/bin:$PATH
tag=$(head -n 1 Testing/TAG)
program() { # name, command
	printf '#!/bin/sh\n%s\n' "$2" >"bin/$1" && chmod +x "bin/$1"
}
coverage() { # tcl of the coverage command, wrapper...
	{ cat tree.tcl; echo "CoverageCommand: $1"; } >DartConfiguration.tcl
	shift
	"$@" "$cctr" -T Coverage >output 2>&1 </dev/null
	status=$?
}
killed='kill -KILL $$' source='echo "\"source/a.c\",1,2,50%,3,4,75%"'
program gcov "$killed"
coverage gcov env
lost "gcov is ended by a signal" "Subprocess killed"
coverage gcov strace -qq -o log -e signal=none -e trace=vfork -e inject=vfork:error=EAGAIN
lost "gcov is not started" "Resource temporarily unavailable"
for tools in "$killed/true" "$source/$killed"; do
	program covsrc "${tools%/*}"
	program covbr "${tools##*/}"
	COVFILE=x coverage "" env
	lost "Bullseye: $tools" "Subprocess killed"
done
program covsrc "$source"
program covbr true
for file in "$tag-covsrc.stdout" "$tag-covbr.stderr"; do
	rm -f "Testing/Temporary/$file" && mkdir "Testing/Temporary/$file"
	COVFILE=x coverage "" env
	check "Bullseye: $file cannot be kept" "$([ "$status" != 0 ] || echo "exit code 0"
		grep -q "cctr: cannot write .*$file: Is a directory" output || cat output)"
	rmdir "Testing/Temporary/$file"
done
COVFILE=x coverage "" env
check "Bullseye: nothing is lost" "$(is "$status" 0; grep cctr: output)"
finish
