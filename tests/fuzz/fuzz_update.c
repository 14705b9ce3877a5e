/* compat/update_*: what version control systems print; the first byte chooses who reads.
 */
#include "tests/unit/update_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct update_fixture f;
	const struct update_reading *r;
	struct str bytes, report;

	if (size == 0)
		return 0;
	r = &update_readings[(unsigned char)(data[0] - 'A') % UPDATE_READINGS];
	bytes = str_cut((const char *)data + 1, size - 1);
	fixture_open(&f, r->vcs);
	fixture_read_as(&f, r, bytes);
	report = update_report(&f.update, 1, STR(""));
	INVARIANT(str_ends(report, STR("</Update>\n")));
	INVARIANT(f.update.files.n == f.update.files_by_place.n);
	fixture_close(&f);
	return 0;
}
