#!/bin/sh
# repository.sh FOLDER: makes a repository of it, with one commit.
# repository.sh FOLDER N: the changes of round N.  Dates are given, so that hashes are.
set -eu
cd "$1"
step() {
	GIT_AUTHOR_DATE="2026-01-0$1T10:00:00+00:00" GIT_COMMITTER_DATE="$GIT_AUTHOR_DATE"
	export GIT_AUTHOR_DATE GIT_COMMITTER_DATE
	git add -A
	git commit -q -m "$2"
}
case ${2:-begin} in
begin)
	git init -q -b main .
	step 1 "begin"
	;;
0)
	echo 2 >version.txt
	mkdir -p folder
	echo "new <&> file" >folder/new.txt
	step 2 "version 2

A second paragraph, with <&> in it."
	;;
1) ;;
2)
	git mv folder/new.txt folder/moved.txt
	git rm -q complains.txt
	step 3 "move one file, remove another"
	echo 3 >version.txt
	step 4 "version 3"
	;;
esac
