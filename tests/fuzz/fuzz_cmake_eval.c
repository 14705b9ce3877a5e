/*
 * A test file is a foreign file: any bytes are evaluated, refused with a message, or
 * given to cmake. What a directory did can be undone and done again with the same result,
 * however much of its file is read at once.
 *
 * The file lies in a descriptor of this process; its directory does not exist.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "compat/format/regex.h"
#include "manifests/cmake/cmake_eval.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS = 3000, STACK = 64 << 20 };

/* A thousand calls, each with blocks, take 2 MB of stack, and over 8 as sanitizers
 * compile them. */
int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct rlimit r;

	(void)argc, (void)argv;
	if (getrlimit(RLIMIT_STACK, &r) == 0 && r.rlim_cur < STACK) {
		r.rlim_cur = r.rlim_max < STACK ? r.rlim_max : STACK;
		setrlimit(RLIMIT_STACK, &r);
	}
	return 0;
}

static enum eval_result
enter(void *context, struct evaluator *e, const struct subdirectory *sub)
{
	struct evaluator_mark *m = evaluator_mark(e);
	size_t *entered = context;

	evaluator_set(e, STR("FROM_BELOW"), sub->directory);
	if (++*entered % 2)
		evaluator_rewind(e, m);
	return EVAL_DONE;
}

static void
check(const declaration_vec *out)
{
	for (size_t i = 0; i < out->n; i++) {
		const struct declaration *d = &out->v[i];

		INVARIANT(d->place && (d->words.n || d->kind == DECLARE_TEST));
		INVARIANT(d->kind != DECLARE_TEST || d->words.n >= 2);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct dialect dialect = dialect_of(size % 3 ? 3025 : 4004);
	struct source_request r = {.configuration = STR("Debug"),
		.dialect = &dialect,
		.patterns = match_set_open(a, regex_parse)};
	struct declarations out = {0};
	size_t entered = 0, n;
	struct evaluator_settings settings = {enter, &entered, STEPS, 0};
	struct evaluator *e = evaluator_new(a, &r, &out, &settings);
	struct evaluator_mark *m = evaluator_mark(e);
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct str file = str_fmt(a, "/proc/self/fd/%d", fd);
	enum eval_result first;

	INVARIANT(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	first = evaluator_read(e, file, STR("/nowhere"), true);
	check(&out.list);
	n = out.list.n;
	evaluator_rewind(e, m);
	INVARIANT(out.list.n == 0);
	entered = 0;
	settings.piece = 1 + size % 4;
	e = evaluator_new(a, &r, &out, &settings);
	INVARIANT(evaluator_read(e, file, STR("/nowhere"), true) == first);
	INVARIANT(first == EVAL_OUTSIDE || out.list.n == n);
	close(fd);
	match_set_close(r.patterns);
	arena_close(a);
	return 0;
}
