/* The name of a fragment says what it contains. See build_launch.h. */
#include "compat/dashboard/build/build_launch.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/dashboard/build/launcher_fragment.h"
#include "runner/base/atomic_file.h"
#include "runner/base/caller.h"
#include "runner/base/environment.h"
#include "runner/base/files.h"
#include "runner/base/sort.h"
#include "runner/base/tree_removal.h"

/* ---- input of the launchers ------------------------------------------------------ */

static bool
write_file(const struct build_launch *l, const char *name, struct str text)
{
	struct arena *a = l->in->arena;
	struct str path = path_join(a, l->directory, str_of(name));

	if (file_write(a, path.p, ".tmp", text))
		return true;
	console_lost_file(l->in->console, path, errno);
	return false;
}

static bool
write_rules(const struct build_launch *l, const char *name, const struct str_list *rules)
{
	struct buf text = {.arena = l->in->arena};

	if (!rules->n)
		return true;
	for (size_t i = 0; i < rules->n; i++)
		buf_fmt(&text, "%.*s\n", STR_ARG(rules->v[i]));
	return write_file(l, name, buf_as_str(&text));
}

static bool
write_settings(const struct build_launch *l)
{
	const struct step_input *in = l->in;
	struct str source = step_key(in, "SourceDirectory");

	return write_rules(l, "CustomWarning.txt", &in->custom->warning_match) &&
	       write_rules(
		       l, "CustomWarningSuppress.txt", &in->custom->warning_exception) &&
	       write_file(l, LAUNCH_WHOLE, STR("")) &&
	       write_file(l, "CTestLaunchConfig.cmake",
		       str_fmt(in->arena, "set(CTEST_SOURCE_DIRECTORY \"%.*s\")\n",
			       STR_ARG(source)));
}

static void
hand_to_launchers(struct build_launch *l)
{
	l->environment = environment_with(
		l->in->arena, l->environment, LAUNCH_VARIABLE, l->directory);
	l->has_input = true;
}

void
build_launch_begin(struct build_launch *l)
{
	const struct step_input *in = l->in;
	struct arena *a = in->arena;

	INVARIANT(!l->has_input && !l->environment);
	/* A build around cctr may have set it. */
	l->environment = environment_without(a, caller_environment(a), LAUNCH_VARIABLE);
	if (!in->stamp.tag.n)
		return;
	l->directory = path_join(
		a, in->binary, str_fmt(a, "Testing/%.*s/Build", STR_ARG(in->stamp.tag)));
	if (!tree_remove(a, l->directory.p)) {
		console_fmt(in->console, CHANNEL_WARNING, "cctr: cannot remove %s\n",
			l->directory.p);
		console_note_loss(in->console);
	}
	if (!l->is_on)
		return;
	if (!directory_make(a, l->directory.p))
		console_lost_file(in->console, l->directory, errno);
	else if (write_settings(l))
		hand_to_launchers(l);
}

void
build_launch_end(struct build_launch *l)
{
	const struct step_input *in = l->in;

	if (!l->has_input ||
		unlink(path_join(in->arena, l->directory, STR(LAUNCH_WHOLE)).p) == 0)
		return;
	console_fmt(in->console, CHANNEL_ERROR,
		"cctr: not every launched command could be noted in %s\n",
		l->directory.p);
	console_note_loss(in->console);
}

/* ---- fragments ------------------------------------------------------------------- */

struct fragment {
	struct str name;
	struct timespec at;
	bool is_error;
};
typedef VEC(struct fragment) fragment_vec;

static bool
is_fragment(struct str name, struct str kind)
{
	return str_begins(name, kind) && str_ends(name, STR(".xml"));
}

static void
find_fragments(const struct build_launch *l, fragment_vec *found)
{
	struct arena *a = l->in->arena;
	str_vec names = {0};

	if (l->directory.n)
		console_read_directory(l->in->console, a, l->directory, &names);
	for (size_t i = 0; i < names.n; i++) {
		struct str name = names.v[i];
		bool is_error = is_fragment(name, STR("error-"));
		struct fragment f = {.is_error = is_error};
		struct stat status;

		if (!is_error && !is_fragment(name, STR("warning-")))
			continue;
		f.name = path_join(a, l->directory, name);
		if (stat(f.name.p, &status) == 0)
			f.at = status.st_mtim;
		VEC_PUSH(a, found, f);
	}
}

SORT_BY(sort_fragments, struct fragment,
	ASCENDING(at.tv_sec) ASCENDING(at.tv_nsec) TEXTUAL(name))

void
build_launch_collect(struct build_launch *l)
{
	const struct custom *custom = l->in->custom;
	fragment_vec found = {0};

	find_fragments(l, &found);
	sort_fragments(found.v, found.n);
	for (size_t i = 0; i < found.n; i++) {
		const struct fragment *f = &found.v[i];
		int most = f->is_error ? custom->errors_most : custom->warnings_most;
		size_t *n = f->is_error ? &l->errors : &l->warnings;

		if (most >= 0 && *n >= (size_t)most)
			continue;
		*n += 1;
		VEC_PUSH(l->in->arena, &l->fragments, f->name);
	}
}

void
build_launch_note(struct build_launch *l, const struct str_list *words, int exit_code,
	struct str log)
{
	const struct step_input *in = l->in;
	struct arena *a = in->arena;
	struct buf text = {.arena = a}, complaint = {.arena = a}, unread = {.arena = a};
	struct launched launched = {.words = *words,
		.directory = in->directory,
		.out = log,
		.end = {.ending = COMMAND_EXITED, .exit_code = exit_code},
		.unread = &unread};
	struct launch_rules *rules;
	struct str path;
	fragment_vec found = {0};

	find_fragments(l, &found);
	for (size_t i = 0; i < found.n; i++)
		if (found.v[i].is_error)
			return;
	rules = launch_rules_open(a, &launched, l->directory, &complaint);
	launched_fragment(&text, &launched, rules, l->directory);
	launch_rules_close(rules);
	if (unread.n) {
		console_say(in->console, CHANNEL_ERROR, buf_as_str(&unread));
		console_note_loss(in->console);
	}
	path = launched_path(a, &launched, l->directory);
	if (!file_write(a, path.p, ".tmp", buf_as_str(&text)))
		console_lost_file(in->console, path, errno);
}
