/* Setters of options about how tests run: how many in parallel, how often, until when. */
#include "compat/options/option_parse.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include "compat/format/stop_time.h"
#include "runner/base/files.h"
#include "runner/history/history.h"
#include "runner/process/processors.h"
#include "runner/remote/node_list.h"
#include "runner/schedule/shards.h"

/* ---- numbers --------------------------------------------------------------------- */

/* Like strtol on the whole text. false: the text has other characters. */
bool
option_read_long(struct arena *a, struct str text, long *value)
{
	const char *z = str_z(a, text);
	char *end;

	INVARIANT(value);
	errno = 0;
	*value = strtol(z, &end, 10);
	return end != z && *end == '\0' && errno == 0;
}

bool
option_read_unsigned(struct str text, unsigned long *read)
{
	uint64_t value;

	INVARIANT(read);
	while (text.n && isspace((unsigned char)*text.p))
		text = str_from(text, 1);
	if (text.n && *text.p == '+')
		text = str_from(text, 1);
	if (!str_unsigned(text, ULONG_MAX, &value))
		return false;
	*read = (unsigned long)value;
	return true;
}

/* ---- how many at a time ---------------------------------------------------------- */

static size_t
default_parallel(void)
{
	size_t n = processors_count();

	return n < 2 ? 2 : n;
}

bool
option_read_parallel(
	const struct dialect *dialect, struct str text, struct schedule_options *o)
{
	unsigned long n;
	int old;

	INVARIANT(o);
	if (!dialect->has[DIALECT_PARALLEL_WITHOUT_VALUE]) {
		old = str_int(text);
		o->parallel = old < 1 ? 1 : (size_t)old;
		return true;
	}
	if (text.n == 0) {
		o->parallel = default_parallel();
		o->parallel_is_chosen = true;
		return true;
	}
	if (!option_read_unsigned(text, &n))
		return false;
	o->parallel = n == 0 ? UNBOUNDED_JOBS : n > UINT_MAX ? UINT_MAX : (size_t)n;
	o->parallel_is_chosen = false;
	return true;
}

bool
option_set_parallel(struct option_parse *p, const struct option_use *use)
{
	struct str spelled = use->spelled, value = use->value;

	/* Until 3.31 a word such as -j=1 is shown twice. */
	if (use->is_glued && !p->dialect->has[DIALECT_OPTION_EQUALS_VALUE])
		spelled = value = str_cut(value.p - spelled.n, spelled.n + value.n);
	if (!option_read_parallel(p->dialect, use->value, &p->o->schedule))
		return option_error(p, "'%.*s' given invalid value '%.*s'",
			STR_ARG(spelled), STR_ARG(value));
	p->o->schedule.has_parallel = true;
	return true;
}

/* ---- repetition ------------------------------------------------------------------ */

/* A count of 1 or less means no repetition. */
static bool
set_repeat(struct option_parse *p, enum repeat_mode mode, uint64_t count)
{
	if (p->o->run.repeat.mode != REPEAT_NEVER)
		return option_error(p, "At most one '--repeat' option may be used.");
	if (count > 1)
		p->o->run.repeat = (struct repeat){
			mode, count > UINT_MAX ? UINT_MAX : (unsigned)count};
	return true;
}

/* Only digits. A number that is too large becomes the largest one. */
static bool
read_count(struct str text, uint64_t *count)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] < '0' || text.p[i] > '9')
			return false;
	if (!str_unsigned(text, UINT_MAX, count))
		*count = UINT_MAX;
	return text.n > 0;
}

bool
option_set_repeat(struct option_parse *p, const struct option_use *use)
{
	static const char *const names[] = {[REPEAT_UNTIL_FAIL] = "until-fail",
		[REPEAT_UNTIL_PASS] = "until-pass",
		[REPEAT_AFTER_TIMEOUT] = "after-timeout"};
	size_t colon = str_find(use->value, ':');
	struct str name = str_cut(use->value.p, colon);
	struct str digits =
		str_from(use->value, colon < use->value.n ? colon + 1 : colon);
	uint64_t count;

	if (p->o->run.repeat.mode != REPEAT_NEVER)
		return set_repeat(p, REPEAT_NEVER, 0);
	for (int mode = REPEAT_UNTIL_FAIL; mode <= REPEAT_AFTER_TIMEOUT; mode++)
		if (str_is(name, names[mode]) && read_count(digits, &count))
			return set_repeat(p, (enum repeat_mode)mode, count);
	return option_error(
		p, "'--repeat' given invalid value '%.*s'", STR_ARG(use->value));
}

