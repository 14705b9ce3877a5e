/* gpu_visibility: what CUDA and ROCm call the GPUs of a pool. */
#include "compat/resources/gpu_visibility.h"
#include "tests/unit/suite_text.h"
#include "tests/unit/unit.h"

/* "ID:VENDOR:UUID:DEVICE ID:VENDOR", one word for each GPU; an empty part is a property
 * that the instance lacks. */
static struct resource_type
type_of(struct arena *a, const char *text)
{
	static const char *const names[] = {"vendor", "uuid", "device"};
	struct str rest = str_of(text);
	VEC(struct resource_instance) v = {0};

	while (rest.n) {
		struct str word = text_piece(&rest, ' ');
		struct resource_property *p = NEW_ARRAY(a, struct resource_property, 3);
		struct resource_instance r = {
			.id = text_piece(&word, ':'), .slots = 1, .properties = p};

		for (size_t i = 0; i < ROWS(names); i++) {
			struct str value = text_piece(&word, ':');

			if (value.n)
				p[r.properties_n++] = (struct resource_property){
					str_of(names[i]), value};
		}
		VEC_PUSH(a, &v, r);
	}
	return (struct resource_type){.name = STR(GPU_TYPE), .v = v.v, .n = v.n};
}

static const struct {
	const char *gpus;
	struct gpu_variables v;
	const char *nvidia, *amd; /* names; "-": of another vendor */
	const char *why;
} rows[] = {
	{"0:nvidia 3:nvidia", {.cuda = NULL}, "0 3", "- -", NULL},
	{"0:amd 3:amd", {.cuda = NULL}, "- -", "0 3", NULL},
	{"0 1", {.cuda = NULL}, "0 1", "0 1", NULL},
	{"0:intel", {.cuda = NULL}, "-", "-", NULL},
	{"0:nvidia:GPU-a 1:nvidia:MIG-b", {.cuda = NULL}, "GPU-a MIG-b", "- -", NULL},
	{"0:nvidia:GPU-a 1:nvidia", {.cuda = NULL}, "0 1", "- -", NULL},
	{"0:amd:GPU-77", {.cuda = NULL}, "-", "0", NULL},
	{"a:nvidia::5", {.cuda = NULL}, "5", "-", NULL},
	{"a:nvidia", {.cuda = NULL}, NULL, NULL,
		"which devices of CUDA_VISIBLE_DEVICES the gpus of the pool are is not "
		"known: ids must be numbers; a property 'device' can say it"},
	/* two vendors, with numbers of their own */
	{"0:nvidia::0 1:amd::0", {.cuda = NULL}, "0 -", "- 0", NULL},
	{"0:nvidia:GPU-a 1:amd::0", {.cuda = NULL}, "GPU-a -", "- 0", NULL},
	{"0:nvidia:GPU-a 1:amd", {.cuda = NULL}, NULL, NULL,
		"which devices of ROCR_VISIBLE_DEVICES the gpus of the pool are is not "
		"known: ids do not say it with several vendors; a property 'device' can "
		"say it"},
	/* in a session: what is in its list, else places in it */
	{"2 3", {.cuda = "2,3"}, "2 3", "2 3", NULL},
	{"3:nvidia 2:nvidia", {.cuda = "2,3"}, "3 2", "- -", NULL},
	{"0:nvidia 1:nvidia", {.cuda = "2,3"}, "2 3", "- -", NULL},
	{"0:nvidia 1:nvidia", {.cuda = "MIG-a,MIG-b"}, "MIG-a MIG-b", "- -", NULL},
	{"0:nvidia", {.cuda = "1,0"}, "0", "-", NULL},
	{"0:nvidia 2:nvidia", {.cuda = "2,3"}, NULL, NULL,
		"the gpus of the pool are not among the 2 devices of "
		"CUDA_VISIBLE_DEVICES"},
	{"0:nvidia", {.cuda = ""}, NULL, NULL,
		"the gpus of the pool are not among the 0 devices of "
		"CUDA_VISIBLE_DEVICES"},
	{"0:nvidia:GPU-abc", {.cuda = "GPU-ab"}, "GPU-abc", "-", NULL},
	{"5:nvidia:GPU-abc", {.cuda = "GPU-x"}, NULL, NULL,
		"the gpus of the pool are not among the 1 device of "
		"CUDA_VISIBLE_DEVICES"},
	/* another GPU is not the one at that place */
	{"0:nvidia:GPU-abc", {.cuda = "GPU-x"}, NULL, NULL,
		"the gpus of the pool are not among the 1 device of "
		"CUDA_VISIBLE_DEVICES"},
	/* a session of numbers does not have UUIDs */
	{"3:nvidia:GPU-abc", {.cuda = "3"}, "3", "-", NULL},
	{"0:nvidia:GPU-abc:3", {.cuda = "2,3"}, "3", "-", NULL},
	{"0:amd 1:amd", {.rocr = "4,5"}, "- -", "4 5", NULL},
	/* one vendor's list is nothing to the other */
	{"0:amd", {.cuda = "7"}, "-", "0", NULL},
	{"", {.cuda = "7"}, "", "", NULL},
};

static const char *
shown_names(struct arena *a, const struct str *names, size_t n)
{
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (size_t i = 0; i < n; i++)
		buf_fmt(&b, "%s%.*s", i ? " " : "",
			STR_ARG(names[i].n ? names[i] : STR("-")));
	return b.p ? b.p : "";
}

static void
gpus_have_names(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct resource_type t = type_of(a, rows[i].gpus);
		struct gpu_session s = gpu_session_of(a, &rows[i].v);
		struct gpu_names names;
		struct str why = STR("");
		bool is_known = gpu_names_find(a, &t, &s, &names, &why);

		assert_int_equal(is_known, rows[i].why == NULL);
		if (rows[i].why) {
			assert_string_equal(str_z(a, why), rows[i].why);
			continue;
		}
		assert_string_equal(shown_names(a, names.nvidia, t.n), rows[i].nvidia);
		assert_string_equal(shown_names(a, names.amd, t.n), rows[i].amd);
	}
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gpus_have_names),
	};

	return run_unit_tests("gpu_visibility", tests, NULL, NULL);
}
