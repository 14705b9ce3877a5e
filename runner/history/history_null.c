/* No history: for a build without SQLite. See history.h. */
#include "runner/history/history.h"

#include "runner/base/files.h"

bool
history_is_available(void)
{
	return false;
}

const char *
history_lacks(void)
{
	return "this cctr was built without SQLite";
}

struct history *
history_open(struct arena *a, const struct history_options *o)
{
	(void)a, (void)o;
	BUG("there is no SQLite");
}

enum history_end
history_add(struct history *h, const struct history_attempt *v, size_t n,
	unsigned patience_ms, struct diag *d)
{
	(void)h, (void)v, (void)n, (void)patience_ms, (void)d;
	return HISTORY_LOST;
}

enum history_end
history_drop_tests(struct history *h, size_t most)
{
	(void)h, (void)most;
	return HISTORY_LOST;
}

void
history_estimate(struct arena *a, struct str path, struct str configuration,
	const struct str *tests, size_t n, double *seconds, struct diag *d)
{
	(void)configuration, (void)tests, (void)n, (void)seconds;
	if (path_may_exist(str_z(a, path)))
		diag_warning(d, (struct place){.file = path},
			"the history cannot be read: %s", history_lacks());
}

enum history_found
history_read(struct arena *a, struct str path, struct str configuration,
	const struct str *tests, size_t n, size_t most, struct history_content *content,
	struct diag *d)
{
	(void)a, (void)configuration, (void)tests, (void)n, (void)most, (void)content;
	diag_error(d, (struct place){.file = path}, "the history cannot be read: %s",
		history_lacks());
	return HISTORY_UNREADABLE;
}

struct str
history_why(const struct history *h)
{
	(void)h;
	return str_of(history_lacks());
}

void
history_close(struct history *h)
{
	(void)h;
}
