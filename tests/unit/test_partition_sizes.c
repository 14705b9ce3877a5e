/* partition_sizes: sizes as text. */
#include "runner/resources/partition_sizes.h"
#include "tests/unit/unit.h"

static void
add_size(struct buf *b, const struct partition_size *s)
{
	static const char *const kinds[] = {[PARTITION_COUNT] = "",
		[PARTITION_PERCENT] = "%",
		[PARTITION_ALL] = "all",
		[PARTITION_FILL] = "fill"};

	if (s->kind == PARTITION_COUNT || s->kind == PARTITION_PERCENT)
		buf_fmt(b, "%llu", (unsigned long long)s->n);
	buf_z(b, kinds[s->kind]);
}

static const char *
text_of(struct arena *a, const struct partition_sizes *s)
{
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (size_t i = 0; i < s->n; i++) {
		buf_fmt(&b, "%.*s=", STR_ARG(s->v[i].type));
		add_size(&b, &s->v[i].size);
		buf_char(&b, ' ');
	}
	if (s->has_nodes) {
		buf_z(&b, "nodes=");
		add_size(&b, &s->nodes);
		buf_char(&b, ' ');
	}
	if (s->has_rest) {
		buf_z(&b, "rest=");
		add_size(&b, &s->rest);
	}
	return b.p;
}

static const struct {
	const char *text, *expected; /* expected: or the reason */
	bool is_wrong;
} rows[] = {
	{"", "", false},
	{"gpus=4", "gpus=4 ", false},
	{"gpus=4,cpus=16", "gpus=4 cpus=16 ", false},
	{"mem=2G,cpus=50%", "mem=2048 cpus=50% ", false},
	{"cpus=all,mem=fill", "cpus=all mem=fill ", false},
	{"nodes=2,gpus=2", "gpus=2 nodes=2 ", false},
	{"nodes=50%", "nodes=50% ", false},
	{"50%", "rest=50%", false},
	{"fill", "rest=fill", false},
	{"gpus=0,fill", "gpus=0 rest=fill", false},
	{"all", "rest=all", false},
	{"4", "a number is of a type, such as gpus=4", true},
	{"gpus", "a size is a number, such as 4, 50%, all or fill", true},
	{"gpus=", "a size is a number, such as 4, 50%, all or fill", true},
	{"gpus=-1", "a size is a number, such as 4, 50%, all or fill", true},
	{"gpus=4.5", "a size is a number, such as 4, 50%, all or fill", true},
	{"gpus=99999999999999999999", "a size is a number, such as 4, 50%, all or fill",
		true},
	{"gpus=101%", "a part of the pool is 0% to 100%", true},
	{"gpus=%", "a part of the pool is 0% to 100%", true},
	{"Gpus=1", "a size is <type>=<size>, such as gpus=4", true},
	{"=1", "a size is <type>=<size>, such as gpus=4", true},
	{"gpus=1,gpus=2", "a type has one size", true},
	{"nodes=1,nodes=2", "a type has one size", true},
	{"50%,fill", "there is one size for all types", true},
	{"gpus=1,,cpus=1", "a size is a number, such as 4, 50%, all or fill", true},
};

static void
texts_are_sizes(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct partition_sizes s;
		const char *why = "";
		bool is_read = partition_sizes_read(a, str_of(rows[i].text), &s, &why);

		print_message("# %s\n", rows[i].text);
		assert_int_equal(is_read, !rows[i].is_wrong);
		assert_string_equal(is_read ? text_of(a, &s) : why, rows[i].expected);
	}
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_sizes),
	};

	return run_unit_tests("partition_sizes", tests, NULL, NULL);
}
