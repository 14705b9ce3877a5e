/* Uses inotify; on other systems there is no watch. See change_watch.h. */
#include "runner/base/change_watch.h"

#include <errno.h>

#ifdef __linux__

#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "runner/base/files.h"

struct change_watch {
	int fd;
};

#define CHANGES                                                                          \
	(IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |          \
		IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)

struct change_watch *
change_watch_open(struct arena *a)
{
	struct change_watch *w = NEW(a, struct change_watch);

	w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	return w->fd < 0 ? NULL : w;
}

bool
change_watch_add(struct change_watch *w, const char *folder)
{
	return inotify_add_watch(w->fd, folder, CHANGES | IN_ONLYDIR) >= 0;
}

int
change_watch_descriptor(const struct change_watch *w)
{
	return w->fd;
}

/* Events of a folder itself have no name; lost events count. */
static bool
is_change(const struct inotify_event *e)
{
	size_t n = e->len ? strlen(e->name) : 0;

	return n == 0 || (e->name[0] != '.' && e->name[n - 1] != '~');
}

bool
change_watch_take(struct change_watch *w)
{
	_Alignas(struct inotify_event) char events[1 << 14];
	const struct inotify_event *e;
	bool has_changed = false;
	ssize_t n;

	while ((n = file_get_now(w->fd, events, sizeof events)) > 0)
		for (ssize_t at = 0; at < n; at += (ssize_t)(sizeof *e + e->len)) {
			e = (const struct inotify_event *)(events + at);
			has_changed |= is_change(e);
		}
	return has_changed;
}

void
change_watch_close(struct change_watch *w)
{
	if (w)
		close(w->fd);
}

#else

struct change_watch *
change_watch_open(struct arena *a)
{
	(void)a;
	errno = ENOSYS;
	return NULL;
}

bool
change_watch_add(struct change_watch *w, const char *folder)
{
	(void)w;
	(void)folder;
	errno = ENOSYS;
	return false;
}

int
change_watch_descriptor(const struct change_watch *w)
{
	(void)w;
	return -1;
}

bool
change_watch_take(struct change_watch *w)
{
	(void)w;
	return false;
}

void
change_watch_close(struct change_watch *w)
{
	(void)w;
}

#endif
