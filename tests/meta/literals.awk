# The string literals of C files, each as FILE:LINE:"text": comments, character constants
# and the names of included files are left out.
FNR == 1 { in_comment = 0 }
/^[ \t]*#[ \t]*include/ { next }
{
	rest = $0
	while (rest != "") {
		if (in_comment) {
			if (!match(rest, /\*\//))
				break
			rest = substr(rest, RSTART + 2)
			in_comment = 0
		} else if (!match(rest, /\/\*|"|'/)) {
			break
		} else if (substr(rest, RSTART, 2) == "/*") {
			rest = substr(rest, RSTART + 2)
			in_comment = 1
		} else {
			rest = substr(rest, RSTART)
			match(rest, /^"([^"\\]|\\.)*"|^'([^'\\]|\\.)*'|^./)
			if (RLENGTH > 1 && rest ~ /^"/)
				print FILENAME ":" FNR ":" substr(rest, 1, RLENGTH)
			rest = substr(rest, RLENGTH + 1)
		}
	}
}
