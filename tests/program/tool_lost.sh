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
finish
