/* See script_custom.h. */
#include "compat/dashboard/script/script_custom.h"

#include <errno.h>
#include <string.h>

#include "compat/dashboard/script/script_depth.h"
#include "compat/settings/settings.h"
#include "runner/base/files.h"

/* The files that one command names, while they are being read. */
struct custom_reading {
	struct custom_reading *outer;
	struct str_list files; /* as spelled */
	bool *are_directories; /* which cmake ignores */
	size_t next, errors; /* errors: of the script when the next file began */
};

void
script_custom_begin(struct script_command *c, const struct str_list *files,
	const struct str *spelled, uint64_t deeper)
{
	struct scripts *s = c->scripts;
	struct custom_reading *r;
	struct str *copy;

	script_reply_files(c->reply, files);
	if (!files->n)
		return;
	copy = NEW_ARRAY(s->arena, struct str, files->n);
	r = NEW(s->arena, struct custom_reading);
	*r = (struct custom_reading){s->frame.reading, {copy, files->n},
		NEW_ARRAY(s->arena, bool, files->n), 0, c->call->errors};
	for (size_t i = 0; i < files->n; i++) {
		copy[i] = spelled[i];
		r->are_directories[i] = path_is_directory(str_z(s->arena, files->v[i]));
	}
	s->frame.reading = r;
	script_depth_enter(c, true, deeper);
}

static void
say_problem(const struct scripts *s, struct str file)
{
	console_fmt(s->console, CHANNEL_ERROR,
		"Problem reading custom configuration: %.*s\n", STR_ARG(file));
}

/* What a file sets is not set for the script, but for some steps. */
static void
take_variables(struct scripts *s, const struct script_call *call)
{
	const struct settings_file set = {
		.variables = call->variables, .n = call->variables_n};
	struct settings shown = {
		.arena = s->arena, .dialect = s->dialect, .console = s->console};
	struct dashboard *d = script_dashboard(s);

	settings_take_custom(&shown, &set);
	custom_keep_coverage(d->arena, &d->custom, call->variables, call->variables_n);
	custom_keep_memcheck(d->arena, &d->custom, call->variables, call->variables_n);
}

/* Until 4.0 CTestCustom.ctest is also a problem after an earlier error. */
static bool
has_problem(const struct script_command *c, const struct custom_reading *r)
{
	if (c->call->errors > r->errors || r->are_directories[r->next])
		return true;
	return c->scripts->dialect->has[DIALECT_CUSTOM_FILE_ALSO_REPORTED] &&
	       c->is_after_error && str_ends(r->files.v[r->next], STR(".ctest"));
}

void
script_answer_custom_file(struct script_command *c)
{
	struct scripts *s = c->scripts;
	struct custom_reading *r = s->frame.reading;
	size_t errors = console_errors(s->console);

	if (s->dialect->has[DIALECT_COVERAGE_EXCLUDE_LINE])
		take_variables(s, c->call);
	c->reply->has_error = console_errors(s->console) > errors;
	if (!r)
		return;
	if (has_problem(c, r)) {
		say_problem(s, r->files.v[r->next]);
		c->reply->has_error = true;
	}
	r->errors = c->call->errors;
	if (++r->next < r->files.n)
		return;
	s->frame.reading = r->outer;
	script_depth_leave(c);
}

void
script_custom_end(struct scripts *s)
{
	for (const struct custom_reading *r = s->frame.reading; r; r = r->outer)
		say_problem(s, r->files.v[r->next]);
	s->frame.reading = NULL;
}

bool
script_may_read(struct script_command *c, struct str file)
{
	int fd = file_open_found(file.p), error = fd < 0 ? errno : 0;

	file_close(&fd);
	if (error == EINVAL)
		script_reply_error(
			c->reply, str_fmt(c->scripts->arena, "cannot read %.*s: %s",
					  STR_ARG(file), strerror(error)));
	return error != EINVAL;
}

struct str
script_custom_file(struct arena *a, struct str directory)
{
	static const char *const names[] = {"CTestCustom.cmake", "CTestCustom.ctest"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct str file = path_join(a, directory, str_of(names[i]));

		if (path_may_exist(file.p))
			return file;
	}
	return STR_NONE;
}

void
script_answer_custom_files(struct script_command *c)
{
	struct arena *a = c->scripts->arena;
	str_vec files = {0}, spelled = {0};
	struct str_list list;

	if (c->call->words.n == 0)
		script_reply_error(c->reply,
			STR("ctest_read_custom_files called with incorrect number of "
			    "arguments"));
	for (size_t i = 0; i < c->call->words.n; i++) {
		struct str directory = c->call->words.v[i];
		/* An empty word is the root: ctest puts a slash after it. */
		struct str file = script_custom_file(a,
			path_join(a, path_here(a), directory.n ? directory : STR("/")));

		if (!file.p || !script_may_read(c, file))
			continue;
		VEC_PUSH(a, &files, file);
		/* In ctest's spelling: "./CTestCustom.cmake". */
		VEC_PUSH(a, &spelled,
			str_fmt(a, "%.*s/%.*s", STR_ARG(directory),
				STR_ARG(path_name(file))));
	}
	list = str_vec_list(&files);
	script_custom_begin(c, &list, spelled.v, 0);
}
