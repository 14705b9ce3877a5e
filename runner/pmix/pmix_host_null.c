/* No PMIx server: for a build without libpmix. See pmix_host.h. */
#include "runner/pmix/pmix_host.h"

const char *
pmix_host_lacks(void)
{
	return "this cctr was built without libpmix";
}

int
pmix_host_run(struct arena *a, const char *folder)
{
	(void)a, (void)folder;
	return 1;
}