bool
option_set_flaky(struct option_parse *p, const struct option_use *use)
{
	struct run_options *o = &p->o->run;

	o->flaky_fails = str_is(use->value, "fail");
	o->tells_flaky = o->flaky_fails || str_is(use->value, "pass");
	return o->tells_flaky ||
	       option_error(p, "'--flaky' given '%.*s', neither pass nor fail",
		       STR_ARG(use->value));
}

bool
option_set_repeat_until_fail(struct option_parse *p, const struct option_use *use)
{
	long count;

	if (p->o->run.repeat.mode != REPEAT_NEVER)
		return set_repeat(p, REPEAT_NEVER, 0);
	if (!option_read_long(p->a, use->value, &count))
		return option_error(p,
			"'--repeat-until-fail' given non-integer value '%.*s'",
			STR_ARG(use->value));
	return set_repeat(p, REPEAT_UNTIL_FAIL, count < 0 ? 0 : (uint64_t)count);
}

/* ---- limits ---------------------------------------------------------------------- */

/* A value that is not a time of day is ignored, as in ctest. */
bool
option_set_stop_time(struct option_parse *p, const struct option_use *use)
{
	int64_t stop_s;

	if (stop_time_parse(p->dialect, use->value, (int64_t)time(NULL), &stop_s))
		p->o->run.stop_s = stop_s;
	return true;
}

bool
option_set_test_load(struct option_parse *p, const struct option_use *use)
{
	if (!option_read_unsigned(use->value, &p->o->schedule.test_load))
		option_complain(p, true,
			str_fmt(p->a, "Invalid value for 'Test Load' : %.*s\n",
				STR_ARG(use->value)));
	return true;
}

bool
option_set_default_timeout(struct option_parse *p, const struct option_use *use)
{
	struct limit_options *o = &p->o->run.limits;
	double seconds;

	if (!str_seconds(str_of(str_z(p->a, use->value)), &seconds) || seconds < 0 ||
		seconds > LIMIT_MOST_S)
		return option_error(p,
			"'--default-timeout' given '%.*s', not a time of at most %d s, "
			"such as 60s, 1.5m or 1h, or 0 for no limit",
			STR_ARG(use->value), LIMIT_MOST_S);
	o->has_default = true;
	o->default_s = seconds;
	return true;
}

static bool
read_factor(struct arena *a, struct str text, double *factor)
{
	const char *z = str_z(a, text);
	char *end;

	*factor = strtod(z, &end);
	return end != z && !*end && *factor >= LIMIT_FACTOR_LEAST &&
	       *factor <= LIMIT_FACTOR_MOST;
}

/* A label may contain '='. */
bool
option_set_timeout_multiplier(struct option_parse *p, const struct option_use *use)
{
	struct limit_options *o = &p->o->run.limits;
	size_t equals = str_rfind(use->value, '=');
	bool is_of_label = equals < use->value.n && equals > 0;
	struct label_factor f = {.label = str_cut(use->value.p, equals)};
	struct str number = is_of_label ? str_from(use->value, equals + 1) : use->value;

	if (!read_factor(p->a, number, &f.factor))
		return option_error(p,
			"'--timeout-multiplier' given '%.*s', not a number from %g to "
			"%g, nor LABEL=number",
			STR_ARG(use->value), LIMIT_FACTOR_LEAST, LIMIT_FACTOR_MOST);
	if (is_of_label)
		VEC_PUSH(p->a, &o->of_labels, f);
	else
		o->factor = f.factor;
	return true;
}

/* ---- order ----------------------------------------------------------------------- */

static bool
set_count(struct option_parse *p, const struct option_use *use, int most, size_t *count)
{
	uint64_t n;

	if (!str_unsigned(use->value, (uint64_t)most, &n) || n == 0)
		return option_error(p, "'%.*s' given '%.*s', not a number from 1 to %d",
			STR_ARG(use->spelled), STR_ARG(use->value), most);
	*count = (size_t)n;
	return true;
}

