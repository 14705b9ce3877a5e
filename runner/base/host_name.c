/* See host_name.h. */
#include "runner/base/host_name.h"

#include <unistd.h>

struct str
host_name(struct arena *a, struct str unknown)
{
	char name[256] = "";

	return gethostname(name, sizeof name - 1) == 0 ? str_dup(a, str_of(name))
						       : unknown;
}
