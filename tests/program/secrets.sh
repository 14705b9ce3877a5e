#!/bin/sh
# Passwords and tokens are in nothing that cctr prints, writes or starts.
# shellcheck disable=SC2016 # what is quoted belongs to CMake
set -u
. tests/meta/tap.sh
own_scripts
needs git

# Every secret of this script has this in it.
secret=hunter2
export CCTR_COMPAT_VERSION=3.25 CTEST_OUTPUT_ON_FAILURE=

# $1: the URL. A tree with a test, something to submit and a repository to update.
tree() {
	rm -rf tree
	mkdir -p tree/Testing
	git init -q tree/source
	touch tree/source/CMakeLists.txt
	printf '20260101-0100\nExperimental\nExperimental\n' >tree/Testing/TAG
	mkdir tree/Testing/20260101-0100
	echo '<Site/>' >tree/Testing/20260101-0100/Test.xml
	cat >tree/DartConfiguration.tcl <<-END
		SourceDirectory: $work/tree/source
		BuildDirectory: $work/tree
		SubmitURL: $1
		ConfigureCommand: "sh" "-c" "exit 0" "-DMY_TOKEN=$secret" "https://me:$secret@host/"
		MakeCommand: sh -c "exit 0" --password $secret
		UpdateCommand: git
		UpdateType: git
		GITUpdateCustom: sh;-c;exit 1;--password;$secret
		GITCommand: git
	END
	cat >tree/CTestTestfile.cmake <<-END
		add_test(a "/bin/true")
		set_tests_properties(a PROPERTIES
		  ENVIRONMENT "MY_TOKEN=$secret;PROXY=http://me:$secret@proxy:1/"
		  ENVIRONMENT_MODIFICATION "MY_PASSWORD=set:$secret")
	END
}

# Where a secret stands but in the files that say it.
leaks() {
	grep -n "$secret" said
	grep -rl "$secret" tree --include='*' | grep -vE \
		'^tree/(DartConfiguration.tcl|CTestTestfile.cmake|CTestCustom.cmake|s.cmake)$'
	find tree -name '*.xml' -exec grep -l gzip {} + | while read -r file; do
		tr -d '\n' <"$file" | sed 's/.*<Log[^>]*gzip[^>]*>\([^<]*\).*/\1/;t;d' |
			base64 -d 2>/dev/null | python3 -c 'import sys, zlib
sys.stdout.buffer.write(zlib.decompress(sys.stdin.buffer.read() or zlib.compress(b"")))' |
			grep -q "$secret" && echo "$file: Log"
	done
}

# $1: what it is, then the words of cctr. said: what it printed.
run() {
	title=$1
	shift
	(cd tree && "$cctr" "$@") >said 2>&1
	check "$title" "$(leaks)"
}

for url in "http://me:$secret@127.0.0.1:1/x" "http://me:$secret@host.invalid/x" \
	"http://$secret@127.0.0.1:1/x" "http://me:$secret@127.0.0.1:port/x" \
	"http://me:a/$secret@127.0.0.1:1/x" "nothing://me:$secret@127.0.0.1:1/x" \
	"http://127.0.0.1:1/x?project=A&token=$secret"; do
	tree "$url"
	for words in "-T Submit" "-VV -T Submit" "--debug -N -T Submit"; do
		for version in 3.25 4.4; do
			CCTR_COMPAT_VERSION=$version
			set -- --http-header "Authorization: Bearer $secret"
			[ "${words#--debug}" = "$words" ] || set --
			# shellcheck disable=SC2086 # words
			run "$version $words to $url" $words "$@"
		done
	done
	check "it was tried" "$(grep -q 'Error message was' said || cat said)"
done
CCTR_COMPAT_VERSION=3.25

tree "http://127.0.0.1:1/x"
HTTP_PROXY="http://me:$secret@127.0.0.1" HTTP_PROXY_PORT=1 HTTP_PROXY_USER=me \
	HTTP_PROXY_PASSWD=$secret run "a proxy" -VV -T Submit
HTTP_PROXY="me:$secret@127.0.0.1" run "a proxy without a scheme" -VV -T Submit
http_proxy="http://me:$secret@127.0.0.1:1" run "a proxy of libcurl's own" -VV -T Submit
sed -i "s,^SubmitURL:.*,DropSite: 127.0.0.1:1\nDropSiteUser: me\nDropSitePassword: $secret," \
	tree/DartConfiguration.tcl
run "a drop site" -VV -T Submit

for version in 3.25 4.4; do
	CCTR_COMPAT_VERSION=$version
	tree "http://me:$secret@127.0.0.1:1/x"
	for step in Update Configure Build Test; do
		run "$version -T $step" -VV -T "$step"
	done
	check "$version the commands are there" "$(for file in Update Configure Build; do
		grep -q '\*\*\*' tree/Testing/*/"$file.xml" || echo "$file.xml"
	done)"
	run "$version a run" -VV
	check "$version the environment is shown" "$(grep -q 'MY_TOKEN=\*\*\*$' said || cat said)"
	run "$version a listing" -N -VV
	echo "set(CTEST_CUSTOM_PRE_TEST \"sh -c false --password $secret\")" >tree/CTestCustom.cmake
	run "$version a command before the tests" -VV

	# A child of the script sees every command line but those that said it themselves.
	tree "http://127.0.0.1:1/x"
	cat >tree/s.cmake <<-END
		set(CTEST_SITE here)
		set(CTEST_BUILD_NAME b)
		set(CTEST_SOURCE_DIRECTORY "$work/tree/new")
		set(CTEST_BINARY_DIRECTORY "$work/tree")
		set(CTEST_CHECKOUT_COMMAND "sh -c \"exit 0\" --password $secret")
		set(CTEST_SUBMIT_URL "http://me:$secret@127.0.0.1:1/submit.php?token=$secret")
		set(CTEST_DROP_SITE_PASSWORD $secret)
		set(CTEST_BUILD_COMMAND "sh -c \"exit 0\" --password $secret")
		set(CTEST_CONFIGURE_COMMAND "sh -c \"exit 0\" -DMY_TOKEN=$secret")
		set(CTEST_SVN_OPTIONS "--password $secret")
		file(MAKE_DIRECTORY "$work/tree/new")
		ctest_start(Experimental)
		execute_process(COMMAND sh -c "cat /proc/[0-9]*/cmdline | tr '\\\\0' '\\\\n'"
		  OUTPUT_FILE "$work/tree/commands" ERROR_QUIET)
		ctest_configure()
		ctest_build()
		ctest_submit(HTTPHEADER "Authorization: Bearer $secret" RETRY_COUNT 1 RETRY_DELAY 0)
		ctest_submit(CDASH_UPLOAD "$work/tree/Testing/TAG" CDASH_UPLOAD_TYPE x
		  HTTPHEADER "Authorization: Bearer $secret")
	END
	run "$version a script" -VV -S "s.cmake"
	check "$version it came to its end" "$(grep -q 'Error in HttpRequest' said || cat said)"
done
finish
