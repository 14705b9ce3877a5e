/* See cluster_settings.h. */
#include "runner/cluster/cluster_settings.h"

#include "runner/cluster/job_nice.h"

#define ANSWER_MOST 86400u
#define COUNT_MOST 10000u

enum kind {
	KIND_TEXT,
	KIND_FOLDER,
	KIND_SECONDS,
	KIND_COUNT,
	KIND_PRIORITY,
	KIND_SWITCH,
	KIND_ORIGIN,
	KIND_FACTOR
};
struct row {
	const char *key;
	const char *system; /* NULL: every one has the key */
	enum kind kind;
	const char *variable; /* that commands read; NULL: none */
	size_t at; /* in struct cluster_settings */
};
#define AT(member) offsetof(struct cluster_settings, member)
#define SLURM "slurm"
#define GRID_ENGINE "gridengine"
static const struct row rows[] = {
	{"bin", NULL, KIND_FOLDER, NULL, AT(bin)},
	{"config", SLURM, KIND_FOLDER, "SLURM_CONF", AT(config)},
	{"root", GRID_ENGINE, KIND_FOLDER, "SGE_ROOT", AT(root)},
	{"cell", GRID_ENGINE, KIND_TEXT, "SGE_CELL", AT(cell)},
	{"cluster", GRID_ENGINE, KIND_TEXT, "SGE_CLUSTER_NAME", AT(cluster)},
	{"repo_key", NULL, KIND_TEXT, NULL, AT(repo_key)},
	{"init_timeout", NULL, KIND_SECONDS, NULL, AT(init_timeout)},
	{"n_max_queued_jobs", NULL, KIND_COUNT, NULL, AT(n_max_queued_jobs)},
	{"idle_limit", NULL, KIND_SECONDS, NULL, AT(idle_limit)},
	{"use_nice", SLURM, KIND_SWITCH, NULL, AT(use_nice)},
	{"time_origin", SLURM, KIND_ORIGIN, NULL, AT(time_origin)},
	{"nice_factor", SLURM, KIND_FACTOR, NULL, AT(nice_factor)},
	{"default_prio", GRID_ENGINE, KIND_PRIORITY, NULL, AT(default_prio)},
	{"cpu_resource", GRID_ENGINE, KIND_TEXT, NULL, AT(cpu_resource)},
	{"mem_resource", GRID_ENGINE, KIND_TEXT, NULL, AT(mem_resource)},
	{"tmp_resource", GRID_ENGINE, KIND_TEXT, NULL, AT(tmp_resource)},
	{"gpu_resource", GRID_ENGINE, KIND_TEXT, NULL, AT(gpu_resource)},
	{"parallel_environment", GRID_ENGINE, KIND_TEXT, NULL, AT(parallel_environment)},
};
enum { ROWS_N = sizeof rows / sizeof *rows };

static bool
is_number(enum kind kind)
{
	return kind == KIND_SECONDS || kind == KIND_COUNT;
}

static struct str *
text_at(struct cluster_settings *s, const struct row *r)
{
	return (struct str *)(void *)((char *)s + r->at);
}

static uint64_t *
number_at(struct cluster_settings *s, const struct row *r)
{
	return (uint64_t *)(void *)((char *)s + r->at);
}

struct str_list
cluster_settings_keys(struct arena *a, const char *system)
{
	str_vec keys = {0};

	for (size_t i = 0; i < ROWS_N; i++)
		if (!rows[i].system || strcmp(rows[i].system, system) == 0)
			VEC_PUSH(a, &keys, str_of(rows[i].key));
	return str_vec_list(&keys);
}

/* Nothing in it is more than a character of a name to any command. */
static bool
is_plain(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= ' ' || s.p[i] == 127 || strchr("/,;=|&'\"\\`$*?[]", s.p[i]))
			return false;
	return s.n > 0 && s.p[0] != '-';
}

static bool
is_priority(struct str s)
{
	uint64_t n;

	return s.n && s.p[0] == '-' ? str_unsigned(str_from(s, 1), 1023, &n)
				    : str_unsigned(s, 1024, &n);
}

