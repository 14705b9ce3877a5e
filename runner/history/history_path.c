/* Where the history is. See history.h. */
#include "runner/base/files.h"
#include "runner/history/history.h"

struct str
history_path(struct arena *a, struct str temporary)
{
	return path_join(a, path_parent(temporary), STR("cctr-history.sqlite"));
}
