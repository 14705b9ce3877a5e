/* The engine of this machine and what it tells, for real processes
 * (tests/helpers/helper.h). */
#ifndef CCTR_TESTS_UNIT_ENGINE_FIXTURE_H
#define CCTR_TESTS_UNIT_ENGINE_FIXTURE_H

#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/run/engine.h"
#include "tests/helpers/helper.h"
#include "tests/unit/unit.h"

#define MS 1000000u
#ifndef OPEN_ENGINE
#define OPEN_ENGINE engine_local_open
#endif

struct ended {
	struct outcome o;
	int error; /* it was not started */
	unsigned count;
};
struct fixture {
	struct arena *arena;
	struct diag diag;
	struct engine *engine;
	char directory[64];
	struct ended ended[16];
	struct str lines;
	size_t restarts;
	uint64_t restart_ns; /* the next line restarts the timer with it */
	unsigned slices; /* of the search that are left */
	unsigned searched; /* slices of node 0 so far */
	bool goes_on; /* searches end when node 1 has ended */
	const struct launch *follower; /* of node 1, as node 2 */
	int interrupted;
};

static inline bool
on_line(void *context, node_id node, const struct long_text *line)
{
	struct fixture *f = context;

	if (f->restart_ns) {
		f->engine->type->set_limit(f->engine, node, f->restart_ns, true);
		f->restarts++;
	}
	f->restart_ns = 0;
	f->lines = str_fmt(f->arena, "%.*s[%.*s]", STR_ARG(f->lines), STR_ARG(line->s));
	return !str_begins(line->s, STR("drop"));
}

/* The output of node 0 takes slices to be searched, or until node 1 has ended. */
static inline bool
on_search(void *context, node_id node, const struct outcome *o)
{
	struct fixture *f = context;

	assert_int_equal(f->ended[node].count, 0);
	if (node != 0)
		return true;
	assert_true(o->output.n == 0 || str_ends(o->output, STR("\n")));
	f->searched++;
	if (f->goes_on)
		return f->ended[1].count > 0;
	return !f->slices || !--f->slices;
}

/* One whose limit is over before the loop has ended its turn. */
static inline void
follow(struct fixture *f)
{
	uint64_t until = loop_now_ns() + 20u * MS;
	int error = 0;

	assert_true(f->engine->type->start(f->engine, 2, f->follower, &error));
	while (loop_now_ns() < until)
		continue;
}

static inline void
on_ended(void *context, node_id node, const struct outcome *o)
{
	struct fixture *f = context;

	f->ended[node].o = *o;
	f->ended[node].o.output = str_dup(f->arena, o->output);
	if (o->lost.n)
		f->ended[node].o.lost = str_dup(f->arena, o->lost);
	f->ended[node].count++;
	if (f->follower && node == 1)
		follow(f);
}

static inline void
on_not_started(void *context, node_id node, int error)
{
	struct fixture *f = context;

	f->ended[node].error = error;
	f->ended[node].count++;
}

static inline void
on_interrupted(void *context, int signal)
{
	struct fixture *f = context;

	f->interrupted = signal;
	f->engine->type->interrupt(f->engine, signal);
}

/* SIGUSR1 is ignored, as by whoever started cctr. */
static inline int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	struct engine_listener listener = {.context = f,
		.line_tag = "<CTest",
		.line = on_line,
		.search = on_search,
		.ended = on_ended,
		.not_started = on_not_started,
		.interrupted = on_interrupted};

	f->arena = arena_open();
	f->diag = diag_in(f->arena);
	strcpy(f->directory, "/tmp/cctr-engine-XXXXXX");
	if (!mkdtemp(f->directory))
		return -1;
	signal(SIGUSR1, SIG_IGN);
	f->engine =
		OPEN_ENGINE(NULL, f->arena, str_of(f->directory), &listener, &f->diag);
	*state = f;
	return f->engine ? 0 : -1;
}

static inline int
teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	if (f->engine)
		f->engine->type->close(f->engine);
	signal(SIGUSR1, SIG_DFL);
	snprintf(command, sizeof command, "rm -rf '%s'", f->directory);
	if (system(command) != 0)
		return -1;
	arena_close(f->arena);
	free(f);
	return 0;
}

/* Words separated by single blanks; "@" is the test's own directory. */
static inline struct launch
launch_of(struct fixture *f, const char *words)
{
	static const char *const environment[] = {HELPER_ENVIRONMENT, "TWO=2", NULL};
	const char **argv = NEW_ARRAY(f->arena, const char *, 32);
	struct str rest = str_of(words);
	size_t n = 0;

	argv[n++] = helper_path();
	while (rest.n) {
		size_t k = str_find(rest, ' ');
		struct str word = str_cut(rest.p, k);

		argv[n++] = str_begins(word, STR("@/"))
				    ? str_fmt(f->arena, "%s/%.*s", f->directory,
					      STR_ARG(str_from(word, 2)))
					      .p
				    : str_z(f->arena, word);
		rest = str_from(rest, k < rest.n ? k + 1 : k);
	}
	return (struct launch){.path = argv[0],
		.argv = argv,
		.environment = environment,
		.directory = f->directory,
		.timeout_ns = NO_TIMEOUT};
}

static inline void
begin(struct fixture *f, node_id node, const struct launch *l)
{
	int error = 0;

	assert_true(f->engine->type->start(f->engine, node, l, &error));
}

static inline const struct outcome *
await(struct fixture *f, node_id node)
{
	while (f->ended[node].count == 0)
		f->engine->type->wait(f->engine, NO_TIMEOUT);
	assert_int_equal(f->ended[node].count, 1);
	return &f->ended[node].o;
}

static inline const struct outcome *
execute(struct fixture *f, const char *words)
{
	struct launch l = launch_of(f, words);

	f->ended[0].count = 0;
	begin(f, 0, &l);
	return await(f, 0);
}

static inline const struct outcome *
execute_limited(struct fixture *f, const char *words, uint64_t limit_ns)
{
	struct launch l = launch_of(f, words);

	l.timeout_ns = limit_ns;
	f->ended[0].count = 0;
	begin(f, 0, &l);
	return await(f, 0);
}

/* The limit begins with what is printed first: until then a slow machine has all time. */
static inline const struct outcome *
execute_limited_by_print(struct fixture *f, const char *words, uint64_t limit_ns)
{
	struct launch l = launch_of(f, words);

	l.wants_lines = true;
	f->restart_ns = limit_ns;
	f->ended[0].count = 0;
	begin(f, 0, &l);
	return await(f, 0);
}

/* The process that wrote its number into the file; waits for the file. */
static inline int
pid_in(struct fixture *f, const char *name)
{
	const char *path = str_fmt(f->arena, "%s/%s", f->directory, name).p;
	struct str text;

	while (!file_read(f->arena, path, &text))
		f->engine->type->wait(f->engine, loop_now_ns() + MS);
	return str_int(text);
}

/* Neither runs nor can run any more. */
static inline bool
is_gone(int pid)
{
	char path[64], text[256] = "";
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return true;
	if (!fgets(text, sizeof text, f))
		text[0] = '\0';
	fclose(f);
	return !*text || strstr(text, ") Z ") || strstr(text, ") X ");
}

static inline void
assert_gone(struct fixture *f, int pid)
{
	uint64_t until = loop_now_ns() + 60000u * (uint64_t)MS;

	while (!is_gone(pid) && loop_now_ns() < until)
		f->engine->type->wait(f->engine, loop_now_ns() + MS);
	assert_true(is_gone(pid));
}

#endif