static bool
read_value(struct arena *a, struct cluster_settings *s, const struct row *r,
	struct str value, const char **why)
{
	int64_t origin;
	double factor;

	switch (r->kind) {
	case KIND_TEXT:
		if (!is_plain(value))
			return fail_why(why, "not a name without blanks, quotes and "
					     "any of /,;=|&$*?[]");
		break;
	case KIND_FOLDER:
		if (!value.n || value.p[0] != '/')
			return fail_why(why, "not an absolute path");
		break;
	case KIND_PRIORITY:
		if (!is_priority(value))
			return fail_why(why, "not a number from -1023 to 1024");
		break;
	case KIND_SWITCH:
		if (!str_is(value, "true") && !str_is(value, "false"))
			return fail_why(why, "not true or false");
		break;
	case KIND_ORIGIN:
		if (!job_nice_origin(value, &origin))
			return fail_why(why, "not a time such as 2023-01-01 00:00");
		break;
	case KIND_FACTOR:
		if (!job_nice_factor(value, &factor))
			return fail_why(why, "not a number above 0");
		break;
	case KIND_COUNT:
		return (str_unsigned(value, COUNT_MOST, number_at(s, r)) &&
			       *number_at(s, r)) ||
		       fail_why(why, "not a number from 1 to 10000");
	case KIND_SECONDS:
		return (str_unsigned(value, ANSWER_MOST, number_at(s, r)) &&
			       *number_at(s, r)) ||
		       fail_why(why, "not a number of seconds from 1 to 86400");
	}
	*text_at(s, r) = str_dup(a, value);
	return true;
}

bool
cluster_settings_set(struct arena *a, struct cluster_settings *s, struct str key,
	struct str value, const char **why)
{
	for (size_t i = 0; i < ROWS_N; i++)
		if (str_is(key, rows[i].key))
			return read_value(a, s, &rows[i], value, why);
	return fail_why(why, "there is no such key");
}

struct str_list
cluster_settings_list(struct arena *a, const struct cluster_settings *s)
{
	struct cluster_settings from = *s;
	str_vec words = {0};

	for (size_t i = 0; i < ROWS_N; i++) {
		const struct row *r = &rows[i];

		if (is_number(r->kind) && *number_at(&from, r))
			VEC_PUSH(a, &words,
				str_fmt(a, "%s=%llu", r->key,
					(unsigned long long)*number_at(&from, r)));
		else if (!is_number(r->kind) && text_at(&from, r)->n)
			VEC_PUSH(a, &words,
				str_fmt(a, "%s=%.*s", r->key,
					STR_ARG(*text_at(&from, r))));
	}
	return str_vec_list(&words);
}

void
cluster_settings_fill(struct cluster_settings *s, const struct cluster_settings *weaker)
{
	struct cluster_settings from = *weaker;

	for (size_t i = 0; i < ROWS_N; i++) {
		const struct row *r = &rows[i];

		if (is_number(r->kind)) {
			if (!*number_at(s, r))
				*number_at(s, r) = *number_at(&from, r);
		} else if (!text_at(s, r)->n) {
			*text_at(s, r) = *text_at(&from, r);
		}
	}
}

struct str_list
cluster_settings_words(
	struct arena *a, const struct cluster_settings *s, const char *path)
{
	struct cluster_settings from = *s;
	str_vec words = {0};

	VEC_PUSH(a, &words, STR("env"));
	for (size_t i = 0; i < ROWS_N; i++)
		if (rows[i].variable && text_at(&from, &rows[i])->n)
			VEC_PUSH(a, &words,
				str_fmt(a, "%s=%.*s", rows[i].variable,
					STR_ARG(*text_at(&from, &rows[i]))));
	if (s->bin.n)
		VEC_PUSH(a, &words,
			str_fmt(a, "PATH=%.*s%s%s", STR_ARG(s->bin),
				path && *path ? ":" : "", path ? path : ""));
	if (words.n == 1)
		words.n = 0;
	return str_vec_list(&words);
}