bool
option_set_reserve(struct option_parse *p, const struct option_use *use)
{
	return set_count(p, use, RESERVE_MOST, &p->o->schedule.reserve);
}

bool
option_set_simulate(struct option_parse *p, const struct option_use *use)
{
	p->o->schedule.simulate = true;
	p->o->schedule.durations = use->value;
	return true;
}

/* ---- other settings of a run ----------------------------------------------------- */

/* The message counts as an error, but not if -Q hides it. */
bool
option_set_overwrite(struct option_parse *p, const struct option_use *use)
{
	if (str_find(use->value, '=') < use->value.n) {
		VEC_PUSH(p->a, &p->o->tree.overwrites, use->value);
		return true;
	}
	p->o->has_error = p->o->has_error || !p->o->console.quiet;
	option_complain(p, false,
		str_fmt(p->a,
			"CTest configuration overwrite specified in the wrong format.\n"
			"Valid format is: --overwrite key=value\n"
			"The specified was: --overwrite %.*s\n",
			STR_ARG(use->value)));
	return true;
}

bool
option_set_slow_after(struct option_parse *p, const struct option_use *use)
{
	enum { LEAST_NS = 1000000 };
	double seconds;

	if (!str_seconds(str_of(str_z(p->a, use->value)), &seconds) ||
		seconds_to_ns(seconds) < LEAST_NS)
		return option_error(p,
			"'--slow-after' given '%.*s', not a time of a millisecond or "
			"more, such as 60s, 1.5m or 1h",
			STR_ARG(use->value));
	p->o->run.slow_after_ns = seconds_to_ns(seconds);
	return true;
}

/* "2/5" */
bool
option_set_shard(struct option_parse *p, const struct option_use *use)
{
	size_t slash = str_find(use->value, '/');
	struct str count = str_from(use->value, slash < use->value.n ? slash + 1 : slash);
	uint64_t shard, shards;

	if (!str_unsigned(str_cut(use->value.p, slash), SHARDS_MOST, &shard) ||
		!str_unsigned(count, SHARDS_MOST, &shards) || !shard || shard > shards)
		return option_error(p,
			"'%.*s' given '%.*s', not i/n with i from 1 to n, and n up to %d",
			STR_ARG(use->spelled), STR_ARG(use->value), SHARDS_MOST);
	p->o->selection.shard = (uint32_t)shard;
	p->o->selection.shards = (uint32_t)shards;
	return true;
}

bool
option_set_history(struct option_parse *p, const struct option_use *use)
{
	p->o->run.keeps_history = str_is(use->value, "on");
	return p->o->run.keeps_history || str_is(use->value, "off") ||
	       option_error(p, "'--history' given unknown value '%.*s', not on or off",
		       STR_ARG(use->value));
}

bool
option_set_history_keep(struct option_parse *p, const struct option_use *use)
{
	return set_count(p, use, HISTORY_KEEP_MOST, &p->o->run.history_keep);
}

bool
option_set_debug(struct option_parse *p, const struct option_use *use)
{
	(void)use;
	p->o->console.debug = p->o->console.verbose = p->o->console.extra_verbose = true;
	return true;
}

bool
option_set_pass_through(struct option_parse *p, const struct option_use *use)
{
	str_vec all = {0};

	VEC_PUSH_ALL(p->a, &all, p->o->run.pass_through); /* from the preset */
	VEC_PUSH_ALL(p->a, &all, use->rest);
	p->o->run.pass_through = str_vec_list(&all);
	p->has_separator = true;
	return true;
}

/* Tests run in other directories than this one. */
bool
option_set_wrapper(struct option_parse *p, const struct option_use *use)
{
	struct str_list *words = &p->o->run.wrapper;

	if (!launcher_read(p->a, use->value, words))
		return option_error(p, "'%.*s' given '%.*s', which is not a command",
			STR_ARG(use->spelled), STR_ARG(use->value));
	if (str_find(words->v[0], '/') < words->v[0].n)
		words->v[0] = path_join(p->a, path_here(p->a), words->v[0]);
	return true;
}

struct output_limits
output_limits_default(void)
{
	return (struct output_limits){1024, 300 * 1024, TRUNCATE_TAIL};
}
