/* compat/memcheck_*: logs of all memory checkers; the first byte says of which. */
#include "compat/dashboard/memcheck/memcheck_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
	memcheck_reader *reader;
	const char *shape;
	bool has_faults;
} readers[] = {
	{memcheck_read_valgrind, NULL, true},
	{memcheck_read_sanitizer, "ERROR: AddressSanitizer: {*} on*", false},
	{memcheck_read_sanitizer, "WARNING: ThreadSanitizer: {*} (pid=*)", false},
	{memcheck_read_sanitizer, "runtime error: {*}", false},
	{memcheck_read_drmemory, NULL, true},
	{memcheck_read_cuda, NULL, false},
	{memcheck_read_purify, NULL, true},
	{memcheck_read_bounds, NULL, true},
};
enum { READERS = sizeof readers / sizeof *readers };

static void
check(const struct memcheck_log *l)
{
	uint64_t n = 0;

	for (size_t i = 0; i < l->counts.n; i++) {
		const struct memcheck_count *c = &l->counts.v[i];

		INVARIANT(c->kind < l->kinds->v.n && c->n > 0);
		INVARIANT(i == 0 || l->counts.v[i - 1].kind < c->kind);
		INVARIANT(l->kinds->v.v[c->kind].n == c->n);
		n += c->n;
	}
	INVARIANT(n == l->defects);
	INVARIANT(l->shown.n == 0 || l->shown.p[l->shown.n - 1] == '\n');
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t which = size ? data[0] % READERS : 0;
	struct arena *a = arena_open();
	struct memcheck_kinds kinds = memcheck_kinds_open(a, readers[which].has_faults);
	struct memcheck_log l = {.arena = a,
		.kinds = &kinds,
		.shape = readers[which].shape,
		.most = size > 1 && data[1] == '!' ? 20 : 0};

	l.text = size ? str_cut((const char *)data + 1, size - 1) : STR("");
	memcheck_log_read(readers[which].reader, &l);
	check(&l);
	arena_close(a);
	return 0;
}
