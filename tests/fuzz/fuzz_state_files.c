/*
 * The small files that a build tree and earlier runs leave are foreign text. The first
 * byte chooses the reader.
 */
#include "compat/dashboard/step/tag.h"
#include "compat/format/stop_time.h"
#include "compat/records/last_failed.h"
#include "compat/settings/configuration.h"
#include "tests/unit/text_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The last of equal keys counts: a file that is read again changes nothing. */
static void
check_configuration(struct arena *a, struct str text)
{
	struct configuration once, twice;

	text_file(a, "DartConfiguration.tcl", text);
	once = configuration_load(a, text_folder());
	twice = configuration_load(a, text_folder());
	configuration_load_into(&twice, text_folder(), STR(""));
	INVARIANT(once.keys.n == twice.keys.n);
	for (size_t i = 0; i < once.keys.n; i++)
		INVARIANT(str_eq(once.values.v[i], twice.values.v[i]));
}

static void
check_numbers(struct arena *a, struct str text)
{
	struct diag d = diag_in(a);
	struct last_failed list;
	bool ok;

	text_file(a, "LastTestsFailed.log", text);
	ok = last_failed_read(a, text_folder(), &list, &d);
	INVARIANT(ok && list.n <= text.n);
}

static void
check_times(struct str text)
{
	enum { NOW = 1700000000, DAY = 24 * 60 * 60 };
	struct dialect old = dialect_of(3025), now = dialect_of(4004);
	int64_t seconds;

	if (tag_nightly(text, NOW, &seconds))
		INVARIANT(seconds <= NOW && seconds > NOW - DAY);
	(void)stop_time_parse(&old, text, NOW, &seconds);
	if (stop_time_parse(&now, text, NOW, &seconds))
		INVARIANT(seconds >= NOW);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct str text = str_cut((const char *)data + (size > 0), size - (size > 0));

	if (size && data[0] % 3 == 0)
		check_configuration(a, text);
	else if (size && data[0] % 3 == 1)
		check_numbers(a, text);
	else if (size)
		check_times(text);
	arena_close(a);
	return 0;
}
