/* Helpers of several commands of scripts. See script_state.h. */
#include "compat/dashboard/script/script_state.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "compat/format/unix_path.h"
#include "runner/base/caller.h"
#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/base/tree_removal.h"

struct dashboard *
script_dashboard(struct scripts *s)
{
	struct dashboard *d = s->dashboard;

	if (d)
		return d;
	s->dashboard = d = NEW(s->arena, struct dashboard);
	*d = (struct dashboard){
		.arena = s->arena,
		.dialect = s->dialect,
		.console = s->console,
		.inputs = s->inputs,
		.configuration = {.arena = s->arena,
			.keys = map_in(s->arena),
			.overwrites = &s->options->tree.overwrites},
		.stamp = {.tag = STR(""),
			.group = STR(""),
			.asked_group = s->options->dashboard.group},
	};
	return d;
}

struct str
script_path(struct scripts *s, struct str path)
{
	struct str plain = unix_slashes(s->arena, s->dialect, path);
	size_t n = str_find(plain, '/');
	struct caller_names names;

	/* Someone without a home: ctest before 4.0 drops the name. */
	if (str_begins(plain, STR("~")) && !s->dialect->has[DIALECT_SLASHES_JOINED])
		plain = str_from(plain, n < plain.n ? n + 1 : n);
	plain = path_join(s->arena, caller_real_here(s->arena), plain);
	if (s->dialect->has[DIALECT_DIRECTORY_NAMES_AS_GIVEN])
		return plain;
	names = caller_names(s->arena);
	return caller_name_of(s->arena, &names, plain);
}

struct str
script_configuration(const struct scripts *s)
{
	return s->configuration.p ? s->configuration : s->options->configuration;
}

void
script_sleep(struct scripts *s, int64_t seconds)
{
	struct diag d = diag_in(s->arena);

	if (!loop_pause(loop_later(loop_now_ns(), seconds_to_ns((double)seconds)),
		    &s->interrupted, &d))
		console_diag(s->console, &d);
}

/* The cache is removed last: while it exists, the user can try again. */
static bool
empty_directory(struct arena *a, struct str path)
{
	struct str cache = path_join(a, path, STR("CMakeCache.txt"));
	str_vec names = {0};

	if (!directory_read(a, path.p, &names))
		return false;
	for (size_t i = 0; i < names.n; i++)
		if (!str_is(names.v[i], "CMakeCache.txt") &&
			!tree_remove(a, path_join(a, path, names.v[i]).p))
			return false;
	return unlink(cache.p) == 0 && rmdir(path.p) == 0;
}

const char *
script_why_not_emptied(struct arena *a, struct str path)
{
	struct str full = path_join(a, path_here(a), path);

	if (path.n < 2)
		return "path too short";
	if (!path_exists(full.p))
		return NULL;
	if (!path_exists(path_join(a, full, STR("CMakeCache.txt")).p))
		return "path does not contain an existing CMakeCache.txt file";
	return empty_directory(a, full) ? NULL : strerror(errno);
}
