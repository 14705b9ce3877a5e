/* compat/update_*: what version control systems print; the first byte chooses who reads.
 */
#include "tests/unit/update_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct vcs *const systems[] = {
	&vcs_bzr, &vcs_cvs, &vcs_git, &vcs_hg, &vcs_p4, &vcs_svn};
enum { SYSTEMS = sizeof systems / sizeof *systems };

static size_t
readers_of(const struct vcs *vcs)
{
	size_t n = 0;

	while (vcs->readers[n].name)
		n++;
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct update_fixture f;
	const struct vcs *vcs;
	struct str bytes, report;

	if (size == 0)
		return 0;
	vcs = systems[(data[0] >> 4) % SYSTEMS];
	bytes = str_cut((const char *)data + 1, size - 1);
	fixture_open(&f, vcs);
	vcs_read(&f.update, &vcs->readers[(data[0] & 15) % readers_of(vcs)], bytes);
	report = update_report(&f.update, 1, STR(""));
	INVARIANT(str_ends(report, STR("</Update>\n")));
	INVARIANT(f.update.files.n == f.update.files_by_place.n);
	fixture_close(&f);
	return 0;
}
