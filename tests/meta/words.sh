#!/bin/sh
# Words that comments and pages do not use, since the reader has to translate them: each with
# the usual word. Identifiers and the texts that cctr prints are no comments.
set -u
. tests/meta/tap.sh

# A pattern of awk, a tab, what to write instead.
words='behind	after
stands	is
anew	again
whoever	the caller
whosever	whose, or the name of the owner
nobody	no one else, or who it is
passed over	ignored
passes over	ignores
(is|are) told	is reported, gets
invented time	simulated time
the same of	say what is the same'
# Phrases that are allowed in spite of the list.
right='(is|are) told apart|stands for|(leaves?|left|leaving) [a-z0-9 ]*behind|behind (walls|one file)'

# file:line:text of the comments of C files; of other files all lines.
comments() {
	awk -v right="$right" '
		FNR == 1 { inside = 0; all = FILENAME !~ /\.[ch]$/ }
		{
			text = all ? $0 : ""
			line = all ? "" : $0
			while (line != "") {
				at = index(line, inside ? "*/" : "/*")
				if (inside)
					text = text (at ? substr(line, 1, at - 1) : line) " "
				if (!at)
					break
				line = substr(line, at + 2)
				inside = !inside
			}
			gsub(/[A-Z_][A-Z_]+/, "", text)
			text = tolower(text)
			gsub(right, "", text)
			if (text ~ /[a-z]/)
				print FILENAME ":" FNR ":" text
		}' "$@"
}

# The lines of comments on standard input that have a word of the list.
found() {
	awk -v words="$words" '
		BEGIN {
			n = split(words, row, "\n")
			for (i = 1; i <= n; i++) {
				split(row[i], part, "\t")
				word[i] = "(^|[^a-z_])(" part[1] ")([^a-z_]|$)"
				instead[i] = part[2]
				any = any (i > 1 ? "|" : "") part[1]
			}
		}
		$0 ~ any {
			text = $0
			sub(/^[^:]*:[0-9]*:/, "", text)
			for (i = 1; i <= n; i++)
				if (text ~ word[i])
					print $0 " (rather: " instead[i] ")"
		}'
}

# What the folder has of them.
in_folder() {
	[ -e "$1" ] || echo "$1 is not there"
	# shellcheck disable=SC2046 # names without blanks
	comments /dev/null $(find "$1" -name '*.[ch]' -o -name '*.def' -o -name '*.rst' -o \
		-name '*.md' | sort) | found
}

# Old names, as a pattern of grep -E, a tab, the name now: in no line and no file name, not
# even as a part of an identifier.
names='sequel	post-run command
draft	atomic file, temporary file
_told|told_|untold	text, shown, reported
doubts	feasibility warnings
(^|[^a-z])(meeting_of|struct meeting|met_by)	fixture links
regex_needs	required literals
text_finder	aho_corasick
preset_early|expand_early	preset_pre_expand
judge_kindly	check_args_lenient
permit_|struct permit|permit\.[ch]	start_throttle'

# The lines and the names of files below the folders that have an old name.
old_names() {
	printf '%s\n' "$names" | while IFS='	' read -r pattern now; do
		{
			grep -rHnEiI --exclude-dir=traces --exclude=words.sh -e "$pattern" "$@"
			find "$@" -name traces -prune -o -print | grep -Ei -e "$pattern"
		} | sed "s/\$/ (now: $now)/"
	done
}

# The folders and files that are clean; a new one belongs here. To see what another one has:
# sh tests/meta/words.sh FOLDER
clean='runner manifests compat Help README.md CHANGELOG.md'
[ $# -eq 0 ] || clean=$*

own_folder
printf '%s\n' 'int behind; /* a word' ' * anew here */ int nobody;' '/* stands for x */' \
	'char *s = "passed over"; /* it is told so */' >"$work/wrong.c"
check "words are found in comments, and only there" "$(is \
	"$(comments "$work/wrong.c" | found | sed "s|^$work/||; s/:[^:]*(rather/ (rather/")" \
	"wrong.c:2 (rather: again)
wrong.c:4 (rather: is reported, gets)")"
echo 'struct sequels;' >"$work/old.c"
check "old names are found" "$(is "$(old_names "$work/old.c" | sed 's|.*/||')" \
	'old.c:1:struct sequels; (now: post-run command)')"
# shellcheck disable=SC2086 # names without blanks
check "there are no old names" "$(old_names $clean tests)"
for folder in $clean; do
	check "$folder has none of the words" "$(in_folder "$folder")"
done
check "the glossary has at most 40 words" "$(
	awk '/^  / && last ~ /^[a-z]/ { n++ } { last = $0 } END { if (n < 20 || n > 40) print n }' \
		Help/dev/glossary.rst)"
finish
