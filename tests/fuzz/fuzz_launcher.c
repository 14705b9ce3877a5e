/*
 * The launcher reads files of the build tree and what a compiler writes, and makes a
 * piece of XML of it. Rules, NUL, labels, NUL, output: the piece is well-formed.
 */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "compat/dashboard/build/launcher_fragment.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/xml_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/cctr-fuzz-XXXXXX";

static void
remove_folder(void)
{
	struct arena *a = arena_open();

	unlink(str_fmt(a, "%s/CustomWarning.txt", folder).p);
	unlink(str_fmt(a, "%s/CTestLaunchConfig.cmake", folder).p);
	unlink(str_fmt(a, "%s/CMakeFiles/t.dir/Labels.txt", folder).p);
	rmdir(str_fmt(a, "%s/CMakeFiles/t.dir", folder).p);
	rmdir(str_fmt(a, "%s/CMakeFiles", folder).p);
	rmdir(folder);
	arena_close(a);
}

static void
make_folder(struct arena *a)
{
	static bool is_made;
	bool ok;

	if (is_made)
		return;
	is_made = true;
	ok = mkdtemp(folder) &&
	     directory_make(a, str_fmt(a, "%s/CMakeFiles/t.dir", folder).p);
	INVARIANT(ok);
	atexit(remove_folder);
}

static void
put(struct arena *a, const char *name, struct str text)
{
	bool ok = file_write(a, str_fmt(a, "%s/%s", folder, name).p, ".tmp", text);

	INVARIANT(ok);
}

static void
ignore_name(void *context, struct str name)
{
	(void)context, (void)name;
}

static void
check_fragment(struct str fragment)
{
	const struct xml_events events = {
		.begin = ignore_name, .text = ignore_name, .end = ignore_name};

	INVARIANT(!xml_read(fragment, &events).text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct str text = str_cut((const char *)data, size),
		   rules_text = str_take(&text, '\0');
	struct str labels = str_take(&text, '\0'), logs = str_of(folder);
	struct str words[] = {STR("cc"), text};
	struct buf complaint = {.arena = a}, fragment = {.arena = a};
	struct launched l = {.target_name = STR("t"),
		.target_type = STR("EXECUTABLE"),
		.language = STR("C"),
		.source = STR("/s/a.c"),
		.build_directory = logs,
		.words = {words, 2},
		.directory = logs,
		.out = text,
		.err = labels,
		.end = {.ending = COMMAND_EXITED}};
	struct launch_rules *rules;

	make_folder(a);
	put(a, "CustomWarning.txt", rules_text);
	put(a, "CTestLaunchConfig.cmake", rules_text);
	put(a, "CMakeFiles/t.dir/Labels.txt", labels);
	rules = launch_rules_open(a, &l, logs, &complaint);
	(void)launched_warned(&l, rules);
	(void)launched_path(a, &l, logs);
	launched_fragment(&fragment, &l, rules, logs);
	check_fragment(buf_as_str(&fragment));
	launch_rules_close(rules);
	arena_close(a);
	return 0;
}
