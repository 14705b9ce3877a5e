#!/bin/sh
# Expressions that stock ctest crashes on, or needs years for: cctr has the right verdict at
# once.
set -u
. tests/meta/tap.sh

own_folder
export CCTR_COMPAT_VERSION=3.25
cd "$work" || exit 1

# name, how often the text is printed, the text, what follows it, the expression
fails_if_found() {
	cat >>CTestTestfile.cmake <<-EOF
		add_test($1 sh -c "yes '$3' | head -n $2; echo '$4'")
		set_tests_properties($1 PROPERTIES FAIL_REGULAR_EXPRESSION "$5")
	EOF
}
fails_if_found any_line 200000 abcdef FORBIDDEN '(.|\n)*FORBIDDEN'
fails_if_found any_line_clean 200000 abcdef forbidden '(.|\n)*FORBIDDEN'
fails_if_found lines 200000 abcde FORBIDDEN '([a-z]+\n)+FORBIDDEN'
fails_if_found lines_clean 200000 abcde forbidden '([a-z]+\n)+FORBIDDEN'
fails_if_found nested 200000 xxxxxx y '((x+x+)+\n)+y'
fails_if_found nested_clean 200000 xxxxxx z '((x+x+)+\n)+y'
fails_if_found alternatives 100000 aaaaaa b '(a|aa|\n)+b'
fails_if_found alternatives_clean 100000 aaaaaa c '(a|aa|\n)+b'
fails_if_found three_stars_clean 20000 'Test started / ok' end 'Test.*started.*ok.*FAILED'

timeout 60 "$CCTR" >output 2>&1
check "ends with what the tests are" "$(is $? 8)"
check "forbidden text is found, and nothing else" "$(is \
	"$(sed -n 's/^\t *[0-9]* - \([a-z_]*\) (Failed)$/\1/p' output | tr '\n' ' ')" \
	"any_line lines nested alternatives ")"
check "it takes no time" "$(awk '/^Total Test time/ && $6 > 20' output)"
finish
